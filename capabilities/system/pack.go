package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/audit"
	"github.com/seed-89b9419b/holotype/internal/grant"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/internal/signin"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// Pack is the system pack.
var Pack = capabilities.NewPack[Deps](capabilities.PackInfo{
	Name:    "system",
	Title:   "System",
	Summary: "What this server offers to whom, how it is projected, and which MCP servers stand behind it.",
})

// Deps are what the pack reads.
type Deps struct {
	// Viewer answers what the caller may see.
	Viewer capabilities.Viewer
	// As answers the principal of a name: owner, seat:, person: or token: and an id. The
	// error is a refusal.
	As func(ctx context.Context, name string) (*capabilities.Principal, error)
	// Surfaces answers the facts of every surface that is served now, as they are
	// told to that principal.
	Surfaces func(*capabilities.Principal) []capabilities.SurfaceFacts
	// Absent answers the refusal of a tool that is not listed and that a server which
	// starts or fails may have; nil for any other name. A nil Absent knows none.
	Absent func(p *capabilities.Principal, name string) *capabilities.Error
	// Servers answers the state of every configured MCP server, in the order of
	// their names.
	Servers func() []Server
	// Configuration reads and changes what is configured; nil leaves those capabilities
	// out.
	Configuration Configuration
	// SignIns are the sign-ins to MCP servers; nil leaves the capabilities about them out.
	SignIns signin.Accounts
	// Store is what the packs write to; nil leaves the capabilities about it out.
	Store *store.DB
	// Tokens are the API tokens; nil leaves the capabilities about them out.
	Tokens *identity.Tokens
	// Grants are what callers were let do beyond their scopes and rules; nil leaves the
	// capabilities about them out. Judge is there with it.
	Grants *grant.Grants
	// Judge answers the rule that keeps a principal from a capability that it was granted,
	// or that it was not, whatever grants there are; nil is none.
	Judge func(p *capabilities.Principal, c *capabilities.Capability, granted bool) *capabilities.Rule
	// Holder answers the id of the person who holds a seat, "" where nobody does. A nil
	// Holder knows of none.
	Holder func(seat string) string
	// WorkItem answers the open work item that an argument of a principal names at
	// /work_item. The error is a refusal. A nil WorkItem knows no tracker.
	WorkItem func(ctx context.Context, p *capabilities.Principal, ref string) (grant.WorkItem, error)
	// Approvals are the requests for approvals; nil leaves the capabilities about them out.
	Approvals *approval.Desk
	// Calls is the audit; nil leaves the capability that reads it out.
	Calls *audit.Log
}
