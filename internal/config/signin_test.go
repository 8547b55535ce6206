package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func TestSignIn(t *testing.T) {
	env := map[string]string{"ID": "the-id", "SECRET": "hunter2hunter2", "BREAK": "two\nlines"}
	for name, tc := range map[string]struct {
		entry, shown string
		want         config.SignIn
		held, notice string
	}{
		"nothing":  {entry: "url: http://h", want: config.SignIn{}},
		"never":    {entry: "url: http://h, oauth: false", want: config.SignIn{Off: true}, shown: `{"enabled":false}`},
		"asked":    {entry: "url: http://h, oauth: true", want: config.SignIn{}, shown: `{"enabled":true}`},
		"switched": {entry: "url: http://h, oauth: {enabled: false, client_id: a}", want: config.SignIn{Off: true}, shown: `{"enabled":false,"client_id":"a"}`},
		"all of it": {
			entry: `url: http://h, oauth: {client_id: "${ID}", client_secret: "${SECRET}", issuer: https://as.example, scopes: [b, a]}`,
			want:  config.SignIn{ClientID: "the-id", ClientSecret: "hunter2hunter2", Issuer: "https://as.example", Scopes: []string{"b", "a"}},
			shown: `{"client_id":"${ID}","client_secret":"${SECRET}","issuer":"https://as.example","scopes":["b","a"]}`,
		},
		"written out": {
			entry: `url: http://h, oauth: {client_id: a, client_secret: hunter2hunter2}`,
			want:  config.SignIn{ClientID: "a", ClientSecret: "hunter2hunter2"}, shown: `{"client_id":"a","client_secret":"(set)"}`,
			notice: "oauth.client_secret looks like a credential and is written out",
		},
		"not set": {
			entry: `url: http://h, oauth: {client_id: a, client_secret: "${NONE}"}`,
			want:  config.SignIn{ClientID: "a"}, shown: `{"client_id":"a","client_secret":"${NONE}"}`, held: "oauth.client_secret: the variable NONE is not set",
		},
		"a line break": {
			entry: `url: http://h, oauth: {client_id: a, client_secret: "${BREAK}"}`,
			want:  config.SignIn{ClientID: "a", ClientSecret: "two\nlines"}, shown: `{"client_id":"a","client_secret":"${BREAK}"}`, held: "oauth.client_secret: the value holds a line break",
		},
		"beside a header": {
			entry: `url: http://h, headers: {authorization: "Bearer ${SECRET}"}, oauth: {client_id: a}`,
			want:  config.SignIn{ClientID: "a"}, shown: `{"client_id":"a"}`, notice: "oauth is not acted on",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := mustLoad(t, "mcp_servers:\n- {name: a, "+tc.entry+"}\n", env)
			s := c.Servers[0]
			if d := cmp.Diff(tc.want, s.SignIn); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			held := strings.Join(s.Unresolved, "; ")
			if !strings.HasPrefix(held, tc.held) || tc.held == "" && held != "" {
				t.Errorf("held %q, want %q", held, tc.held)
			}
			shown := ""
			for _, one := range c.Show() {
				if one.Path == "mcp_servers.a.oauth" {
					shown = string(one.Value)
				}
			}
			if shown != tc.shown {
				t.Errorf("shown %s, want %s", shown, tc.shown)
			}
			for _, text := range []string{string(s.MaskedEntry), shown} {
				if strings.Contains(text, "hunter2") {
					t.Errorf("a secret is shown: %s", text)
				}
			}
			var notices []string
			for _, n := range c.Notices {
				notices = append(notices, n.Text)
			}
			if all := strings.Join(notices, "; "); !strings.Contains(all, tc.notice) || tc.notice == "" && all != "" {
				t.Errorf("notices %q, want %q", all, tc.notice)
			}
			if strings.Contains(tc.entry, "${SECRET}") && s.Secrets["SECRET"] != "hunter2hunter2" {
				t.Errorf("the secret is not masked: %v", len(s.Secrets))
			}
		})
	}
}

// What a client's own file says of how that client signs in is read as far as it is about
// the server.
func TestSignInOfAClient(t *testing.T) {
	c, err := loadClient(t, `{"mcpServers": {
  "a": {"url": "https://h", "oauth": {"clientId": "x", "callbackPort": 1, "authorizationUrl": "https://elsewhere"}},
  "b": {"command": "y", "oauth": {"clientId": "x"}},
  "c": {"url": "https://h", "oauth": false}}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []config.SignIn{{ClientID: "x"}, {}, {Off: true}}
	var got []config.SignIn
	for _, s := range c.Servers {
		got = append(got, s.SignIn)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	var notices []string
	for _, n := range c.Notices {
		notices = append(notices, n.Text)
	}
	if d := cmp.Diff([]string{
		`server "a": oauth.callbackPort: ignored: it is about how that client signs in`,
		`server "a": oauth.authorizationUrl: ignored: it is about how that client signs in`,
		`server "b": oauth: ignored: it means nothing to a server that is reached this way`,
	}, notices); d != "" {
		t.Errorf("notices (-want +got)\n%s", d)
	}
}

// Where this server is can be said without taking tokens of anybody: whoever signs in
// elsewhere is sent back to it.
func TestAnAddressAlone(t *testing.T) {
	for _, more := range []string{"", "auth: none\n"} {
		c := mustLoad(t, more+"oauth: {address: 'https://tools.example/x/'}\n", nil)
		if c.OAuth.Address != "https://tools.example/x" || c.OAuth.On() {
			t.Errorf("%+v", c.OAuth)
		}
	}
	for _, text := range []string{"oauth: {address: 'https://a.example', audience: x}", "oauth: {people_only: true}", "auth: none\noauth: {server: true}"} {
		if _, err := load(t, text, nil); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// An issuer is shown to everybody who may see the server, so that no credential stands in it.
func TestAnIssuerWithACredential(t *testing.T) {
	_, err := load(t, "mcp_servers:\n- {name: a, url: http://h, oauth: {issuer: 'https://u:hunter2hunter2@login.example'}}\n", nil)
	if err == nil || !strings.Contains(err.Error(), "without a query and a credential") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("it is answered %v", err)
	}
}
