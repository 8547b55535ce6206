package oauth_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// The SDK's own client finds everything from the address of the MCP endpoint alone:
// metadata, registration, consent, tokens.
func TestTheClientOfTheSDKConnects(t *testing.T) {
	p := built(t)
	const at = "http://127.0.0.1:7/callback"
	asked := 0
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		RedirectURL: at,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "the SDK", RedirectURIs: []string{at}},
		},
		AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			asked++
			u, err := url.Parse(args.URL)
			if err != nil {
				return nil, err
			}
			a := p.decide(p.signIn(), u.Query(), "allow")
			to, err := url.Parse(a.header.Get("Location"))
			if err != nil || to.Query().Get("code") == "" {
				return nil, fmt.Errorf("%d leads to %s: %s", a.status, to, a.body)
			}
			return &auth.AuthorizationResult{Code: to.Query().Get("code"), State: to.Query().Get("state"), Iss: to.Query().Get("iss")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: p.URL + "/operator/mcp", OAuthHandler: handler}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) == 0 {
		t.Fatalf("%+v: %v", list, err)
	}
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_project", Arguments: map[string]any{"key": "WEB", "title": "Web"}})
	if err != nil || res.IsError {
		t.Fatalf("%+v: %v", res, err)
	}
	rows := p.rows()
	if asked != 1 || len(rows) != 1 || rows[0].Name != "the SDK (127.0.0.1:7)" {
		t.Errorf("the owner was asked %d times, and there are %+v", asked, rows)
	}
	// Its token is for that endpoint, and for no other.
	source, err := handler.TokenSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, err := source.Token()
	if err != nil {
		t.Fatal(err)
	}
	if a := p.send(http.MethodGet, "/api/v1/projects", "", bearer(token.AccessToken)); a.status != http.StatusUnauthorized {
		t.Errorf("over HTTP: %d", a.status)
	}
}
