package capabilities

import "slices"

// The names of the tools by which a surface with a long list has its callers find,
// describe and call the others. They belong to the surface: no pack declares one.
const (
	FindTools     = "find_tools"
	DescribeTools = "describe_tools"
	CallRead      = "call_read"
	CallWrite     = "call_write"
)

// DiscoveryNames answers the names of the tools of discovery, in the order they are listed.
func DiscoveryNames() []string { return []string{FindTools, DescribeTools, CallRead, CallWrite} }

// Discovering answers the principal for a surface that lists the tools of discovery to it
// in place of the others, all of which it may call as before.
func (p *Principal) Discovering() *Principal {
	own := *p
	own.Discovery = true
	return &own
}

func reserved(name string) bool { return slices.Contains(DiscoveryNames(), name) }
