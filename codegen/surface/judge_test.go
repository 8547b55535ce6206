package surface_test

import (
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/codegen/surface"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		old, now string
		class    surface.Class
		carried  bool
		needs    string
	}{
		{"1.2.3", "1.2.3", surface.None, true, ""},
		{"1.2.3", "1.2.4", surface.None, true, ""},
		{"1.2.3", "1.2.3", surface.Patch, false, "1.2.4"},
		{"1.2.3", "1.2.4", surface.Patch, true, ""},
		{"1.2.3", "1.2.4", surface.Minor, false, "1.3.0"},
		{"1.2.3", "1.3.0", surface.Minor, true, ""},
		{"1.2.3", "1.3.0", surface.Major, false, "2.0.0"},
		{"1.2.3", "2.0.0", surface.Major, true, ""},
		{"1.2.3", "3.1.0", surface.Major, true, ""},
		{"1.2.3", "1.2.2", surface.None, false, "1.2.3"},
		{"2.0.0", "1.9.0", surface.Minor, false, "2.1.0"},
		{"0.3.1", "0.3.2", surface.Patch, true, ""},
		{"0.3.1", "0.3.2", surface.Minor, true, ""},
		{"0.3.1", "0.3.1", surface.Minor, false, "0.3.2"},
		{"0.3.1", "0.3.2", surface.Major, false, "0.4.0"},
		{"0.3.1", "0.4.0", surface.Major, true, ""},
		{"0.3.1", "1.0.0", surface.Major, true, ""},
		{"1.2.3", "2.0.0-rc.1", surface.Major, true, ""},
		{"2.0.0-rc.1", "2.0.0-rc.2", surface.Major, true, ""},
		{"2.0.0-rc.2", "2.0.0-rc.10", surface.Major, true, ""},
		{"2.0.0-rc.1", "2.0.0-rc", surface.None, false, "2.0.0"},
		{"2.0.0-rc.1", "2.0.0-rc.1", surface.Patch, false, "2.0.1"},
		{"2.0.0-rc.1", "2.0.0", surface.Major, true, ""},
		{"2.0.0-alpha", "2.0.0-1", surface.None, false, "2.0.0"},
		{"1.2.3+build.5", "1.2.3+build.4", surface.None, true, ""},
		{"v1.2.3", "v1.3.0", surface.Minor, true, ""},
		{"1.2.3", "dev", surface.Minor, false, ""},
		{"01.2.3", "1.3.0", surface.Minor, false, ""},
		{"dev", "dev", surface.None, true, ""},
	} {
		t.Run(strings.Join([]string{c.old, c.now, c.class.String()}, " "), func(t *testing.T) {
			var changes []surface.Change
			if c.class != surface.None {
				changes = []surface.Change{{Class: surface.Patch}, {Class: c.class}}
			}
			v := surface.Judge(&surface.Picture{Version: c.old}, &surface.Picture{Version: c.now}, changes)
			if v.Class != c.class || v.Carried != c.carried || v.Needs != c.needs || v.Reason == "" {
				t.Errorf("got %+v, want carried %v, needs %q", v, c.carried, c.needs)
			}
		})
	}
}
