package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/grant"
)

// GetCapabilityRequest shows one request to be let call a tool.
var GetCapabilityRequest = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "get_capability_request",
	Title:   "Get capability request",
	Summary: "Show one request to be let call a tool, and what became of it: an administrator sees each, anybody else their own.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /capability-requests/{id}",
	Scope:   capabilities.ScopeAnyone,
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "an id that no request has", In: `{"id":"req_00000000000000000000000000"}`, Refuses: capabilities.NotFound},
	},
}, getCapabilityRequest, needsGrants())

// GetCapabilityRequestInput names a request.
type GetCapabilityRequestInput struct {
	// The request's id, as request_capability and list_capability_requests have it.
	ID string `json:"id" jsonschema:"minLength=1,maxLength=64"`
}

func getCapabilityRequest(ctx context.Context, d Deps, in GetCapabilityRequestInput) (CapabilityRequestRow, error) {
	q, err := d.Grants.Request(ctx, in.ID)
	if err != nil {
		return CapabilityRequestRow{}, err
	}
	if caller := capabilities.CallFrom(ctx).Principal; !caller.Has(capabilities.ScopeAdmin) && q.Holder != grant.HolderOf(caller) {
		return CapabilityRequestRow{}, grant.NoRequest()
	}
	return capabilityRequestRow(&q), nil
}
