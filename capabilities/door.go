package capabilities

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"
)

// Invocation is a call whose capability has been looked up.
type Invocation struct {
	Call
	Capability *Capability
}

// Handler serves an invocation. Interceptors wrap one.
type Handler func(ctx context.Context, inv *Invocation) (*Result, error)

// Stage is a place in the fixed order of the door's interceptors, outermost
// first: after the lookup and before the validation.
type Stage uint8

// The closed set of stages.
const (
	StageAudit Stage = iota
	StageGate
	StageApproval
	StageLedger
)

// Interceptor wraps every call of the door at its stage; within a stage the
// first given is the outermost.
type Interceptor struct {
	Name  string
	Stage Stage
	Wrap  func(next Handler) Handler
}

// DefaultTimeout is the time limit of a call whose capability has none.
const DefaultTimeout = 2 * time.Minute

// DoorOptions configure a [Door].
type DoorOptions struct {
	Viewer       Viewer
	Codes        []CodeInfo // the registry's, for packs' own codes
	Log          *slog.Logger
	Now          func() time.Time
	Timeout      time.Duration // 0 is DefaultTimeout
	Interceptors []Interceptor
	// Absent answers the refusal of a name in no view that is known all the same, such
	// as one of a server that is still starting; nil for any other. A nil Absent knows
	// none.
	Absent func(p *Principal, name string) *Error
	// Unknown is told of a call of a name in no view, with what it is answered; nil is not.
	// No interceptor sees one.
	Unknown func(call Call, e *Error)
	// Undeclared is told of a refusal whose code the capability does not declare;
	// nil logs it. The conformance tests fail on one.
	Undeclared func(c *Capability, code Code)
}

// Door is the one way to call a capability, whatever the surface: look up in the
// caller's view, interceptors, validate the raw arguments, run the handler.
type Door struct {
	o       DoorOptions
	chain   Handler
	hidden  Handler // what the audit sees of a call that the view, or the surface, refuses
	bases   map[Code]Code
	ledgers bool
}

// NewDoor answers a door.
func NewDoor(o DoorOptions) *Door {
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	d := &Door{o: o, bases: map[Code]Code{}}
	for _, c := range o.Codes {
		d.bases[c.Code] = c.Base
	}
	order := slices.Clone(o.Interceptors)
	slices.SortStableFunc(order, func(a, b Interceptor) int { return int(a.Stage) - int(b.Stage) })
	d.chain = d.serve
	for _, i := range slices.Backward(order) {
		if i.Stage > StageAudit {
			d.chain = i.Wrap(d.chain)
		}
		d.ledgers = d.ledgers || i.Stage == StageLedger
	}
	// The audit sees how a call ended as its caller does.
	d.chain, d.hidden = d.judged(d.chain), d.refuseHidden
	for _, i := range slices.Backward(order) {
		if i.Stage == StageAudit {
			d.chain, d.hidden = i.Wrap(d.chain), i.Wrap(d.hidden)
		}
	}
	return d
}

// Ledgered reports whether calls with an operation key are served: a ledger
// stands in the chain.
func (d *Door) Ledgered() bool { return d.ledgers }

// Invoke sends one call through the door. The error's chain holds an [*Error];
// a name in no view also wraps [ErrUnknownCapability].
func (d *Door) Invoke(ctx context.Context, call Call) (*Result, error) {
	if call.RequestID == "" {
		call.RequestID = NewRequestID()
	}
	if !d.o.Log.Enabled(ctx, slog.LevelDebug) {
		return d.invoke(ctx, &call)
	}
	start := d.o.Now()
	res, err := d.invoke(ctx, &call)
	code := "ok"
	if e, ok := AsError(err); ok {
		code = string(e.Code)
	}
	name := call.Name
	if errors.Is(err, ErrUnknownCapability) {
		name = "" // it is a text of the caller's, and may be anything
	}
	d.o.Log.LogAttrs(ctx, slog.LevelDebug, "call_served", slog.String("capability", name), slog.String("surface", string(call.Surface)),
		slog.String("principal", call.Principal.label()), slog.String("code", code), slog.String("request_id", call.RequestID),
		slog.Int64("duration_ms", d.o.Now().Sub(start).Milliseconds()))
	return res, err
}

func (d *Door) invoke(ctx context.Context, call *Call) (*Result, error) {
	c, rule, ok := d.o.Viewer.Find(call.Principal, call.Name)
	if !ok || c.Method() != call.Method {
		e := d.absent(call)
		if e == nil {
			e = Refuse(NotFound, "no capability is named %q: list what there is with list_tools", clip(call.Name)).Because(ErrUnknownCapability)
		}
		if d.o.Unknown != nil {
			d.o.Unknown(*call, e)
		}
		return nil, e
	}
	if call.Principal == nil {
		return nil, Refuse(Unauthenticated, "%s needs a credential", c.name)
	}
	if call.Refusal == nil && call.Admit != nil {
		call.Refusal = call.Admit(c)
	}
	limit := c.timeout
	if limit == 0 {
		limit = d.o.Timeout
	}
	run := runningUntil(ctx, call, c, limit)
	defer run.end()
	chain := d.chain
	if rule != nil || call.Refusal != nil {
		run.rule = rule
		chain = d.hidden
	}
	res, err := d.guarded(run, &run.inv, chain)
	if err == nil {
		return res, nil
	}
	if _, judged := AsError(err); !judged {
		err = d.classed(run, c, call, err)
	}
	return nil, err
}

// judged makes every failure of a handler an *Error with a declared code, a panic
// included.
func (d *Door) judged(next Handler) Handler {
	return func(ctx context.Context, inv *Invocation) (*Result, error) {
		res, err := d.guarded(ctx, inv, next)
		if err != nil {
			return nil, d.classed(ctx, inv.Capability, &inv.Call, err)
		}
		return res, nil
	}
}

// refuseHidden answers a call that the caller's view refuses, or the surface.
func (d *Door) refuseHidden(ctx context.Context, inv *Invocation) (*Result, error) {
	if rule, ok := ctx.Value(ruleKey{}).(*Rule); ok && rule != nil {
		return nil, Refuse(Forbidden, "%s", rule.Message)
	}
	if inv.Refusal != nil {
		return nil, inv.Refusal
	}
	return nil, Refuse(Forbidden, "this call is not yours to make")
}

// absent answers the refusal of a name that is in no view and is known all the same.
func (d *Door) absent(call *Call) *Error {
	if d.o.Absent == nil || call.Principal == nil {
		return nil
	}
	return d.o.Absent(call.Principal, call.Name)
}

// guarded runs a handler and turns a panic into an internal error.
func (d *Door) guarded(ctx context.Context, inv *Invocation, next Handler) (res *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			d.o.Log.ErrorContext(ctx, "capability_panicked", "capability", inv.Capability.name, "site", inv.Capability.site.String(),
				"request_id", inv.RequestID, "panic", p, "stack", string(debug.Stack()))
			res, err = nil, internalError(inv.RequestID)
		}
	}()
	return next(ctx, inv)
}

// serve is the innermost part: the operation, the arguments, the handler.
func (d *Door) serve(ctx context.Context, inv *Invocation) (*Result, error) {
	c := inv.Capability
	if inv.Operation != (Operation{}) {
		if e := d.unkept(c, inv.Operation); e != nil {
			return nil, e
		}
	}
	if len(inv.Arguments) == 0 {
		inv.Arguments = []byte("{}")
	}
	if err := ValidateArguments(c, inv.Arguments); err != nil {
		return nil, err
	}
	res, err := c.handler(ctx, inv)
	if err == nil && c.receipts && !CallFrom(ctx).written.Load() {
		return nil, errors.New("the capability answers a receipt and did not write through a store")
	}
	return res, err
}

// unkept answers the refusal of an operation that cannot be kept as asked, or nil.
func (d *Door) unkept(c *Capability, op Operation) *Error {
	switch {
	case !c.Writes() && op.DryRun:
		return Refuse(Invalid, "%s only reads, so that there is nothing to try: leave the dry run out", c.name)
	case !c.Writes():
		return nil
	case op.ID != "" && !d.ledgers:
		return Refuse(Unavailable, "%s was sent with an operation key, and this server keeps no ledger: send it without", c.name)
	case op.DryRun && !c.rehearses && !c.receipts:
		return Refuse(Unavailable, "%s cannot be tried in a dry run: leave that out, or do not call it", c.name)
	}
	return nil
}

// ValidateArguments judges raw arguments against a capability's input, with the
// limits that hold on every surface. The error is an [*Error] with the code
// [Invalid] or [TooLarge].
func ValidateArguments(c *Capability, args []byte) error {
	if len(args) > MaxArguments {
		return Refuse(TooLarge, "the arguments of %s have %d bytes, at most %d are taken", c.name, len(args), MaxArguments)
	}
	violations, err := c.in.Validate(args)
	if err != nil {
		return Refuse(Unavailable, "%s publishes an input schema that cannot be read, so no call of it can be checked: %v", c.name, err)
	}
	if len(violations) > 0 {
		return Violates(violations...)
	}
	return nil
}

// classed makes every failure an *Error with a declared code.
func (d *Door) classed(ctx context.Context, c *Capability, call *Call, err error) error {
	e, ok := AsError(err)
	if !ok {
		e = d.unmarked(ctx, c, call, err)
	}
	if base, ok := d.bases[e.Code]; ok && e.base == "" && base != e.Code {
		// A pack may share one error value between calls.
		own := *e
		own.base = base
		e = &own
	}
	if !slices.ContainsFunc(c.codes, func(i CodeInfo) bool { return i.Code == e.Code }) {
		if d.o.Undeclared != nil {
			d.o.Undeclared(c, e.Code)
		}
		d.o.Log.ErrorContext(ctx, "refusal_undeclared", "capability", c.name, "code", string(e.Code), "site", c.site.String())
	}
	return e
}

// unmarked classes an error that claims no code. Its text is logged, never shown.
func (d *Door) unmarked(ctx context.Context, c *Capability, call *Call, err error) *Error {
	switch {
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		_, builtin := c.Effect()
		if builtin && c.Writes() {
			return Refuse(UnknownOutcome, "%s was stopped before it answered: it may or may not have taken effect, look before you repeat it", c.name).Because(err)
		}
		what := "took longer than its time limit"
		if errors.Is(err, context.Canceled) {
			what = "was cancelled"
		}
		e := Refuse(Timeout, "%s %s", c.name, what).Because(err)
		e.MaybeApplied = c.Writes()
		return e
	}
	d.o.Log.ErrorContext(ctx, "capability_failed", "capability", c.name, "site", c.site.String(), "request_id", call.RequestID, "error", err.Error())
	return internalError(call.RequestID).Because(err)
}

func internalError(requestID string) *Error {
	return Refuse(InternalError, "this server failed; its operator finds the cause in the log under request %s", requestID)
}

// NewRequestID answers a fresh, random request id.
func NewRequestID() string { return rand.Text() }

func clip(s string) string {
	if len(s) > 64 {
		return s[:64] + "..."
	}
	return s
}
