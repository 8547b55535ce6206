package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const page = `{"mode":"url","elicitationId":"e1","url":"https://desk.example/approvals/7","message":"Look."}`

// asker is a tool that asks its client: as often as it is told, one after the other or all at
// once. It answers what it heard.
func asker(t testing.TB, f *fixture) {
	f.bridge("desk", bridged(t, "desk__ask", func(s *capabilities.BridgedSpec) {
		s.Input = json.RawMessage(`{"type":"object"}`)
		s.Handler = func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
			in := struct {
				Method     string
				Params     json.RawMessage
				Times      int
				Once, Hold bool
			}{Method: "elicitation/create", Params: json.RawMessage(page), Times: 1}
			if err := json.Unmarshal(inv.Arguments, &in); err != nil {
				return nil, err
			}
			heard := make([]string, in.Times)
			if in.Hold {
				capabilities.CallFrom(ctx).Report(capabilities.Progress{Value: 1})
			}
			var all sync.WaitGroup
			for i := range heard {
				ask := func() { heard[i] = ask(ctx, inv.Asks, in.Method, in.Params) }
				if in.Once {
					all.Go(ask)
					continue
				}
				ask()
			}
			all.Wait()
			if in.Hold {
				capabilities.CallFrom(ctx).Report(capabilities.Progress{Value: 2})
				f.deps.started <- inv.RequestID
				<-ctx.Done()
			}
			if inv.Asks != nil {
				inv.Asks.Tell("notifications/elicitation/complete", json.RawMessage(`{"elicitationId":"e1"}`))
			}
			select {
			case f.deps.ended <- context.Cause(ctx):
			default: // nobody looks at so many
			}
			text := strings.Join(heard, "; ")
			return &capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock(text)}}, ctx.Err()
		}
	}))
}

func ask(ctx context.Context, client capabilities.Asker, method string, params json.RawMessage) string {
	if client == nil {
		return "nobody"
	}
	result, err := client.Ask(ctx, method, params)
	switch said, ok := errors.AsType[*capabilities.ClientError](err); {
	case ok:
		return fmt.Sprintf("error %d", said.Code)
	case errors.Is(err, capabilities.ErrUnasked):
		return "unasked"
	case errors.Is(err, capabilities.ErrUnanswered):
		return "unanswered"
	case err != nil:
		return err.Error()
	}
	var said struct{ Action string }
	if err := json.Unmarshal(result, &said); err != nil {
		return err.Error()
	}
	return said.Action
}

func says(res *mcp.CallToolResult) string {
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		return ""
	}
	return text.Text
}

// A client is asked what it said that it answers, and nothing else, in every era and over
// every transport.
func TestAClientIsAskedWhatItAnswers(t *testing.T) {
	form := `{"mode":"form","message":"Who?","requestedSchema":{"type":"object","properties":{}}}`
	everywhere(t, func(t *testing.T, f *fixture, connect connector) {
		asker(t, f)
		var mu sync.Mutex
		var asked []*mcp.ElicitParams
		told := make(chan string, 16)
		o := func(action string, can *mcp.ElicitationCapabilities) *mcp.ClientOptions {
			return &mcp.ClientOptions{
				Capabilities: &mcp.ClientCapabilities{Elicitation: can},
				ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					mu.Lock()
					defer mu.Unlock()
					asked = append(asked, r.Params)
					return &mcp.ElicitResult{Action: action}, nil
				},
				ElicitationCompleteHandler: func(_ context.Context, r *mcp.ElicitationCompleteNotificationRequest) {
					told <- r.Params.ElicitationID
				},
			}
		}
		url := &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}
		both := &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}, Form: &mcp.FormElicitationCapabilities{}}
		for _, tc := range []struct {
			name, method, params string
			o                    *mcp.ClientOptions
			want                 string
		}{
			{"accepted", "", page, o("accept", url), "accept"},
			{"declined", "", page, o("decline", both), "decline"},
			{"a form of one that has both", "", form, o("accept", both), "accept"},
			{"a form of one that opens pages", "", form, o("accept", url), "unasked"},
			{"a page of one that has forms", "", page, o("accept", &mcp.ElicitationCapabilities{}), "unasked"},
			{"a mode that is none", "", `{"mode":"spell"}`, o("accept", both), "unasked"},
			{"a model that it has not", "sampling/createMessage", `{}`, o("accept", both), "unasked"},
			{"a question that is none", "elicitation/guess", `{}`, o("accept", both), "unasked"},
			{"one that says nothing", "", page, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}, "nobody"},
		} {
			mu.Lock()
			asked = nil
			mu.Unlock()
			s := connect("owner", tc.o)
			era := s.InitializeResult().ProtocolVersion
			args := map[string]any{"params": json.RawMessage(tc.params)}
			if tc.method != "" {
				args["method"] = tc.method
			}
			got, want := says(callTool(t, s, "desk__ask", args)), tc.want
			if got == "nobody" && want != "nobody" && strings.Contains(t.Name(), "library/"+legacyVersion+"/http") {
				continue // no answer of ours is in the stream
			}
			if got != want {
				t.Errorf("%s: the tool hears %q, want %q", tc.name, got, want)
			}
			mu.Lock()
			if put := want == "accept" || want == "decline"; len(asked) != 0 != put {
				t.Errorf("%s: the client is asked %v", tc.name, asked)
			} else if put && strings.Contains(tc.params, "url") && (asked[0].URL != "https://desk.example/approvals/7" || asked[0].ElicitationID == "e1" != (era == legacyVersion)) {
				t.Errorf("%s: the client is sent to %q under %q", tc.name, asked[0].URL, asked[0].ElicitationID)
			}
			mu.Unlock()
			if want == "accept" && era == legacyVersion {
				if id := receive(t, told, "the end of the question"); id != "e1" {
					t.Errorf("%s: told of %q", tc.name, id)
				}
			}
			receive(t, f.deps.ended, "the tool")
		}
	})
}

// Questions one after the other, and several at once.
func TestACallAsksSeveralTimes(t *testing.T) {
	everywhere(t, func(t *testing.T, f *fixture, connect connector) {
		asker(t, f)
		s := connect("owner", &mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}},
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "cancel"}, nil
			},
		})
		calls := make(chan string, 8)
		for i := range 4 { // two calls of either kind run at once
			go func() {
				res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "desk__ask", Arguments: map[string]any{"times": 3, "once": i%2 == 0}})
				if err != nil {
					calls <- err.Error()
					return
				}
				calls <- says(res)
			}()
		}
		for range 4 {
			if got := receive(t, calls, "an answer"); got != strings.Repeat("cancel; ", 2)+"cancel" && got != strings.Repeat("nobody; ", 2)+"nobody" {
				t.Errorf("the tool hears %q", got)
			}
		}
	})
}

// streamed is a request whose events are read as they come.
type streamed struct {
	events chan string
	cancel context.CancelFunc
}

func (f *fixture) stream(url, body string, headers ...string) *streamed {
	f.t.Helper()
	ctx, cancel := context.WithCancel(f.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	for _, h := range append([]string{"Content-Type: application/json", "Accept: application/json, text/event-stream", "Authorization: Bearer owner"}, headers...) {
		name, v, _ := strings.Cut(h, ": ")
		r.Header.Set(name, v)
	}
	l := &streamed{events: make(chan string, 16), cancel: cancel}
	f.t.Cleanup(cancel)
	go func() {
		defer close(l.events)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return
		}
		defer res.Body.Close()
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if data := strings.TrimPrefix(lines.Text(), "data: "); strings.HasPrefix(data, "{") {
				l.events <- data
			}
		}
	}()
	return l
}

func opening(capabilities string) string {
	return strings.Replace(initialize, `"capabilities":{}`, `"capabilities":`+capabilities, 1)
}

const opens = `{"elicitation":{"url":{}},"sampling":{},"roots":{}}`

// openAsked opens a session of a client that opens pages.
func openAsked(t testing.TB, url string, headers ...string) string {
	t.Helper()
	e := send(t, "POST", url, opening(opens), headers...)
	return "Mcp-Session-Id: " + e.header.Get("Mcp-Session-Id")
}

// callAsk calls the tool under an id.
func callAsk(id int, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"desk__ask","arguments":%s}}`, id, arguments)
}

func idOf(t testing.TB, text string) string {
	t.Helper()
	var m struct{ ID, Method string }
	if err := json.Unmarshal([]byte(text), &m); err != nil || m.ID == "" || m.Method == "" {
		t.Fatalf("%s is no request: %v", text, err)
	}
	return m.ID
}

func answered(id, with string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,%s}`, id, with)
}

// What a client answers, and what others answer in its place, over HTTP before 2026-07-28.
func TestAnswersOverASession(t *testing.T) {
	f := newFixture(t)
	asker(t, f)
	url := f.http().URL
	session, other, guests := openAsked(t, url), openAsked(t, url), openAsked(t, url, "Authorization: Bearer guest")
	call := f.stream(url, callAsk(11, "{}"), session)
	question := receive(t, call.events, "the question")
	id := idOf(t, question)
	if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"elicitation/create","params":%s}`, id, page); question != want {
		t.Errorf("asked %s, want %s", question, want)
	}
	accept := answered(id, `"result":{"action":"accept"}`)
	for name, e := range map[string]exchange{
		"another session of the same principal": send(t, "POST", url, accept, other),
		"another principal's session":           send(t, "POST", url, accept, guests, "Authorization: Bearer guest"),
		"another id":                            send(t, "POST", url, answered("ask_nobody", `"result":{"action":"accept"}`), session),
	} {
		if e.status != 202 {
			t.Errorf("%s: status %d", name, e.status)
		}
	}
	if e := send(t, "POST", url, accept, session, "Authorization: Bearer guest"); e.status != 404 {
		t.Errorf("the session with another credential: status %d", e.status)
	}
	if e := send(t, "POST", url, answered(id, `"result":{"action":"accept"},"error":{"code":1,"message":"x"}`), session); e.status != 400 {
		t.Errorf("an answer that is none: status %d", e.status)
	}
	if n := len(call.events); n != 0 {
		t.Fatalf("%d events came, one is %s", n, <-call.events)
	}
	for range 2 { // the second one is late
		if e := send(t, "POST", url, answered(id, `"result":{"action":"decline"}`), session); e.status != 202 {
			t.Errorf("the answer: status %d", e.status)
		}
	}
	receive(t, call.events, "the notification")
	if got := receive(t, call.events, "the answer"); !strings.Contains(got, `"id":11,`) || !strings.Contains(got, `"decline"`) {
		t.Errorf("the call is answered %s", got)
	}
	next := 20
	for with, want := range map[string]string{
		`"error":{"code":-32601,"message":"no"}`: "error -32601", `"result":7`: "error 0",
	} {
		next++
		call := f.stream(url, callAsk(next, `{"method":"roots/list"}`), session)
		if e := send(t, "POST", url, answered(idOf(t, receive(t, call.events, "the question")), with), session); e.status != 202 {
			t.Errorf("%s: status %d", with, e.status)
		}
		receive(t, call.events, "the notification")
		if got := receive(t, call.events, "the answer"); !strings.Contains(got, want) {
			t.Errorf("%s: the call is answered %s, want %s", with, got, want)
		}
	}
}

// A client that takes no events, or whose call was cancelled, or that went away.
func TestASessionThatCannotAnswer(t *testing.T) {
	f := newFixture(t)
	asker(t, f)
	url := f.http().URL
	session := openAsked(t, url)
	if e := send(t, "POST", url, callAsk(13, "{}"), session, "Accept: application/json"); !strings.Contains(string(e.messages[0]), `"nobody"`) {
		t.Errorf("without events it is answered %s", e.messages)
	}
	receive(t, f.deps.ended, "the call")

	call := f.stream(url, callAsk(14, "{}"), session)
	id := idOf(t, receive(t, call.events, "the question"))
	send(t, "POST", url, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":14}}`, session)
	if why := receive(t, f.deps.ended, "the cancelled call"); !errors.Is(why, context.Canceled) {
		t.Errorf("it ends with %v", why)
	}
	if got, want := receive(t, call.events, "the end of the question"), `"method":"notifications/cancelled","params":{"requestId":"`+id+`"}`; !strings.Contains(got, want) {
		t.Errorf("told %s, want %s", got, want)
	}

	call = f.stream(url, callAsk(15, "{}"), session)
	receive(t, call.events, "the question")
	call.cancel()
	if why := receive(t, f.deps.ended, "the call of a client that is gone"); why != nil {
		t.Errorf("it is ended with %v, and it goes on by itself", why)
	}

	call = f.stream(url, callAsk(16, "{}"), session)
	receive(t, call.events, "the question")
	send(t, "DELETE", url, "", session)
	if why := receive(t, f.deps.ended, "the call of a session that has ended"); !errors.Is(why, context.Canceled) {
		t.Errorf("it ends with %v", why)
	}
}

func TestAnswersOverAStream(t *testing.T) {
	f := newFixture(t)
	asker(t, f)
	p := f.pipe(t.Context())
	p.ask(opening(opens))
	p.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	id := idOf(t, p.ask(callAsk(17, "{}")))
	if got := p.ask(answered("ask_nobody", `"result":{}`) + "\n" + `{"jsonrpc":"2.0","id":8,"method":"ping"}`); got != `{"jsonrpc":"2.0","id":8,"result":{}}` {
		t.Errorf("after an answer to nothing, ping is answered %s", got)
	}
	if got := p.ask(answered(id, `"result":{"action":"accept"}`)); !strings.Contains(got, "notifications/elicitation/complete") {
		t.Errorf("told %s", got)
	}
	if got := receive(t, p.lines, "the answer"); !strings.Contains(got, `"id":17,`) || !strings.Contains(got, `"accept"`) {
		t.Errorf("the call is answered %s", got)
	}
	receive(t, f.deps.ended, "the call")
	// The client closes while it is asked: the question ends at once, and the call by itself.
	idOf(t, p.ask(callAsk(18, "{}")))
	p.in.Close()
	if why := receive(t, f.deps.ended, "the call of a client that is gone"); why != nil {
		t.Errorf("it is ended with %v", why)
	}
	if err := receive(t, p.done, "the end"); err != nil {
		t.Errorf("serving ended with %v", err)
	}
}

// One call asks so much, and one session is asked so much at once.
func TestQuestionsAreBounded(t *testing.T) {
	f := newFixture(t)
	asker(t, f)
	s := f.connect(f.http().URL, "owner", legacyVersion, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept"}, nil
		},
	})
	heard := says(callTool(t, s, "desk__ask", map[string]any{"times": 66}))
	if accepted, unasked := strings.Count(heard, "accept"), strings.Count(heard, "unasked"); accepted != 64 || unasked != 2 {
		t.Errorf("of 66 questions %d are accepted and %d not put", accepted, unasked)
	}
	p := f.pipe(t.Context())
	p.ask(opening(opens))
	p.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	ids := []string{idOf(t, p.ask(callAsk(19, `{"times":16,"once":true}`)))}
	for range 15 {
		ids = append(ids, idOf(t, receive(t, p.lines, "a question")))
	}
	p.write(callAsk(20, "{}") + "\n")
	receive(t, p.lines, "the notification")
	if got := receive(t, p.lines, "the answer"); !strings.Contains(got, "unasked") {
		t.Errorf("with 16 questions open the next call is answered %s", got)
	}
	for _, id := range ids {
		p.write(answered(id, `"result":{"action":"accept"}`) + "\n")
	}
	receive(t, p.lines, "the notification")
	if got := receive(t, p.lines, "the answer"); strings.Count(got, "accept") != 16 {
		t.Errorf("of 16 questions at once it is answered %s", got)
	}
}
