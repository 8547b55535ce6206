package oauth_test

import (
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype"
)

func TestAClientThatTheOwnerLetsIn(t *testing.T) {
	p := built(t)
	client, got := p.connected()
	if got.Type != "Bearer" || got.Seconds != 3600 || got.Scope != "*:read tracker:write" || got.Access == "" || got.Refresh == "" {
		t.Fatalf("%+v", got)
	}
	p.letsIn(got.Access, true)
	rows := p.rows()
	if len(rows) != 1 || rows[0].Name != "Assistant (assistant.example)" || rows[0].State != "active" || !cmp.Equal(rows[0].Scopes, []string{"*:read", "tracker:write"}) {
		t.Fatalf("%+v", rows)
	}
	if a := p.send(http.MethodGet, "/api/v1/tokens", "", bearer(got.Access)); a.status != http.StatusForbidden {
		t.Errorf("what needs admin: %d", a.status)
	}
	create := `{"key":"WEB","title":"Web"}`
	if a := p.send(http.MethodPost, "/api/v1/projects", create, bearer(got.Access), "Content-Type: application/json"); a.status != http.StatusOK {
		t.Errorf("what it may: %d %s", a.status, a.body)
	}
	if a := p.send(http.MethodGet, "/api/v1/activity", "", bearer(p.owner)); !strings.Contains(a.body, `"by":"token:`+rows[0].ID+`"`) {
		t.Errorf("written by nobody who is known: %s", a.body)
	}

	// An hour later the refresh token gives others, and is used up.
	p.forward(61 * time.Minute)
	p.letsIn(got.Access, false)
	second, a := p.ask(refreshing(client, got.Refresh))
	if a.status != http.StatusOK || second.Refresh == got.Refresh || second.Access == got.Access {
		t.Fatalf("%d %s", a.status, a.body)
	}
	p.letsIn(second.Access, true)
	if rows := p.rows(); len(rows) != 1 {
		t.Errorf("refreshing made another token: %+v", rows)
	}

	// Of another client it is none, and nothing is lost by that.
	if out, _ := p.ask(refreshing(p.register(callback), second.Refresh)); out.Error != "invalid_grant" {
		t.Errorf("the refresh token of another client: %+v", out)
	}
	p.letsIn(second.Access, true)

	// Used once more, it ends everything.
	if again, a := p.ask(refreshing(client, got.Refresh)); again.Error != "invalid_grant" || a.status != http.StatusBadRequest {
		t.Errorf("a refresh token that was used: %d %s", a.status, a.body)
	}
	p.letsIn(second.Access, false)
	if third, _ := p.ask(refreshing(client, second.Refresh)); third.Error != "invalid_grant" {
		t.Errorf("the newest refresh token after that: %+v", third)
	}
	if rows := p.rows(); rows[0].State != "revoked" {
		t.Errorf("%+v", rows)
	}
	for _, secret := range []string{got.Access, got.Refresh, second.Access, second.Refresh} {
		if strings.Contains(p.log.String(), secret) {
			t.Error("the log holds a token")
		}
	}
}

func TestASeatOrLessCanBeChosen(t *testing.T) {
	p := built(t)
	_, got := p.connected(func(v url.Values) {
		v["grant"] = []string{"*:read", "admin", "made:up"} // ticked, never asked for
		v.Set("seat", "desk")
	})
	if got.Scope != "*:read" {
		t.Errorf("granted %q", got.Scope)
	}
	if rows := p.rows(); len(rows) != 1 || rows[0].Seat != "desk" || !cmp.Equal(rows[0].Scopes, []string{"*:read"}) {
		t.Errorf("%+v", rows)
	}
	if a := p.send(http.MethodGet, "/api/v1/projects", "", bearer(got.Access)); a.status != http.StatusOK {
		t.Errorf("what the seat may: %d", a.status)
	}
	if a := p.send(http.MethodGet, "/api/v1/tools", "", bearer(got.Access)); a.status == http.StatusOK && strings.Contains(a.body, `"describe_projection"`) {
		t.Errorf("what the seat may not: %s", a.body)
	}
	q := p.send(http.MethodPost, "/api/v1/projects", `{"key":"WEB","title":"Web"}`, bearer(got.Access), "Content-Type: application/json")
	if q.status != http.StatusForbidden || !strings.Contains(q.challenge(), `error="insufficient_scope", scope="tracker:write"`) {
		t.Errorf("%d %s", q.status, q.challenge())
	}
}

func TestTheOwnerRevokesAClient(t *testing.T) {
	p := built(t)
	client, got := p.connected()
	p.letsIn(got.Access, true)
	if a := p.send(http.MethodDelete, "/api/v1/tokens/"+p.rows()[0].ID, "", bearer(p.owner)); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	p.letsIn(got.Access, false)
	if out, _ := p.ask(refreshing(client, got.Refresh)); out.Error != "invalid_grant" {
		t.Errorf("%+v", out)
	}
}

func TestAClientRevokesItself(t *testing.T) {
	p := built(t)
	client, got := p.connected()
	revoke := func(v url.Values) answer { return p.send(http.MethodPost, "/oauth/revoke", v.Encode(), form) }
	for name, v := range map[string]url.Values{
		"of another client": {"token": {got.Refresh}, "client_id": {"client_else"}}, "one that is none": {"token": {"hlr_x"}, "client_id": {client}},
		"an API token": {"token": {p.owner}},
	} {
		if a := revoke(v); a.status != http.StatusOK {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	p.letsIn(got.Access, true)
	if a := revoke(url.Values{"token": {got.Refresh}, "client_id": {client}, "token_type_hint": {"refresh_token"}}); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
	p.letsIn(got.Access, false)
	if a := revoke(url.Values{"client_id": {client}}); a.status != http.StatusBadRequest {
		t.Errorf("no token: %d", a.status)
	}
}

// A token for one address is refused at every other.
func TestAnAccessTokenIsForOneResource(t *testing.T) {
	p := built(t)
	cookie, client := p.signIn(), ""
	client = p.register(callback)
	want := p.wanted(client, map[string]string{"resource": p.URL + "/operator/mcp"})
	code := p.decide(cookie, want, "allow").led(t).Get("code")
	if out, _ := p.ask(exchanged(client, code, map[string]string{"resource": p.URL})); out.Error != "invalid_target" {
		t.Errorf("exchanged for another resource: %+v", out)
	}
	code = p.decide(cookie, want, "allow").led(t).Get("code")
	got, a := p.ask(exchanged(client, code, map[string]string{"resource": p.URL + "/operator/mcp"}))
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	at := p.surfaces(got.Access)
	if at["HTTP"].status != http.StatusUnauthorized || at["MCP"].status != http.StatusOK || at["one MCP"].status != http.StatusOK {
		t.Errorf("HTTP %d, MCP %d and %d", at["HTTP"].status, at["MCP"].status, at["one MCP"].status)
	}
	for name, resource := range map[string]string{
		"elsewhere": "https://else.example", "one that begins alike": p.URL + "0", "no endpoint": p.URL + "/api/v1", "dots": p.URL + "/operator/mcp/../..",
	} {
		if q := p.decide(cookie, p.wanted(client, map[string]string{"resource": resource}), "allow").led(t); q.Get("error") != "invalid_target" {
			t.Errorf("%s: %v", name, q)
		}
	}
	v := refreshing(client, got.Refresh)
	v.Set("resource", p.URL)
	if out, _ := p.ask(v); out.Error != "invalid_target" {
		t.Errorf("refreshed for another resource: %+v", out)
	}
}

func TestACodeIsExchangedOnceAndByWhomItIsFor(t *testing.T) {
	p := built(t)
	cookie, client, other := p.signIn(), p.register(callback), p.register(callback)
	for name, c := range map[string]struct {
		changes map[string]string
		want    string
	}{
		"no verifier":          {map[string]string{"code_verifier": ""}, "invalid_request"},
		"a short verifier":     {map[string]string{"code_verifier": "short"}, "invalid_request"},
		"another verifier":     {map[string]string{"code_verifier": strings.Repeat("a", 43)}, "invalid_grant"},
		"the challenge itself": {map[string]string{"code_verifier": challengeOf(verifier)}, "invalid_grant"},
		"another client":       {map[string]string{"client_id": other}, "invalid_grant"},
		"no client":            {map[string]string{"client_id": ""}, "invalid_grant"},
		"another address":      {map[string]string{"redirect_uri": callback + "/x"}, "invalid_grant"},
		"no address":           {map[string]string{"redirect_uri": ""}, "invalid_grant"},
		"a secret":             {map[string]string{"client_secret": "x"}, "invalid_client"},
		"another grant":        {map[string]string{"grant_type": "password"}, "unsupported_grant_type"},
	} {
		if out, _ := p.ask(exchanged(client, p.codeFor(cookie, client), c.changes)); out.Error != c.want {
			t.Errorf("%s: %+v, want %s", name, out, c.want)
		}
	}
	late := p.codeFor(cookie, client)
	p.forward(3 * time.Minute)
	if out, _ := p.ask(exchanged(client, late, nil)); out.Error != "invalid_grant" {
		t.Errorf("an old code: %+v", out)
	}
	if out, _ := p.ask(exchanged(client, "hlo_"+strings.Repeat("A", 43), nil)); out.Error != "invalid_grant" {
		t.Errorf("a code of nobody: %+v", out)
	}
	if rows := p.rows(); len(rows) != 0 {
		t.Errorf("tokens were made: %+v", rows)
	}
	code := p.codeFor(cookie, client)
	got, _ := p.ask(exchanged(client, code, nil))
	p.letsIn(got.Access, true)
	if out, _ := p.ask(exchanged(client, code, nil)); out.Error != "invalid_grant" {
		t.Errorf("a code again: %+v", out)
	}
	p.letsIn(got.Access, false)
	if out, _ := p.ask(refreshing(client, got.Refresh)); out.Error != "invalid_grant" {
		t.Errorf("and its refresh token: %+v", out)
	}
}

// Of many who present one code or one refresh token at once nobody is left with anything.
func TestOfTwoAtOnceNobodyKeepsAnything(t *testing.T) {
	p := built(t)
	cookie, client := p.signIn(), p.register(callback)
	race := func(v url.Values) (won []tokens) {
		var all sync.WaitGroup
		var mu sync.Mutex
		for range 4 {
			all.Go(func() {
				out, _ := p.ask(v)
				mu.Lock()
				defer mu.Unlock()
				if out.Error == "" {
					won = append(won, out)
				}
			})
		}
		all.Wait()
		return won
	}
	won := race(exchanged(client, p.codeFor(cookie, client), nil))
	if len(won) > 1 {
		t.Errorf("%d got tokens for one code", len(won))
	}
	for _, w := range won {
		p.letsIn(w.Access, false)
	}
	got, _ := p.ask(exchanged(client, p.codeFor(cookie, client), nil))
	won = race(refreshing(client, got.Refresh))
	if len(won) > 1 {
		t.Errorf("%d got tokens for one refresh token", len(won))
	}
	for _, w := range append(won, got) {
		p.letsIn(w.Access, false)
	}
}

func TestRequestsThatAreNotInOrder(t *testing.T) {
	p := built(t)
	cookie, client := p.signIn(), p.register(callback, "http://127.0.0.1/cb", "com.example.app:/cb")
	// A client that was never let in leads nobody anywhere.
	a := p.decide(cookie, p.wanted(client, map[string]string{"response_type": "token"}), "allow")
	if a.status != http.StatusBadRequest || a.header.Get("Location") != "" || !strings.Contains(a.body, "response_type has to be code") {
		t.Errorf("before it was let in: %d to %q", a.status, a.header.Get("Location"))
	}
	if _, a := p.ask(exchanged(client, p.codeFor(cookie, client), nil)); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for name, c := range map[string]struct {
		changes map[string]string
		want    string
	}{
		"no PKCE":             {map[string]string{"code_challenge": ""}, "invalid_request"},
		"plain PKCE":          {map[string]string{"code_challenge_method": "plain"}, "invalid_request"},
		"PKCE of no method":   {map[string]string{"code_challenge_method": ""}, "invalid_request"},
		"a challenge of none": {map[string]string{"code_challenge": "abc"}, "invalid_request"},
		"a token at once":     {map[string]string{"response_type": "token"}, "unsupported_response_type"},
		"by a fragment":       {map[string]string{"response_mode": "fragment"}, "invalid_request"},
		"no scope here":       {map[string]string{"scope": "openid profile"}, "invalid_scope"},
	} {
		q := p.decide(cookie, p.wanted(client, c.changes), "allow").led(t)
		if q.Get("error") != c.want || q.Get("code") != "" || q.Get("state") != "s+1&x" || q.Get("iss") != p.URL {
			t.Errorf("%s: %v, want %s", name, q, c.want)
		}
	}
	v := p.wanted(client, nil)
	v.Add("code_challenge", challengeOf("x"))
	if q := p.send(http.MethodGet, authorizePath+"?"+v.Encode(), "", cookie).led(t); q.Get("error") != "invalid_request" {
		t.Errorf("a parameter twice: %v", q)
	}
	// Nobody is led anywhere that was not checked.
	for name, changes := range map[string]map[string]string{
		"another address":         {"redirect_uri": "https://evil.example/callback"},
		"more of the address":     {"redirect_uri": callback + "/more"},
		"the address with a user": {"redirect_uri": "https://u@assistant.example/callback"},
		"no address":              {"redirect_uri": ""},
		"no client":               {"client_id": ""},
		"an unknown client":       {"client_id": "client_00000000000000000000000000"},
		"another port by https":   {"redirect_uri": "https://assistant.example:8443/callback"},
		"another path, at home":   {"redirect_uri": "http://127.0.0.1:999/other"},
		"another host, at home":   {"redirect_uri": "http://localhost:999/cb"},
		"a script":                {"redirect_uri": "javascript:alert(1)"},
	} {
		a := p.decide(cookie, p.wanted(client, changes), "allow")
		if a.status != http.StatusBadRequest || a.header.Get("Location") != "" || !strings.Contains(a.body, "This leads nowhere") {
			t.Errorf("%s: %d to %q", name, a.status, a.header.Get("Location"))
		}
	}
	for _, at := range []string{"http://127.0.0.1:49152/cb", "com.example.app:/cb"} {
		a := p.decide(cookie, p.wanted(client, map[string]string{"redirect_uri": at}), "allow")
		if a.status != http.StatusSeeOther || !strings.HasPrefix(a.header.Get("Location"), at+"?code=hlo_") {
			t.Errorf("a program at home: %d to %q", a.status, a.header.Get("Location"))
		}
	}
}

func TestThePageOfConsent(t *testing.T) {
	p := built(t)
	cookie := p.signIn()
	body, _ := json.Marshal(map[string]any{"client_name": "A\u202e<b>ssistant\n", "redirect_uris": []string{callback}})
	a := p.send(http.MethodPost, "/oauth/register", string(body), "Content-Type: application/json")
	var c struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(a.body), &c); err != nil {
		t.Fatal(err)
	}
	page := p.send(http.MethodGet, authorizePath+"?"+p.wanted(c.ID, map[string]string{"scope": "tracker:read admin"}).Encode(), "", cookie)
	for _, want := range []string{
		"Allow A&lt;b&gt;ssistant?", "anybody can use that name", "<strong>assistant.example</strong>", "read with the tools of tracker", "see and change how the server is run",
		`value="tracker:read" checked`, `The desk (desk)`,
	} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page has no %q: %s", want, page.body)
		}
	}
	if strings.Contains(page.body, `value="admin" checked`) || strings.Contains(page.body, "<script") {
		t.Errorf("admin is ticked, or there is a script: %s", page.body)
	}
	if got, want := page.header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' https://assistant.example"; got != want {
		t.Errorf("its policy is\n%s, want\n%s", got, want)
	}
	// Saying no is an answer.
	q := p.decide(cookie, p.wanted(c.ID, nil), "deny").led(t)
	if q.Get("error") != "access_denied" || q.Get("state") != "s+1&x" {
		t.Errorf("%v", q)
	}
	if a := p.decide(cookie, p.wanted(c.ID, nil), "allow", func(v url.Values) { v.Del("grant") }); a.status != http.StatusForbidden || !strings.Contains(a.body, "Nothing is ticked") {
		t.Errorf("nothing ticked: %d", a.status)
	}
	if a := p.decide(cookie, p.wanted(c.ID, nil), "allow", func(v url.Values) { v.Set("seat", "nobody") }); a.status != http.StatusForbidden || a.header.Get("Location") != "" {
		t.Errorf("a seat that is none: %d", a.status)
	}
}

func TestNobodyButTheOwnerConsents(t *testing.T) {
	p := built(t)
	cookie, client := p.signIn(), p.register(callback)
	want := p.wanted(client, nil)
	mark := fieldsOf(p.send(http.MethodGet, authorizePath+"?"+want.Encode(), "", cookie).body)
	mark.Set("decision", "allow")
	allowed := func(name string, v url.Values, headers ...string) {
		t.Helper()
		a := p.send(http.MethodPost, authorizePath, v.Encode(), append([]string{form}, headers...)...)
		if a.header.Get("Location") != "" || strings.Contains(a.body, "hlo_") {
			t.Errorf("%s: %d leads to %s", name, a.status, a.header.Get("Location"))
		}
	}
	other := p.signIn()
	allowed("no session", mark)
	allowed("the owner's token", mark, bearer(p.owner))
	allowed("another session's page", mark, other)
	allowed("a page of another site", mark, cookie, "Origin: https://evil.example")
	allowed("a page of nowhere", mark, cookie, "Origin: null")
	allowed("another site, the browser says", mark, cookie, "Sec-Fetch-Site: cross-site")
	unmarked := maps.Clone(mark)
	unmarked.Del("mark")
	allowed("no mark", unmarked, cookie)
	changed := maps.Clone(mark)
	changed.Set("scope", "* admin")
	changed["grant"] = []string{"*", "admin"}
	allowed("a page for less", changed, cookie)
	p.forward(11 * time.Minute)
	allowed("an old page", mark, cookie)
	// A browser that another site led here gets a page that leads on, and no cookie counts.
	a := p.send(http.MethodGet, authorizePath+"?"+want.Encode(), "", cookie, "Sec-Fetch-Site: cross-site")
	if a.status != http.StatusOK || strings.Contains(a.body, `name="mark"`) || !strings.Contains(a.body, "wants to connect") || fieldsOf(a.body).Encode() != want.Encode() {
		t.Errorf("%d %s", a.status, a.body)
	}
	a = p.send(http.MethodGet, authorizePath+"?"+want.Encode(), "", "Sec-Fetch-Site: same-origin")
	if !strings.Contains(a.body, "not signed in") {
		t.Errorf("who is not signed in is told nothing: %s", a.body)
	}
}

func TestClientsThatRegisterThemselves(t *testing.T) {
	p := built(t)
	for name, c := range map[string]struct{ body, want string }{
		"no address":           {`{}`, "invalid_redirect_uri"},
		"http elsewhere":       {`{"redirect_uris":["http://assistant.example/cb"]}`, "invalid_redirect_uri"},
		"a script":             {`{"redirect_uris":["javascript:alert(1)"]}`, "invalid_redirect_uri"},
		"a fragment":           {`{"redirect_uris":["https://a.example/#x"]}`, "invalid_redirect_uri"},
		"a host with a policy": {`{"redirect_uris":["https://a.example;default-src/x"]}`, "invalid_redirect_uri"},
		"too many":             {`{"redirect_uris":["` + strings.Repeat(`https://a.example/","`, 10) + `https://a.example/"]}`, "invalid_redirect_uri"},
		"no code":              {`{"redirect_uris":["https://a.example/"],"grant_types":["client_credentials"]}`, "invalid_client_metadata"},
		"no JSON":              {`redirect_uris`, "invalid_client_metadata"},
		"much":                 {`{"client_name":"` + strings.Repeat("x", 17<<10) + `"}`, "invalid_client_metadata"},
	} {
		a := p.send(http.MethodPost, "/oauth/register", c.body, "Content-Type: application/json")
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, `"error":"`+c.want+`"`) {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	limited := 0
	for range 20 {
		if a := p.send(http.MethodPost, "/oauth/register", `{}`, "Content-Type: application/json"); a.status == http.StatusTooManyRequests && a.header.Get("Retry-After") != "" {
			limited++
		}
	}
	if limited == 0 {
		t.Error("an address may register without an end")
	}
	p.forward(10 * time.Minute)
	forgotten := p.register(callback)
	p.forward(25 * time.Hour)
	if a := p.decide(p.signIn(), p.wanted(forgotten, nil), "allow"); a.status != http.StatusBadRequest || !strings.Contains(a.body, "add it again") {
		t.Errorf("a client that nobody wanted for a day: %d", a.status)
	}
}

func TestMetadataOfTheAuthorizationServer(t *testing.T) {
	p := built(t)
	a := p.send(http.MethodGet, "/.well-known/oauth-authorization-server", "")
	var m map[string]any
	if err := json.Unmarshal([]byte(a.body), &m); err != nil || a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	want := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + authorizePath, "token_endpoint": p.URL + tokenPath, "registration_endpoint": p.URL + "/oauth/register",
		"revocation_endpoint": p.URL + "/oauth/revoke", "scopes_supported": []any{"*:read", "*:write"}, "response_types_supported": []any{"code"},
		"response_modes_supported": []any{"query"}, "grant_types_supported": []any{"authorization_code", "refresh_token"},
		"token_endpoint_auth_methods_supported": []any{"none"}, "revocation_endpoint_auth_methods_supported": []any{"none"},
		"code_challenge_methods_supported": []any{"S256"}, "client_id_metadata_document_supported": true,
		"authorization_response_iss_parameter_supported": true, "service_documentation": p.URL + "/docs/oauth",
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The token of a client is made by a call like any other, so that rules are asked.
func TestRulesAreAskedBeforeAClientGetsAToken(t *testing.T) {
	p := start(t, `oauth: {server: true, address: ADDRESS}
principals: [{id: owner, gate: {deny: [create_token]}}]
`)
	client := p.register(callback)
	out, a := p.ask(exchanged(client, p.codeFor(p.signIn(), client), nil))
	if a.status != http.StatusForbidden || out.Error != "access_denied" || !strings.Contains(a.body, "principals[0].gate") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// What came twice, or is given back, ends whatever the rules for the owner's calls are, and
// once: whoever still has what was good makes the server write no more.
func TestNoRuleHoldsUpTheEndOfAToken(t *testing.T) {
	for name, rules := range map[string]string{
		"approvals": "gate: {approve: [{effects: [destructive]}]}", "a denial": "principals: [{id: owner, gate: {deny: [revoke_token]}}]",
		"a limit": "principals: [{id: owner, rate_limits: {calls_per_minute: 1}}]",
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, "oauth: {server: true, address: ADDRESS}\n"+rules+"\n")
			client, first := p.connected()
			next, a := p.ask(refreshing(client, first.Refresh))
			if a.status != http.StatusOK {
				t.Fatalf("%d %s", a.status, a.body)
			}
			for range 3 {
				if out, a := p.ask(refreshing(client, first.Refresh)); a.status != http.StatusBadRequest || out.Error != "invalid_grant" {
					t.Errorf("used again: %d %s", a.status, a.body)
				}
			}
			for range 3 {
				if a := p.send(http.MethodPost, "/oauth/revoke", url.Values{"token": {next.Access}}.Encode(), form); a.status != http.StatusOK {
					t.Errorf("given back: %d %s", a.status, a.body)
				}
			}
			p.letsIn(next.Access, false)
			if n := strings.Count(p.log.String(), "capability=revoke_token"); n != 1 {
				t.Errorf("%d calls end one token", n)
			}
			if n := strings.Count(p.log.String(), "oauth_token_reused"); n != 1 {
				t.Errorf("the log says it %d times", n)
			}
		})
	}
}

func TestWhatAnAuthorizationServerNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		noStore bool
		want    string
	}{
		"a store":           {"oauth: {server: true}\n", true, "keeps its tokens in a store"},
		"the pack system":   {"packs: [tracker]\noauth: {server: true}\n", false, "which the pack system does"},
		"someone to let in": {"auth: none\noauth: {server: true}\n", false, "auth: none lets everybody in"},
	} {
		file := filepath.Join(t.TempDir(), "holotype.yaml")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := holotype.New(holotype.Options{
			Data: holotype.InMemory, Config: file, NoStore: c.noStore, Lookup: func(string) (string, bool) { return "", false }, Log: slog.New(slog.DiscardHandler),
		})
		if _, err := s.Handler(); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "holotype.yaml:") {
			t.Errorf("%s: %v, want it to say %q", name, err, c.want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
