package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func TestOAuthIsRead(t *testing.T) {
	c, err := load(t, `people: [{id: ada}]
oauth:
  issuer: https://login.example/tenant
  address: https://tools.example/
  audience: api://tools
  jwks_url: https://login.example/keys
  algorithms: [ES256]
  scopes: {look: ["*:read"], "https://x.example/run": ["tracker:*", admin]}
  subject_claim: email
  people: {"ada@x.example": ada}
  people_only: true
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := config.OAuth{
		Issuer: "https://login.example/tenant", Address: "https://tools.example", Audience: "api://tools", JWKSURL: "https://login.example/keys",
		Algorithms: []string{"ES256"}, Scopes: map[string][]string{"look": {"*:read"}, "https://x.example/run": {"tracker:*", "admin"}}, SubjectClaim: "email",
		People: map[string]string{"ada@x.example": "ada"}, PeopleOnly: true, Line: 3,
	}
	if diff := cmp.Diff(want, c.OAuth); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	shown := map[string]string{}
	for _, s := range c.Show() {
		if strings.HasPrefix(s.Path, "oauth") {
			shown[s.Path] = string(s.Value)
		}
	}
	settings := map[string]string{
		"oauth.server": "false", "oauth.issuer": `"https://login.example/tenant"`, "oauth.address": `"https://tools.example"`, "oauth.audience": `"api://tools"`,
		"oauth.jwks_url": `"https://login.example/keys"`, "oauth.algorithms": `["ES256"]`, "oauth.subject_claim": `"email"`, "oauth.people_only": "true",
		"oauth.scopes.look": `["*:read"]`, `oauth.scopes["https://x.example/run"]`: `["tracker:*","admin"]`, `oauth.people["ada@x.example"]`: `"ada"`,
	}
	if diff := cmp.Diff(settings, shown); diff != "" {
		t.Errorf("shown (-want +got)\n%s", diff)
	}
	c, err = load(t, "oauth: {issuer: 'http://127.0.0.1:9'}\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(config.OAuth{Issuer: "http://127.0.0.1:9", Algorithms: []string{"RS256", "ES256", "EdDSA"}, SubjectClaim: "sub", Line: 1}, c.OAuth); diff != "" {
		t.Errorf("what is not said (-want +got)\n%s", diff)
	}
	for text, want := range map[string][]string{"oauth: {server: true}\n": {"cursor"}, "oauth: {server: true, redirect_schemes: []}\n": {}} {
		if c, err := load(t, text, nil); err != nil || !cmp.Equal(c.OAuth.Schemes(), want) {
			t.Errorf("%s: %v %v", text, c, err)
		}
	}
	if c, err := load(t, "oauth: {server: true, redirect_schemes: [cursor, x-y+z]}\n", nil); err != nil || !cmp.Equal(c.OAuth.RedirectSchemes, []string{"cursor", "x-y+z"}) {
		t.Errorf("%+v: %v", c, err)
	} else if shown := c.Show(); !slices.ContainsFunc(shown, func(s config.Setting) bool {
		return s.Path == "oauth.redirect_schemes" && string(s.Value) == `["cursor","x-y+z"]`
	}) {
		t.Errorf("redirect_schemes is not shown: %v", shown)
	}
	if c, err := load(t, "oauth: {server: true}\n", nil); err != nil || !c.OAuth.Server || !c.OAuth.On() {
		t.Errorf("%+v: %v", c, err)
	}
}

func TestOAuthThatIsWrong(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nobody":                {"oauth: {}", "takes tokens from nobody"},
		"both":                  {"oauth: {issuer: 'https://a.example', server: true}", "keep one of the two"},
		"keys beside the built": {"oauth: {server: true, jwks_url: 'https://a.example'}", "oauth.jwks_url: means nothing beside server: true"},
		"an issuer in clear":    {"oauth: {issuer: 'http://login.example'}", "oauth.issuer: must be an https url"},
		"a name like loopback":  {"oauth: {issuer: 'http://localhost.example'}", "oauth.issuer: must be an https url"},
		"an address with more":  {"oauth: {server: true, address: 'https://a.example/?x'}", "oauth.address: must be an https url"},
		"a credential":          {"oauth: {issuer: 'https://u:p@login.example'}", "oauth.issuer: must be an https url"},
		"a shared secret":       {"oauth: {issuer: 'https://a.example', algorithms: [HS256]}", "oauth.algorithms[0]: must be one of RS256, ES256, EdDSA"},
		"no signature":          {"oauth: {issuer: 'https://a.example', algorithms: [none]}", "must be one of"},
		"no algorithm":          {"oauth: {issuer: 'https://a.example', algorithms: []}", "the list is empty"},
		"a scope of no form":    {"oauth: {issuer: 'https://a.example', scopes: {x: ['everything']}}", "must be a scope"},
		"a person of nobody":    {"oauth: {issuer: 'https://a.example', people: {u1: bob}}", `there is no person "bob"`},
		"no credential at all":  {"auth: none\noauth: {server: true}", "auth: none lets everybody in"},
		"a browser's scheme":    {"oauth: {server: true, redirect_schemes: [cursor, javascript]}", "oauth.redirect_schemes[1]: javascript leads to no program of its own"},
		"a scheme with a dot":   {"oauth: {server: true, redirect_schemes: [com.example.app]}", "one with a dot needs no entry"},
		"a scheme in capitals":  {"oauth: {server: true, redirect_schemes: [Cursor]}", "oauth.redirect_schemes[0]: must be the scheme"},
		"a scheme elsewhere":    {"oauth: {issuer: 'https://a.example', redirect_schemes: [cursor]}", "oauth.redirect_schemes: means nothing beside issuer"},
		"a misspelt key":        {"oauth: {isuer: 'https://a.example'}", "no such key; did you mean issuer"},
	} {
		_, err := load(t, c.text+"\n", nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want it to say %q", name, err, c.want)
		}
	}
}
