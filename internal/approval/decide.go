package approval

import (
	"context"
	"log/slog"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// Verdict is what a person decides.
type Verdict string

// The closed set of verdicts.
const (
	Approve Verdict = "approve"
	Deny    Verdict = "deny"
)

// SchemaEnum lists the members.
func (Verdict) SchemaEnum() []string { return []string{string(Approve), string(Deny)} }

func (v Verdict) state() State {
	if v == Approve {
		return Approved
	}
	return Denied
}

// kindRequest is the kind of a request in the log.
const kindRequest = "approval_request"

// event describes a decision.
type event struct {
	Action     string `json:"action"`
	Capability string `json:"capability"`
}

// mayDecide answers the refusal of somebody who is no approver: a person decides, and
// neither a seat, in which an assistant may sit, nor a token that is nobody's.
func mayDecide(p *capabilities.Principal) error {
	person := p != nil && p.Seat == "" && (p.Kind == capabilities.Owner || p.Kind == capabilities.Person)
	if person && p.Has(capabilities.ScopeAdmin) {
		return nil
	}
	return capabilities.Refuse(capabilities.Forbidden, "a person decides: %s, and neither a seat nor a token that is bound to nobody", approvers(nil))
}

// approvers says who decides on the calls of a principal.
func approvers(p *capabilities.Principal) string {
	switch {
	case p == nil:
		return "the owner, or a person with the scope admin"
	case p.Kind == capabilities.Owner:
		return "a person with the scope admin, who is not the owner,"
	case p.Kind == capabilities.Person:
		return "the owner, or another person with the scope admin,"
	}
	return "the owner, or a person with the scope admin,"
}

// Decide decides on a request within a write, and answers it as it is then. Until it is
// used or expires it may be decided anew; saying the same again changes nothing. The
// refusals are [capabilities.NotFound], [capabilities.Forbidden] for somebody who may not
// decide on it, and [capabilities.Conflict] for one that has ended.
func (d *Desk) Decide(tx *store.Tx, p *capabilities.Principal, id string, v Verdict, reason string) (Request, error) {
	if err := mayDecide(p); err != nil {
		return Request{}, err
	}
	q, err := get(&tx.Reader, id)
	if err != nil {
		return Request{}, err
	}
	switch {
	case q.Principal == p.Key():
		return Request{}, capabilities.Refuse(capabilities.Forbidden, "the call is your own, and nobody approves their own: %s can decide", approvers(p))
	case d.holds(p, q.Principal):
		return Request{}, capabilities.Refuse(capabilities.Forbidden, "the call is made from the seat %q, which you hold, and nobody approves their own: %s can decide", q.Facts.Seat, approvers(p))
	case q.State == Used:
		return Request{}, capabilities.Refuse(capabilities.Conflict, "the request was approved and used at %s: nothing is left to decide", stamp(q.UsedAt))
	case q.State == Expired || !tx.Now().Before(q.ExpiresAt):
		return Request{}, capabilities.Refuse(capabilities.Conflict, "the request expired at %s: the call has to be sent again, and asks anew", stamp(q.ExpiresAt))
	case q.State == v.state() && q.Reason == reason:
		return q, nil
	}
	q.State, q.DecidedAt, q.DecidedBy, q.Reason = v.state(), tx.Now(), p.Key(), reason
	if _, err := tx.Exec(decideRequest, q.State, q.DecidedAt.UnixMilli(), q.DecidedBy, q.Reason, id); err != nil {
		return Request{}, err
	}
	return q, tx.Change(store.Change{Kind: kindRequest, ID: id, Body: event{string(q.State), q.Capability}})
}

// Decided logs a decision.
func (d *Desk) Decided(ctx context.Context, id string, s State, by string) {
	d.o.Log.LogAttrs(ctx, slog.LevelInfo, "approval_decided", slog.String("id", id), slog.String("state", string(s)), slog.String("by", by))
}
