package capabilities

import (
	"strings"
	"testing"
)

// A place is named by its function, and its folder by the package of that.
func TestSitesAreNamedBelowTheirModule(t *testing.T) {
	if s := callerSite(0); !strings.HasSuffix(s.Func, ".TestSitesAreNamedBelowTheirModule") || !strings.HasSuffix(s.File, "site_internal_test.go") {
		t.Errorf("got %+v", s)
	}
	const module = "github.com/seed-89b9419b/holotype"
	for function, want := range map[string]string{
		module + "/capabilities/tracker.init":    "capabilities/tracker",
		module + "/capabilities/tracker.f.func1": "capabilities/tracker",
		module + ".New":                          "",
	} {
		if got, ok := inModule(function, false); !ok || got != want {
			t.Errorf("%s is in %q, %t, want %q", function, got, ok, want)
		}
	}
	if got, ok := inModule("elsewhere.example/m.F", false); ok {
		t.Errorf("a function of no module is in %q", got)
	}
	if got, ok := inModule(module+"/capabilities_test.F", true); !ok || got != "capabilities" {
		t.Errorf("a package of tests is in %q, %t", got, ok)
	}
}

// An operation key is made of what can be seen.
func TestOperationKeysAreVisible(t *testing.T) {
	for key, want := range map[string]bool{
		"": false, "!~": true, " a": false, "a\x7f": false, "\u00e9": false, strings.Repeat("k", MaxKey): true, strings.Repeat("k", MaxKey+1): false,
	} {
		if got := ValidKey(key); got != want {
			t.Errorf("ValidKey(%q) = %t", key, got)
		}
	}
}
