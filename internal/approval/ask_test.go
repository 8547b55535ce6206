package approval_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/approval"
)

// browser is a client that can be asked to open pages.
type browser struct {
	t      *testing.T
	opened chan opened
	answer chan reply // what it answers
	gone   chan error // why the question ended without an answer

	mu   sync.Mutex
	told []string
}

type opened struct {
	Mode, URL, Message string
	ID                 string `json:"elicitationId"`
}

type reply struct {
	action string
	err    error
}

func newBrowser(t *testing.T) *browser {
	return &browser{t: t, opened: make(chan opened, 8), answer: make(chan reply, 8), gone: make(chan error, 8)}
}

// Takes is that of [capabilities.Asker].
func (b *browser) Takes(string, json.RawMessage) bool { return true }

// Client is that of [capabilities.Asker].
func (b *browser) Client() string { return "browser" }

// Ask is that of [capabilities.Asker].
func (b *browser) Ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	var o opened
	if err := json.Unmarshal(params, &o); err != nil || method != "elicitation/create" || strings.Contains(string(params), "requestedSchema") {
		b.t.Errorf("asked %s %s", method, params)
	}
	b.opened <- o
	select {
	case r := <-b.answer:
		return json.RawMessage(`{"action":"` + r.action + `"}`), r.err
	case <-ctx.Done():
		b.gone <- ctx.Err()
		return nil, ctx.Err()
	}
}

// Tell is that of [capabilities.Asker].
func (b *browser) Tell(method string, params json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = append(b.told, method+" "+string(params))
}

// settled fails the test unless the client was told that a question is settled, and of
// nothing else; "" is of nothing at all.
func (b *browser) settled(id string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	want := ""
	if id != "" {
		want = `notifications/elicitation/complete {"elicitationId":"` + id + `"}`
	}
	if got := strings.Join(b.told, "\n"); got != want {
		b.t.Errorf("the client is told %q, want %q", got, want)
	}
}

func paged(t *testing.T) *world {
	return sqlite(t, func(o *approval.Options) {
		o.Page = func(_ *capabilities.Principal, id string) string { return "https://desk.example/approvals/" + id }
	})
}

// send sends the usual call of a client that opens pages.
func (w *world) send(b *browser, edit ...func(*capabilities.Call)) (answer <-chan error) {
	answered := make(chan error, 1)
	c := usual()
	c.Asks = b
	for _, f := range edit {
		f(&c)
	}
	go func() {
		_, err := w.door.Invoke(w.t.Context(), c)
		answered <- err
	}()
	return answered
}

// page takes the page that the client is sent to, and the request that it is of.
func (w *world) page(b *browser, answer <-chan error) (opened, string) {
	w.t.Helper()
	select {
	case o := <-b.opened:
		id, ok := strings.CutPrefix(o.URL, "https://desk.example/approvals/")
		if !ok || o.Mode != "url" || o.ID == "" || !strings.Contains(o.Message, "drop_ware waits for a person's approval ("+id+")") {
			w.t.Errorf("asked %+v", o)
		}
		return o, id
	case err := <-answer:
		w.t.Fatalf("nobody is asked: %v", err)
		return opened{}, ""
	}
}

func TestClientOpensThePage(t *testing.T) {
	w, b := paged(t), newBrowser(t)
	answer := w.send(b)
	o, id := w.page(b, answer)
	b.answer <- reply{action: "accept"}
	w.approve(id)
	if err := <-answer; err != nil {
		t.Errorf("approved, it is answered %v", err)
	}
	w.ran(1)
	b.settled(o.ID)

	b = newBrowser(t)
	answer = w.send(b)
	o, id = w.page(b, answer)
	b.answer <- reply{action: "accept"}
	if _, err := w.decide(person("ana"), id, approval.Deny, "no"); err != nil {
		t.Fatal(err)
	}
	is(t, <-answer, capabilities.Forbidden, `person:ana denied this call of drop_ware, and said "no"`)
	w.ran(1)
	b.settled(o.ID)
}

// Who does not open the page is answered at once, and the request stays; who cannot waits if
// it was to wait.
func TestClientDoesNotOpenThePage(t *testing.T) {
	refused := &capabilities.ClientError{Code: -32601, Message: "no"}
	for name, c := range map[string]struct {
		says reply
		wait time.Duration
		held bool
	}{
		"it declines":                  {says: reply{action: "decline"}},
		"it dismisses it":              {says: reply{action: "cancel"}, wait: capabilities.MaxWait},
		"it says something else":       {says: reply{action: "perhaps"}},
		"it says nothing that is JSON": {says: reply{action: `"`}},
		"it cannot":                    {says: reply{err: capabilities.ErrUnasked}},
		"it cannot, and waits":         {says: reply{err: capabilities.ErrUnasked}, wait: capabilities.MaxWait, held: true},
		"it refuses to":                {says: reply{err: refused}},
		"it refuses to, and waits":     {says: reply{err: refused}, wait: capabilities.MaxWait, held: true},
		"it is gone":                   {says: reply{err: capabilities.ErrUnanswered}},
		"it is gone, and said to wait": {says: reply{err: capabilities.ErrUnanswered}, wait: capabilities.MaxWait},
		"it does not answer":           {wait: time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			w, b := paged(t), newBrowser(t)
			waits := make(chan struct{}, 1)
			answer := w.send(b, func(call *capabilities.Call) {
				call.Wait = c.wait
				call.Progress = func(capabilities.Progress) {
					select {
					case waits <- struct{}{}:
					default:
					}
				}
			})
			_, id := w.page(b, answer)
			if c.says != (reply{}) {
				b.answer <- c.says
			} else if err := <-b.gone; err == nil {
				t.Error("the question goes on")
			}
			if c.held {
				<-waits
				w.approve(id)
				if err := <-answer; err != nil {
					t.Errorf("approved, it is answered %v", err)
				}
				w.ran(1)
			} else {
				is(t, <-answer, capabilities.ApprovalNeeded, id)
				w.ran(0)
			}
			b.settled("")
			if q, err := w.desk.Get(t.Context(), id); err != nil || !c.held && q.State != approval.Pending {
				t.Errorf("the request is %+v, %v", q, err)
			}
		})
	}
}

// What is decided while the client has not answered waits for its answer, whatever that is.
func TestDecisionBeforeTheClientAnswers(t *testing.T) {
	for _, action := range []string{"accept", "decline"} {
		w, b := paged(t), newBrowser(t)
		waits := make(chan struct{})
		done := make(chan struct{})
		answer := w.send(b, func(c *capabilities.Call) {
			c.Progress = func(capabilities.Progress) {
				select {
				case waits <- struct{}{}:
				case <-done:
				}
			}
		})
		<-waits
		_, id := w.page(b, answer)
		w.approve(id)
		select {
		case <-waits: // it waits on, although it could run
		case err := <-b.gone:
			t.Errorf("with %s to come, the question is taken back: %v", action, err)
		}
		close(done)
		w.ran(0)
		b.answer <- reply{action: action}
		if err := <-answer; err != nil {
			t.Errorf("back with %s, it is answered %v", action, err)
		}
		w.ran(1)
	}
}

// Nobody is asked who does not want to wait, where there is no page, or about a call that
// needs nobody.
func TestClientIsNotAsked(t *testing.T) {
	b := newBrowser(t)
	w := paged(t)
	for name, answer := range map[string]<-chan error{
		"it does not wait": w.send(b, func(c *capabilities.Call) { c.Wait = capabilities.NoWait }),
		"there is no page": sqlite(t).send(b),
	} {
		if e, ok := capabilities.AsError(<-answer); !ok || e.Code != capabilities.ApprovalNeeded {
			t.Errorf("%s: it is answered %v", name, e)
		}
	}
	w.approve(w.asks(usual()))
	if err := <-w.send(b); err != nil {
		t.Error(err)
	}
	if n := len(b.opened); n != 0 {
		t.Errorf("the client is asked %d times", n)
	}
}
