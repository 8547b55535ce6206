package parity_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/drive"
	"github.com/seed-89b9419b/holotype/tests/fixture"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// running is the one server of a test, with what its tools publish.
type running struct {
	*drive.Running
	tools map[string]inputs.Tool
}

// start serves the fixture and the native packs.
func start(t *testing.T) *running {
	t.Helper()
	return serveWith(t, holotype.Options{Packs: []capabilities.Bound{fixture.Pack.Bind(fixture.Deps{})}})
}

func serveWith(t *testing.T, o holotype.Options) *running {
	t.Helper()
	r := &running{Running: drive.Start(t, o), tools: map[string]inputs.Tool{}}
	for _, row := range parse[struct{ Items []inputs.Tool }](t, r.Get(t, "/api/v1/tools?limit=1000")).Items {
		r.tools[row.Name] = parse[inputs.Tool](t, r.Get(t, "/api/v1/tools/"+row.Name))
	}
	if len(r.tools) < 10 {
		t.Fatalf("only %d tools are listed", len(r.tools))
	}
	return r
}
