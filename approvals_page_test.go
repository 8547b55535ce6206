package holotype_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

const (
	asBrowser = "Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
	ownOrigin = "Origin: http://127.0.0.1:4280"
)

// desk is a server with a person before a browser, and two assistants that ask.
type desk struct {
	*timed
	browser         *site
	cookie          string
	builder, reader *gated
}

func openDesk(t *testing.T) *desk {
	t.Helper()
	w := timedBy(t, "people: [{id: ada}]\noauth: {server: true, address: https://tools.example}\nseats:\n- {id: builder, gate: {approve: [{tools: [create_project]}]}}\n- {id: reader, scopes: ['tracker:read']}\n")
	handler, err := w.Handler()
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{timed: w, browser: &site{t, w.Server, handler}}
	d.cookie, _ = d.browser.signIn()
	d.builder = w.as(system.CreateTokenInput{Scopes: []string{"*"}, Seat: "builder"})
	d.reader = w.as(system.CreateTokenInput{Scopes: []string{"*"}, Seat: "reader"})
	return d
}

// files sends a call that waits, and answers the id of its request.
func (d *desk) files(key, title string) string {
	d.t.Helper()
	d.builder.send(d.builder.token, http.MethodPost, "/api/v1/projects", fmt.Sprintf(`{"key":%q,"title":%q}`, key, title), "Idempotency-Key", "key-"+key, "Acting-For", "ada")
	list := ok(d.t, d, system.ListApprovals, system.ListApprovalsInput{NewestFirst: true, PageInput: capabilities.PageInput{Limit: 1}})
	if len(list.Items) != 1 {
		d.t.Fatalf("%d wait", len(list.Items))
	}
	return list.Items[0].ID
}

func (d *desk) sees(path string, headers ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	return d.browser.send(http.MethodGet, path, "", append(headers, asBrowser, d.cookie)...)
}

var markOn = regexp.MustCompile(`name="mark" value="([^"]+)"`)

func (d *desk) mark(id string) string {
	d.t.Helper()
	m := markOn.FindStringSubmatch(d.sees("/approvals/" + id).Body.String())
	if m == nil {
		d.t.Fatalf("the page of %s has no form", id)
	}
	return html.UnescapeString(m[1])
}

func (d *desk) decidesOn(id, form string, headers ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	return d.browser.send(http.MethodPost, "/approvals/"+id, form, append(headers, asBrowser)...)
}

func (d *desk) state(id string) string {
	d.t.Helper()
	return string(ok(d.t, d, system.GetApproval, system.GetApprovalInput{ID: id}).State)
}

// A person decides in a browser, by calls like any other ones.
func TestThePagesOfApprovals(t *testing.T) {
	d := openDesk(t)
	first := d.files("ONE", "<script>alert(1)</script>")
	second := d.files("TWO", "another")
	asked, refusal := d.reader.asks(`{"capability":"create_project","why":"</p><img src=x>","hours":4}`)
	if refusal != nil {
		t.Fatal(refusal)
	}

	t.Run("the list", func(t *testing.T) {
		w := d.sees("/approvals")
		page := w.Body.String()
		inOrder(t, page, "Waiting", asked.ID, second, first)
		if w.Code != http.StatusOK || strings.Contains(page, "<img") || strings.Contains(page, "Decided, or over") || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'self'") {
			t.Errorf("%d %v\n%s", w.Code, w.Header(), page)
		}
		if home := d.sees("/").Body.String(); !strings.Contains(home, `<a href="/approvals">Approvals <span class="waiting">3<`) {
			t.Error("the catalogue does not say that 3 wait")
		}
	})
	t.Run("one of them", func(t *testing.T) {
		page := d.sees("/approvals/" + first).Body.String()
		for _, text := range []string{
			"&#34;&lt;script&gt;alert(1)&lt;/script&gt;&#34;", "seat builder", "ada", "key-ONE", "seats[0].gate.approve[0]", "append/shared", "It changes something.", "It leaves what exists as it is.",
			"Good until", "Approve this call, once",
		} {
			if !strings.Contains(page, text) {
				t.Errorf("%q is missing", text)
			}
		}
		if strings.Contains(page, "<script") {
			t.Error("there is a script on it")
		}
	})
	t.Run("nothing there", func(t *testing.T) {
		for _, id := range []string{"apr_00000000000000000000000000", "nothing", "apr_"} {
			w := d.sees("/approvals/" + id)
			if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "no request for an approval has this id") || strings.Contains(w.Body.String(), "<form method=\"post\" action=\"/approvals") {
				t.Errorf("%s: %d\n%s", id, w.Code, w.Body)
			}
		}
	})
	t.Run("what does not decide", func(t *testing.T) {
		mark := d.mark(first)
		otherBrowser, _ := d.browser.signIn()
		for name, c := range map[string]struct {
			form    string
			headers []string
			status  int
		}{
			"no mark":                      {"decision=approve", []string{d.cookie, ownOrigin}, http.StatusForbidden},
			"the mark of another request":  {"decision=approve&mark=" + d.mark(second), []string{d.cookie, ownOrigin}, http.StatusForbidden},
			"a mark made up":               {"decision=approve&mark=1.x", []string{d.cookie, ownOrigin}, http.StatusForbidden},
			"another browser's page":       {"decision=approve&mark=" + mark, []string{otherBrowser, ownOrigin}, http.StatusForbidden},
			"another site's page":          {"decision=approve&mark=" + mark, []string{d.cookie, "Origin: https://evil.example"}, http.StatusForbidden},
			"another site, by the browser": {"decision=approve&mark=" + mark, []string{d.cookie, "Sec-Fetch-Site: cross-site"}, http.StatusForbidden},
			"nobody":                       {"decision=approve&mark=" + mark, []string{ownOrigin}, http.StatusUnauthorized},
			"a program":                    {"decision=approve&mark=" + mark, []string{"Authorization: Bearer " + d.token}, http.StatusForbidden},
			"no decision":                  {"mark=" + mark, []string{d.cookie, ownOrigin}, http.StatusBadRequest},
			"a third choice":               {"decision=maybe&mark=" + mark, []string{d.cookie, ownOrigin}, http.StatusBadRequest},
			"too many words":               {"decision=deny&reason=" + strings.Repeat("x", 501) + "&mark=" + mark, []string{d.cookie, ownOrigin}, http.StatusBadRequest},
			"too much":                     {"decision=approve&x=" + strings.Repeat("x", 20<<10) + "&mark=" + mark, []string{d.cookie, ownOrigin}, http.StatusRequestEntityTooLarge},
		} {
			if w := d.decidesOn(first, c.form, c.headers...); w.Code != c.status {
				t.Errorf("%s: %d\n%s", name, w.Code, w.Body)
			}
			if state := d.state(first); state != "pending" {
				t.Fatalf("%s: it is %s", name, state)
			}
		}
		d.pass(2 * time.Hour)
		if w := d.decidesOn(first, "decision=approve&mark="+mark, d.cookie, ownOrigin); w.Code != http.StatusForbidden || d.state(first) != "pending" {
			t.Errorf("an old page: %d, %s", w.Code, d.state(first))
		}
	})
	t.Run("what somebody else decided meanwhile", func(t *testing.T) {
		mark := d.mark(first)
		ok(t, d, system.DecideApproval, system.DecideApprovalInput{ID: first, Decision: "deny", Reason: "not before Monday"})
		w := d.decidesOn(first, "decision=approve&mark="+mark, d.cookie, ownOrigin)
		if w.Code != http.StatusForbidden || d.state(first) != "denied" || !strings.Contains(w.Body.String(), "not before Monday") {
			t.Errorf("%d, %s", w.Code, d.state(first))
		}
	})
	t.Run("a decision", func(t *testing.T) {
		w := d.decidesOn(first, "decision=approve&reason=after+all&mark="+d.mark(first), d.cookie, ownOrigin)
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/approvals/"+first || d.state(first) != "approved" {
			t.Fatalf("%d to %q, %s\n%s", w.Code, w.Header().Get("Location"), d.state(first), w.Body)
		}
		if page := d.sees("/approvals/" + first).Body.String(); !strings.Contains(page, "after all") || !strings.Contains(page, ">approved<") {
			t.Error("the page does not say what was decided")
		}
		inOrder(t, d.sees("/approvals").Body.String(), "Waiting", second, "Decided, or over", first)
		calls := ok(t, d, system.ListCalls, system.ListCallsInput{Capability: "decide_approval"})
		if !slices.ContainsFunc(calls.Items, func(c system.CallRow) bool { return c.Surface == "console" && c.Outcome == "ok" }) {
			t.Error("the audit has no decision of the console")
		}
		if status, body := d.builder.send(d.builder.token, http.MethodPost, "/api/v1/projects", `{"key":"ONE","title":"<script>alert(1)</script>"}`, "Idempotency-Key", "key-ONE", "Acting-For", "ada"); status >= 300 {
			t.Errorf("the call that was approved is answered %d %s", status, body)
		}
		if page := d.sees("/approvals/" + first).Body.String(); !strings.Contains(page, "approved, and sent") || strings.Contains(page, `name="mark"`) {
			t.Error("what was used can be decided on")
		}
	})
	t.Run("a tool", func(t *testing.T) {
		page := d.sees("/approvals/" + asked.ID).Body.String()
		if !strings.Contains(page, "&lt;/p&gt;&lt;img") || !strings.Contains(page, `name="hours" value="4" min="1" max="4"`) {
			t.Errorf("the page is %s", page)
		}
		for hours, status := range map[string]int{"9": http.StatusBadRequest, "four": http.StatusBadRequest} {
			if w := d.decidesOn(asked.ID, "decision=grant&hours="+hours+"&mark="+d.mark(asked.ID), d.cookie, ownOrigin); w.Code != status || !strings.Contains(w.Body.String(), "hours") {
				t.Errorf("%s hours: %d\n%s", hours, w.Code, w.Body)
			}
		}
		if w := d.decidesOn(asked.ID, "decision=grant&hours=2&mark="+d.mark(asked.ID), d.cookie, ownOrigin); w.Code != http.StatusSeeOther {
			t.Fatalf("%d\n%s", w.Code, w.Body)
		}
		if grants := ok(t, d, system.ListGrants, system.ListGrantsInput{}); len(grants.Items) != 1 || grants.Items[0].Capability != "create_project" {
			t.Errorf("the grants are %+v", grants.Items)
		}
	})
	t.Run("rules hold", func(t *testing.T) {
		d.write("people: [{id: ada}]\nprincipals: [{id: owner, gate: {deny: [decide_approval]}}]\nseats:\n- {id: builder, gate: {approve: [{tools: [create_project]}]}}\n")
		ok(t, d, system.ReloadConfig, system.ReloadConfigInput{})
		if page := d.sees("/approvals/" + second).Body.String(); strings.Contains(page, `name="mark"`) || !strings.Contains(page, "decide_approval is denied") {
			t.Errorf("who may not decide sees %s", page)
		}
		d.write("gate: {deny: [list_approvals, list_capability_requests]}\n")
		ok(t, d, system.ReloadConfig, system.ReloadConfigInput{})
		if w := d.sees("/approvals"); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "list_approvals is denied") {
			t.Errorf("who may not look: %d", w.Code)
		}
		if home := d.sees("/").Body.String(); strings.Contains(home, `"/approvals"`) {
			t.Error("the catalogue leads there all the same")
		}
	})
}

// inOrder fails unless the texts stand on a page one behind the other.
func inOrder(t *testing.T, page string, texts ...string) {
	t.Helper()
	for rest := page; len(texts) > 0; texts = texts[1:] {
		i := strings.Index(rest, texts[0])
		if i < 0 {
			t.Fatalf("%q is not behind what comes before it on\n%s", texts[0], page)
		}
		rest = rest[i:]
	}
}

// Who is led to the page of an approval signs in there, or goes on where the browser did
// not send the cookie, and ends on that page.
func TestWhoIsLedToAnApproval(t *testing.T) {
	d := openDesk(t)
	id := d.files("ONE", "one")
	path := "/approvals/" + id
	e := refusedAs(t, d)
	if e.Approval == nil || e.Approval.URL != "https://tools.example"+path || !strings.Contains(e.Message, "on the page https://tools.example"+path) {
		t.Errorf("the caller is told %+v, %s", e.Approval, e.Message)
	}
	for name, c := range map[string]struct {
		headers  []string
		status   int
		has, not string
	}{
		"by a link of another site": {[]string{d.cookie, asBrowser, "Sec-Fetch-Site: cross-site"}, http.StatusUnauthorized, `<form method="get" action="` + path + `"`, "create_project"},
		"by the button of the page": {[]string{d.cookie, asBrowser, "Sec-Fetch-Site: same-origin"}, http.StatusOK, "create_project", "Continue"},
		"by the address":            {[]string{d.cookie, asBrowser, "Sec-Fetch-Site: none"}, http.StatusOK, "create_project", "Continue"},
		"not signed in":             {[]string{asBrowser, "Sec-Fetch-Site: none"}, http.StatusUnauthorized, `name="next" value="` + path + `"`, "Continue"},
		"a program":                 {[]string{"Accept: application/json"}, http.StatusUnauthorized, `"code":"unauthenticated"`, "<form"},
		"with the owner's token":    {[]string{"Authorization: Bearer " + d.token, asBrowser}, http.StatusForbidden, "a program calls list_approvals", "create_project"},
	} {
		w := d.browser.send(http.MethodGet, path, "", c.headers...)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.has) || strings.Contains(w.Body.String(), c.not) {
			t.Errorf("%s: %d\n%s", name, w.Code, w.Body)
		}
	}
	for next, where := range map[string]string{
		path: path, "/approvals": "/approvals", "": "/", "/approvals/": "/", "//evil.example": "/", "https://evil.example": "/", "/approvals/../logout": "/", "/approvals/%2e%2e": "/", "/approvals/x\ny": "/",
	} {
		link, err := d.SignInPath()
		if err != nil {
			t.Fatal(err)
		}
		_, token, _ := strings.Cut(link, "?")
		if w := d.browser.send(http.MethodPost, "/login", token+"&next="+strings.NewReplacer("\n", "%0A", "%", "%25").Replace(next), ownOrigin); w.Code != http.StatusSeeOther || w.Header().Get("Location") != where {
			t.Errorf("signed in for %q, it leads to %q, %d", next, w.Header().Get("Location"), w.Code)
		}
	}
}

// refusedAs answers the refusal of a call of the builder's that waits.
func refusedAs(t *testing.T, d *desk) *capabilities.Error {
	t.Helper()
	p := &capabilities.Principal{ID: "builder", Kind: capabilities.Seat, Seat: "builder", Scopes: []string{"*"}, ActingFor: "ada"}
	_, err := d.Invoke(t.Context(), capabilities.Call{Name: "create_project", Arguments: []byte(`{"key":"ONE","title":"one"}`), Principal: p, Operation: capabilities.Operation{ID: "key-ONE"}})
	e, refused := capabilities.AsError(err)
	if !refused || e.Code != capabilities.ApprovalNeeded {
		t.Fatalf("it is answered %v", err)
	}
	return e
}

// The owner's own call waits for somebody else, and the owner's browser is not where that
// is decided.
func TestTheOwnersOwnCallHasNoPageToDecideOn(t *testing.T) {
	d := openDesk(t)
	d.write("people: [{id: ada}]\noauth: {server: true, address: https://tools.example}\ngate: {approve: [{tools: [create_project]}]}\n")
	ok(t, d, system.ReloadConfig, system.ReloadConfigInput{})
	_, err := d.Invoke(t.Context(), capabilities.Call{Name: "create_project", Arguments: []byte(project), Principal: capabilities.OwnerPrincipal()})
	e, refused := capabilities.AsError(err)
	if !refused || e.Approval == nil || e.Approval.URL != "" {
		t.Fatalf("it is answered %v, %+v", err, e)
	}
	if page := d.sees("/approvals/" + e.Approval.ID).Body.String(); strings.Contains(page, `name="mark"`) || !strings.Contains(page, "nobody decides on their own") {
		t.Errorf("the page is %s", page)
	}
}

// A program that knows its people itself has them decide on the pages, each as who they
// are.
func TestAccountsOfTheProgramDecide(t *testing.T) {
	s := visit(t, holotype.Options{Data: holotype.InMemory, Authenticate: func(r *http.Request) (*capabilities.Principal, error) {
		if id := r.Header.Get("X-Account"); id != "" {
			return &capabilities.Principal{ID: id, Kind: capabilities.Person, Scopes: []string{"*", capabilities.ScopeAdmin}}, nil
		}
		return nil, nil
	}})
	p := &capabilities.Principal{ID: "bob", Kind: capabilities.Person, Scopes: []string{"tracker:read"}}
	res, err := s.server.Invoke(t.Context(), capabilities.Call{Name: "request_capability", Arguments: []byte(`{"capability":"create_project","why":"for the site"}`), Principal: p})
	if err != nil {
		t.Fatal(err)
	}
	var asked system.CapabilityRequestReceipt
	if err := json.Unmarshal(res.Structured, &asked); err != nil {
		t.Fatal(err)
	}
	path := "/approvals/" + asked.ID
	mark := func(account string) string {
		if m := markOn.FindStringSubmatch(s.send(http.MethodGet, path, "", asBrowser, "X-Account: "+account).Body.String()); m != nil {
			return html.UnescapeString(m[1])
		}
		return ""
	}
	if mark("bob") != "" {
		t.Error("who asked can decide")
	}
	for name, c := range map[string]struct {
		form   string
		origin string
		status int
	}{
		"another one's page":  {"decision=deny&mark=" + mark("eve"), ownOrigin, http.StatusForbidden},
		"no page":             {"decision=deny", ownOrigin, http.StatusForbidden},
		"another site's page": {"decision=deny&mark=" + mark("ada"), "Origin: https://evil.example", http.StatusForbidden},
	} {
		if w := s.send(http.MethodPost, path, c.form, asBrowser, "X-Account: ada", c.origin); w.Code != c.status {
			t.Errorf("%s: %d\n%s", name, w.Code, w.Body)
		}
	}
	w := s.send(http.MethodPost, path, "decision=grant&mark="+mark("ada"), asBrowser, "X-Account: ada", ownOrigin)
	if page := s.send(http.MethodGet, path, "", asBrowser, "X-Account: ada").Body.String(); w.Code != http.StatusSeeOther || !strings.Contains(page, "person ada") || !strings.Contains(page, ">granted<") {
		t.Errorf("%d\n%s", w.Code, page)
	}
}
