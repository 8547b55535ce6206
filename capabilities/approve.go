package capabilities

import "time"

// ReasonApproval is the reason of a capability a call of which a person has to approve
// first: it is listed, and a call runs once it is approved.
const ReasonApproval = "approval"

// MaxWait is the longest that a call is held for a person's decision.
const MaxWait = 5 * time.Minute

// NoWait as [Call.Wait] has a call answered at once, whatever the rule says.
const NoWait = -time.Nanosecond

// Approvals is what a [Gate] may say beside its decision: which calls a person has to
// approve, each by itself. It is asked about a capability that the principal may call.
type Approvals interface {
	NeedsApproval(p *Principal, c *Capability) (need ApprovalNeed, needed bool)
}

// ApprovalNeed is a rule that asks for a person's approval.
type ApprovalNeed struct {
	// Path is where the rule stands in the configuration.
	Path string
	// Wait is how long a call is held where it does not say so itself; 0 is not at all.
	Wait time.Duration
	// Valid is how long a request, and an approval, is good for.
	Valid time.Duration
}

// ApprovalRequest is what a refusal says about the request that a person decides on.
type ApprovalRequest struct {
	ID        string
	ExpiresAt time.Time
	// URL is the page on which a person decides with their own browser; "" where the server
	// does not know at which address it is.
	URL string
}

// rule answers the entry of a view for a capability that needs an approval.
func (n *ApprovalNeed) rule(c *Capability) Rule {
	return Rule{Reason: ReasonApproval, Message: c.name + " is served once a person has approved the very call (" + n.Path + " in the configuration)", Listed: true}
}
