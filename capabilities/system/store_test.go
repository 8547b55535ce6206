package system_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sqlite3 "github.com/mattn/go-sqlite3"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// caller answers how to call the pack over a store.
func caller(t *testing.T, db *store.DB) func(name string, in map[string]any, dry bool) (map[string]any, error) {
	t.Helper()
	reg, err := capabilities.Assemble(system.Pack.Bind(system.Deps{Store: db}))
	if err != nil {
		t.Fatal(err)
	}
	door := capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(),
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Undeclared: func(c *capabilities.Capability, code capabilities.Code) {
			t.Errorf("%s answers %s, which it does not declare", c.Name(), code)
		},
	})
	return func(name string, in map[string]any, dry bool) (map[string]any, error) {
		t.Helper()
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		res, err := door.Invoke(t.Context(), capabilities.Call{
			Name: name, Arguments: data, Principal: capabilities.OwnerPrincipal(), Surface: capabilities.InProcess,
			Operation: capabilities.Operation{DryRun: dry},
		})
		if err != nil {
			return nil, err
		}
		var out map[string]any
		return out, json.Unmarshal(res.Structured, &out)
	}
}

var copies = []string{"backup_store", "export_store"}

// TestPathsThatNoCopyIsWrittenTo: a dry run says the same as the call.
func TestPathsThatNoCopyIsWrittenTo(t *testing.T) {
	dir, free := t.TempDir(), t.TempDir()
	call := caller(t, storetest.OpenAt(t, filepath.Join(dir, "holotype.db")))
	file := filepath.Join(free, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"a NUL byte":            free + "/a\x00b",
		"a name that is long":   free + "/" + strings.Repeat("x", 256),
		"a directory of /proc":  "/proc/copy.db",
		"deep in /proc":         "/proc/self/copy.db",
		"a directory of /sys":   "/sys/copy.db",
		"a file as a directory": file + "/copy.db",
		"no directory":          free + "/none/copy.db",
		"a log of the database": dir + "/holotype.db-wal-2",
		"the audit":             dir + "/audit.db",
		"any name beside it":    dir + "/copy.db",
	} {
		for _, capability := range copies {
			for _, dry := range []bool{true, false} {
				_, err := call(capability, map[string]any{"path": path}, dry)
				if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Invalid || len(e.Violations) != 1 || e.Violations[0].Pointer != "/path" {
					t.Errorf("%s to %s (dry run: %t) is answered %v", capability, name, dry, err)
				}
			}
		}
	}
	// A name may have 255 bytes.
	for i, capability := range copies {
		path := free + "/" + strings.Repeat(string(rune('a'+i)), 255)
		if _, err := call(capability, map[string]any{"path": path}, false); err != nil {
			t.Errorf("%s to a long name is answered %v", capability, err)
		}
	}
}

// fullTarget is an engine whose copies have no room.
type fullTarget struct{ *sqlite.Engine }

func (fullTarget) Backup(context.Context, string) error {
	return sqlite3.Error{Code: sqlite3.ErrFull}
}

func TestBackupWithoutRoomIsRefused(t *testing.T) {
	o := storetest.Options(t, filepath.Join(t.TempDir(), "holotype.db"))
	own, ok := o.Engine.(*sqlite.Engine)
	if !ok {
		t.Fatalf("the engine is a %T", o.Engine)
	}
	o.Engine = fullTarget{own}
	db := storetest.Start(t, o)
	path := filepath.Join(t.TempDir(), "copy.db")
	_, err := caller(t, db)("backup_store", map[string]any{"path": path}, false)
	if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable || !strings.Contains(e.Message, path) {
		t.Errorf("the backup is answered %v", err)
	}
	if s := db.State(); s.Err != nil {
		t.Errorf("the store says of itself %+v", s)
	}
}

func TestStoreThatIsNoDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holotype.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 50)), 0o600); err != nil {
		t.Fatal(err)
	}
	call := caller(t, storetest.OpenAt(t, path))
	status, err := call("get_store", map[string]any{}, false)
	if at, ok := status["position"]; err != nil || ok || status["ready"] != false {
		t.Errorf("its position is %v, its status %v, %v", at, status, err)
	}
	check, err := call("check_store", map[string]any{}, false)
	if faults, ok := check["faults"].([]any); err != nil || !ok || check["sound"] != false || len(faults) == 0 {
		t.Errorf("the check is answered %v, %v", check, err)
	}
	for _, capability := range copies {
		for _, dry := range []bool{true, false} {
			_, err := call(capability, map[string]any{"path": filepath.Join(t.TempDir(), "copy")}, dry)
			if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable || strings.Contains(e.Message, "check") {
				t.Errorf("%s (dry run: %t) is answered %v", capability, dry, err)
			}
		}
	}
}
