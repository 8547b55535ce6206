package approval

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// Interceptor answers the desk's place in the chain of every call.
func (d *Desk) Interceptor() capabilities.Interceptor {
	return capabilities.Interceptor{Name: "approval", Stage: capabilities.StageApproval, Wrap: func(next capabilities.Handler) capabilities.Handler {
		return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
			need, needed := d.o.Rules.NeedsApproval(inv.Principal, inv.Capability)
			if !needed || inv.Operation.DryRun { // a dry run changes nothing, and what has none refuses it
				return next(ctx, inv)
			}
			return d.serve(ctx, inv, need, next)
		}
	}}
}

// serve serves a call that a person has to approve.
func (d *Desk) serve(ctx context.Context, inv *capabilities.Invocation, need capabilities.ApprovalNeed, next capabilities.Handler) (*capabilities.Result, error) {
	// Nobody is asked about a call that would be refused anyway.
	if len(inv.Arguments) == 0 {
		inv.Arguments = json.RawMessage("{}")
	}
	switch {
	case inv.Operation.ID != "" && !capabilities.ValidKey(inv.Operation.ID):
		return nil, capabilities.Refuse(capabilities.OpIDInvalid, "an operation key is 1 to %d visible ASCII characters: use a fresh one", capabilities.MaxKey)
	case len(inv.Arguments) > MaxArguments:
		return nil, capabilities.Refuse(capabilities.TooLarge, "a person has to approve %s and reads what is sent: the arguments have %d bytes, and at most %d are taken then", inv.Capability.Name(), len(inv.Arguments), MaxArguments)
	}
	if err := capabilities.ValidateArguments(inv.Capability, inv.Arguments); err != nil {
		return nil, err
	}
	call := capabilities.CallFrom(ctx)
	caller, resume := capabilities.Hold(ctx)
	done, err := d.replays(caller, call, inv)
	if err != nil {
		return nil, err
	}
	id := ""
	if !done {
		if id, err = d.approved(caller, call, inv, need); err != nil {
			return nil, err
		}
	}
	resume()
	res, err := next(ctx, inv)
	if id != "" && nothingDone(inv.Capability, err) {
		d.restore(caller, id)
	}
	return res, err
}

// replays reports whether the ledger has the answer of the call already: sent again, it
// does nothing. The error is the ledger's refusal.
func (d *Desk) replays(ctx context.Context, call *capabilities.Running, inv *capabilities.Invocation) (bool, error) {
	if inv.Operation.ID == "" || !inv.Capability.Writes() {
		return false, nil
	}
	_, found, err := d.o.Store.Recall(ctx, store.Op{
		Principal: inv.Principal.Key(), Key: inv.Operation.ID, Given: true, Capability: call.Name(), Digest: call.Digest(),
	})
	if e, ok := capabilities.AsError(err); ok && e.Code == capabilities.UnknownOutcome && !inv.Capability.Receipts() && inv.Capability.Hints().Idempotent == capabilities.Yes {
		return false, nil // the ledger sends it once more, which is another run of it
	}
	return found, err
}

// approved answers the id of the approval that the call may use, which is used by then,
// or the refusal of a call that has none.
func (d *Desk) approved(ctx context.Context, call *capabilities.Running, inv *capabilities.Invocation, need capabilities.ApprovalNeed) (string, error) {
	b := bindingOf(call, inv.Principal)
	w := &waiting{desk: d, call: call, most: limitOf(inv.Wait, need.Wait)}
	if inv.Wait >= 0 { // whoever does not want to wait is not asked either
		w.asks = inv.Asks
	}
	defer w.stop()
	for {
		// Asked for before the look, so that no decision falls between the two.
		changed := d.changed.Next()
		c := d.served(inv)
		o, there, err := d.look(ctx, b)
		if err == nil && !there {
			o, there, err = d.file(ctx, b, inv, c, call.Name(), need)
			if err == nil && there {
				d.o.Log.LogAttrs(ctx, slog.LevelInfo, "approval_requested", slog.String("id", o.ID), slog.String("capability", call.Name()),
					slog.String("principal", b.principal), slog.String("request_id", call.RequestID))
			}
		}
		if err != nil {
			return "", err
		}
		if o.outdated(c) { // a person is asked anew, who is told what the server says now
			if err := w.still(ctx, inv, c); err != nil {
				return "", err
			}
			if err := d.lapse(ctx, o.ID); err != nil {
				return "", err
			}
			d.o.Log.LogAttrs(ctx, slog.LevelWarn, "approval_lapsed", slog.String("id", o.ID), slog.String("capability", call.Name()), slog.String("request_id", call.RequestID))
			continue
		}
		switch o.State {
		case Approved:
			if err := w.still(ctx, inv, c); err != nil {
				return "", err
			}
			ok, err := d.take(ctx, o.ID)
			if ok || err != nil {
				w.decided = true
				return o.ID, err
			}
			continue // another call, or the time, was first
		case Denied:
			w.decided = true
			return "", denied(inv.Capability.Name(), &o)
		case Pending, Used, Expired:
		}
		if !w.wait(ctx, &o, changed) {
			return "", d.asked(inv, &o)
		}
	}
}

// served answers the capability of a call as it is now: what was looked up when the call
// came may be of before, where the call was held.
func (d *Desk) served(inv *capabilities.Invocation) *capabilities.Capability {
	if d.o.Find != nil {
		if c, _, ok := d.o.Find(inv.Principal, inv.Capability.Name()); ok && c != nil {
			return c
		}
	}
	return inv.Capability
}

// limitOf answers how long a call is held: as the caller says, else as the rule does.
func limitOf(asked, usual time.Duration) time.Duration {
	if asked != 0 {
		usual = asked
	}
	return max(0, min(usual, capabilities.MaxWait))
}

// asked is the refusal of a call that waits for its decision.
func (d *Desk) asked(inv *capabilities.Invocation, o *open) error {
	who := approvers(inv.Principal)
	if inv.Principal.Kind == capabilities.Seat && d.o.Holder != nil && d.o.Holder(inv.Principal.ID) != "" {
		who = "the owner, or a person with the scope admin who does not hold the seat,"
	}
	page, where := d.page(inv.Principal, o.ID), ""
	if page != "" {
		where = "on the page " + page + ", "
	}
	e := capabilities.Refuse(capabilities.ApprovalNeeded,
		"%s waits for a person's approval as %s, until %s: %s can decide (%s%s call decide_approval --id %s --decision approve, or POST /api/v1/approvals/%s/decision); send the same call again once it is approved",
		inv.Capability.Name(), o.ID, stamp(at(o.ExpiresMS)), who, where, d.o.Program, o.ID, o.ID)
	e.Approval = &capabilities.ApprovalRequest{ID: o.ID, ExpiresAt: at(o.ExpiresMS), URL: page}
	return e
}

// page answers where a person decides with a browser, "" where that is not known.
func (d *Desk) page(p *capabilities.Principal, id string) string {
	if d.o.Page == nil {
		return ""
	}
	return d.o.Page(p, id)
}

func denied(name string, o *open) error {
	said := "and gave no reason"
	if o.Reason.String != "" {
		said = fmt.Sprintf("and said %q", o.Reason.String)
	}
	return capabilities.Refuse(capabilities.Forbidden, "%s denied this call of %s, %s: it stays denied until %s (request %s); ask them, or send another call", o.DecidedBy.String, name, said, stamp(at(o.ExpiresMS)), o.ID)
}

// nothingDone reports whether a call says by its refusal that nothing was done, so that its
// approval is still good. A call that is known to read may have been sent all the same
// where it was not answered.
func nothingDone(c *capabilities.Capability, err error) bool {
	e, ok := capabilities.AsError(err)
	if !ok || e.MaybeApplied {
		return false
	}
	switch {
	case e.Code == capabilities.UnknownOutcome, e.Code == capabilities.InternalError, e.Code == capabilities.UpstreamError:
		return false
	case e.Code == capabilities.Unavailable, e.Code == capabilities.Timeout:
		return !capabilities.ReadOnlyProven(c)
	}
	return true
}

// restoreTime bounds how long the end of a call is being noted after it.
const restoreTime = 10 * time.Second

// restore gives an approval back, even when the caller is gone.
func (d *Desk) restore(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreTime)
	defer cancel()
	if err := d.giveBack(ctx, id); err != nil {
		d.o.Log.WarnContext(ctx, "approval_not_given_back", "id", id, "error", err.Error())
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
