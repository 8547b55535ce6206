package system

import (
	"context"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/signin"
)

// BeginMCPServerSignIn begins a sign-in to an MCP server.
var BeginMCPServerSignIn = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "begin_mcp_server_sign_in",
	Title:   "Begin MCP server sign-in",
	Summary: "Begin a sign-in to an MCP server: answers a link for a person to open, which lets this server act as them there.",
	// The server's authorization server may be asked to register this program.
	Effect:  capabilities.Set(capabilities.World),
	Route:   "POST /mcp-servers/{name}/sign-in",
	Answers: capabilities.FromWorld,
	Refuses: capabilities.Codes{capabilities.NotFound, capabilities.Conflict},
	Examples: []capabilities.Example{
		{Name: "a name nobody has", In: `{"name":"no-such-server"}`, Refuses: capabilities.NotFound},
	},
}, beginMCPServerSignIn, needsSignIns())

// MCPServerSignInInput names an instance of a server.
type MCPServerSignInInput struct {
	// The server's name.
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
	// The seat whose own instance it is; without it the caller's, or the one that all share.
	Seat string `json:"seat,omitempty" jsonschema:"maxLength=64"`
}

// SignInLink is where a person signs in.
type SignInLink struct {
	// The server's name.
	Name string `json:"name"`
	// The seat whose own instance is signed in to; absent for the one that everybody shares.
	Seat string `json:"seat,omitempty"`
	// The page of the authorization server. It works once; a new one ends it.
	Link string `json:"link"`
	// Until when it works.
	ExpiresAt string `json:"expires_at" jsonschema:"format=date-time"`
}

func beginMCPServerSignIn(ctx context.Context, d Deps, in MCPServerSignInInput) (SignInLink, error) {
	key, err := in.key(ctx, d)
	if err != nil {
		return SignInLink{}, err
	}
	link, err := d.SignIns.Begin(ctx, key)
	if err != nil {
		return SignInLink{}, err
	}
	return SignInLink{Name: key.Server, Seat: key.Seat, Link: link.URL, ExpiresAt: link.Expires.UTC().Format(time.RFC3339)}, nil
}

// key answers the instance that the input is about, where the caller may sign in to it: who
// acts in a seat may sign in to what that seat has of its own, and an administrator to any.
// Nobody else is told which servers there are.
func (in MCPServerSignInInput) key(ctx context.Context, d Deps) (signin.Key, error) {
	caller := capabilities.CallFrom(ctx).Principal
	key := signin.Key{Seat: in.Seat, Server: in.Name}
	if key.Seat == "" && caller.Seat != "" {
		own := signin.Key{Seat: caller.Seat, Server: in.Name}
		if _, ok := d.SignIns.Standing(own); ok {
			key = own
		}
	}
	if (key.Seat == "" || key.Seat != caller.Seat) && !caller.Has(capabilities.ScopeAdmin) {
		return key, capabilities.Refuse(capabilities.Forbidden,
			"a sign-in to a server that everybody shares, or to that of another seat, is for whoever has the scope %q", capabilities.ScopeAdmin)
	}
	return key, nil
}

func needsSignIns() capabilities.Option[Deps] {
	return capabilities.When(func(d Deps) bool { return d.SignIns != nil })
}
