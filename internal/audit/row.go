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
	Surface       string `db:"surface"`
	Outcome       string `db:"outcome"` // "ok", or the code of the refusal
	MaybeApplied  bool   `db:"maybe_applied"`
	DryRun        bool   `db:"dry_run"`
	OpKey         string `db:"op_key"`
	Duration      int64  `db:"duration_us"` // in microseconds
	ArgumentBytes int64  `db:"argument_bytes"`
	ResultBytes   int64  `db:"result_bytes"`
}

// OK is the outcome of a call that was not refused.
const OK = "ok"

const columns = `at_ms, request_id, capability, source, principal, principal_kind, seat, surface, outcome, maybe_applied, dry_run, op_key, duration_us, argument_bytes, result_bytes`

const insertRow = `INSERT INTO audit_calls (` + columns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (r *Row) values() []any {
	return []any{
		r.At, r.RequestID, r.Capability, r.Source, r.Principal, r.PrincipalKind, r.Seat, r.Surface, r.Outcome,
		number(r.MaybeApplied), number(r.DryRun), r.OpKey, r.Duration, r.ArgumentBytes, r.ResultBytes,
	}
}

func number(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Interceptor notes every call, the refused ones included.
func (l *Log) Interceptor() capabilities.Interceptor {
	return capabilities.Interceptor{Name: "audit", Stage: capabilities.StageAudit, Wrap: func(next capabilities.Handler) capabilities.Handler {
		return func(ctx context.Context, inv *capabilities.Invocation) (res *capabilities.Result, err error) {
			start := l.o.Now()
			// A panic is noted too, on its way to whoever answers it.
			failed := true
			defer func() {
				r := rowOf(inv, res, err, failed)
				r.At, r.Duration = start.UnixMilli(), l.o.Now().Sub(start).Microseconds()
				l.note(r)
			}()
			res, err = next(ctx, inv)
			failed = false
			return res, err
		}
	}}
}

func rowOf(inv *capabilities.Invocation, res *capabilities.Result, err error, failed bool) *Row {
	r := &Row{
		RequestID: inv.RequestID, Capability: inv.Capability.Name(), Source: inv.Capability.Source(), Surface: string(inv.Surface),
		DryRun: inv.Operation.DryRun, OpKey: inv.Operation.ID, ArgumentBytes: int64(len(inv.Arguments)), Outcome: OK,
	}
	if p := inv.Principal; p != nil {
		r.Principal, r.PrincipalKind, r.Seat = p.ID, string(p.Kind), p.Seat
	}
	switch e, refused := capabilities.AsError(err); {
	case refused:
		r.Outcome, r.MaybeApplied = string(e.Code), e.MaybeApplied
	case failed || err != nil:
		r.Outcome = string(capabilities.InternalError)
	}
	if res != nil {
		r.ResultBytes = int64(len(res.Structured))
		for _, b := range res.Blocks {
			r.ResultBytes += int64(len(json.RawMessage(b)))
		}
	}
	return r
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
// until the context is done or so long.
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
		case <-l.stop:
			return nil, nil
		}
	}
}
