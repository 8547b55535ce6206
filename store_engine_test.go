//go:build cgo

package holotype

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/datadir"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
)

// TestStoreIsWhatTheConfigurationAsksFor: and never another.
func TestStoreIsWhatTheConfigurationAsksFor(t *testing.T) {
	dir, err := datadir.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		dir   *datadir.Dir
		store config.Store
		want  string // the engine and the end of its path, or a part of the error
	}{
		{"nothing", dir, config.Store{}, "sqlite " + filepath.Join(dir.Path(), storeFile)},
		{"a file", dir, config.Store{URL: "sqlite:/var/data/s.db"}, "sqlite /var/data/s.db"},
		{"a database", dir, config.Store{URL: "postgres://h/d"}, "postgres"},
		{"a variable that is not set", dir, config.Store{Unresolved: "store: the variable NONE is not set"}, "NONE is not set"},
		{"a url that is none", dir, config.Store{URL: "postgres://u:hunter2@h:port/d"}, "invalid port"},
		{"nothing on disk", nil, config.Store{URL: "postgres://h/d"}, "sqlite /holotype-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := engineOf(c.dir, &config.Config{Store: c.store})
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = e.Name()
				if local, ok := e.(*sqlite.Engine); ok {
					got += " " + local.Path()
				}
			}
			if !strings.Contains(got, c.want) || strings.Contains(got, "hunter2") {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}
