package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

var everythingRelayed = bridge.Relay{Elicitation: true, Sampling: true, Roots: true, Logging: true, Prompts: true, Resources: true}

// A person is the client of a call that answers what it is asked.
type person struct {
	name   string
	takes  []string // methods, and "url" and "form" beside elicitation/create
	answer func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)

	mu    sync.Mutex
	asked []string
	told  []string
}

func (p *person) Takes(method string, params json.RawMessage) bool {
	var in struct {
		Mode  string
		Tools json.RawMessage
	}
	_ = json.Unmarshal(params, &in) // absent params have no mode
	for _, one := range p.takes {
		switch {
		case one == method && method != "elicitation/create" && in.Tools == nil,
			method == "elicitation/create" && (one == in.Mode || one == "form" && in.Mode == ""):
			return true
		}
	}
	return false
}

func (p *person) Client() string { return p.name }

func (p *person) Ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	p.mu.Lock()
	p.asked = append(p.asked, method+" "+string(params))
	p.mu.Unlock()
	if p.answer != nil {
		return p.answer(ctx, method, params)
	}
	return json.RawMessage(`{"action":"accept","content":{"n":9007199254740993}}`), nil
}

func (p *person) Tell(method string, params json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, method+" "+string(params))
}

func (p *person) questions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.asked...)
}

const form = `{"message":"Which one?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993}}}}`

// asking is a fake server that asks during a call: the arguments of its tool hold the
// lines it writes, in which ID is that of the call, and it answers with what it was
// answered under the id "q".
func asking(t *testing.T, name string, relay bridge.Relay) bridge.Server {
	s := fakeServer(t, name, "puts")
	s.Relay = relay
	return s
}

func puts(method, params string) string {
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":"q","method":%q,"params":%s}`, method, params)
	b, _ := json.Marshal(map[string]string{"line": line})
	return string(b)
}

func (h *harness) ask(p capabilities.Asker, name, args string) string {
	h.t.Helper()
	r, err := h.callWith(h.deadline(), capabilities.Call{Name: name, Arguments: json.RawMessage(args), Asks: p})
	if err != nil {
		h.t.Fatal(err)
	}
	return firstText(h.t, r)
}

func TestAServersQuestionsReachTheClientOfTheCall(t *testing.T) {
	t.Parallel()
	h := run(t, asking(t, "desk", everythingRelayed))
	all := &person{name: "a", takes: []string{"form", "url", "sampling/createMessage", "roots/list"}}
	for name, tc := range map[string]struct {
		method, params string
		client         *person
		asked          string // "" is nothing
		answered       string
	}{
		"a form": {
			"elicitation/create", form, all,
			`elicitation/create {"message":"The MCP server \"desk\" asks: Which one?","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993}}}}`,
			`{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"n":9007199254740993}}}`,
		},
		"a model": {
			"sampling/createMessage", `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":7,"includeContext":"allServers","task":{},"_meta":{"progressToken":1,"holotype/error":{},"x":2}}`, all,
			`sampling/createMessage {"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":7,"_meta":{"x":2}}`, `"result":`,
		},
		"the roots": {"roots/list", `null`, all, `roots/list {}`, `"result":`},
		"a client that fills no forms": {
			"elicitation/create", form, &person{takes: []string{"url"}}, "",
			`"error":{"code":-32602,"message":"the client of this call does not answer elicitation/create by form"}`,
		},
		"a client that has no model": {
			"sampling/createMessage", `{"messages":[]}`, &person{takes: []string{"url"}}, "",
			`"error":{"code":-32601,"message":"the client of this call does not answer sampling/createMessage"}`,
		},
		"a model without tools": {"sampling/createMessage", `{"messages":[],"tools":[]}`, all, "", `"code":-32602,"message":"the client of this call does not answer sampling/createMessage with tools"`},
		"nobody to ask":         {"elicitation/create", form, nil, "", `"code":-32601,"message":"the caller of this call cannot be asked`},
		"a method that is none": {"elicitation/guess", `{}`, all, "", `"code":-32601,"message":"this client does not serve elicitation/guess"`},
		"no message":            {"elicitation/create", `{"requestedSchema":{"type":"object"}}`, all, "", `"code":-32602,`},
		"no form":               {"elicitation/create", `{"message":"x"}`, all, "", `"code":-32602,"message":"the requestedSchema of a form is that of an object"`},
		"a form of a list":      {"elicitation/create", `{"message":"x","requestedSchema":{"type":"array"}}`, all, "", `"code":-32602,`},
		"a deep form":           {"elicitation/create", `{"message":"x","requestedSchema":{"type":"object","properties":` + strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40) + `}}`, all, "", `nests deeper`},
		"a large form":          {"elicitation/create", `{"message":"` + strings.Repeat("x", 70_000) + `","requestedSchema":{"type":"object"}}`, all, "", `at most 65536 are relayed`},
		"a mode that is none":   {"elicitation/create", `{"mode":"spell","message":"x"}`, all, "", `"code":-32602,`},
		"a page that is a file": {"elicitation/create", `{"mode":"url","message":"x","url":"file:///etc/passwd"}`, all, "", `an http or https address alone`},
		"a page of somebody":    {"elicitation/create", `{"mode":"url","message":"x","url":"https://bank.example@evil.example/"}`, all, "", `names nobody before its host`},
		"a page that hides":     {"elicitation/create", `{"mode":"url","message":"x","url":"https://bank.example/\u202e"}`, all, "", `characters that show nothing`},
		"no messages":           {"sampling/createMessage", `{}`, all, "", `"code":-32602,`},
		"params that are none":  {"roots/list", `7`, all, "", `"code":-32602,`},
		"a deep question":       {"sampling/createMessage", `{"messages":[],"metadata":` + strings.Repeat(`[`, 600) + strings.Repeat(`]`, 600) + `}`, all, "", `"code":-32602,"message":"the params of sampling/createMessage nest deeper than 512 levels`},
	} {
		t.Run(name, func(t *testing.T) {
			var client capabilities.Asker
			if tc.client != nil {
				tc.client.mu.Lock()
				tc.client.asked = nil
				tc.client.mu.Unlock()
				client = tc.client
			}
			got := h.ask(client, "desk__put", puts(tc.method, tc.params))
			if !strings.Contains(got, tc.answered) || !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"q",`) {
				t.Errorf("the server is answered %s, want %s", got, tc.answered)
			}
			var want []string
			if tc.asked != "" {
				want = []string{tc.asked}
			}
			if tc.client != nil {
				if d := cmp.Diff(want, tc.client.questions()); d != "" {
					t.Errorf("the client is asked (-want +got)\n%s", d)
				}
			}
		})
	}
}

// What becomes of a question that is not simply answered.
func TestQuestionsThatEndOtherwise(t *testing.T) {
	t.Parallel()
	s := asking(t, "desk", everythingRelayed)
	s.CallTimeout = 2 * time.Second
	s.Secrets = map[string]string{"TOKEN": "s3cret-of-the-server"}
	h := run(t, s)
	answering := func(answer func(context.Context, string, json.RawMessage) (json.RawMessage, error)) *person {
		return &person{name: "a", takes: []string{"form", "url"}, answer: answer}
	}
	says := func(result string, err error) *person {
		return answering(func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(result), err
		})
	}
	for name, tc := range map[string]struct {
		client   *person
		answered string
	}{
		"declined":        {says(`{"action":"decline"}`, nil), `"result":{"action":"decline"}`},
		"an error of it":  {says("", &capabilities.ClientError{Code: -1, Message: "User rejected"}), `"error":{"code":-1,"message":"User rejected"}`},
		"asked too much":  {says("", capabilities.ErrUnasked), `asked too much`},
		"it is gone":      {says("", capabilities.ErrUnanswered), `is gone, or did not answer`},
		"an answer of MB": {says(`{"action":"`+strings.Repeat("x", 5<<20)+`"}`, nil), `at most 4194304 are relayed`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := h.ask(tc.client, "desk__put", puts("elicitation/create", form)); !strings.Contains(got, tc.answered) {
				t.Errorf("the server is answered %s, want %s", got, tc.answered)
			}
		})
	}
	t.Run("secrets stay", func(t *testing.T) {
		p := says(`{"action":"accept"}`, nil)
		h.ask(p, "desk__put", puts("elicitation/create", strings.Replace(form, "Which one?", "Is it s3cret-of-the-server?", 1)))
		if asked := p.questions(); len(asked) != 1 || strings.Contains(asked[0], "s3cret") || !strings.Contains(asked[0], "[hidden]") {
			t.Errorf("asked %s", asked)
		}
		if text := h.log.text(t); strings.Contains(text, "Is it") || strings.Contains(text, "accept") {
			t.Errorf("the log has the question or its answer: %s", text)
		}
	})
	t.Run("a page under an id of our own", func(t *testing.T) {
		p := says(`{"action":"accept"}`, nil)
		h.ask(p, "desk__put", puts("elicitation/create", `{"mode":"url","message":"Sign in.","url":"https://id.example/a?b=c#d","elicitationId":"theirs"}`))
		asked := p.questions()
		var q struct {
			ElicitationID, URL, Message string
		}
		if _, params, _ := strings.Cut(asked[0], " "); json.Unmarshal([]byte(params), &q) != nil || q.ElicitationID == "theirs" || q.ElicitationID == "" || q.URL != "https://id.example/a?b=c#d" {
			t.Errorf("asked %s", asked)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if want := `notifications/elicitation/complete {"elicitationId":"` + q.ElicitationID + `"}`; len(p.told) != 1 || p.told[0] != want {
			t.Errorf("told %q, want %s", p.told, want)
		}
	})
	waits := func(ended chan error) *person {
		return answering(func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			ended <- ctx.Err()
			return nil, ctx.Err()
		})
	}
	t.Run("nobody answers", func(t *testing.T) {
		ended := make(chan error, 1)
		r, err := h.callWith(h.deadline(), capabilities.Call{Name: "desk__put", Arguments: json.RawMessage(puts("elicitation/create", form)), Asks: waits(ended)})
		refused(t, r, err, capabilities.Timeout)
		if why := <-ended; !errors.Is(why, context.DeadlineExceeded) && !errors.Is(why, context.Canceled) {
			t.Errorf("the question ended with %v", why)
		}
	})
	t.Run("the server takes it back", func(t *testing.T) {
		ended := make(chan error, 1)
		got := h.ask(waits(ended), "desk__take-back", puts("elicitation/create", form))
		if why := <-ended; !errors.Is(why, context.Canceled) {
			t.Errorf("the question ended with %v", why)
		}
		if got != "no answer" {
			t.Errorf("it is answered %s", got)
		}
	})
}

// Nobody is asked what may be another's: a server on a pipe does not say what a question
// is about.
func TestAQuestionAmongSeveralCalls(t *testing.T) {
	t.Parallel()
	h := run(t, asking(t, "desk", everythingRelayed))
	for name, tc := range map[string]struct {
		other    capabilities.Asker
		answered string
	}{
		"of the same client": {&person{name: "a", takes: []string{"form"}}, `"result":{"action":"accept"`},
		"of another client":  {&person{name: "b", takes: []string{"form"}}, `calls of several clients run`},
		"of nobody":          {nil, `calls of several clients run`},
		"of who knows":       {&person{takes: []string{"form"}}, `calls of several clients run`},
	} {
		t.Run(name, func(t *testing.T) {
			other := make(chan error, 1)
			ctx, cancel := context.WithCancel(h.deadline())
			go func() {
				_, err := h.callWith(ctx, capabilities.Call{Name: "desk__hold", Asks: tc.other})
				other <- err
			}()
			h.ask(nil, "desk__held", `{}`)
			asked := &person{name: "a", takes: []string{"form"}}
			if got := h.ask(asked, "desk__put", puts("elicitation/create", form)); !strings.Contains(got, tc.answered) {
				t.Errorf("answered %s, want %s", got, tc.answered)
			}
			cancel()
			<-other
			h.ask(nil, "desk__released", `{}`)
		})
	}
}

// What is switched off is neither declared nor asked.
func TestWhatIsNotRelayed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		relay    bridge.Relay
		declared string
		answered string
	}{
		"all":         {everythingRelayed, `{"roots":{},"sampling":{},"elicitation":{"form":{},"url":{}}}`, `"result"`},
		"no sampling": {bridge.Relay{Elicitation: true}, `{"elicitation":{"form":{},"url":{}}}`, `"code":-32601,`},
		"nothing":     {bridge.Relay{}, `{}`, `"code":-32601,`},
	} {
		t.Run(name, func(t *testing.T) {
			h := run(t, asking(t, "desk", tc.relay))
			p := &person{name: "a", takes: []string{"sampling/createMessage"}}
			if got := h.ask(p, "desk__put", puts("sampling/createMessage", `{"messages":[]}`)); !strings.Contains(got, tc.answered) {
				t.Errorf("answered %s", got)
			}
			var got, want any
			if err := errors.Join(json.Unmarshal([]byte(h.ask(nil, "desk__declared", `{}`)), &got), json.Unmarshal([]byte(tc.declared), &want)); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("declared (-want +got)\n%s", d)
			}
		})
	}
}

// One call asks so often.
func TestQuestionsOfACallAreBounded(t *testing.T) {
	t.Parallel()
	h := run(t, asking(t, "desk", everythingRelayed))
	p := &person{name: "a", takes: []string{"roots/list"}}
	got := h.ask(p, "desk__put-many", puts("roots/list", `{}`))
	if n := len(p.questions()); n != 32 || !strings.Contains(got, "which is the limit") {
		t.Errorf("%d are asked, and it is answered %s", n, got)
	}
}

// Over streamable HTTP a question stands in the stream of the call it belongs to, or in
// that of the session.
func TestQuestionsOverStreamableHTTP(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"the call", "the session"} {
		t.Run(where, func(t *testing.T) {
			answers := make(chan string, 4)
			listening := make(chan func(string), 1)
			f := newHTTPFake(t, func(_ *httpFake, w http.ResponseWriter, r *http.Request, m rpc) bool {
				stream(w)
				question := `{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":` + form + `}`
				if where == "the call" {
					fmt.Fprintf(w, "data: %s\n\n", question)
					w.(http.Flusher).Flush()
				} else {
					say := <-listening
					say(question)
				}
				select {
				case a := <-answers:
					fmt.Fprint(w, event(m, text(a)))
				case <-r.Context().Done():
				}
				return true
			})
			inner := f.Config.Handler
			f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					stream(w)
					fmt.Fprint(w, ": hello\n\n")
					said := make(chan string)
					listening <- func(line string) { said <- line }
					for {
						select {
						case line := <-said:
							fmt.Fprintf(w, "id: 1\ndata: %s\n\n", line)
							w.(http.Flusher).Flush()
						case <-r.Context().Done():
							return
						}
					}
				}
				inner.ServeHTTP(w, answerOf(r, answers))
			})
			s := httpServer(f.URL)
			s.Relay = everythingRelayed
			h := run(t, s)
			p := &person{name: "a", takes: []string{"form"}}
			if got, want := h.ask(p, "h__echo", `{}`), `{"jsonrpc":"2.0","id":7,"result":{"action":"accept","content":{"n":9007199254740993}}}`; strings.TrimSpace(got) != want {
				t.Errorf("the server is answered %s, want %s", got, want)
			}
			if asked := p.questions(); len(asked) != 1 || !strings.Contains(asked[0], `The MCP server \"h\" asks: Which one?`) {
				t.Errorf("asked %q", asked)
			}
		})
	}
}
