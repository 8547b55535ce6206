package parity_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// way is one way to call the server.
type way struct {
	name   string
	family inputs.Family
	send   func(t *testing.T, in inputs.Input) (said, inputs.Reason)
}

// ways answers every way, HTTP first.
func (r *running) ways(t *testing.T) []way {
	t.Helper()
	all := []way{{"http", inputs.OverHTTP, r.overHTTP}}
	for _, s := range r.Speakers(t) {
		all = append(all, way{s.Name, inputs.OverMCP, overMCPBy(s)})
	}
	return append(all,
		way{"command line with --json", inputs.AsJSON, r.withJSON},
		way{"command line with flags", inputs.AsFlags, r.withFlags},
	)
}
