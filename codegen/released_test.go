package codegen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-89b9419b/holotype/codegen/surface"
)

// The surface of the last release is kept: what has changed since is carried by the
// version that is declared now.
func TestVersionCarriesTheSurface(t *testing.T) {
	f, err := os.Open(filepath.Join("..", surface.Released, "surface.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	released, err := surface.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	now, err := surface.Read(bytes.NewReader(generate(t).Files[surface.Path]))
	if err != nil {
		t.Fatal(err)
	}
	changes, err := surface.Diff(released, now)
	if err != nil {
		t.Fatal(err)
	}
	if v := surface.Judge(released, now, changes); !v.Carried {
		t.Errorf("%s: raise holotype.Version, and say in CHANGELOG.md what changed", v.Reason)
		for _, c := range changes {
			t.Logf("%s %s %s %s: %s", c.Class, c.Kind, c.Capability, c.At, c.Reason)
		}
	}
	if len(released.Capabilities) < 10 || released.Of != surface.Registry {
		t.Errorf("the released surface has %d capabilities of a %s", len(released.Capabilities), released.Of)
	}
}
