package e2e_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/tests/drive"
)

const approved = `
people:
  - {id: ana, name: Ana}
seats:
  - {id: desk}
gate:
  approve:
    - {tools: [create_project, purge_work_item]}
`

// asked is a call as a surface answers it: the code, the sentence and the request.
type asked struct {
	Code, Sentence, Request string
}

// approvals is a server where a project is made with a person's approval alone, and Ana
// as she reaches it.
type approvals struct {
	*office
	ana *drive.Running
}

func openApprovals(t *testing.T, more ...string) *approvals {
	t.Helper()
	o := &office{config: filepath.Join(t.TempDir(), "holotype.yaml")}
	if err := os.WriteFile(o.config, []byte(approved+strings.Join(more, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Running = drive.Start(t, holotype.Options{Config: o.config, Now: func() time.Time { return time.Now().Add(time.Duration(o.ahead.Load())) }})
	return &approvals{o, o.by(o.token(t, `{"name":"ana","scopes":["*","admin"],"person":"ana"}`))}
}

// problem reads a refusal as HTTP and -o json have it.
func problem(t *testing.T, data []byte) asked {
	t.Helper()
	p := parse[struct {
		Code, Detail string
		Approval     struct {
			ID        string    `json:"id"`
			ExpiresAt time.Time `json:"expires_at"`
		}
	}](t, data)
	if (p.Approval.ID == "") != p.Approval.ExpiresAt.IsZero() {
		t.Errorf("the request is told without its end: %s", data)
	}
	return asked{p.Code, p.Detail, p.Approval.ID}
}

// toolResult reads the refusal of a tool result; zero where it is none.
func toolResult(t *testing.T, data []byte) asked {
	t.Helper()
	r := parse[struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
			Meta    struct {
				Error struct {
					Code     string
					Approval struct{ ID string }
				} `json:"holotype/error"`
			} `json:"_meta"`
		}
	}](t, data).Result
	if !r.IsError {
		return asked{}
	}
	return asked{r.Meta.Error.Code, r.Content[0].Text, r.Meta.Error.Approval.ID}
}

// ways are the surfaces, each as the owner calls a tool there; a call that is served is
// the zero answer.
func (a *approvals) ways(t *testing.T) map[string]func(arguments string) asked {
	t.Helper()
	ways := map[string]func(string) asked{
		"http": func(arguments string) asked {
			head, data := a.HTTP(t, http.MethodPost, "/api/v1/projects", map[string]string{"Content-Type": "application/json"}, []byte(arguments))
			if head.StatusCode == http.StatusOK {
				return asked{}
			}
			if head.StatusCode != http.StatusForbidden {
				t.Errorf("HTTP answers %d", head.StatusCode)
			}
			return problem(t, data)
		},
		"cli": func(arguments string) asked {
			_, errw, exit := a.CLI(t, "", "call", "create_project", "--json", arguments, "-o", "json")
			if exit == 0 {
				return asked{}
			}
			if exit != 4 {
				t.Errorf("the command exits %d: %s", exit, errw)
			}
			return problem(t, errw)
		},
	}
	for _, s := range a.Speakers(t) {
		ways[s.Name] = func(arguments string) asked {
			_, data := s.Call(t, "create_project", arguments)
			return toolResult(t, data)
		}
	}
	return ways
}

// decide decides as Ana.
func (a *approvals) decide(t *testing.T, id, decision string) {
	t.Helper()
	head, data := a.ana.HTTP(t, http.MethodPost, "/api/v1/approvals/"+id+"/decision", map[string]string{"Content-Type": "application/json"}, []byte(`{"decision":"`+decision+`","reason":"said so"}`))
	if head.StatusCode != http.StatusOK {
		t.Fatalf("the decision is answered %d %s", head.StatusCode, data)
	}
}

// A call that needs an approval is answered alike on every surface; once it is approved it
// runs once, on any of them.
func TestApprovalOnEverySurface(t *testing.T) {
	a := openApprovals(t)
	ways := a.ways(t)
	number := 0
	for runs := range ways {
		number++
		arguments := `{"key":"P` + string(rune('A'+number)) + `","title":"x"}`
		var first asked
		for way, call := range ways {
			got := call(arguments)
			if first == (asked{}) {
				first = got
			}
			if diff := cmp.Diff(first, got); diff != "" || got.Code != "approval_needed" || !strings.Contains(got.Sentence, got.Request) || got.Request == "" {
				t.Errorf("%s answers otherwise than another (-want +got):\n%s", way, diff)
			}
		}
		a.decide(t, first.Request, "approve")
		if got := ways[runs](arguments); got != (asked{}) {
			t.Errorf("%s: approved, it is answered %+v", runs, got)
		}
		if got := ways["http"](arguments); got.Code != "approval_needed" || got.Request == first.Request {
			t.Errorf("%s has run it, and the next call is answered %+v", runs, got)
		}
	}
	// Denied, it is refused alike, too.
	const arguments = `{"key":"NO","title":"x"}`
	a.decide(t, ways["cli"](arguments).Request, "deny")
	for way, call := range ways {
		if got := call(arguments); got.Code != "forbidden" || !strings.HasPrefix(got.Sentence, `person:ana denied this call of create_project, and said "said so"`) {
			t.Errorf("%s: denied, it is answered %+v", way, got)
		}
	}
	// The audit has the asking and the decision, whoever made them.
	outcomes := map[string]map[string]bool{}
	for _, c := range parse[struct {
		Items []struct{ Capability, Outcome, Principal string }
	}](t, a.Get(t, "/api/v1/calls?limit=1000")).Items {
		who := c.Principal + " " + c.Capability
		if outcomes[who] == nil {
			outcomes[who] = map[string]bool{}
		}
		outcomes[who][c.Outcome] = true
	}
	want := map[string]bool{"approval_needed": true, "forbidden": true, "ok": true}
	if diff := cmp.Diff(want, outcomes["owner create_project"]); diff != "" || !outcomes["ana decide_approval"]["ok"] {
		t.Errorf("the audit has %v (-want +got):\n%s", outcomes, diff)
	}
}

// pending waits until one request is there that was filed by a call which is held.
func (a *approvals) pending(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		list := parse[struct{ Items []struct{ ID string } }](t, a.ana.Get(t, "/api/v1/approvals"))
		if len(list.Items) == 1 {
			return list.Items[0].ID
		}
	}
	t.Fatal("no request was filed")
	return ""
}

// Where a surface can wait, a call is held and runs when it is approved.
func TestHeldOnEverySurface(t *testing.T) {
	a := openApprovals(t)
	stdio := a.Stdio(t).Shake(t)
	for name, call := range map[string]func(arguments string) (answer string){
		"http": func(arguments string) string {
			head, data := a.HTTP(t, http.MethodPost, "/api/v1/projects", map[string]string{"Content-Type": "application/json", "Prefer": "respond-async, wait=900"}, []byte(arguments))
			if got := head.Header.Get("Preference-Applied"); got != "wait=300" {
				t.Errorf("the preference that is applied is %q", got)
			}
			return string(data)
		},
		"by name": func(arguments string) string {
			_, data := a.HTTP(t, http.MethodPost, "/operator/act/create_project", map[string]string{"Content-Type": "application/json", "Idempotency-Key": "k", "Prefer": "wait=60"}, []byte(arguments))
			return string(data)
		},
		"mcp": func(arguments string) string {
			_, data := a.OverHTTP(t)[1].With(t, `"holotype/wait_seconds":60`, "create_project", arguments)
			return string(data)
		},
		"stdio, with progress": func(arguments string) string {
			stdio.Write(t, []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"create_project","arguments":`+arguments+`,"_meta":{"holotype/wait_seconds":60,"progressToken":"p"}}}`))
			first := string(stdio.Read(t))
			if !strings.Contains(first, "notifications/progress") || !strings.Contains(first, " s more for approval apr_") {
				t.Errorf("while it waits the caller is told %s", first)
			}
			for {
				if line := string(stdio.Read(t)); !strings.Contains(line, "notifications/progress") {
					return line
				}
			}
		},
		"cli": func(arguments string) string {
			out, errw, exit := a.CLI(t, "", "call", "create_project", "--json", arguments, "--wait", "60s", "-o", "json")
			if exit != 0 || !strings.Contains(string(errw), " s more for approval apr_") {
				t.Errorf("the command exits %d and says %s", exit, errw)
			}
			return string(out)
		},
	} {
		t.Run(name, func(t *testing.T) {
			key := "K" + strings.ToUpper(name[:2])
			answer := make(chan string, 1)
			go func() { answer <- call(`{"key":"` + key + `","title":"x"}`) }()
			a.decide(t, a.pending(t), "approve")
			if got := <-answer; !strings.Contains(got, `"applied"`) || !strings.Contains(got, key) {
				t.Errorf("approved, it is answered %s", got)
			}
		})
	}
	for name, c := range map[string]struct {
		words []string
		says  string
	}{
		"too long": {[]string{"--wait", "6m"}, "at most 5m0s"}, "no time": {[]string{"--wait", "soon"}, "such as 90s"}, "less than none": {[]string{"--wait=-1s"}, "such as 90s"},
	} {
		if _, errw, exit := a.CLI(t, "", append([]string{"call", "create_project", "--json", `{"key":"XX","title":"x"}`}, c.words...)...); exit != 2 || !strings.Contains(string(errw), c.says) {
			t.Errorf("%s: exit %d: %s", name, exit, errw)
		}
	}
	for _, wait := range []string{`301`, `-1`, `1.5`, `"60"`, `null`} {
		_, data := a.OverHTTP(t)[1].With(t, `"holotype/wait_seconds":`+wait, "create_project", `{"key":"XX","title":"x"}`)
		if got := toolResult(t, data); got.Code != "invalid" || !strings.Contains(got.Sentence, "from 0 to 300") {
			t.Errorf("wait %s is answered %+v", wait, got)
		}
	}
}

// The lists say what waits, whose call it is, and to nobody else.
func TestWhatListsSayOfApprovals(t *testing.T) {
	a := openApprovals(t)
	tool := parse[struct{ Refused string }](t, a.Get(t, "/api/v1/tools/create_project"))
	const rule = "create_project is served once a person has approved the very call (gate.approve[0] in the configuration)"
	if tool.Refused != rule {
		t.Errorf("the tool says %q", tool.Refused)
	}
	refused := map[string]string{}
	for _, row := range parse[struct {
		Items []struct{ Name, Refused string }
	}](t, a.Get(t, "/api/v1/tools?limit=1000")).Items {
		if row.Refused != "" {
			refused[row.Name] = row.Refused
		}
	}
	if len(refused) != 2 || refused["create_project"] != rule || refused["purge_work_item"] == "" {
		t.Errorf("the list says %v", refused)
	}
	seat := a.by(a.token(t, `{"name":"desk","scopes":["*"],"seat":"desk"}`))
	_, data := seat.HTTP(t, http.MethodPost, "/api/v1/projects", map[string]string{"Content-Type": "application/json", "Idempotency-Key": "k1"}, []byte(`{"key":"WEB","title":"x"}`))
	got := problem(t, data)
	if got.Code != "approval_needed" || !strings.Contains(got.Sentence, "the owner, or a person with the scope admin, can decide (holotype call decide_approval --id "+got.Request) {
		t.Fatalf("the seat is answered %+v", got)
	}
	for who, r := range map[string]*drive.Running{"the owner": a.Running, "Ana": a.ana} {
		row := parse[struct {
			State, Capability, Principal, Seat, Credential, Effect, Surface string
			OpID                                                            string `json:"op_id"`
			Arguments                                                       json.RawMessage
		}](t, r.Get(t, "/api/v1/approvals/"+got.Request))
		if row.State != "pending" || row.Capability != "create_project" || row.Principal != "seat:desk" || row.Seat != "desk" || !strings.HasPrefix(row.Credential, "tok_") ||
			row.Effect != "append/shared" || row.Surface != "http" || row.OpID != "k1" || string(row.Arguments) != `{"key":"WEB","title":"x"}` {
			t.Errorf("%s is told %+v", who, row)
		}
	}
	for _, path := range []string{"/api/v1/approvals", "/api/v1/approvals/" + got.Request} {
		if head, data := seat.HTTP(t, http.MethodGet, path, nil, nil); head.StatusCode != http.StatusForbidden {
			t.Errorf("the seat is answered %d %s", head.StatusCode, data)
		}
	}
}
