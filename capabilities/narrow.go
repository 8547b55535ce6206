package capabilities

import "fmt"

// Narrowing leaves a principal a part of what it may see and call, such as the part that
// one address of a surface serves. The zero value leaves all of it.
type Narrowing struct {
	ReadOnly bool   // only what is known to change nothing
	Group    string // only the tools of this pack or server; "" is of all
}

// ReasonNarrowed is the reason of a capability that is not in the part that the
// principal's [Narrowing] leaves.
const ReasonNarrowed = "narrowed"

// Narrowed answers the principal with a part of what it may see and call.
func (p *Principal) Narrowed(n Narrowing) *Principal {
	narrowed := *p
	narrowed.Narrowing = n
	return &narrowed
}

// decide answers the rule that keeps c out of what is left, or nil.
func (n Narrowing) decide(c *Capability) *Rule {
	switch {
	case n.Group != "" && n.Group != c.Group():
		return &Rule{Reason: ReasonNarrowed, Message: fmt.Sprintf("%s is not served here, where only the tools of %s are: call it at the address of all tools", c.name, n.Group)}
	case n.ReadOnly && !ReadOnlyProven(c):
		return &Rule{Reason: ReasonNarrowed, Message: fmt.Sprintf("%s is not served here, where only tools are that are known to change nothing: call it at the address of all tools", c.name)}
	}
	return nil
}

// key identifies the narrowing; "" is of the zero value.
func (n Narrowing) key() string {
	if n == (Narrowing{}) {
		return ""
	}
	return fmt.Sprintf("\x00\x00%t\x00%s", n.ReadOnly, n.Group)
}
