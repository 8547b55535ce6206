package tracker_test

import (
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// TestCheckFindsWhatTheLogDoesNotSay: each by a row that another program changed.
func TestCheckFindsWhatTheLogDoesNotSay(t *testing.T) {
	db := storetest.Open(t, tracker.Schema())
	reg, err := capabilities.Assemble(tracker.Pack.Bind(tracker.Deps{Store: db}))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db, reg: reg, as: capabilities.OwnerPrincipal()}
	w.door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	w.do("create_project", `{"key":"WEB","title":"Web"}`)
	w.do("create_project", `{"key":"APP","title":"App"}`)
	for _, in := range []string{`{"project":"WEB","title":"one"}`, `{"project":"WEB","title":"two"}`, `{"project":"WEB","title":"three"}`} {
		w.do("create_work_item", in)
	}
	w.do("move_work_item", `{"item":"WEB-2","project":"APP"}`)
	w.do("remove_work_item", `{"item":"WEB-3"}`)
	w.do("create_label", `{"project":"WEB","name":"bug"}`)
	w.do("create_label", `{"project":"WEB","name":"gone"}`)
	w.do("remove_label", `{"project":"WEB","name":"gone"}`)
	for _, file := range []string{"a.md", "b.md"} {
		w.do("write_project_file", `{"project":"WEB","path":"`+file+`","text":"text of `+file+`"}`)
	}
	w.do("remove_project_file", `{"project":"WEB","path":"b.md"}`)
	faults, err := db.Check(t.Context())
	if err != nil || len(faults) > 0 {
		t.Fatalf("before, the check finds %q, %v", faults, err)
	}
	for _, c := range []struct{ name, query, says string }{
		{"a project of another version", `UPDATE tracker_projects SET version = 9 WHERE project = 'APP'`, `project "APP" is at version 9, and change 2 left it at version 1`},
		{"a project that is not there", `DELETE FROM tracker_projects WHERE project = 'APP'`, `project "APP" is missing`},
		{"a project from nowhere", `INSERT INTO tracker_projects SELECT 'X', version, title, summary, lead_id, default_assignee, archived, created_ms, created_by, updated_ms, updated_by FROM tracker_projects WHERE project = 'APP'`, `project "X" is at version 1, and no change says`},
		{"an item of another version", `UPDATE tracker_items SET version = version - 1 WHERE title = 'two'`, `at version 1, and change`},
		{"an item that is not there", `DELETE FROM tracker_items WHERE title = 'one'`, `is missing, and change 3 left it at version 1`},
		{"an item elsewhere", `UPDATE tracker_items SET project = 'WEB' WHERE title = 'two'`, `is in project WEB, and change`},
		{"an item out of the trash", `UPDATE tracker_items SET trashed_ms = NULL WHERE title = 'three'`, `is in the trash or removed: false`},
		{"an item in the trash", `UPDATE tracker_items SET trashed_ms = 1 WHERE title = 'one'`, `is in the trash or removed: true`},
		{"a label of another version", `UPDATE tracker_labels SET version = 7`, `is at version 7`},
		{"a label that was removed", `INSERT INTO tracker_labels SELECT (SELECT entity_id FROM changes WHERE kind = 'label' ORDER BY seq DESC LIMIT 1), project, 'x', 'x', colour, 2, created_ms, created_by FROM tracker_labels`, `is at version 2, and change`},
		{"a file of another version", `UPDATE tracker_files SET version = 5 WHERE path = 'a.md'`, `project_file "WEB/a.md" is at version 5`},
		{"a file that is there again", `UPDATE tracker_files SET removed = 0 WHERE path = 'b.md'`, `project_file "WEB/b.md" is in the trash or removed: false`},
		{"a file without its bytes", `DELETE FROM blobs`, `of a file of a project, are missing`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "copy.db")
			if _, err := db.Backup(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			other, err := sql.Open("sqlite3", path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = other.ExecContext(t.Context(), c.query)
			if err := errors.Join(err, other.Close()); err != nil {
				t.Fatal(err)
			}
			found, err := storetest.OpenAt(t, path, tracker.Schema()).Check(t.Context())
			if err != nil || !strings.Contains(strings.Join(found, "\n"), c.says) {
				t.Errorf("the check finds %q, %v; want what says %q", found, err, c.says)
			}
		})
	}
}
