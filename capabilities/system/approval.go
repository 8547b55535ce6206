package system

import (
	"encoding/json"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

// Approval is a call that a person has to approve, with all that there is to decide by.
type Approval struct {
	// The request's id.
	ID string `json:"id"`
	// What is called.
	Capability string `json:"capability"`
	// The arguments, whole. Secrets of the configuration are masked in them.
	Arguments json.RawMessage `json:"arguments"`
	// Who calls: owner, or a kind and an id, such as seat:builder.
	Principal string `json:"principal"`
	// The strongest thing that is said of the call: destroys, writes, reads or unknown.
	Asserts catalogue.Word `json:"asserts"`
	// What became of it: pending, approved, denied, used once it was approved, or expired.
	State approval.State `json:"state"`
	// When it was asked for.
	RequestedAt string `json:"requested_at" jsonschema:"format=date-time"`
	// Until when it may be decided, and the call sent.
	ExpiresAt string `json:"expires_at" jsonschema:"format=date-time"`
	// Its title, where it has one.
	Title string `json:"title,omitempty"`
	// What the call may change and where, as change/reach; absent of a bridged tool.
	Effect string `json:"effect,omitempty"`
	// What is said of the call, or not, hint by hint.
	Hints ApprovalHints `json:"hints"`
	// Whose it is: builtin, or mcp: and the name of a server.
	Source string `json:"source"`
	// The person for whom it is called; absent for nobody.
	ActingFor string `json:"acting_for,omitempty"`
	// The seat that is acted as; absent for none.
	Seat string `json:"seat,omitempty"`
	// The id of the token that was used; absent for the owner's own.
	Credential string `json:"credential,omitempty"`
	// Where the call arrived: http, mcp, cli, console or in_process.
	Surface string `json:"surface"`
	// What the approval is bound to: the SHA-256 of the name and the arguments.
	Digest string `json:"digest"`
	// The operation key of the call; absent for none.
	OpID string `json:"op_id,omitempty"`
	// The rule of the configuration that asks for the approval.
	Rule string `json:"rule"`
	// Who decided; absent while nobody has.
	DecidedBy string `json:"decided_by,omitempty"`
	// When it was decided; absent while it was not.
	DecidedAt string `json:"decided_at,omitempty" jsonschema:"format=date-time"`
	// What was said for it; absent for nothing.
	Reason string `json:"reason,omitempty"`
	// When the approved call was sent; absent while it was not.
	UsedAt string `json:"used_at,omitempty" jsonschema:"format=date-time"`
}

// ApprovalHints are the four hints of a call that a person has to approve.
type ApprovalHints struct {
	// Whether it changes nothing: yes, no, or unknown where nobody says so.
	ReadOnly catalogue.Value `json:"read_only"`
	// Whether it may change or remove what exists.
	Destructive catalogue.Value `json:"destructive"`
	// Whether doing it twice is doing it once.
	Idempotent catalogue.Value `json:"idempotent"`
	// Whether it touches what others read and write, or anything outside.
	OpenWorld catalogue.Value `json:"open_world"`
}

func approvalOf(q *approval.Request) Approval {
	f := &q.Facts
	return Approval{
		ID: q.ID, State: q.State, Capability: q.Capability, Title: f.Title, Effect: f.Effect, Asserts: catalogue.Word(f.Asserts),
		Hints: ApprovalHints{
			catalogue.Value(f.ReadOnly.String()), catalogue.Value(f.Destructive.String()), catalogue.Value(f.Idempotent.String()), catalogue.Value(f.OpenWorld.String()),
		},
		Source: f.Source, Principal: q.Principal, ActingFor: q.ActingFor, Seat: f.Seat, Credential: f.Credential, Surface: f.Surface,
		Arguments: q.Arguments, Digest: q.Digest, OpID: q.OpID, Rule: f.Rule, RequestedAt: stamp(q.RequestedAt), ExpiresAt: stamp(q.ExpiresAt),
		DecidedBy: q.DecidedBy, DecidedAt: stamp(q.DecidedAt), Reason: q.Reason, UsedAt: stamp(q.UsedAt),
	}
}

// needsApprovals leaves a capability out where no requests are kept.
func needsApprovals() capabilities.Option[Deps] {
	return capabilities.When(func(d Deps) bool { return d.Approvals != nil })
}
