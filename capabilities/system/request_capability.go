package system

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/grant"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// RequestCapability asks for a grant of a capability that the caller may not call.
var RequestCapability = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "request_capability",
	Title:   "Request capability",
	Summary: "Ask an administrator to let you call a tool that is hidden from you or refused to you, for a time or while a work item is open.",
	Effect:  capabilities.Append(capabilities.Local),
	Route:   "POST /capability-requests",
	Scope:   capabilities.ScopeAnyone,
	Refuses: capabilities.Codes{capabilities.Exists},
	Examples: []capabilities.Example{
		{Name: "a tool that may be called already", In: `{"capability":"list_tools","why":"to see what there is"}`, Refuses: capabilities.Exists},
		{Name: "a name that no tool has", In: `{"capability":"nothing","why":"to see what it does"}`, Refuses: capabilities.Invalid},
	},
}, requestCapability, needsGrants())

// RequestCapabilityInput says what is asked for.
type RequestCapabilityInput struct {
	// The name of the tool, as its refusal has it.
	Capability string `json:"capability" jsonschema:"minLength=1,maxLength=64"`
	// What it is needed for, for whoever decides.
	Why string `json:"why" jsonschema:"minLength=1,maxLength=1000"`
	// For how many hours. Absent is 24, or as long as the work item is open.
	Hours int `json:"hours,omitempty" jsonschema:"minimum=1,maximum=720"`
	// The work item that it is needed for, by key or id: the grant ends when that is done, cancelled or removed.
	WorkItem string `json:"work_item,omitempty" jsonschema:"minLength=1,maxLength=64"`
}

// CapabilityRequestReceipt is what asking for a capability answers.
type CapabilityRequestReceipt struct {
	capabilities.Receipt
	// The id of the request; the same again while it waits for a decision.
	ID string `json:"id"`
	// The name of the tool.
	Capability string `json:"capability"`
	// What became of the request.
	Status grant.Status `json:"status"`
}

func requestCapability(ctx context.Context, d Deps, in RequestCapabilityInput) (out CapabilityRequestReceipt, err error) {
	caller := capabilities.CallFrom(ctx).Principal.Narrowed(capabilities.Narrowing{}) // what one address leaves out, another serves
	c, err := d.wanted(caller, in.Capability)
	if err != nil {
		return out, err
	}
	ask := grant.Request{
		Holder: grant.HolderOf(caller), Credential: caller.Credential, Capability: c, Why: in.Why, Hours: in.Hours,
	}
	if in.WorkItem != "" {
		if ask.Item, err = d.workItem(ctx, caller, in.WorkItem); err != nil {
			return out, err
		}
	}
	out, err = store.Write(ctx, d.Store, func(tx *store.Tx) (CapabilityRequestReceipt, error) {
		r, err := d.Grants.Ask(tx, ask)
		return CapabilityRequestReceipt{ID: r.ID, Capability: r.Capability, Status: r.Status}, err
	})
	if err == nil && landed(out.Receipt) {
		d.Grants.Log().InfoContext(ctx, "capability_requested", "request", out.ID, "capability", out.Capability, "principal", caller.Key())
	}
	return out, err
}

// wanted answers the name of a capability that a caller may ask for. It says no more about
// one that is hidden than the refusal of a call of it does.
func (d Deps) wanted(caller *capabilities.Principal, name string) (string, error) {
	c, rule, ok := d.Viewer.Find(caller, name)
	switch {
	case !ok:
		if d.Absent != nil {
			if absent := d.Absent(caller, name); absent != nil {
				return "", absent
			}
		}
		return "", capabilities.Violates(capabilities.Violation{Pointer: "/capability", Keyword: "reference", Message: "names no tool here: send the name as the refusal of a call has it"})
	case rule == nil:
		return "", capabilities.Refuse(capabilities.Exists, "you may call %s already: call it", name)
	case caller.Kind == capabilities.Owner, !grant.Grantable(c), d.Judge(caller, c, true) != nil:
		return "", capabilities.Refuse(capabilities.Forbidden, "%s cannot be granted to you by a request: what keeps you from it is changed in the configuration alone, ask the owner of this server", name)
	}
	return canonical(c), nil
}
