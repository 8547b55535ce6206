package oauth_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// noted is a row of the audit of what was no call.
type noted struct {
	Surface, Outcome, Reason, From, Credential string
	Capability                                 string
	Times                                      int64
}

// refusals answers how often the audit has what was refused before it was a call, as soon as
// there are so many.
func (p *program) refusals(most int64) map[noted]int64 {
	p.t.Helper()
	by, sum, after := map[noted]int64{}, int64(0), int64(1) // the first row is of a call
	for limit := time.Now().Add(time.Minute); sum < most; {
		if time.Now().After(limit) {
			p.t.Fatalf("the audit has %+v", by)
		}
		a := p.send(http.MethodGet, fmt.Sprintf("/api/v1/calls?limit=100&wait_seconds=5&after=%d", after), "", bearer(p.owner))
		var page struct {
			Items []struct {
				noted
				ID int64
			}
		}
		if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.status != http.StatusOK {
			p.t.Fatalf("%d %s: %v", a.status, a.body, err)
		}
		for _, one := range page.Items {
			after = one.ID
			if one.Reason == "" {
				continue
			}
			n := max(1, one.Times)
			one.Times = 0
			by[one.noted] += n
			sum += n
		}
	}
	return by
}

// What the two endpoints refuse is in the audit, with where it came from and without what
// was sent.
func TestWhatIsRefusedIsNoted(t *testing.T) {
	p := built(t)
	client, first := p.connected()
	id := p.rows()[0].ID
	none := url.Values{"token": {"hlr_" + strings.Repeat("A", 43)}}
	revoke := func(v url.Values) answer { return p.send(http.MethodPost, "/oauth/revoke", v.Encode(), form) }
	for _, v := range []url.Values{
		{"grant_type": {"password"}}, {}, refreshing(client, "x"), exchanged(client, "hlo_"+strings.Repeat("A", 43), nil), exchanged(client, "x", map[string]string{"client_secret": "x"}),
	} {
		if _, a := p.ask(v); a.status != http.StatusBadRequest && a.status != http.StatusUnauthorized {
			t.Errorf("%v: %d", v, a.status)
		}
	}
	if a := revoke(url.Values{}); a.status != http.StatusBadRequest {
		t.Errorf("no token: %d", a.status)
	}
	if a := revoke(none); a.status != http.StatusOK || a.body != "" {
		t.Errorf("a token of nobody: %d %s", a.status, a.body)
	}
	if _, a := p.ask(refreshing(client, first.Refresh)); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if _, a := p.ask(refreshing(client, first.Refresh)); a.status != http.StatusBadRequest {
		t.Errorf("used again: %d", a.status)
	}
	want := map[noted]int64{
		{Surface: "http", Outcome: "invalid", Reason: "bad_exchange", From: "127.0.0.1"}:                           3,
		{Surface: "http", Outcome: "unauthenticated", Reason: "bad_credential", From: "127.0.0.1"}:                 4,
		{Surface: "http", Outcome: "unauthenticated", Reason: "bad_credential", From: "127.0.0.1", Credential: id}: 1,
	}
	if diff := cmp.Diff(want, p.refusals(8)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.Contains(p.log.String(), "credential_refused") {
		t.Error("the log says nothing of it")
	}
}

// Wrong codes and wrong tokens are counted together, by where they come from. A good one is
// served at once all the same.
func TestWhoGuessesIsToldToWait(t *testing.T) {
	p := built(t)
	cookie := p.signIn()
	client := p.register(callback)
	code := p.codeFor(cookie, client)
	p.still.Store(time.Now().UnixNano()) // no second passes that forgives one
	guess := func(path string, v url.Values) answer { return p.send(http.MethodPost, path, v.Encode(), form) }
	var last answer
	for i := range 61 {
		switch i % 3 {
		case 0:
			last = guess(tokenPath, refreshing(client, "hlr_"+strings.Repeat("A", 43)))
		case 1:
			last = guess("/oauth/revoke", url.Values{"token": {"x"}})
		case 2:
			last = p.send(http.MethodGet, "/api/v1/projects", "", bearer("x"))
		}
		if i < 60 && last.status == http.StatusTooManyRequests {
			t.Fatalf("guess %d is answered %d %s", i, last.status, last.body)
		}
	}
	for name, a := range map[string]answer{
		"the last": last, "a code": guess(tokenPath, exchanged(client, "x", nil)), "a token that is given back": guess("/oauth/revoke", url.Values{"token": {"x"}}),
		"a token": p.send(http.MethodGet, "/api/v1/projects", "", bearer("hla_x")),
	} {
		if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %v %s", name, a.status, a.header, a.body)
		}
	}
	got, a := p.ask(exchanged(client, code, nil))
	if a.status != http.StatusOK {
		t.Fatalf("a good code: %d %s", a.status, a.body)
	}
	p.letsIn(got.Access, true)
	p.forward(2 * time.Minute)
	if a := guess(tokenPath, exchanged(client, "x", nil)); a.status != http.StatusBadRequest {
		t.Errorf("later: %d %s", a.status, a.body)
	}
}

func TestHowAClientIsToAuthenticate(t *testing.T) {
	p := built(t)
	const basic = `Basic realm="oauth", charset="UTF-8"`
	for _, c := range []struct {
		name, header, body, want string
	}{
		{"a secret by Basic", "Authorization: Basic Y2xpZW50OnNlY3JldA==", "grant_type=refresh_token", basic},
		{"a secret in the body", "", "grant_type=refresh_token&client_id=c&client_secret=x", basic},
		{"a bearer token", "Authorization: Bearer x", "grant_type=refresh_token", `Bearer realm="oauth"`},
		{"what nobody knows", "Authorization: DPoP x", "grant_type=refresh_token", basic},
	} {
		for _, path := range []string{tokenPath, "/oauth/revoke"} {
			headers := []string{form}
			if c.header != "" {
				headers = append(headers, c.header)
			}
			a := p.send(http.MethodPost, path, c.body, headers...)
			if a.status != http.StatusUnauthorized || a.challenge() != c.want || !strings.Contains(a.body, `"error":"invalid_client"`) {
				t.Errorf("%s at %s: %d %q %s", c.name, path, a.status, a.challenge(), a.body)
			}
		}
	}
	if a := p.send(http.MethodPost, tokenPath, "grant_type=refresh_token", form, "Authorization: Basic Y2xpZW50Og=="); a.status != http.StatusBadRequest || a.challenge() != "" {
		t.Errorf("an id without a secret: %d %q", a.status, a.challenge())
	}
}

// A page of consent that is open counts after a restart, as the session that it was shown in
// does, and is no page of another server.
func TestAPageOfConsentOutlastsARestart(t *testing.T) {
	const text = "oauth: {server: true, address: ADDRESS}\n"
	p := startIn(t, t.TempDir(), text)
	cookie, client := p.signIn(), p.register(callback)
	want := p.wanted(client, nil)
	open := fieldsOf(p.send(http.MethodGet, authorizePath+"?"+want.Encode(), "", cookie).body)
	open.Set("decision", "allow")
	p.again()
	if q := p.send(http.MethodPost, authorizePath, open.Encode(), cookie, form, "Origin: "+p.URL, "Sec-Fetch-Site: same-origin").led(t); q.Get("code") == "" {
		t.Errorf("the client is told %v", q)
	}
	other := startIn(t, t.TempDir(), text)
	moved := other.wanted(other.register(callback), nil)
	open.Set("client_id", moved.Get("client_id"))
	open.Set("resource", moved.Get("resource"))
	if a := other.send(http.MethodPost, authorizePath, open.Encode(), other.signIn(), form, "Origin: "+other.URL, "Sec-Fetch-Site: same-origin"); a.header.Get("Location") != "" {
		t.Errorf("the page of another server leads to %s", a.header.Get("Location"))
	}
}

// A scheme without a dot may be any program's: it counts where the operator has named it, and
// that of Cursor where nothing is named. What is below is what Cursor registers.
func TestSchemesOfPrograms(t *testing.T) {
	p := start(t, "oauth: {server: true, address: ADDRESS, redirect_schemes: [editor]}\n")
	for _, at := range []string{"search-ms:query=x", "vscode://cb", "view-source:https://a.example"} {
		a := p.send(http.MethodPost, "/oauth/register", `{"redirect_uris":["`+at+`"]}`, "Content-Type: application/json")
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, `"error":"invalid_redirect_uri"`) || !strings.Contains(a.body, "oauth.redirect_schemes") {
			t.Errorf("%s: %d %s", at, a.status, a.body)
		}
	}
	cookie := p.signIn()
	const at = "editor://any.place/cb"
	client := p.register(at)
	want := p.wanted(client, map[string]string{"redirect_uri": at})
	if a := p.decide(cookie, want, "allow"); a.status != http.StatusSeeOther || !strings.HasPrefix(a.header.Get("Location"), at+"?code=") {
		t.Errorf("%d leads to %s: %s", a.status, a.header.Get("Location"), a.body)
	}
	const cursor = `{"redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","https://www.cursor.com/agents/mcp/oauth/callback","http://localhost:8787/callback"]}`
	if a := p.send(http.MethodPost, "/oauth/register", cursor, "Content-Type: application/json"); a.status != http.StatusBadRequest {
		t.Errorf("another is named: %d %s", a.status, a.body)
	}
	// It counts as long as it is named.
	p.write("oauth: {server: true, address: ADDRESS}\n")
	if a := p.send(http.MethodPost, "/api/v1/config/reload", "{}", bearer(p.owner), "Content-Type: application/json"); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := p.decide(cookie, want, "allow"); a.status != http.StatusBadRequest || a.header.Get("Location") != "" || !strings.Contains(a.body, "oauth.redirect_schemes") {
		t.Errorf("named no more, %d leads to %s", a.status, a.header.Get("Location"))
	}
	if a := p.send(http.MethodPost, "/oauth/register", cursor, "Content-Type: application/json"); a.status != http.StatusCreated {
		t.Errorf("none is named: %d %s", a.status, a.body)
	}
}
