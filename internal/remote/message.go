package remote

import (
	"errors"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	versionHeader = "Holotype-Version"
	// buildHeader is of answers: which build the holder is.
	buildHeader = "Holotype-Build"
	mcpProtocol = "holotype-mcp"
	ndjson      = "application/x-ndjson"

	pathView   = "/v1/view"
	pathAbsent = "/v1/absent"
	pathCall   = "/v1/call"
	pathMCP    = "/v1/mcp"
	pathLogin  = "/v1/login"
	pathLeave  = "/v1/leave"

	// seatQuery names the seat of a session in its query.
	seatQuery = "seat"
	// discoveryQuery has a session list the tools of discovery.
	discoveryQuery = "discovery"

	// maxRequest leaves the door's own limit to the door: arguments a little over
	// it arrive and are refused in its words. Base64 adds a third.
	maxRequest = 4 * capabilities.MaxArguments
)

// request is the body of a call.
type request struct {
	Name      string `json:"name"`
	Arguments []byte `json:"arguments,omitempty"`
	OpID      string `json:"op_id,omitempty"`
	DryRun    bool   `json:"dry_run,omitempty"`
	Progress  bool   `json:"progress,omitempty"`
	RequestID string `json:"request_id,omitempty"`
	// Wait is that of [capabilities.Call].
	Wait time.Duration `json:"wait,omitempty"`
}

// event is one line of the answer to a call, where exactly one member is set, or the
// answer about a name that is absent, where none may be.
type event struct {
	Progress *capabilities.Progress `json:"progress,omitempty"`
	Result   *result                `json:"result,omitempty"`
	Refusal  *refusal               `json:"refusal,omitempty"`
}

// left is the answer to the wish that the holder lets the data directory go.
type left struct {
	Refusal *refusal `json:"refusal,omitempty"`
}

// login is the answer to the wish for a link: one of the two is set.
type login struct {
	Link    string   `json:"link,omitempty"`
	Refusal *refusal `json:"refusal,omitempty"`
}

// result is a [capabilities.Result] with its JSON texts as bytes.
type result struct {
	Structured []byte   `json:"structured,omitempty"`
	Blocks     [][]byte `json:"blocks,omitempty"`
	Meta       []byte   `json:"meta,omitempty"`
	Extra      []byte   `json:"extra,omitempty"`
}

func resultOf(r *capabilities.Result) *result {
	if r == nil {
		return nil
	}
	out := &result{Structured: r.Structured, Meta: r.Meta, Extra: r.Extra}
	for _, b := range r.Blocks {
		out.Blocks = append(out.Blocks, b)
	}
	return out
}

func (r *result) decode() *capabilities.Result {
	if r == nil {
		return nil
	}
	out := &capabilities.Result{Structured: r.Structured, Meta: r.Meta, Extra: r.Extra}
	for _, b := range r.Blocks {
		out.Blocks = append(out.Blocks, b)
	}
	return out
}

// refusal is a [capabilities.Error] with everything a surface shows of it.
type refusal struct {
	Code         capabilities.Code        `json:"code"`
	Base         capabilities.Code        `json:"base"`
	Message      string                   `json:"message"`
	Violations   []capabilities.Violation `json:"violations,omitempty"`
	MaybeApplied bool                     `json:"maybe_applied,omitempty"`
	RetryAfter   time.Duration            `json:"retry_after,omitempty"`
	Upstream     *result                  `json:"upstream,omitempty"`
	Approval     *approval                `json:"approval,omitempty"`
	UnknownName  bool                     `json:"unknown_name,omitempty"`
}

// approval is a [capabilities.ApprovalRequest].
type approval struct {
	ID        string    `json:"id"`
	ExpiresAt time.Time `json:"expires_at"`
	URL       string    `json:"url,omitempty"`
}

func refusalOf(err error) *refusal {
	e, ok := capabilities.AsError(err)
	if !ok { // a door answers nothing else
		e = capabilities.Refuse(capabilities.InternalError, "this server failed")
	}
	return &refusal{
		Code: e.Code, Base: e.Info().Base, Message: e.Message, Violations: e.Violations, MaybeApplied: e.MaybeApplied,
		RetryAfter: e.RetryAfter, Upstream: resultOf(e.Upstream), Approval: (*approval)(e.Approval), UnknownName: errors.Is(err, capabilities.ErrUnknownCapability),
	}
}

func (r *refusal) decode() error {
	e := &capabilities.Error{
		Code: r.Code, Message: r.Message, Violations: r.Violations, MaybeApplied: r.MaybeApplied,
		RetryAfter: r.RetryAfter, Upstream: r.Upstream.decode(), Approval: (*capabilities.ApprovalRequest)(r.Approval),
	}
	if r.UnknownName {
		e = e.Because(capabilities.ErrUnknownCapability)
	}
	return e.WithBase(r.Base)
}

// view is the answer to pathView. Codes are written once and named by every
// capability: written out they would be most of it.
type view struct {
	Digest string                  `json:"digest"`
	Codes  []capabilities.CodeInfo `json:"codes"`
	Listed []listed                `json:"listed"`
}

type listed struct {
	capabilities.Descriptor
	Refuses []capabilities.Code `json:"refuses"`
	// Hidden says that it is not listed.
	Hidden bool `json:"hidden,omitempty"`
	// Reason and Message are the rule where calls are refused.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

func viewOf(v *capabilities.View) view {
	out := view{Digest: v.Digest, Listed: make([]listed, 0, len(v.Listed)+len(v.Hidden))}
	seen := map[capabilities.Code]bool{}
	add := func(c *capabilities.Capability) *listed {
		l := listed{Descriptor: c.Descriptor()}
		for _, i := range l.Codes {
			if !seen[i.Code] {
				seen[i.Code] = true
				out.Codes = append(out.Codes, i)
			}
			l.Refuses = append(l.Refuses, i.Code)
		}
		l.Codes = nil
		out.Listed = append(out.Listed, l)
		return &out.Listed[len(out.Listed)-1]
	}
	refused := v.Refused
	for _, c := range v.Listed {
		l := add(c)
		if len(refused) > 0 && refused[0].Capability == c {
			l.Reason, l.Message = refused[0].Rule.Reason, refused[0].Rule.Message
			refused = refused[1:]
		}
	}
	for _, h := range v.Hidden {
		l := add(h.Capability)
		l.Hidden, l.Reason, l.Message = true, h.Rule.Reason, h.Rule.Message
	}
	return out
}

// decode rebuilds the view; h serves its capabilities.
func (v *view) decode(h capabilities.Handler) (*held, error) {
	codes := make(map[capabilities.Code]capabilities.CodeInfo, len(v.Codes))
	for _, i := range v.Codes {
		codes[i.Code] = i
	}
	out := &held{view: &capabilities.View{Digest: v.Digest}, byName: make(map[string]*capabilities.Capability, len(v.Listed)), rules: map[string]*capabilities.Rule{}}
	for _, l := range v.Listed {
		for _, code := range l.Refuses {
			l.Codes = append(l.Codes, codes[code])
		}
		c, err := capabilities.FromDescriptor(l.Descriptor, h)
		if err != nil {
			return nil, err
		}
		out.byName[c.Name()] = c
		if !l.Hidden {
			out.view.Listed = append(out.view.Listed, c)
		}
		if l.Reason == "" {
			continue
		}
		rule := capabilities.Rule{Reason: l.Reason, Message: l.Message, Listed: !l.Hidden}
		kept := &out.view.Hidden
		if rule.Listed {
			kept = &out.view.Refused
		}
		*kept = append(*kept, capabilities.Hidden{Capability: c, Rule: rule})
		if rule.Reason != capabilities.ReasonApproval { // which keeps nobody from the call
			out.rules[c.Name()] = &rule
		}
	}
	return out, nil
}

// held is a view with its index.
type held struct {
	view   *capabilities.View
	byName map[string]*capabilities.Capability
	rules  map[string]*capabilities.Rule
}
