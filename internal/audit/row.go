package audit

import (
	"context"
	"encoding/json"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Row is one call.
type Row struct {
	ID            int64  `db:"id"`
	At            int64  `db:"at_ms"` // when it began, in milliseconds
	RequestID     string `db:"request_id"`
	Capability    string `db:"capability"`
	Source        string `db:"source"`
	Principal     string `db:"principal"`
	PrincipalKind string `db:"principal_kind"`
	Seat          string `db:"seat"`
	Credential    string `db:"credential"` // the id of the token that was used; "" is the owner's own credential
	ActingFor     string `db:"acting_for"` // the id of the person that it was made for; "" is nobody
	Surface       string `db:"surface"`
	Outcome       string `db:"outcome"` // "ok", "cancelled", or the code of the refusal
	Reason        string `db:"reason"`  // why a request was refused that reached no capability, or is one of many
	From          string `db:"remote"`  // the address that such a one came from
	Times         int64  `db:"times"`   // how many the row stands for
	MaybeApplied  bool   `db:"maybe_applied"`
	DryRun        bool   `db:"dry_run"`
	OpKey         string `db:"op_key"`
	Duration      int64  `db:"duration_us"` // in microseconds
	ArgumentBytes int64  `db:"argument_bytes"`
	ResultBytes   int64  `db:"result_bytes"`
}

// The outcomes that are no code.
const (
	OK        = capabilities.EndedOK
	Cancelled = capabilities.EndedCancelled
)

// Interceptor notes every call, the refused ones included.
func (l *Log) Interceptor() capabilities.Interceptor {
	return capabilities.Interceptor{Name: "audit", Stage: capabilities.StageAudit, Wrap: func(next capabilities.Handler) capabilities.Handler {
		return func(ctx context.Context, inv *capabilities.Invocation) (res *capabilities.Result, err error) {
			start := l.o.Now()
			// A panic is noted too, on its way to whoever answers it.
			failed := true
			defer func() {
				k := kindOf(inv, err, failed)
				n := noted{
					kind:      l.kinds.shared(&k),
					requestID: inv.RequestID, opKey: inv.Operation.ID,
					at: start.UnixMilli(), duration: l.o.Now().Sub(start).Microseconds(),
					argumentBytes: int64(len(inv.Arguments)), resultBytes: sizeOf(res),
				}
				if p := inv.Principal; p != nil {
					n.actingFor = p.ActingFor
				}
				if k.outcome == string(capabilities.RateLimited) { // whoever is told to wait may not
					l.repeated(alike{kind: k, reason: string(capabilities.RateLimited)}, n)
					return
				}
				l.note(&n)
			}()
			res, err = next(ctx, inv)
			failed = false
			return res, err
		}
	}}
}

func kindOf(inv *capabilities.Invocation, err error, failed bool) kind {
	k := kind{
		capability: inv.Capability.Name(), source: inv.Capability.Source(), surface: string(inv.Surface),
		dryRun: inv.Operation.DryRun, outcome: OK,
	}
	if p := inv.Principal; p != nil {
		k.principal, k.principalKind, k.seat, k.credential = p.ID, string(p.Kind), p.Seat, p.Credential
	}
	if failed {
		k.outcome = string(capabilities.InternalError)
		return k
	}
	k.outcome = capabilities.EndedAs(err)
	if e, refused := capabilities.AsError(err); refused {
		k.maybeApplied = e.MaybeApplied
	}
	return k
}

// sizeOf answers the bytes of a result, nil of a call that has none.
func sizeOf(res *capabilities.Result) int64 {
	if res == nil {
		return 0
	}
	n := len(res.Structured)
	for _, b := range res.Blocks {
		n += len(json.RawMessage(b))
	}
	return int64(n)
}

// Query chooses rows. A zero field chooses nothing away.
type Query struct {
	Capability string
	Principal  string
	Outcome    string
	// Except is a capability whose calls are left out.
	Except string
	// Before and After are ids that the rows come before, or after.
	Before, After int64
	// Since is the earliest time.
	Since time.Time
	// Oldest puts the oldest first.
	Oldest bool
	// Limit is the most rows.
	Limit int
}

// List answers rows, the newest first unless the query says otherwise. Every call that
// ended before it is among them.
func (l *Log) List(ctx context.Context, q Query) ([]Row, error) {
	if err := l.flushed(ctx); err != nil {
		return nil, err
	}
	return l.read(ctx, q)
}

// Await answers as [Log.List] does, and waits for the first row where there is none,
// until the context is done, or so long, or [Log.Rest].
func (l *Log) Await(ctx context.Context, q Query, patience time.Duration) ([]Row, error) {
	over := time.NewTimer(patience)
	defer over.Stop()
	for {
		next := l.grown.Next()
		rows, err := l.List(ctx, q)
		if err != nil || len(rows) > 0 {
			return rows, err
		}
		select {
		case <-next:
		case <-over.C:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.resting:
			return nil, nil
		case <-l.stop:
			return nil, nil
		}
	}
}
