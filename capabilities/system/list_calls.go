package system

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/audit"
)

// ListCalls lists what was called.
var ListCalls = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "list_calls",
	Title:   "List calls",
	Summary: "List who called what when and how it ended, the newest first: never what was sent or answered.",
	Effect:  capabilities.Read(capabilities.Local),
	Route:   "GET /calls",
	Scope:   capabilities.ScopeAdmin,
	Answers: capabilities.FromProcess,
	Examples: []capabilities.Example{
		{Name: "the newest", In: `{"limit":10}`},
		{Name: "what was refused as wrong", In: `{"outcome":"invalid"}`},
		{Name: "no time at all", In: `{"since":"yesterday"}`, Refuses: capabilities.Invalid},
	},
}, listCalls, capabilities.When(func(d Deps) bool { return d.Calls != nil }))

// ListCallsInput narrows and pages the list.
type ListCallsInput struct {
	// The capability whose calls are wanted, by its name.
	Capability string `json:"capability,omitempty" jsonschema:"maxLength=128"`
	// The principal whose calls are wanted, by its id.
	Principal string `json:"principal,omitempty" jsonschema:"maxLength=128"`
	// How they ended: ok, cancelled where the caller went away, or the code of a refusal.
	Outcome string `json:"outcome,omitempty" jsonschema:"maxLength=64"`
	// The earliest time.
	Since string `json:"since,omitempty" jsonschema:"format=date-time"`
	// Only calls that ended after the one with this id, the oldest first, without those of list_calls itself.
	After int64 `json:"after,omitempty" jsonschema:"minimum=1"`
	// With after, how long to wait for a first call where there is none yet.
	WaitSeconds int `json:"wait_seconds,omitempty" jsonschema:"minimum=1,maximum=60"`
	capabilities.PageInput
}

// CallRow is one call.
type CallRow struct {
	// Grows from call to call, in the order in which they ended.
	ID int64 `json:"id"`
	// When it began.
	At string `json:"at" jsonschema:"format=date-time"`
	// The id of the request, which the log has, too.
	RequestID string `json:"request_id"`
	// What was called; empty for a request that was refused before that was looked at.
	Capability string `json:"capability"`
	// Who called; empty where nobody knows.
	Principal string `json:"principal"`
	// How it ended: ok, cancelled where the caller went away, or the code of the refusal.
	Outcome string `json:"outcome"`
	// Where the call arrived: http, mcp, cli, console or in_process.
	Surface string `json:"surface"`
	// Whose it is: builtin, or mcp and the name of a server.
	Source string `json:"source"`
	// What sort of caller that is.
	PrincipalKind string `json:"principal_kind"`
	// The seat that was acted as.
	Seat string `json:"seat,omitempty"`
	// The id of the token that was used; absent for the owner's own.
	Credential string `json:"credential,omitempty"`
	// The id of the person that the caller acted for.
	ActingFor string `json:"acting_for,omitempty"`
	// Why a request was refused that became no call, or one that came too often.
	Reason string `json:"reason,omitempty"`
	// The address that such a request came from.
	From string `json:"from,omitempty"`
	// How many of the same kind this row stands for, where those are more than one.
	Times int64 `json:"times,omitempty"`
	// Whether it may have taken effect although it was refused.
	MaybeApplied bool `json:"maybe_applied,omitempty"`
	// Whether it was a dry run.
	DryRun bool `json:"dry_run,omitempty"`
	// The operation key that was sent with it.
	OpID string `json:"op_id,omitempty"`
	// How long it took.
	DurationMilliseconds float64 `json:"duration_ms"`
	// The size of its arguments.
	ArgumentBytes int64 `json:"argument_bytes"`
	// The size of its result.
	ResultBytes int64 `json:"result_bytes"`
}

func listCalls(ctx context.Context, d Deps, in ListCallsInput) (page capabilities.Page[CallRow], err error) {
	q := audit.Query{
		Capability: in.Capability, Principal: in.Principal, Outcome: in.Outcome, After: in.After, Oldest: in.After > 0, Limit: 100,
	}
	if in.Limit > 0 {
		q.Limit = in.Limit
	}
	if in.WaitSeconds > 0 && in.After == 0 {
		return page, capabilities.Violates(capabilities.Violation{Pointer: "/wait_seconds", Keyword: "dependentRequired", Message: "goes with after: send the id of the last call you know"})
	}
	if in.Since != "" {
		if q.Since, err = time.Parse(time.RFC3339Nano, in.Since); err != nil {
			return page, capabilities.Violates(capabilities.Violation{Pointer: "/since", Keyword: "format", Message: "is no time: send one such as 2026-11-30T12:00:00Z"})
		}
	}
	key, err := in.Begin()
	if err != nil {
		return page, err
	}
	if in.Cursor != "" {
		id, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			return page, in.Foreign()
		}
		if q.Oldest {
			q.After = max(q.After, id)
		} else {
			q.Before = id
		}
	}
	if in.After > 0 {
		q.Except = capabilities.CallFrom(ctx).Name() // it would never rest otherwise
	}
	wanted := q.Limit
	q.Limit++
	rows, err := d.Calls.Await(ctx, q, time.Duration(in.WaitSeconds)*time.Second)
	if err != nil {
		return page, fmt.Errorf("reading the audit: %w", err)
	}
	more := len(rows) > wanted
	for i := range rows[:min(len(rows), wanted)] {
		page.Items = append(page.Items, callRow(&rows[i]))
	}
	if more {
		page.NextCursor = in.Next(strconv.FormatInt(page.Items[wanted-1].ID, 10))
	}
	return page, nil
}

func callRow(r *audit.Row) CallRow {
	row := CallRow{
		ID: r.ID, At: time.UnixMilli(r.At).UTC().Format("2006-01-02T15:04:05.000Z07:00"), RequestID: r.RequestID, Capability: r.Capability,
		Source: r.Source, Principal: r.Principal, PrincipalKind: r.PrincipalKind, Seat: r.Seat, Credential: r.Credential, ActingFor: r.ActingFor, Surface: r.Surface, Outcome: r.Outcome,
		MaybeApplied: r.MaybeApplied, DryRun: r.DryRun, OpID: r.OpKey, DurationMilliseconds: float64(r.Duration) / 1000,
		ArgumentBytes: r.ArgumentBytes, ResultBytes: r.ResultBytes, Reason: r.Reason, From: r.From,
	}
	if r.Times > 1 {
		row.Times = r.Times
	}
	return row
}
