package holotype

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// openApprovals answers the approvals of the engine's store, or nil where there is none.
func (e *engine) openApprovals() *approval.Desk {
	if e.kept.store == nil {
		return nil
	}
	return approval.New(approval.Options{
		Store: e.kept.store, Rules: lateRules{e}, Still: e.still, Log: e.log, Now: e.now, Program: e.name,
		Mask: func(arguments json.RawMessage) json.RawMessage {
			return bridge.MaskJSON(bridgeServers(e.settings.current(), ""), arguments)
		},
		Find: lateViewer{e}.Find, Holder: e.holder,
		Shared: e.kept.store.Engine() != "sqlite",
	})
}

// still answers the refusal of a caller whose token has ended meanwhile, or who acts for
// somebody who is not there any more. A credential that is none of the tokens' was judged
// when the request came, and is not known here.
func (e *engine) still(ctx context.Context, p *capabilities.Principal) error {
	if p.ActingFor != "" {
		if _, err := e.actingFor(p, p.ActingFor); err != nil {
			return err
		}
	}
	if p.Credential == "" || e.tokens == nil {
		return nil
	}
	_, err := e.tokens.Bearer(ctx, p.Credential)
	if refusal, ok := capabilities.AsError(err); ok && refusal.Code == capabilities.NotFound {
		return nil
	}
	return err
}

// holder answers the id of the person who holds a seat of the configuration in force, ""
// where nobody does.
func (e *engine) holder(seat string) string {
	for _, s := range e.settings.current().Seats {
		if s.ID == seat {
			return s.Holder
		}
	}
	return ""
}

// lateRules are the engine's rules for packs, which are bound before there are any.
type lateRules struct{ e *engine }

func (r lateRules) Decide(p *capabilities.Principal, c *capabilities.Capability) *capabilities.Rule {
	return r.e.gate.Decide(p, c)
}

func (r lateRules) NeedsApproval(p *capabilities.Principal, c *capabilities.Capability) (capabilities.ApprovalNeed, bool) {
	return r.e.gate.NeedsApproval(p, c)
}

// checkApprovals finds the fault of rules that ask for approvals where none can be kept.
func (e *engine) checkApprovals(c *config.Config) error {
	path := c.AsksApproval()
	if path == "" || e.approvals != nil {
		return nil
	}
	return c.Fault(path, "a request for an approval is kept in a store, and this program keeps none: take the rule out, or serve with a store")
}

// withApprovals answers interceptors with that of the approvals behind them.
func (e *engine) withApprovals(own []capabilities.Interceptor) []capabilities.Interceptor {
	if e.approvals == nil {
		return own
	}
	return append(slices.Clip(own), e.approvals.Interceptor())
}
