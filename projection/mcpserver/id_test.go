package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

// ids are ways to write an id, among them those that no double holds.
var ids = []string{
	`7`, `0`, `-0`, `-1`, `1e2`, `1.0`, `1.50E+1`, `9007199254740993`, `-9007199254740993`, `123456789012345678901234567890`,
	`1e300`, `""`, `"9007199254740993"`, `"\u0061 \"<>&"`, `"é\/\n"`,
}

var lanes = map[string][]func(*mcpserver.Options){"fast": nil, "library": {library}}

// An id comes back as it was written, whoever answers.
func TestIdsKeepTheirBytes(t *testing.T) {
	for lane, adjust := range lanes {
		t.Run(lane, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, adjust...)
			url := f.http().URL
			session := open(t, url)
			check := func(name, id string, e exchange) {
				t.Helper()
				if len(e.messages) == 0 || rawID(t, e.messages[len(e.messages)-1]) != id {
					t.Errorf("%s, id %s: got %s", name, id, e.messages)
				}
			}
			for i, id := range ids {
				takes := "Accept: " + []string{"application/json, text/event-stream", "application/json", "text/event-stream"}[i%3]
				for _, method := range []string{"ping", "tools/list", "prompts/list", "tools/other"} {
					check(method, id, send(t, "POST", url, request(id, method, "{}"), session, takes))
				}
				check("a call", id, send(t, "POST", url, request(id, "tools/call", `{"name":"read_local"}`), session, takes))
				check("a bad call", id, send(t, "POST", url, request(id, "tools/call", `{"name":7}`), session, takes))
				check("initialize", id, send(t, "POST", url, strings.Replace(initialize, `"id":0`, `"id":`+id, 1), takes))
				check("bad initialize", id, send(t, "POST", url, request(id, "initialize", `{}`), takes))
				check("initialize again", id, send(t, "POST", url, strings.Replace(initialize, `"id":0`, `"id":`+id, 1), session, takes))
				for _, method := range []string{"server/discover", "tools/list", "prompts/list"} {
					body, headers := modern(id, method, "", "", "")
					body = strings.Replace(body, `"name":"raw"`, fmt.Sprintf(`"name":"%s %d"`, method, i), 1) // a stranger to the fast lane
					check(method+" of the sessionless era", id, send(t, "POST", url, body, append(headers, takes)...))
					check(method+" without its header", id, send(t, "POST", url, body, headers[0], takes))
				}
			}
		})
	}
}

func TestStdioIdsKeepTheirBytes(t *testing.T) {
	for lane, adjust := range lanes {
		t.Run(lane, func(t *testing.T) {
			p := newFixture(t, adjust...).pipe(t.Context())
			p.start()
			for i, id := range ids {
				stranger, _ := modern(id, "tools/list", "", "", "")
				for _, line := range []string{
					request(id, "ping", "{}"), request(id, "tools/list", "{}"), request(id, "prompts/list", "{}"), request(id, "tools/other", "{}"),
					request(id, "tools/call", `{"name":"read_local"}`), request(id, "tools/call", `{"name":7}`), request(id, "initialize", `{}`),
					strings.Replace(initialize, `"id":0`, `"id":`+id, 1), // again
					strings.Replace(stranger, `"name":"raw"`, fmt.Sprintf(`"name":"%d"`, i), 1),
					strings.Replace(stranger, "tools/list", "server/discover", 1),
				} {
					if got := p.ask(line); rawID(t, []byte(got)) != id {
						t.Errorf("%s got %.200s", line, got)
					}
				}
			}
			for _, line := range []string{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}`} {
				got := p.ask(line)
				if v := value(t, []byte(got)); rawID(t, []byte(got)) != "1.5" || fmt.Sprint(v["error"].(map[string]any)["code"]) != "-32600" {
					t.Errorf("%s got %s", line, got)
				}
			}
		})
	}
}

// Everything that a subscription sends names the request that opened it, as it was
// written.
func TestASubscriptionNamesItsRequest(t *testing.T) {
	names := func(t *testing.T, message []byte, want string) {
		t.Helper()
		type named struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		var m struct{ Params, Result named }
		if err := json.Unmarshal(message, &m); err != nil {
			t.Fatalf("%s: %v", message, err)
		}
		meta := m.Params.Meta
		if meta == nil {
			meta = m.Result.Meta
		}
		if got := string(meta["io.modelcontextprotocol/subscriptionId"]); got != want {
			t.Errorf("the subscription is %s, want %s: %s", got, want, message)
		}
	}
	for _, id := range []string{"9007199254740993", `1e2`, `"\u0061"`} {
		body, headers := modern(id, "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`, "")
		t.Run("http "+id, func(t *testing.T) {
			f := newFixture(t)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.http().URL, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range append(headers, "Content-Type: application/json", "Authorization: Bearer owner") {
				name, v, _ := strings.Cut(h, ": ")
				req.Header.Set(name, v)
			}
			events := make(chan []byte, 8)
			go func() {
				defer close(events)
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				defer res.Body.Close()
				for lines := bufio.NewScanner(res.Body); lines.Scan(); {
					if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
						events <- []byte(data)
					}
				}
			}()
			names(t, receive(t, events, "the acknowledgement"), id)
			f.bridge("other", bridged(t, "other__x"))
			names(t, receive(t, events, "the notification"), id)
		})
		t.Run("stdio "+id, func(t *testing.T) {
			f := newFixture(t)
			p := f.pipe(t.Context())
			p.write(strings.ReplaceAll(body, "\n", " ") + "\n")
			names(t, []byte(receive(t, p.lines, "the acknowledgement")), id)
			f.bridge("other", bridged(t, "other__x"))
			names(t, []byte(receive(t, p.lines, "the notification")), id)
			if got := p.ask(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`); !strings.Contains(got, "-32600") {
				t.Errorf("an id that is in use: got %s", got)
			}
			p.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}` + "\n")
			p.in.Close()
			if err := receive(t, p.done, "the end"); err != nil {
				t.Errorf("serving ended with %v", err)
			}
		})
	}
}

// The notification that cancels a call finds it, however the id is written, and
// whichever lane the call took.
func TestCancellationFindsAnyId(t *testing.T) {
	for lane, adjust := range lanes {
		for _, tc := range []struct{ id, requestID string }{
			{"9007199254740993", "9007199254740993"}, {"1e2", "1e2"}, {"1e2", "100"}, {"100", "1.0e2"}, {"-0", "0"}, {`"a"`, `"\u0061"`}, {`"\u00e9"`, `"é"`},
		} {
			call := strings.Replace(waiting, `"id":5`, `"id":`+tc.id, 1)
			cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + tc.requestID + `}}`
			other := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740992}}`
			t.Run(lane+" http "+tc.id+" "+tc.requestID, func(t *testing.T) {
				f := newFixture(t, adjust...)
				url := f.http().URL
				session := open(t, url)
				answered := make(chan exchange, 1)
				go func() { answered <- send(t, "POST", url, call, session) }()
				receive(t, f.deps.started, "the call")
				send(t, "POST", url, other, session)
				if e := send(t, "POST", url, request(tc.requestID, "ping", "{}"), session); e.status != 400 || e.rpc(t) != "-32600" {
					t.Errorf("an id that is in use: status %d, %s", e.status, e.messages)
				}
				if len(f.deps.ended) != 0 {
					t.Fatal("another id cancelled the call")
				}
				if e := send(t, "POST", url, cancelled, session); e.status != 202 {
					t.Errorf("cancelled: status %d", e.status)
				}
				receive(t, f.deps.ended, "the cancellation")
				if e := receive(t, answered, "the answer"); rawID(t, e.messages[0]) != tc.id {
					t.Errorf("answered %s", e.messages)
				}
			})
			t.Run(lane+" stdio "+tc.id+" "+tc.requestID, func(t *testing.T) {
				f := newFixture(t, adjust...)
				p := f.pipe(t.Context())
				p.start()
				p.write(call + "\n")
				receive(t, f.deps.started, "the call")
				p.write(other + "\n")
				if got := p.ask(request(tc.requestID, "ping", "{}")); !strings.Contains(got, "-32600") || len(f.deps.ended) != 0 {
					t.Fatalf("an id that is in use: got %s", got)
				}
				p.write(cancelled + "\n")
				receive(t, f.deps.ended, "the cancellation")
				if got := p.ask(`{"jsonrpc":"2.0","id":6,"method":"ping"}`); got != `{"jsonrpc":"2.0","id":6,"result":{}}` {
					t.Errorf("the next line is %s", got)
				}
			})
		}
	}
}

// A call of the handshake era outlasts the connection that asked for it, and is
// still found.
func TestCancellationAfterALostConnection(t *testing.T) {
	for lane, adjust := range lanes {
		t.Run(lane, func(t *testing.T) {
			f := newFixture(t, adjust...)
			url := f.http().URL
			session := open(t, url)
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(waiting))
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range []string{session, "Content-Type: application/json", "Authorization: Bearer owner"} {
				name, v, _ := strings.Cut(h, ": ")
				req.Header.Set(name, v)
			}
			left := make(chan struct{})
			go func() {
				defer close(left)
				if res, err := http.DefaultClient.Do(req); err == nil {
					res.Body.Close()
				}
			}()
			receive(t, f.deps.started, "the call")
			cancel()
			<-left
			if e := send(t, "POST", url, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`, session); e.status != 202 {
				t.Errorf("cancelled: status %d", e.status)
			}
			receive(t, f.deps.ended, "the cancellation")
		})
	}
}

func TestProgressTokensKeepTheirBytes(t *testing.T) {
	for lane, adjust := range lanes {
		t.Run(lane, func(t *testing.T) {
			f := newFixture(t, adjust...)
			url := f.http().URL
			session := open(t, url)
			p := f.pipe(t.Context())
			p.start()
			for _, token := range ids {
				said := func(where string, message []byte) {
					t.Helper()
					var note struct {
						Params struct {
							Token    json.RawMessage `json:"progressToken"`
							Progress json.Number
							Total    json.Number
							Message  string
						}
					}
					if err := json.Unmarshal(message, &note); err != nil {
						t.Fatal(err)
					}
					if n := note.Params; string(n.Token) != token || n.Progress != "1" || n.Total != "1" || n.Message != "step" {
						t.Errorf("%s, token %s: got %s", where, token, message)
					}
				}
				call := request("1", "tools/call", `{"name":"echo","arguments":{"text":"x","steps":1},"_meta":{"progressToken":`+token+`}}`)
				e := send(t, "POST", url, call, session)
				if len(e.messages) != 2 {
					t.Fatalf("token %s: got %s", token, e.messages)
				}
				said("http", e.messages[0])
				said("stdio", []byte(p.ask(call)))
				receive(t, p.lines, "the answer")
				body, headers := modern("1", "tools/call", "echo", `"name":"echo","arguments":{"text":"x","steps":1}`, `"progressToken":`+token)
				if e = send(t, "POST", url, body, headers...); len(e.messages) != 2 {
					t.Fatalf("token %s in the sessionless era: got %s", token, e.messages)
				}
				said("http, sessionless", e.messages[0])
			}
			// What is null is not there.
			if e := send(t, "POST", url, request("1", "tools/call", `{"name":"echo","arguments":{"text":"x","steps":1},"_meta":{"progressToken":null}}`), session); len(e.messages) != 1 {
				t.Errorf("a token of null: got %s", e.messages)
			}
		})
	}
}
