package approval

import (
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// State is what became of a request.
type State string

// The closed set of states.
const (
	// Pending: nobody has decided yet.
	Pending State = "pending"
	// Approved: the call may be sent once.
	Approved State = "approved"
	// Denied: the call is refused until the request expires.
	Denied State = "denied"
	// Used: the call was sent, and ran or may have.
	Used State = "used"
	// Expired: nobody decided in time, or the approval was not used in time.
	Expired State = "expired"
)

// States answers the closed set.
func States() []State { return []State{Pending, Approved, Denied, Used, Expired} }

// SchemaEnum lists the members.
func (State) SchemaEnum() []string {
	var all []string
	for _, s := range States() {
		all = append(all, string(s))
	}
	return all
}

// Facts are what an approver is told of a call beside its arguments, as it was when the
// request was filed.
type Facts struct {
	Title string `json:"title,omitempty"`
	// Effect is a builtin's, as "change/reach"; empty of a bridged tool.
	Effect string `json:"effect,omitempty"`
	// Asserts is the strongest thing that is said of a call: destroys, writes, reads or
	// unknown.
	Asserts string `json:"asserts"`
	// ReadOnly, Destructive, Idempotent and OpenWorld are its hints.
	ReadOnly    capabilities.Hint `json:"read_only"`
	Destructive capabilities.Hint `json:"destructive"`
	Idempotent  capabilities.Hint `json:"idempotent"`
	OpenWorld   capabilities.Hint `json:"open_world"`
	// Source is builtin, or mcp: and the name of a server.
	Source string `json:"source"`
	// Kind is what sort of caller asked, Seat the position and Credential the token.
	Kind       string `json:"kind"`
	Seat       string `json:"seat,omitempty"`
	Credential string `json:"credential,omitempty"`
	Surface    string `json:"surface"`
	// Rule is where the rule stands that asks for the approval.
	Rule string `json:"rule"`
}

// factsOf answers the facts of a call of a capability as it is served now.
func factsOf(inv *capabilities.Invocation, c *capabilities.Capability, need capabilities.ApprovalNeed) Facts {
	p, h := inv.Principal, c.Hints()
	f := Facts{
		Title: c.Title(), Asserts: h.Word(), ReadOnly: h.ReadOnly, Destructive: h.Destructive, Idempotent: h.Idempotent, OpenWorld: h.OpenWorld,
		Source: c.Source(), Kind: string(p.Kind), Seat: p.Seat, Credential: p.Credential, Surface: string(inv.Surface), Rule: need.Path,
	}
	if e, ok := c.Effect(); ok {
		f.Effect = e.String()
	}
	return f
}

// Request is a request as it is kept.
type Request struct {
	ID string
	// Principal is the key of who asked, [capabilities.Principal.Key], and ActingFor the
	// person for whom; empty for nobody.
	Principal, ActingFor string
	Capability           string
	// OpID is the operation key of the call, Digest its digest in hexadecimal.
	OpID, Digest string
	State        State
	Facts        Facts
	// Arguments are those of the call, with known secrets masked.
	Arguments json.RawMessage
	// RequestedAt and ExpiresAt bound it; DecidedAt and UsedAt are zero where it was not.
	RequestedAt, ExpiresAt, DecidedAt, UsedAt time.Time
	// DecidedBy is the key of who decided, and Reason what they gave for it.
	DecidedBy, Reason string
}

// row is a row of approval_requests.
type row struct {
	ID          string         `db:"id"`
	Principal   string         `db:"principal"`
	ActingFor   string         `db:"acting_for"`
	Digest      string         `db:"digest"`
	OpKey       string         `db:"op_key"`
	State       string         `db:"state"`
	Capability  string         `db:"capability"`
	Facts       string         `db:"facts"`
	Arguments   string         `db:"arguments"`
	RequestedMS int64          `db:"requested_ms"`
	ExpiresMS   int64          `db:"expires_ms"`
	DecidedMS   sql.NullInt64  `db:"decided_ms"`
	DecidedBy   sql.NullString `db:"decided_by"`
	Reason      sql.NullString `db:"reason"`
	UsedMS      sql.NullInt64  `db:"used_ms"`
}

func (r *row) request(now time.Time) (Request, error) {
	q := Request{
		ID: r.ID, Principal: r.Principal, ActingFor: r.ActingFor, Capability: r.Capability, OpID: r.OpKey, Digest: r.Digest, State: r.stateAt(now),
		Arguments: json.RawMessage(r.Arguments), RequestedAt: at(r.RequestedMS), ExpiresAt: at(r.ExpiresMS), DecidedBy: r.DecidedBy.String, Reason: r.Reason.String,
	}
	if r.DecidedMS.Valid {
		q.DecidedAt = at(r.DecidedMS.Int64)
	}
	if r.UsedMS.Valid {
		q.UsedAt = at(r.UsedMS.Int64)
	}
	if err := json.Unmarshal([]byte(r.Facts), &q.Facts); err != nil {
		return Request{}, fmt.Errorf("reading the facts of the request %s: %w", r.ID, err)
	}
	if q.Facts.Kind == string(capabilities.Owner) && q.Facts.Seat != "" { // see binding
		q.Principal = strings.TrimSuffix(q.Principal, " "+q.Facts.Seat)
	}
	if !json.Valid(q.Arguments) {
		return Request{}, fmt.Errorf("the arguments of the request %s are no JSON", r.ID)
	}
	return q, nil
}

// stateAt answers the state with the time looked at. A denial and a use stay what they
// are.
func (r *row) stateAt(now time.Time) State {
	if s := State(r.State); s != Pending && s != Approved || now.UnixMilli() < r.ExpiresMS {
		return s
	}
	return Expired
}

func at(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// binding is what a request is bound to. The principal is the caller's key, and behind a
// space the seat that the owner's credential was let into: what calls from there is not
// what calls from another seat, and has the same key.
type binding struct{ principal, actingFor, digest, opKey string }

func bindingOf(call *capabilities.Running, p *capabilities.Principal) binding {
	sum, principal := call.Digest(), p.Key()
	if p.Kind == capabilities.Owner && p.Seat != "" {
		principal += " " + p.Seat
	}
	return binding{principal, p.ActingFor, hex.EncodeToString(sum[:]), call.Operation.ID}
}
