package holotype_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/internal/grant"
)

// timed is a gated server whose clock runs ahead as tests say.
type timed struct {
	*gated
	ahead *atomic.Int64
	log   *logged
}

// logged is what a server logs.
type logged struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func timedBy(t *testing.T, text string) *timed {
	t.Helper()
	dir := t.TempDir()
	c := &configurable{t: t, file: filepath.Join(dir, "holotype.yaml")}
	c.write(text)
	w := &timed{&gated{configurable: c}, &atomic.Int64{}, &logged{}}
	env := map[string]string{"HOME": dir, "PATH": os.Getenv("PATH")}
	c.o = holotype.Options{
		Data: filepath.Join(dir, "data"), Config: c.file,
		Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
		Log:    slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Now:    func() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) },
	}
	w.start()
	token, err := os.ReadFile(filepath.Join(c.o.Data, "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	w.token = strings.TrimSpace(string(token))
	return w
}

// start starts the server, or another one in its place.
func (w *timed) start() {
	w.t.Helper()
	w.Server = serve(w.t, w.o)
	handler, err := w.Handler()
	if err != nil {
		w.t.Fatal(err)
	}
	web := httptest.NewServer(handler)
	w.t.Cleanup(web.Close)
	w.url = web.URL
}

func (w *timed) restart() {
	w.t.Helper()
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.start()
}

func (w *timed) pass(d time.Duration) { w.ahead.Add(int64(d)) }

// as answers the server as whoever has a new token sees it.
func (w *timed) as(in system.CreateTokenInput) *gated {
	w.t.Helper()
	in.Name = "test"
	own := *w.gated
	own.token = ok(w.t, w, system.CreateToken, in).Token
	return &own
}

// asks sends a request of a caller for a capability.
func (g *gated) asks(body string) (system.CapabilityRequestReceipt, *problem) {
	return answered[system.CapabilityRequestReceipt](g, http.MethodPost, "/api/v1/capability-requests", body)
}

// decides sends a decision of a caller.
func (g *gated) decides(id, body string) (system.DecidedCapabilityRequest, *problem) {
	return answered[system.DecidedCapabilityRequest](g, http.MethodPost, "/api/v1/capability-requests/"+id+"/decision", body)
}

type problem struct {
	Code, Detail string
	Violations   []capabilities.Violation
}

func answered[T any](g *gated, method, path, body string) (out T, refusal *problem) {
	g.t.Helper()
	status, answer := g.http(method, path, body)
	var err error
	if status >= 400 {
		refusal = &problem{}
		err = json.Unmarshal([]byte(answer), refusal)
	} else {
		err = json.Unmarshal([]byte(answer), &out)
	}
	if err != nil {
		g.t.Fatalf("%s %s is answered %d %s", method, path, status, answer)
	}
	return out, refusal
}

// granted asks as a caller, and grants as the owner.
func (w *timed) granted(g *gated, ask string) system.DecidedCapabilityRequest {
	w.t.Helper()
	asked, refusal := g.asks(ask)
	if refusal != nil {
		w.t.Fatalf("%s is refused: %+v", ask, refusal)
	}
	out, refusal := w.decides(asked.ID, `{"decision":"grant"}`)
	if refusal != nil {
		w.t.Fatalf("the grant of %s is refused: %+v", ask, refusal)
	}
	return out
}

// may reports whether a call of create_project passes the gate: its arguments are wrong.
func (g *gated) may() bool {
	g.t.Helper()
	_, refusal := answered[struct{}](g, http.MethodPost, "/api/v1/projects", `{}`)
	switch {
	case refusal != nil && refusal.Code == "invalid":
		return true
	case refusal != nil && refusal.Code == "forbidden":
		return false
	}
	g.t.Fatalf("an empty project is answered %+v", refusal)
	return false
}

func within(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: nobody is told", what)
	}
}

// From the request to the end: what is granted appears in the session of its holder, which
// is told once, is called on every surface, and goes when its time is over. Nobody else is
// told of anything.
func TestAGrantComesAndGoes(t *testing.T) {
	w := timedBy(t, "people: [{id: ada}]\nseats: [{id: desk, scopes: [\"tracker:read\"]}, {id: door, scopes: [\"tracker:read\"]}]\n")
	desk := w.as(system.CreateTokenInput{Scopes: []string{"tracker:*"}, Seat: "desk"})
	door := w.as(system.CreateTokenInput{Scopes: []string{"tracker:*"}, Seat: "door"})
	atDesk, atDoor, ofOwner := make(chan struct{}, 16), make(chan struct{}, 16), make(chan struct{}, 16)
	session := desk.mcp("/operator/mcp", atDesk)
	others := []*mcp.ClientSession{door.mcp("/operator/mcp", atDoor), w.mcp("/operator/mcp", ofOwner)}
	for _, s := range others {
		w.tools(s)
	}
	if names := w.tools(session); slices.Contains(names, "create_project") || !slices.Contains(names, "request_capability") || desk.may() {
		t.Fatalf("without a grant the desk has %q", names)
	}
	asked, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "request_capability", Arguments: map[string]any{"capability": "create_project", "why": "a new site", "hours": 8}})
	if err != nil || asked.IsError {
		t.Fatalf("asking is answered %+v, %v", asked, err)
	}
	list := func(g *gated) []system.CapabilityRequestRow {
		page, refusal := answered[capabilities.Page[system.CapabilityRequestRow]](g, http.MethodGet, "/api/v1/capability-requests", "")
		if refusal != nil {
			t.Fatalf("the list is refused: %+v", refusal)
		}
		return page.Items
	}
	rows := list(w.gated)
	if len(rows) != 1 || rows[0].Principal != "seat:desk" || rows[0].Why != "a new site" || rows[0].Status != grant.Pending || len(list(desk)) != 1 || len(list(door)) != 0 {
		t.Fatalf("the requests are %+v; the desk sees %+v, the door %+v", rows, list(desk), list(door))
	}
	if desk.may() {
		t.Error("what is asked for passes already")
	}
	out, exit := w.run("", "call", "decide_capability_request", "--id", rows[0].ID, "--decision", "grant", "--hours", "2", "--yes", "-o", "json")
	var decided system.DecidedCapabilityRequest
	if exit != 0 || json.Unmarshal([]byte(out), &decided) != nil || decided.Status != grant.Granted {
		t.Fatalf("the decision exits %d: %s", exit, out)
	}
	within(t, "the desk, of the grant", atDesk)
	if names := w.tools(session); !slices.Contains(names, "create_project") {
		t.Errorf("with a grant the desk has %q", names)
	}
	if r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_project", Arguments: map[string]any{"key": "NEW", "title": "New"}}); err != nil || r.IsError {
		t.Errorf("over MCP it is answered %+v, %v", r, err)
	}
	if status, answer := desk.http(http.MethodPost, "/api/v1/projects", `{"key":"NEXT","title":"Next"}`); status != http.StatusOK && status != http.StatusCreated {
		t.Errorf("over HTTP it is answered %d %s", status, answer)
	}
	if door.may() {
		t.Error("it passes at the door, too")
	}
	if _, refusal := desk.asks(`{"capability":"create_project","why":"again"}`); refusal == nil || refusal.Code != "exists" {
		t.Errorf("asking for what is granted is answered %+v", refusal)
	}
	w.restart()
	desk.url = w.url
	if !desk.may() {
		t.Error("after a restart it does not pass")
	}
	session = desk.mcp("/operator/mcp", atDesk)
	w.tools(session)
	w.pass(2*time.Hour + time.Second)
	if desk.may() {
		t.Error("it passes after its time")
	}
	within(t, "the desk, of the end", atDesk)
	if names := w.tools(session); slices.Contains(names, "create_project") {
		t.Errorf("after its time the desk has %q", names)
	}
	grants := ok(t, w, system.ListGrants, system.ListGrantsInput{}).Items
	if len(grants) != 1 || grants[0].State != grant.Expired || grants[0].ID != decided.Grant {
		t.Errorf("the grants are %+v", grants)
	}
	if len(atDesk) != 0 || len(atDoor) != 0 || len(ofOwner) != 0 {
		t.Errorf("told besides: the desk %d times, the door %d, the owner %d", len(atDesk), len(atDoor), len(ofOwner))
	}
}

// A grant that is bound to a work item goes when that comes to its end, also while nobody
// serves, and does not come back with it. One that is revoked goes at once.
func TestAGrantEndsWithItsWorkItem(t *testing.T) {
	w := timedBy(t, "seats: [{id: desk, scopes: [\"tracker:read\"]}]\n")
	desk := w.as(system.CreateTokenInput{Scopes: []string{"tracker:*"}, Seat: "desk"})
	ok(t, w, tracker.CreateProject, tracker.CreateProjectInput{Key: "WEB", Title: "Web"})
	item := func() string {
		return ok(t, w, tracker.CreateWorkItem, tracker.CreateWorkItemInput{Project: "WEB", Title: "x"}).Key
	}
	set := func(key string, s tracker.Status) {
		t.Helper()
		ok(t, w, tracker.UpdateWorkItem, tracker.UpdateWorkItemInput{Item: key, Status: &s})
	}
	gone := func(what, id string, want grant.State) {
		t.Helper()
		deadline := time.Now().Add(20 * time.Second)
		for desk.may() {
			if time.Now().After(deadline) {
				t.Fatalf("%s: it still passes", what)
			}
		}
		for {
			rows := ok(t, w, system.ListGrants, system.ListGrantsInput{}).Items
			if i := slices.IndexFunc(rows, func(r system.GrantRow) bool { return r.ID == id }); i >= 0 && rows[i].State == want {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: the grants are %+v", what, rows)
			}
		}
	}
	first := item()
	given := w.granted(desk, `{"capability":"create_project","why":"no words of theirs","work_item":"`+first+`"}`)
	if !desk.may() || given.ExpiresAt != "" {
		t.Fatalf("the grant is %+v", given)
	}
	set(first, tracker.InReview)
	set(first, tracker.Done)
	gone("done", given.Grant, grant.Withdrawn)
	set(first, tracker.Todo)
	if desk.may() {
		t.Error("it comes back with its work item")
	}
	second := item()
	given = w.granted(desk, `{"capability":"create_project","why":"no words of theirs","work_item":"`+second+`"}`)
	w.restart()
	desk.url = w.url
	if !desk.may() {
		t.Fatal("after a restart it does not pass")
	}
	ok(t, w, tracker.RemoveWorkItem, tracker.RemoveWorkItemInput{Item: second})
	gone("in the trash", given.Grant, grant.Withdrawn)
	given = w.granted(desk, `{"capability":"create_project","why":"no words of theirs"}`)
	for _, want := range []capabilities.Outcome{capabilities.Applied, capabilities.Unchanged} {
		if out := ok(t, w, system.RevokeGrant, system.RevokeGrantInput{ID: given.Grant}); out.Outcome != want || out.Principal != "seat:desk" {
			t.Errorf("revoking answers %+v, want %s", out, want)
		}
		if desk.may() {
			t.Error("what is revoked passes")
		}
	}
	gone("revoked", given.Grant, grant.WasRevoked)
	for event, want := range map[string]int{"msg=capability_requested ": 3, "msg=capability_granted ": 3, "msg=grant_withdrawn ": 3, "cause=work_item_ended": 2, "no words of theirs": 0} {
		if got := strings.Count(w.log.String(), event); got != want {
			t.Errorf("%q is logged %d times, want %d", event, got, want)
		}
	}
	for name, ref := range map[string]string{"no item": "WEB-99", "one at its end": first, "in the trash": second} {
		if name == "one at its end" {
			set(first, tracker.Cancelled)
		}
		if _, refusal := desk.asks(`{"capability":"create_project","why":"x","work_item":"` + ref + `"}`); refusal == nil || refusal.Code != "invalid" || refusal.Violations[0].Pointer != "/work_item" {
			t.Errorf("%s is answered %+v", name, refusal)
		}
	}
}

// What is asked for, and who decides about it.
func TestGrantsThatAreNotGiven(t *testing.T) {
	w := timedBy(t, `people: [{id: ada}, {id: bob}]
gate: {deny: [purge_work_item], off: []}
principals:
- {id: person:ada, gate: {deny: [create_label]}}
seats:
- {id: desk, scopes: ["tracker:read"]}
- {id: held, holder: ada, scopes: ["tracker:read"]}
- {id: gone, scopes: ["tracker:read"]}
`)
	desk := w.as(system.CreateTokenInput{Scopes: []string{"tracker:*"}, Seat: "desk"})
	gone := w.as(system.CreateTokenInput{Scopes: []string{"tracker:*"}, Seat: "gone"})
	held := w.as(system.CreateTokenInput{Scopes: []string{"tracker:*"}, Seat: "held"})
	ada := w.as(system.CreateTokenInput{Scopes: []string{"tracker:*", "admin"}, Person: "ada"})
	bob := w.as(system.CreateTokenInput{Scopes: []string{"system:read", "admin"}, Person: "bob"})
	loose := w.as(system.CreateTokenInput{Scopes: []string{"*", "admin"}})
	seated := w.as(system.CreateTokenInput{Scopes: []string{"*", "admin"}, Seat: "desk"})
	for name, c := range map[string]struct {
		who        *gated
		in         string
		code, says string
	}{
		"what may be called":               {desk, `{"capability":"list_projects","why":"x"}`, "exists", "you may call list_projects already"},
		"no tool":                          {desk, `{"capability":"no_such_tool","why":"x"}`, "invalid", "names no tool"},
		"what is denied to everybody":      {desk, `{"capability":"purge_work_item","why":"x"}`, "forbidden", "changed in the configuration alone"},
		"what changes how the server runs": {desk, `{"capability":"create_token","why":"x"}`, "forbidden", "changed in the configuration alone"},
		"to decide about requests":         {desk, `{"capability":"decide_capability_request","why":"x"}`, "forbidden", "changed in the configuration alone"},
		"what the owner is denied":         {w.gated, `{"capability":"purge_work_item","why":"x"}`, "forbidden", "changed in the configuration alone"},
		"no reason":                        {desk, `{"capability":"create_project","why":""}`, "invalid", ""},
		"for ever":                         {desk, `{"capability":"create_project","why":"x","hours":721}`, "invalid", ""},
	} {
		if _, refusal := c.who.asks(c.in); refusal == nil || refusal.Code != c.code || !strings.Contains(refusal.Detail, c.says) {
			t.Errorf("asking for %s is answered %+v, want %s", name, refusal, c.code)
		}
	}
	ask := func(g *gated, name string) string {
		t.Helper()
		out, refusal := g.asks(`{"capability":"` + name + `","why":"x","hours":4}`)
		if refusal != nil {
			t.Fatalf("%s is refused: %+v", name, refusal)
		}
		return out.ID
	}
	reads, project := ask(desk, "list_tokens"), ask(desk, "create_project")
	label, ofAda, ofGone := ask(desk, "create_label"), ask(ada, "create_label"), ask(gone, "create_project")
	ofHeld := ask(held, "create_project")
	w.write(strings.Replace(w.text(), `- {id: gone, scopes: ["tracker:read"]}`, "", 1))
	ok(t, w, system.ReloadConfig, system.ReloadConfigInput{})
	for name, c := range map[string]struct {
		who            *gated
		id, in         string
		code, sentence string
	}{
		"a token that is nobody's":             {loose, project, `{"decision":"grant"}`, "forbidden", "a person decides"},
		"a seat":                               {seated, project, `{"decision":"deny"}`, "forbidden", ""},
		"a caller without the scope":           {desk, project, `{"decision":"grant"}`, "forbidden", ""},
		"their own":                            {ada, ofAda, `{"decision":"deny"}`, "forbidden", "nobody decides about their own request"},
		"that of the seat they hold":           {ada, ofHeld, `{"decision":"grant"}`, "forbidden", "nobody decides about their own request"},
		"what they have no scope for":          {bob, project, `{"decision":"grant"}`, "forbidden", "you may not call create_project"},
		"what their rules deny them":           {ada, label, `{"decision":"grant"}`, "forbidden", "you may not call create_label"},
		"longer than it was asked for":         {w.gated, project, `{"decision":"grant","hours":5}`, "invalid", "more than the 4"},
		"a denial for hours":                   {w.gated, project, `{"decision":"deny","hours":1}`, "invalid", "goes with a grant"},
		"a seat that is not there any more":    {w.gated, ofGone, `{"decision":"grant"}`, "conflict", "not there any more"},
		"nothing that was ever asked for":      {w.gated, "req_x", `{"decision":"grant"}`, "not_found", ""},
		"what is neither a grant nor a denial": {w.gated, project, `{"decision":"perhaps"}`, "invalid", ""},
	} {
		if _, refusal := c.who.decides(c.id, c.in); refusal == nil || refusal.Code != c.code || !strings.Contains(refusal.Detail, c.sentence) {
			t.Errorf("deciding as %s is answered %+v, want %s", name, refusal, c.code)
		}
	}
	if desk.may() {
		t.Error("what nobody granted passes")
	}
	// A person grants what they may call, and what reads about the server can be granted.
	for who, id := range map[*gated]string{ada: project, w.gated: reads} {
		if out, refusal := who.decides(id, `{"decision":"grant"}`); refusal != nil || out.Status != grant.Granted {
			t.Errorf("%s is refused: %+v", id, refusal)
		}
	}
	if status, answer := desk.http(http.MethodGet, "/api/v1/tokens", ""); !desk.may() || status != http.StatusOK {
		t.Errorf("what was granted is answered %d %s", status, answer)
	}
	// A grant that somebody holds is not theirs to give.
	granted := w.granted(ada, `{"capability":"create_label","why":"once more"}`)
	if _, refusal := ada.decides(label, `{"decision":"grant"}`); refusal == nil || refusal.Code != "forbidden" {
		t.Errorf("what was granted until %s is given on: %+v", granted.ExpiresAt, refusal)
	}
	// What becomes void is listed as that.
	w.write(strings.Replace(w.text(), `- {id: desk, scopes: ["tracker:read"]}`, "- {id: other}", 1))
	ok(t, w, system.ReloadConfig, system.ReloadConfigInput{})
	out, _ := w.run("", "doctor")
	for _, want := range []string{"of create_project lets nobody call it: seat:desk is not there any more", "call revoke_grant --id grt_", "requests for a tool that wait for a decision: 3, the oldest"} {
		if !strings.Contains(out, want) {
			t.Errorf("the doctor does not say %q:\n%s", want, out)
		}
	}
	for _, row := range ok(t, w, system.ListGrants, system.ListGrantsInput{}).Items {
		if want := map[bool]grant.State{true: grant.Void, false: grant.Active}[row.Principal == "seat:desk"]; row.State != want {
			t.Errorf("%+v, want %s", row, want)
		}
	}
}

func (c *configurable) text() string {
	c.t.Helper()
	raw, err := os.ReadFile(c.file)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(raw)
}

// A server without the tracker knows no work items, and the rest all the same.
func TestGrantsWithoutATracker(t *testing.T) {
	w := timedBy(t, "packs: [system]\nseats: [{id: desk, scopes: []}]\n")
	desk := w.as(system.CreateTokenInput{Scopes: []string{"*"}, Seat: "desk"})
	if _, refusal := desk.asks(`{"capability":"list_tools","why":"x","work_item":"WEB-1"}`); refusal == nil || refusal.Code != "invalid" || !strings.Contains(refusal.Detail, "no tracker is served") {
		t.Errorf("a work item is answered %+v", refusal)
	}
	w.granted(desk, `{"capability":"list_tools","why":"x"}`)
	if status, answer := desk.http(http.MethodGet, "/api/v1/tools", ""); status != http.StatusOK {
		t.Errorf("what is granted is answered %d %s", status, answer)
	}
}

// Who is known to somebody else alone, such as an issuer of access tokens or the embedding
// program, is there; who would be known here and is not, is not.
func TestWhoIsThereForAGrant(t *testing.T) {
	for name, c := range map[string]struct {
		who      capabilities.Principal
		accounts bool
		want     capabilities.Code
	}{
		"a client of an issuer":   {capabilities.Principal{ID: "oauth_0123", Kind: capabilities.Operator}, false, ""},
		"a token that is none":    {capabilities.Principal{ID: "tok_0123", Kind: capabilities.Operator}, false, capabilities.Conflict},
		"a person nobody knows":   {capabilities.Principal{ID: "eve", Kind: capabilities.Person}, false, capabilities.Conflict},
		"a person of the program": {capabilities.Principal{ID: "eve", Kind: capabilities.Person}, true, ""},
		"a token of the program":  {capabilities.Principal{ID: "tok_0123", Kind: capabilities.Operator}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := holotype.Options{}
			if c.accounts {
				o.Authenticate = func(*http.Request) (*capabilities.Principal, error) { return &c.who, nil }
			}
			s := serve(t, o)
			asked, err := system.RequestCapability.Call(t.Context(), s, &c.who, system.RequestCapabilityInput{Capability: "create_project", Why: "x"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = system.DecideCapabilityRequest.Call(t.Context(), s, capabilities.OwnerPrincipal(), system.DecideCapabilityRequestInput{ID: asked.ID, Decision: system.GrantRequest})
			if e, _ := capabilities.AsError(err); (c.want != "" || err != nil) && (e == nil || e.Code != c.want) {
				t.Errorf("the grant is answered %v, want %q", err, c.want)
			}
			_, err = tracker.CreateProject.Call(t.Context(), s, &c.who, tracker.CreateProjectInput{Key: "WEB", Title: "Web"})
			if granted := err == nil; granted != (c.want == "") {
				t.Errorf("what was asked for is answered %v", err)
			}
		})
	}
}
