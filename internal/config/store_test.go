package config_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func TestStore(t *testing.T) {
	dir := t.TempDir()
	lookup := variables(map[string]string{"URL": "postgres://u:hunter2@h/d", "PASS": "hunter2", "FILE": "/var/data/s.db", "EMPTY": "", "OTHER": "mysql://hunter2"})
	for _, c := range []struct {
		name, text string
		want       config.Store
		shown      string
	}{
		{"not there", "listen: 127.0.0.1:9", config.Store{}, "null"},
		{"a file", "store: sqlite:/var/data/s.db", config.Store{URL: "sqlite:/var/data/s.db"}, `"sqlite:/var/data/s.db"`},
		{"a file beside this one", "store: sqlite:data/s.db", config.Store{URL: "sqlite:" + filepath.Join(dir, "data/s.db")}, `"sqlite:data/s.db"`},
		{"a file of a variable", "store: sqlite:${FILE}", config.Store{URL: "sqlite:/var/data/s.db"}, `"sqlite:${FILE}"`},
		{"a database", "store: postgres://h/d", config.Store{URL: "postgres://h/d"}, `"postgres://h/d"`},
		{"its other name", "store: postgresql://h/d", config.Store{URL: "postgresql://h/d"}, `"postgresql://h/d"`},
		{"a password", "store: postgres://u:${PASS}@h1,h2:5433/d?sslmode=disable", config.Store{URL: "postgres://u:hunter2@h1,h2:5433/d?sslmode=disable"}, `"postgres://(set)${PASS}@h1,h2:5433/d?sslmode=(set)"`},
		{"a password that is written out", "store: postgres://u:hunter2@h/d?password=hunter2", config.Store{URL: "postgres://u:hunter2@h/d?password=hunter2"}, `"postgres://(set)@h/d?password=(set)"`},
		{"all of it a variable", "store: ${URL}", config.Store{URL: "postgres://u:hunter2@h/d"}, `"${URL}"`},
		{"a variable that is not set", "store: postgres://u:${NONE}@h/d", config.Store{Unresolved: "store: the variable NONE is not set; run `holotype secrets set NONE`, or set it in the environment and start again"}, `"postgres://(set)${NONE}@h/d"`},
		{"an empty variable", "store: ${EMPTY}", config.Store{Unresolved: "store: the variable EMPTY is empty; run `holotype secrets set EMPTY`, or set it in the environment and start again"}, `"${EMPTY}"`},
		{"a variable with something else", "store: ${OTHER}", config.Store{Unresolved: "store: what its variables give is not sqlite: and the path of a file, or a url that begins with postgres://"}, `"${OTHER}"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := config.Load(config.Options{Path: writeAt(t, filepath.Join(dir, "c.yaml"), c.text+"\n"), Lookup: lookup})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got.Store); d != "" {
				t.Errorf("the store (-want +got):\n%s", d)
			}
			for _, s := range got.Show() {
				if s.Path == "store" && string(s.Value) != c.shown {
					t.Errorf("it is shown as %s, want %s", s.Value, c.shown)
				}
				if strings.Contains(string(s.Value), "hunter2") {
					t.Errorf("it is shown with a secret: %s", s.Value)
				}
			}
			if strings.Contains(fmt.Sprint(got.Variables()), "hunter2") {
				t.Error("its variables have a secret")
			}
		})
	}
	for name, text := range map[string]string{
		"another database": "store: mysql://h/d", "a path": "store: /var/data/s.db", "no path": "store: 'sqlite:'", "a number": "store: 5", "nothing": "store:", "a space": "store: postgres://h/d x",
		"what looks like a variable": "store: postgres://$USER@h/d",
	} {
		t.Run(name+" is a fault", func(t *testing.T) {
			_, err := config.Load(config.Options{Path: writeAt(t, filepath.Join(dir, "c.yaml"), text+"\n"), Lookup: lookup})
			if err == nil || !strings.Contains(err.Error(), "c.yaml:1: store") {
				t.Errorf("it is answered %v", err)
			}
		})
	}
}
