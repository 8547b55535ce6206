package sweep_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/tests/sweep"
)

// record keeps what is written to it.
type record struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all.Write(b)
}

func (r *record) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.all.Bytes())
}

// field is everything that is planted in the product.
type field struct {
	canaries []sweep.Canary
	values   map[string]string
}

// plant answers a new canary, made of what a secret is made of.
func (f *field) plant(name string, readers ...string) string {
	value := fmt.Sprintf("cnry%02d/+9f&e.Kd7~<q\"-%02d", len(f.canaries), len(f.canaries))
	return f.take(name, value, readers...)
}

func (f *field) take(name, value string, readers ...string) string {
	f.canaries = append(f.canaries, sweep.Canary{Name: name, Value: value, Readers: readers})
	f.values[name] = value
	return value
}

// swept is a server with something planted wherever a secret may stand.
type swept struct {
	*field
	*holotype.Server
	dir    string
	log    *record
	owner  string
	web    *httptest.Server
	answer http.Handler
}

// environment are the variables of the server's process. The first is in no configuration.
func (f *field) environment() map[string]string {
	return map[string]string{
		"SERVER_PASSWORD": f.plant("the environment, in no configuration"),
		"CHILD_VARIABLE":  f.plant("the environment, a variable of a child"),
		"URL_VARIABLE":    f.take("the environment, a variable in a url", "cnry9Variable_Of-The.Url"),
		"SEAT_VARIABLE":   f.plant("the environment, a variable of a seat"),
	}
}

func sow(t *testing.T) *swept {
	t.Helper()
	w := &swept{field: &field{values: map[string]string{}}, dir: t.TempDir(), log: &record{}}
	environment := w.environment()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.web = httptest.NewServer(http.HandlerFunc(serveHTTP))
	t.Cleanup(w.web.Close)
	host := strings.TrimPrefix(w.web.URL, "http://")
	password, query := "pw0Userinfo7Canary", "qry5Canary0OfTheUrl"
	w.take("the password in a url", password)
	w.take("a key in the query of a url", query)
	servers := []map[string]any{
		{"name": "child", "command": exe, "args": []string{"serve"}, "env": map[string]string{
			asUpstream: "1", "API_TOKEN": w.plant("a literal in env"), "FROM_VARIABLE": "${CHILD_VARIABLE}", "SEALED_TOKEN": "${SEALED}",
		}},
		{"name": "far", "url": "http://someone:" + password + "@" + host + "/mcp?api_key=" + query + "&v=${URL_VARIABLE}", "headers": map[string]string{
			"X-Api-Key": w.plant("a literal in headers"), "Authorization": "Bearer " + w.plant("a bearer token in headers"), "X-Sealed-Secret": "${SEALED}",
		}},
		{"name": "broken", "command": exe, "args": []string{"serve"}, "env": map[string]string{asUpstream: "broken", "API_TOKEN": w.plant("a literal in the env of a server that does not start")}},
		{"name": "own", "command": exe, "args": []string{"serve"}, "shared": false, "env": map[string]string{asUpstream: "1"}},
	}
	config := map[string]any{
		"mcp_servers": servers,
		"people":      []any{map[string]any{"id": "ada", "name": "Ada"}},
		"seats": []any{map[string]any{"id": "desk", "scopes": []string{"*"}, "mcp_env": map[string]any{
			"own": map[string]string{"SEAT_TOKEN": "${SEAT_VARIABLE}", "SEAT_LITERAL_KEY": w.plant("a literal in the mcp_env of a seat")},
		}, "gate": map[string]any{"approve": []any{map[string]any{"tools": []string{"purge_work_item"}}}}}},
	}
	text, err := json.Marshal(config) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(w.dir, "holotype.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	environment["HOLOTYPE_SECRETS_KEY_FILE"] = filepath.Join(w.dir, "secrets.key")
	w.Server = holotype.New(holotype.Options{
		Config: file, Data: filepath.Join(w.dir, "data"), Log: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Lookup: func(name string) (string, bool) { v, ok := environment[name]; return v, ok },
	})
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	w.run(t, w.plant("a sealed secret"), "secrets", "set", "SEALED")
	if w.answer, err = w.Handler(); err != nil {
		t.Fatal(err)
	}
	if w.owner, err = w.OwnerToken(); err != nil {
		t.Fatal(err)
	}
	w.take("an unused sign-in link", w.signInToken(t))
	return w
}

func (w *swept) signInToken(t *testing.T) string {
	t.Helper()
	path, err := w.SignInPath()
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(path, "token=")
	return token
}

// run runs a command line of the owner's.
func (w *swept) run(t *testing.T, in string, words ...string) string {
	t.Helper()
	var out, errw bytes.Buffer
	if exit := w.Command().Run(context.WithoutCancel(t.Context()), words, strings.NewReader(in), &out, &errw); exit != 0 {
		t.Fatalf("%v: exit %d: %s%s", words, exit, out.String(), errw.String())
	}
	return out.String()
}

// call calls a tool as somebody.
func (w *swept) call(t *testing.T, token, tool string, in any) (status int, answer string) {
	t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/operator/act/"+tool, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Idempotency-Key", capabilities.NewRequestID())
	rec := httptest.NewRecorder()
	w.answer.ServeHTTP(rec, r)
	return rec.Code, rec.Body.String()
}

// did is call that has to be carried out.
func (w *swept) did(t *testing.T, token, tool string, in any) map[string]any {
	t.Helper()
	status, answer := w.call(t, token, tool, in)
	var members map[string]any
	if err := json.Unmarshal([]byte(answer), &members); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %s", tool, status, answer)
	}
	return members
}

func (w *swept) token(t *testing.T, in map[string]any) string {
	t.Helper()
	token, ok := w.did(t, w.owner, "create_token", in)["token"].(string)
	if !ok || token == "" {
		t.Fatalf("no token is made of %v", in)
	}
	return token
}

// settle waits until the servers run that can.
func (w *swept) settle(t *testing.T) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		page, err := system.ListMCPServers.Call(t.Context(), w.Server, capabilities.OwnerPrincipal(), system.ListMCPServersInput{})
		if err != nil {
			t.Fatal(err)
		}
		ready := 0
		for _, s := range page.Items {
			if s.State == system.Running || s.Name == "broken" && s.State != system.Starting {
				ready++
			}
		}
		if ready >= 4 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("the servers do not come: %+v", page.Items)
		}
	}
}

// wholeVariable asks for a sweep by more principals, of which some see as much as others.
const wholeVariable = "HOLOTYPE_SWEEP"

// Nothing that is secret comes out of a server, whoever asks and however; what somebody is
// let see comes out to nobody else; and none of it stands in the log and the audit.
func TestNothingSecretComesOut(t *testing.T) {
	w := sow(t)
	w.settle(t)
	all := w.token(t, map[string]any{"name": "all", "scopes": []string{"*", "admin"}})
	some := w.token(t, map[string]any{"name": "some", "scopes": []string{"system:read", "child:read"}})
	desk := w.token(t, map[string]any{"name": "desk", "scopes": []string{"*"}, "seat": "desk"})
	ada := w.token(t, map[string]any{"name": "ada", "scopes": []string{"tracker:read"}, "person": "ada"})
	w.take("a token of somebody who does not ask", w.token(t, map[string]any{"name": "away", "scopes": []string{"*"}}))
	w.take("the owner's token", w.owner)

	// What stands in the tracker is read by those who have its scope, and by no others.
	reads := []string{"owner", "all", "desk", "ada"}
	if err := tracker.Seed(t.Context(), w.Server, capabilities.OwnerPrincipal()); err != nil {
		t.Fatal(err)
	}
	w.did(t, w.owner, "create_project", map[string]any{"key": "HID", "title": w.plant("a project's title", reads...)})
	item := w.did(t, w.owner, "create_work_item", map[string]any{"project": "HID", "title": w.plant("a work item's title", reads...), "description": w.plant("a work item's description", reads...)})
	w.did(t, w.owner, "comment_on_work_item", map[string]any{"item": "HID-1", "body": w.plant("a comment", reads...)})
	_ = item
	// What a call that waits was sent is seen by who decides, and by nobody else.
	if status, answer := w.call(t, desk, "purge_work_item", map[string]any{"item": w.plant("the arguments of a call that waits", "owner", "all")}); status != http.StatusForbidden || !strings.Contains(answer, "approval_needed") {
		t.Fatalf("it does not wait: %d %s", status, answer)
	}
	// What was sent in vain is seen by nobody.
	if status, _ := w.call(t, all, "create_project", map[string]any{"key": "no key", "title": w.plant("the arguments of a refused call")}); status != http.StatusBadRequest {
		t.Fatalf("it is answered %d", status)
	}

	principals := []sweep.Principal{
		{Name: "owner", Token: w.owner, Addresses: []string{"/seats/desk/mcp"}, Run: w.Command().Run, Stdio: w.ServeStdio, Commands: [][]string{
			{"config", "show", "--origin"},
			{"config", "show", "-o", "json"},
			{"servers"},
			{"servers", "show", "child"},
			{"servers", "show", "far"},
			{"servers", "show", "broken"},
			{"secrets", "list"},
			{"token", "list", "-o", "json"},
			{"calls"},
			{"calls", "-o", "json"},
			{"tools"},
			{"tools", "-o", "json"},
			{"doctor"},
			{"doctor", "-o", "json"},
			{"version"},
			{"store", "check"},
		}},
		{Name: "some", Token: some},
		{Name: "desk", Token: desk, Addresses: []string{"/seats/desk/mcp"}},
		{Name: "nobody"},
	}
	if os.Getenv(wholeVariable) != "" {
		principals = append(principals, sweep.Principal{Name: "all", Token: all}, sweep.Principal{Name: "ada", Token: ada})
	}
	report, err := sweep.Run(t.Context(), sweep.Target{
		Handler: w.answer, CallWrites: true, ArgumentReaders: []string{"owner", "all"},
		Principals: principals,
		Texts:      func() []sweep.Text { return w.written(t) },
	}, w.canaries)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range report.Leaks {
		t.Error(l)
	}
	t.Logf("%d requests, %d bytes, %d tools called", report.Asked, report.Read, len(report.Called))
	w.coversAll(t, report)
}

// coversAll fails where a read was not called.
func (w *swept) coversAll(t *testing.T, report *sweep.Report) {
	t.Helper()
	tools, err := w.Client(capabilities.OwnerPrincipal()).Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, name := range report.Called {
		called[name] = true
	}
	for _, tool := range tools {
		if tool.Hints.ReadOnly == capabilities.Yes && !called[tool.Name] {
			t.Errorf("%s reads, and was never called", tool.Name)
		}
	}
	if len(called) < len(tools)/2 {
		t.Errorf("of %d tools %d were called", len(tools), len(called))
	}
}

// written answers what the server has written by itself: its log, its files of calls, and
// what it has exported.
func (w *swept) written(t *testing.T) (all []sweep.Text) {
	t.Helper()
	if err := w.Close(); err != nil { // what is written late is written then
		t.Error(err)
	}
	all = append(all, sweep.Text{Name: "the log", Data: w.log.bytes()})
	found := 0
	err := filepath.WalkDir(filepath.Join(w.dir, "data"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), "audit") {
			return err
		}
		data, err := os.ReadFile(path)
		found++
		all = append(all, sweep.Text{Name: d.Name(), Data: data})
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d files of the audit were found: %v", found, err)
	}
	return all
}
