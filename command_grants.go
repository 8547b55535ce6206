package holotype

import (
	"context"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/grant"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// examineGrants finds the grants of whoever is not there any more, and the requests that
// wait for a decision. Where they are not told, there is nothing to find.
func examineGrants(ctx context.Context, session cli.Session, program string) (all []finding, err error) {
	grants, err := askAll(ctx, session, system.ListGrants, func(cursor string) system.ListGrantsInput {
		return system.ListGrantsInput{PageInput: pageOf(cursor)}
	})
	if err != nil {
		return nil, unlessRefused(err)
	}
	for _, g := range grants {
		if g.State != grant.Void {
			continue
		}
		all = append(all, finding{
			Grade: "note", Text: fmt.Sprintf("the grant %s of %s lets nobody call it: %s is not there any more", g.ID, g.Capability, g.Principal),
			Remedy: "configure it again, or revoke the grant with " + program + " call revoke_grant --id " + g.ID + " --yes",
		})
	}
	requests, err := askAll(ctx, session, system.ListCapabilityRequests, func(cursor string) system.ListCapabilityRequestsInput {
		return system.ListCapabilityRequestsInput{Status: grant.Pending, PageInput: pageOf(cursor)}
	})
	if err != nil {
		return all, unlessRefused(err)
	}
	if n := len(requests); n > 0 {
		all = append(all, finding{
			Grade: "note", Text: fmt.Sprintf("requests for a tool that wait for a decision: %d, the oldest since %s", n, requests[0].AskedAt),
			Remedy: "look at them with " + program + " call list_capability_requests --status pending, and decide with decide_capability_request",
		})
	}
	return all, nil
}

// unlessRefused answers an error that is no refusal.
func unlessRefused(err error) error {
	if _, refused := capabilities.AsError(err); refused {
		return nil
	}
	return err
}
