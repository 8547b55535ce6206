package arch_test

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// reached: what the source declares is what a server has.
func reached(declared, served []string) []string {
	var faults []string
	for _, name := range declared {
		if !slices.Contains(served, name) {
			faults = append(faults, fmt.Sprintf("%s is declared and did not reach the registry: does packs.go list its pack?", name))
		}
	}
	for _, name := range served {
		if !slices.Contains(declared, name) {
			faults = append(faults, fmt.Sprintf("%s is served and no file declares it", name))
		}
	}
	return faults
}

func TestEveryDeclarationReachedTheRegistry(t *testing.T) {
	var declared []string
	for _, d := range declarations(own(t)) {
		if !d.file.test {
			declared = append(declared, d.name)
		}
	}
	if len(declared) == 0 {
		t.Fatal("no declaration was found in the source")
	}
	server := holotype.New(holotype.Options{
		Data:   t.TempDir(),
		Lookup: func(string) (string, bool) { return "", false },
		Log:    slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("closing the server: %v", err)
		}
	})
	page, err := system.ListTools.Call(t.Context(), server, capabilities.OwnerPrincipal(),
		system.ListToolsInput{PageInput: capabilities.PageInput{Limit: 1000}, Source: "builtin"})
	if err != nil {
		t.Fatal(err)
	}
	var served []string
	for _, row := range page.Items {
		if row.AliasOf == "" {
			served = append(served, row.Name)
		}
	}
	for _, fault := range reached(declared, served) {
		t.Error(fault)
	}
	if got := reached([]string{"a", "b"}, []string{"b", "c"}); len(got) != 2 {
		t.Errorf("the rule finds %q in sets that differ in 2 names", got)
	}
}
