package parity_test

import (
	"testing"
)

// family is a group of ways that have the same words.
type family string

const (
	overHTTP family = "http"
	overMCP  family = "mcp"
	asJSON   family = "json"  // the command line, with --json
	asFlags  family = "flags" // the command line, with a flag a field
)

// reason is why a way cannot carry an input. The set is closed; what a way does
// instead is checked where it was sent all the same.
type reason string

const (
	// Nothing is sent: there are no words for it.
	textOnly    reason = "a text in a path, a query or a flag means the type that the field has"
	noEmptyList reason = "a query and flags repeat a name for every item, and no item is no name"
	noField     reason = "a flag that is no field is a fault of the command line, which names the nearest one"
	flagsOnce   reason = "flags that stand twice are a fault of the command line"
	flagsWhole  reason = "flags are fields: they always make an object"
	pathWhole   reason = "without a field of the path there is no path"
	noRoute     reason = "an old name and a name that nobody has are no routes"

	// The surface refuses in its own terms before there is a call.
	pathSlash     reason = "a slash, however written, is no part of a path's field"
	pathEmpty     reason = "an empty part of a path leads nowhere"
	brokenMessage reason = "arguments that are no JSON break the message they stand in"
	longMessage   reason = "arguments as large as is taken leave no room for the message around them"
	noSuchTool    reason = "the protocol has an error of its own for a name that is in no list"
	emptyText     reason = "an empty text is no value of --json"
)

// reasons are the closed set.
func reasons() []reason {
	return []reason{
		textOnly, noEmptyList, noField, flagsOnce, flagsWhole, pathWhole, noRoute,
		pathSlash, pathEmpty, brokenMessage, longMessage, noSuchTool, emptyText,
	}
}

// way is one way to call the server.
type way struct {
	name   string
	family family
	send   func(t *testing.T, in input) (said, reason)
}

// ways answers every way, HTTP first.
func (r *running) ways(t *testing.T) []way {
	t.Helper()
	all := []way{{"http", overHTTP, r.overHTTP}}
	for _, s := range r.Speakers(t) {
		all = append(all, way{s.Name, overMCP, overMCPBy(s)})
	}
	return append(all,
		way{"command line with --json", asJSON, r.withJSON},
		way{"command line with flags", asFlags, r.withFlags},
	)
}
