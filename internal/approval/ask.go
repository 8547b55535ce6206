package approval

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// A client that opens pages for its user (elicitation in the mode "url") is sent to the page
// of a request. What it answers is whether it did, and nothing else: whoever decides does so
// on that page, signed in there. A form that the client shows would be answered by the
// caller's own client, and so is never used.

// AskedWait is how long a call is held whose client opened the page, where neither the caller
// nor the rule says so: less than the minute after which many clients give a call up.
const AskedWait = 50 * time.Second

// asked is a client that is being sent to a page.
type asked struct {
	id       string        // of the elicitation
	answer   chan answered // nil once it has answered
	accepted bool
	withdraw context.CancelFunc
}

// answered is what the client says: "accept", "decline" or "cancel".
type answered struct {
	action string
	err    error
}

// page answers the page that the client is to be sent to, "" for none.
func (w *waiting) page(o *open) string {
	if w.asks == nil {
		return ""
	}
	return w.desk.page(w.call.Principal, o.ID)
}

// ask sends the client to a page. Until it answers the call does nothing but wait: a client
// of 2026-07-28 is not there meanwhile, and nothing is to be done behind its back.
func (w *waiting) ask(ctx context.Context, o *open, page string) {
	ctx, withdraw := context.WithCancel(ctx)
	// Its own word, and not the request's id: the next call about that one is asked by itself.
	w.asked = &asked{id: rand.Text(), answer: make(chan answered, 1), withdraw: withdraw}
	client, answer := w.asks, w.asked.answer
	params, err := json.Marshal(struct {
		Mode    string `json:"mode"`
		ID      string `json:"elicitationId"`
		URL     string `json:"url"`
		Message string `json:"message"`
	}{"url", w.asked.id, page, fmt.Sprintf(
		"%s waits for a person's approval (%s). The page shows the call and who makes it; whoever may decide signs in there.", w.call.Name(), o.ID)})
	go func() {
		if err != nil { // texts cannot fail
			answer <- answered{err: err}
			return
		}
		var said struct {
			Action string `json:"action"`
		}
		result, err := client.Ask(ctx, "elicitation/create", params)
		if err == nil {
			err = json.Unmarshal(result, &said)
		}
		answer <- answered{said.Action, err}
	}()
}

// heard takes the answer of the client, and reports whether the call is held further.
func (w *waiting) heard(o *open, a answered) bool {
	w.asked.answer = nil
	switch {
	case a.err != nil && w.most > 0 && !errors.Is(a.err, capabilities.ErrUnanswered):
		// It cannot be asked, or does not open pages after all: it waits all the same.
	case a.err != nil:
		return false
	case a.action != "accept":
		w.limit = 0 // but for a last look: somebody may have decided elsewhere
	default:
		w.asked.accepted = true
		w.timer.Reset(w.restart(o))
	}
	return true
}

// pending answers where the answer comes, nil where none is awaited.
func (a *asked) pending() <-chan answered {
	if a == nil {
		return nil
	}
	return a.answer
}

// end takes the question back, and says that it is settled where a person has decided.
func (a *asked) end(client capabilities.Asker, decided bool) {
	if a == nil {
		return
	}
	a.withdraw()
	if a.answer != nil {
		<-a.answer // nothing is asked any more once the call goes on
	}
	if decided && a.accepted {
		client.Tell("notifications/elicitation/complete", []byte(`{"elicitationId":"`+a.id+`"}`))
	}
}
