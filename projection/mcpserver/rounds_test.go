package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

// opened answers a request of a client of 2026-07-28 that opens pages. more are members of
// the params.
func opened(id int, arguments, more, meta string) (body string, headers []string) {
	body, headers = modern(fmt.Sprint(id), "tools/call", "desk__ask", `"name":"desk__ask","arguments":`+arguments+more, meta)
	return strings.Replace(body, `clientCapabilities":{}`, `clientCapabilities":`+opens, 1), headers
}

// asks is the result that asks for input, of a call over HTTP.
type asks struct {
	ResultType    string
	RequestState  string
	InputRequests map[string]struct {
		Method string
		Params json.RawMessage
	}
	Content []struct{ Text string }
	refused string // as an error of the protocol
}

func result(t testing.TB, e exchange) (r asks) {
	t.Helper()
	var m struct {
		Result asks
		Error  struct {
			Code    int
			Message string
		}
	}
	if len(e.messages) != 1 {
		t.Fatalf("status %d, %s", e.status, e.messages)
	}
	if err := json.Unmarshal(e.messages[0], &m); err != nil {
		t.Fatal(err)
	}
	if m.Error.Code != 0 && (m.Error.Code != jsonrpc.CodeInvalidParams || e.status != 400) || m.Error.Code == 0 && e.status != 200 {
		t.Errorf("status %d, %s", e.status, e.messages)
	}
	m.Result.refused = m.Error.Message
	return m.Result
}

func (r asks) text() string {
	if len(r.Content) == 0 {
		return r.ResultType
	}
	return r.Content[0].Text
}

// round sends a call, with what is brought back.
func round(t testing.TB, url, arguments, more string, headers ...string) asks {
	t.Helper()
	body, own := opened(7, arguments, more, "")
	return result(t, send(t, "POST", url, body, append(own, headers...)...))
}

func brought(state, responses string) string {
	return fmt.Sprintf(`,"requestState":%q,"inputResponses":%s`, state, responses)
}

const accepted = `{"q1":{"action":"accept"}}`

func TestARoundTrip(t *testing.T) {
	for name, adjust := range map[string][]func(*mcpserver.Options){"fast": nil, "library": {library}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, adjust...)
			asker(t, f)
			url := f.http().URL
			for range 2 { // the second client is known
				first := round(t, url, `{"times":2,"n":1}`, "")
				q := first.InputRequests["q1"]
				if first.ResultType != "input_required" || len(first.InputRequests) != 1 || q.Method != "elicitation/create" || string(q.Params) != strings.Replace(page, `"elicitationId":"e1",`, "", 1) || len(first.Content) != 0 {
					t.Fatalf("asked %+v", first)
				}
				// What is missing is asked for again, and what is too much passed over.
				second := round(t, url, `{"n":1,"times":2}`, brought(first.RequestState, `{"q2":{"action":"accept"},"x":7}`))
				if second.ResultType != "input_required" || len(second.InputRequests) != 1 || second.InputRequests["q1"].Method == "" || second.RequestState == first.RequestState {
					t.Fatalf("without an answer it is %+v", second)
				}
				third := round(t, url, `{"times":2,"n":1}`, brought(second.RequestState, accepted))
				if third.ResultType != "input_required" || third.InputRequests["q2"].Method == "" {
					t.Fatalf("after the first question it is %+v", third)
				}
				last := round(t, url, `{"times":2,"n":1}`, brought(third.RequestState, `{"q2":{"action":"decline"}}`))
				if last.ResultType != "complete" || last.text() != "accept; decline" {
					t.Fatalf("after the second question it is %+v", last)
				}
				receive(t, f.deps.ended, "the call")
			}
		})
	}
}

// A state is good for its caller, its call, its time, and once.
func TestAStateIsGoodForOneThing(t *testing.T) {
	f := newFixture(t)
	asker(t, f)
	f.people["guest"].Scopes = []string{"*"}
	url := f.http().URL
	const arguments = `{"times":1,"to":"ada"}`
	state := round(t, url, arguments, "").RequestState
	flipped := []byte(state)
	flipped[len(flipped)-1] ^= 1
	for name, e := range map[string]asks{
		"forged":                        round(t, url, arguments, brought("QUJD", accepted)),
		"forged, of the right length":   round(t, url, arguments, brought(strings.Repeat("A", len(state)), accepted)),
		"tampered with at its end":      round(t, url, arguments, brought(string(flipped), accepted)),
		"tampered with at its front":    round(t, url, arguments, brought("x"+state[1:], accepted)),
		"made longer":                   round(t, url, arguments, brought(state+"A", accepted)),
		"empty":                         round(t, url, arguments, brought("", accepted)),
		"of another call":               round(t, url, `{"times":1,"to":"bob"}`, brought(state, accepted)),
		"of a call with more arguments": round(t, url, `{"times":1,"to":"ada","cc":"bob"}`, brought(state, accepted)),
		"of another caller":             round(t, url, arguments, brought(state, accepted), "Authorization: Bearer guest"),
	} {
		if !strings.Contains(e.refused, "none that this server gave to this caller for this very call") {
			t.Errorf("%s: answered %+v", name, e)
		}
	}
	for _, meta := range []string{`"holotype/dry_run":true`, `"holotype/op_id":"k"`, `"holotype/acting_for":"bob"`} {
		body, headers := opened(7, arguments, brought(state, accepted), meta)
		if e := result(t, send(t, "POST", url, body, headers...)); e.refused == "" {
			t.Errorf("with %s it is answered %+v", meta, e)
		}
	}
	body, headers := modern("7", "tools/call", "echo", `"name":"echo","arguments":{"text":"x"}`+brought(state, accepted), "")
	if e := result(t, send(t, "POST", url, body, headers...)); e.refused == "" {
		t.Errorf("with another tool it is answered %+v", e)
	}
	if n := len(f.deps.ended); n != 0 {
		t.Fatalf("%d calls have run on", n)
	}
	if e := round(t, url, arguments, brought(state, accepted)); e.text() != "accept" {
		t.Errorf("after all that, its own call is answered %+v", e)
	}
	receive(t, f.deps.ended, "the call")
	for range 2 {
		if e := round(t, url, arguments, brought(state, accepted)); !strings.Contains(e.refused, "used before") {
			t.Errorf("again, it is answered %+v", e)
		}
	}
	state = round(t, url, arguments, "").RequestState
	f.clock.Add(mcpserver.AskTime + time.Second)
	if e := round(t, url, arguments, brought(state, accepted)); !strings.Contains(e.refused, "is over") {
		t.Errorf("too late, it is answered %+v", e)
	}
	if n := len(f.deps.ended); n != 0 {
		t.Errorf("%d calls have run on", n)
	}
}

// Of two requests that bring one state, one goes on.
func TestAStateIsBroughtTwiceAtOnce(t *testing.T) {
	f := newFixture(t)
	asker(t, f)
	url := f.http().URL
	state := round(t, url, `{}`, "").RequestState
	var calls []*streamed
	for range 8 {
		body, headers := opened(7, `{}`, brought(state, accepted), "")
		calls = append(calls, f.stream(url, body, headers...))
	}
	ran := 0
	for _, call := range calls {
		if got := receive(t, call.events, "an answer"); strings.Contains(got, `"text":"accept"`) {
			ran++
		} else if !strings.Contains(got, "used before") {
			t.Errorf("answered %s", got)
		}
	}
	if ran != 1 || len(f.deps.ended) != 1 {
		t.Errorf("%d went on, and %d calls ran", ran, len(f.deps.ended))
	}
}

// A client that does not come back, and one that goes away once it has.
func TestAClientThatDoesNotComeBack(t *testing.T) {
	f := newFixture(t)
	asker(t, f)
	url := f.http().URL
	f.server.SetAskTime(time.Millisecond)
	state := round(t, url, `{"hold":true}`, "").RequestState
	receive(t, f.deps.started, "the call that goes on without an answer")
	if why := receive(t, f.deps.ended, "the call"); !errors.Is(why, capabilities.ErrUnanswered) {
		t.Errorf("it ends with %v", why)
	}
	if e := round(t, url, `{"hold":true}`, brought(state, accepted)); e.refused == "" {
		t.Errorf("after its time it is answered %+v", e)
	}
	f.server.SetAskTime(mcpserver.AskTime)

	state = round(t, url, `{"hold":true}`, "").RequestState
	body, headers := opened(8, `{"hold":true}`, brought(state, accepted), "")
	call := f.stream(url, body, headers...)
	receive(t, f.deps.started, "the call that goes on")
	call.cancel()
	if why := receive(t, f.deps.ended, "the call"); !errors.Is(why, context.Canceled) {
		t.Errorf("it ends with %v", why)
	}
}

// The server ends while calls wait for their clients.
func TestTheServerEndsBetweenTwoRounds(t *testing.T) {
	f := newFixture(t)
	asker(t, f)
	url := f.http().URL
	round(t, url, `{}`, "")
	if err := f.server.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if n := len(f.deps.ended); n != 1 {
		t.Errorf("%d calls have ended", n)
	}
}

// So many calls of one caller wait for their client, and one more is not asked.
func TestRoundsAreBounded(t *testing.T) {
	f := newFixture(t)
	asker(t, f)
	f.people["guest"].Scopes = []string{"*"}
	url := f.http().URL
	state := ""
	for range mcpserver.MaxOwnRounds {
		if state = round(t, url, `{}`, "").RequestState; state == "" {
			t.Fatal("it is not asked")
		}
	}
	if e := round(t, url, `{}`, ""); e.text() != "unasked" {
		t.Errorf("one more is answered %+v", e)
	}
	if e := round(t, url, `{}`, "", "Authorization: Bearer guest"); e.RequestState == "" {
		t.Errorf("another caller is answered %+v", e)
	}
	round(t, url, `{}`, brought(state, accepted))
	if e := round(t, url, `{}`, ""); e.RequestState == "" {
		t.Errorf("with a place free again it is answered %+v", e)
	}
}

// Progress goes to the request that is attached.
func TestProgressOverRounds(t *testing.T) {
	f := newFixture(t)
	asker(t, f)
	url := f.http().URL
	body, headers := opened(7, `{"hold":true}`, "", `"progressToken":"a"`)
	first := send(t, "POST", url, body, headers...)
	if n := len(first.messages); n != 2 || !strings.Contains(string(first.messages[0]), `"progressToken":"a","progress":1`) {
		t.Fatalf("the first round answers %s", first.messages)
	}
	var asked struct{ Result asks }
	if err := json.Unmarshal(first.messages[1], &asked); err != nil {
		t.Fatal(err)
	}
	body, headers = opened(8, `{"hold":true}`, brought(asked.Result.RequestState, accepted), `"progressToken":"b"`)
	call := f.stream(url, body, headers...)
	if got := receive(t, call.events, "progress"); !strings.Contains(got, `"progressToken":"b","progress":2`) {
		t.Errorf("the second round tells %s", got)
	}
}

func TestRoundsOverAStream(t *testing.T) {
	f := newFixture(t)
	asker(t, f)
	p := f.pipe(t.Context())
	read := func(line string) (r asks) {
		t.Helper()
		var m struct{ Result asks }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return m.Result
	}
	body, _ := opened(1, `{}`, "", "")
	first := read(p.ask(body))
	body, _ = opened(2, `{}`, brought(first.RequestState, accepted), "")
	if last := read(p.ask(body)); last.text() != "accept" {
		t.Errorf("answered %+v", last)
	}
	receive(t, f.deps.ended, "the call")
	body, _ = opened(3, `{}`, "", "")
	read(p.ask(body))
	p.in.Close()
	if why := receive(t, f.deps.ended, "the call of a client that is gone"); why != nil {
		t.Errorf("it is ended with %v", why)
	}
	if err := receive(t, p.done, "the end"); err != nil {
		t.Errorf("serving ended with %v", err)
	}
}
