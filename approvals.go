package holotype

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// openApprovals answers the approvals of the engine's store, or nil where there is none.
func (e *engine) openApprovals() *approval.Desk {
	if e.kept.store == nil {
		return nil
	}
	return approval.New(approval.Options{
		Store: e.kept.store, Rules: lateRules{e}, Still: e.still, Log: e.log, Now: e.now, Program: e.name,
		Mask: func(arguments json.RawMessage) json.RawMessage {
			return bridge.MaskJSON(e.bridged(e.settings.current()), arguments)
		},
		Find: lateViewer{e}.Find, Holder: e.holder,
		Page:   e.approvalPage,
		Shared: e.kept.store.Engine() != "sqlite",
	})
}

// approvalPage answers the address of the page on which a person decides on a call of a
// principal. Who signs in there is the owner, who does not decide on the owner's own, unless
// the embedding program has accounts of its own.
func (e *engine) approvalPage(p *capabilities.Principal, id string) string {
	if e.pages == nil || p.Kind == capabilities.Owner && !e.accounts {
		return ""
	}
	at := e.pages()
	if at == "" {
		return ""
	}
	return at + httpapi.ApprovalPath(id)
}

// pagesOf answers what tells where browsers find the pages of this process: where the
// configuration says that clients reach it, else where it listens; "" where it is mounted by
// another program, or stands behind a proxy of which nobody says the name.
func (e *engine) pagesOf(p *place) func() string {
	return func() string {
		switch c := e.settings.current(); {
		case c.OAuth.Address != "":
			return c.OAuth.Address
		case c.Proxy.Trusted != nil:
			return ""
		}
		return p.url
	}
}

// waiting answers how many requests wait for a person's decision.
func (e *engine) waiting(ctx context.Context) (n int, err error) {
	if e.approvals != nil {
		if n, err = e.approvals.Waiting(ctx); err != nil {
			return 0, err
		}
	}
	if e.grants == nil {
		return n, nil
	}
	more, err := e.grants.Waiting(ctx)
	return n + more, err
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
