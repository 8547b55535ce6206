package holotype_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// TestAPlaceCanBeOpened opens the places that declarations name, from the root of the
// module, and looks for the declaration there.
func TestAPlaceCanBeOpened(t *testing.T) {
	reg, err := capabilities.Assemble(system.Pack.Describe())
	if err != nil {
		t.Fatal(err)
	}
	for c := range reg.All() {
		if err := declaredAt(c.Site().String()); err != nil {
			t.Errorf("%s: %v", c.Name(), err)
		}
	}
}

// declaredAt reports a place where no declaration stands.
func declaredAt(place string) error {
	file, number, _ := strings.Cut(place, ":")
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	source, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		return err
	}
	if lines := strings.Split(string(source), "\n"); n > len(lines) || !strings.Contains(lines[n-1], "capabilities.Declare(") {
		return errors.New(place + " is no declaration")
	}
	return nil
}

// TestAWrongDeclarationStartsNothing has two wrong declarations and a port that is in
// use: every fault is printed, each at a place that can be opened, and nothing else.
func TestAWrongDeclarationStartsNothing(t *testing.T) {
	type none struct{}
	pack := capabilities.NewPack[none](capabilities.PackInfo{Name: "wrong", Title: "Wrong", Summary: "Wrong declarations."})
	answer := func(context.Context, none, none) (none, error) { return none{}, nil }
	capabilities.Declare(pack, capabilities.Spec{Name: "No Name", Title: "One", Summary: "Do one.", Effect: capabilities.Read(capabilities.Local), Route: "GET /one"}, answer)
	capabilities.Declare(pack, capabilities.Spec{Name: "two", Title: "Two", Summary: "Do two.", Route: "GET /two"}, answer)
	var lc net.ListenConfig
	taken, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }() // nobody was let in
	s := holotype.New(holotype.Options{Name: "acme", Packs: []capabilities.Bound{pack.Bind(none{})}})
	for _, line := range [][]string{
		{"serve", "--data", t.TempDir(), "--listen", taken.Addr().String()},
		{"mcp", "--data", t.TempDir()},
		{"tools", "--data", t.TempDir()},
	} {
		var out, errw bytes.Buffer
		status := s.Command().Run(t.Context(), line, strings.NewReader(""), &out, &errw)
		if status != 1 || out.Len() > 0 || strings.Contains(errw.String(), "listening") {
			t.Errorf("%v: exit %d, stdout %q, stderr %s", line, status, out.String(), errw.String())
		}
		for _, name := range []string{"No Name", "two"} {
			at := regexp.MustCompile(`(?m)^(\S+): ` + name + `: `).FindStringSubmatch(errw.String())
			if at == nil {
				t.Errorf("%v: no fault of %q: %s", line, name, errw.String())
			} else if err := declaredAt(at[1]); err != nil {
				t.Errorf("%v: %q: %v", line, name, err)
			}
		}
	}
}
