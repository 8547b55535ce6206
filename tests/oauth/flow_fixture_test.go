package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

const (
	authorizePath = "/oauth/authorize"
	tokenPath     = "/oauth/token"
	form          = "Content-Type: application/x-www-form-urlencoded"
	callback      = "https://assistant.example/callback"
	verifier      = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)

// built is a server that is the authorization server itself, with a seat.
func built(t *testing.T) *program {
	t.Helper()
	return start(t, `seats: [{id: desk, name: The desk, scopes: ["tracker:read"]}]
oauth: {server: true, address: ADDRESS}
`)
}

// signIn answers the header of the owner's browser.
func (p *program) signIn() string {
	p.t.Helper()
	path, err := p.server.SignInPath()
	if err != nil {
		p.t.Fatal(err)
	}
	link, token, _ := strings.Cut(path, "?")
	a := p.send(http.MethodPost, link, token, form)
	c, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
	if err != nil {
		p.t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return "Cookie: " + c.Name + "=" + c.Value
}

// register answers the id of a client that registers itself.
func (p *program) register(redirects ...string) string {
	p.t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": "Assistant", "redirect_uris": redirects, "token_endpoint_auth_method": "none"})
	if err != nil {
		p.t.Fatal(err)
	}
	a := p.send(http.MethodPost, "/oauth/register", string(body), "Content-Type: application/json")
	var out struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(a.body), &out); err != nil || a.status != http.StatusCreated || out.ID == "" {
		p.t.Fatalf("registering answers %d %s", a.status, a.body)
	}
	return out.ID
}

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// wanted are the parameters of an authorization request in order, with changes; "" takes
// one away.
func (p *program) wanted(client string, changes map[string]string) url.Values {
	v := url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {callback}, "state": {"s+1&x"}, "scope": {"*:read tracker:write"},
		"code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"S256"}, "resource": {p.URL},
	}
	for name, value := range changes {
		v.Set(name, value)
		if value == "" {
			v.Del(name)
		}
	}
	return v
}

var input = regexp.MustCompile(`<input type="(?:hidden|checkbox)" name="([a-z_]+)" value="([^"]*)"( checked)?`)

// fieldsOf answers what the form of a page sends when its button is pressed.
func fieldsOf(page string) url.Values {
	v := url.Values{}
	for _, m := range input.FindAllStringSubmatch(page, -1) {
		if m[1] != "grant" || m[3] != "" {
			v.Add(m[1], html.UnescapeString(m[2]))
		}
	}
	return v
}

// decide opens the page of consent as the owner and presses a button, after changes.
func (p *program) decide(cookie string, want url.Values, decision string, change ...func(url.Values)) answer {
	p.t.Helper()
	page := p.send(http.MethodGet, authorizePath+"?"+want.Encode(), "", cookie)
	if page.status != http.StatusOK || !strings.Contains(page.body, `name="mark"`) {
		return page
	}
	v := fieldsOf(page.body)
	v.Set("decision", decision)
	for _, f := range change {
		f(v)
	}
	return p.send(http.MethodPost, authorizePath, v.Encode(), cookie, form, "Origin: "+p.URL, "Sec-Fetch-Site: same-origin")
}

// led answers where an answer leads to, with its parameters.
func (a answer) led(t *testing.T) url.Values {
	t.Helper()
	u, err := url.Parse(a.header.Get("Location"))
	if err != nil || a.status != http.StatusSeeOther || !strings.HasPrefix(u.String(), callback+"?") {
		t.Fatalf("%d leads to %q: %s", a.status, a.header.Get("Location"), a.body)
	}
	return u.Query()
}

// code answers a code that the owner gave.
func (p *program) codeFor(cookie, client string, change ...func(url.Values)) string {
	p.t.Helper()
	q := p.decide(cookie, p.wanted(client, nil), "allow", change...).led(p.t)
	if q.Get("code") == "" || q.Get("state") != "s+1&x" || q.Get("iss") != p.URL {
		p.t.Fatalf("the client is told %v", q)
	}
	return q.Get("code")
}

// tokens are what the token endpoint answers.
type tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Seconds int    `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
	Error   string `json:"error"`
}

// ask sends a request to the token endpoint.
func (p *program) ask(v url.Values) (tokens, answer) {
	p.t.Helper()
	a := p.send(http.MethodPost, tokenPath, v.Encode(), form)
	var out tokens
	if err := json.Unmarshal([]byte(a.body), &out); err != nil {
		p.t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	if a.header.Get("Cache-Control") != "no-store" {
		p.t.Errorf("the answer may be kept: %v", a.header)
	}
	return out, a
}

func exchanged(client, code string, changes map[string]string) url.Values {
	v := url.Values{"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code}, "redirect_uri": {callback}, "code_verifier": {verifier}}
	for name, value := range changes {
		v.Set(name, value)
		if value == "" {
			v.Del(name)
		}
	}
	return v
}

func refreshing(client, refresh string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {refresh}}
}

// connected is a client that the owner let in.
func (p *program) connected(change ...func(url.Values)) (client string, t tokens) {
	p.t.Helper()
	cookie := p.signIn()
	client = p.register(callback)
	t, a := p.ask(exchanged(client, p.codeFor(cookie, client, change...), nil))
	if a.status != http.StatusOK {
		p.t.Fatalf("%d %s", a.status, a.body)
	}
	return client, t
}

// row is a row of the list of tokens.
type row struct {
	ID, Name, State, Seat string
	CreatedBy             string `json:"created_by"`
	Scopes                []string
}

func (p *program) rows() []row {
	p.t.Helper()
	a := p.send(http.MethodGet, "/api/v1/tokens", "", bearer(p.owner))
	var page struct{ Items []row }
	if err := json.Unmarshal([]byte(a.body), &page); err != nil || a.status != http.StatusOK {
		p.t.Fatalf("%d %s", a.status, a.body)
	}
	return page.Items
}
