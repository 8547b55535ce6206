package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// EndMCPServerSignIn ends a sign-in to an MCP server.
var EndMCPServerSignIn = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "end_mcp_server_sign_in",
	Title:   "End MCP server sign-in",
	Summary: "End the sign-in to an MCP server: its tokens are revoked where they can be, and forgotten here.",
	Effect:  capabilities.Destroy(capabilities.World),
	Route:   "DELETE /mcp-servers/{name}/sign-in",
	Answers: capabilities.FromWorld,
	Refuses: capabilities.Codes{capabilities.NotFound, capabilities.Conflict},
	Examples: []capabilities.Example{
		{Name: "a name nobody has", In: `{"name":"no-such-server"}`, Refuses: capabilities.NotFound},
	},
}, endMCPServerSignIn, needsSignIns())

// EndedSignIn says what was ended.
type EndedSignIn struct {
	// The server's name.
	Name string `json:"name"`
	// The seat whose own instance was signed in to; absent for the one that everybody shares.
	Seat string `json:"seat,omitempty"`
	// Whether there was a sign-in, or anything left of one.
	Ended bool `json:"ended"`
}

func endMCPServerSignIn(ctx context.Context, d Deps, in MCPServerSignInInput) (EndedSignIn, error) {
	key, err := in.key(ctx, d)
	if err != nil {
		return EndedSignIn{}, err
	}
	ended, err := d.SignIns.Forget(ctx, key)
	return EndedSignIn{Name: key.Server, Seat: key.Seat, Ended: ended}, err
}
