package audit_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/audit"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// until lists rows until they stand for so many, in their order.
func until(t *testing.T, log *audit.Log, want int64) (rows []audit.Row) {
	t.Helper()
	after := int64(0)
	for stand := int64(0); stand < want; {
		more, err := log.Await(t.Context(), audit.Query{After: after, Oldest: true, Limit: 1000}, time.Minute)
		if err != nil || len(more) == 0 {
			t.Fatalf("after rows that stand for %d of %d there is none: %v", stand, want, err)
		}
		for _, r := range more {
			stand, after = stand+r.Times, r.ID
		}
		rows = append(rows, more...)
	}
	return rows
}

// What is refused before it reaches a capability is noted: the first of many in one
// second by itself, all others together, and whoever comes from ever more addresses makes
// no more rows.
func TestRefusalsAreNotedAndBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, d storetest.Database) {
		_, log := audited(t, d, audit.Options{})
		owner := capabilities.OwnerPrincipal()
		const flood = 5000
		for i := range flood {
			log.Refused(audit.Refusal{Surface: capabilities.HTTP, Code: capabilities.Unauthenticated, Reason: "bad_credential", From: "203.0.113.7", RequestID: fmt.Sprint("r", i)})
		}
		log.Refused(audit.Refusal{Surface: capabilities.MCP, Code: capabilities.Unauthenticated, Reason: "bad_credential", Credential: "tok_1", From: "203.0.113.7", RequestID: "expired"})
		log.Refused(audit.Refusal{Surface: capabilities.MCP, Code: capabilities.NotFound, Reason: "unknown_name", Principal: owner, RequestID: "unknown"})
		rows := until(t, log, flood+2)
		if len(rows) > 10 {
			t.Errorf("there are %d rows", len(rows))
		}
		byID := map[string]audit.Row{}
		for _, r := range rows {
			if r.At == 0 {
				t.Errorf("a row without a time: %+v", r)
			}
			r.ID, r.At = 0, 0
			byID[r.RequestID] = r
		}
		for _, want := range []audit.Row{
			{RequestID: "r0", Surface: "http", Outcome: "unauthenticated", Reason: "bad_credential", From: "203.0.113.7", Times: 1},
			{RequestID: "expired", Surface: "mcp", Outcome: "unauthenticated", Reason: "bad_credential", From: "203.0.113.7", Credential: "tok_1", Times: 1},
			{RequestID: "unknown", Surface: "mcp", Outcome: "not_found", Reason: "unknown_name", Principal: "owner", PrincipalKind: "owner", Times: 1},
		} {
			if d := cmp.Diff(want, byID[want.RequestID]); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		}
		for i := range flood {
			log.Refused(audit.Refusal{Surface: capabilities.HTTP, Code: capabilities.Forbidden, Reason: "foreign_host", From: fmt.Sprintf("203.0.%d.%d", i/250, i%250)})
		}
		stand := int64(0)
		rows = until(t, log, 2*flood+2)
		for _, r := range rows {
			stand += r.Times
		}
		if stand != 2*flood+2 || len(rows) > 200 {
			t.Errorf("%d rows stand for %d", len(rows), stand)
		}
	})
}

// What was counted is not lost when the server stops.
func TestCountedRefusalsOutliveTheProcess(t *testing.T) {
	d := onSQLite(t)
	_, log := opened(t, d, audit.Options{})
	for range 100 {
		log.Refused(audit.Refusal{Surface: capabilities.HTTP, Code: capabilities.Unauthenticated, Reason: "bad_credential"})
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	log.Refused(audit.Refusal{Surface: capabilities.HTTP, Code: capabilities.Unauthenticated, Reason: "bad_credential"}) // too late, and no harm
	_, again := audited(t, d, audit.Options{})
	until(t, again, 100)
}

// Calls over a rate limit are as many as somebody sends who does not wait.
func TestCallsOverALimitAreBounded(t *testing.T) {
	door, log := audited(t, onSQLite(t), audit.Options{})
	for range 1000 {
		call(door, capabilities.OwnerPrincipal(), "too often", capabilities.Operation{})
	}
	rows := until(t, log, 1000)
	if len(rows) > 20 {
		t.Errorf("there are %d rows", len(rows))
	}
	for _, r := range rows {
		if r.Capability != "act" || r.Outcome != "rate_limited" || r.Reason != "rate_limited" || r.Principal != "owner" {
			t.Errorf("a row is %+v", r)
		}
	}
}

// Every row is a line of the file, which may be moved away, and which nobody waits for.
func TestEveryRowIsALineOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var said bytes.Buffer
	door, log := opened(t, onSQLite(t), audit.Options{File: path, Log: slog.New(slog.NewTextHandler(&said, nil))})
	lines := func(path string) (all []map[string]any) {
		t.Helper()
		// What is listed is in the database, and in the file a moment later.
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		scan := bufio.NewScanner(bytes.NewReader(data))
		for scan.Scan() {
			var one map[string]any
			if err := json.Unmarshal(scan.Bytes(), &one); err != nil {
				t.Fatalf("%v in %q", err, scan.Text())
			}
			all = append(all, one)
		}
		return all
	}
	who := &capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Scopes: []string{"*"}, Credential: "tok_1"}
	call(door, who, "wrong", capabilities.Operation{})
	if _, err := log.List(t.Context(), audit.Query{Limit: 10}); err != nil {
		t.Fatal(err)
	}
	first := lines(path)
	if len(first) != 1 {
		t.Fatalf("%d lines, want 1", len(first))
	}
	at, _ := first[0]["at"].(string)
	if _, err := time.Parse(time.RFC3339Nano, at); err != nil {
		t.Errorf("the time is %q", at)
	}
	delete(first[0], "at")
	delete(first[0], "duration_ms")
	want := map[string]any{
		"request_id": "r-wrong", "capability": "act", "source": "builtin", "principal": "desk", "principal_kind": "seat", "seat": "desk", "credential": "tok_1",
		"surface": "http", "outcome": "invalid", "argument_bytes": float64(len(`{"do":"wrong"}`)), "result_bytes": float64(0),
	}
	if d := cmp.Diff(want, first[0]); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	log.Refused(audit.Refusal{Surface: capabilities.HTTP, Code: capabilities.Forbidden, Reason: "foreign_host", From: "203.0.113.7"})
	call(door, who, "wrong", capabilities.Operation{})
	if _, err := log.List(t.Context(), audit.Query{Limit: 10}); err != nil {
		t.Fatal(err)
	}
	if moved, next := lines(path+".1"), lines(path); len(moved) != 1 || len(next) != 2 || next[0]["reason"] != "foreign_host" || next[0]["from"] != "203.0.113.7" {
		t.Errorf("after it was moved away there are %d lines in the old file, and in the new one %v", len(moved), next)
	}
	// Where nothing can be written calls go on, and the log says so once.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		call(door, who, "wrong", capabilities.Operation{})
		if _, err := log.List(t.Context(), audit.Query{Limit: 10}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	call(door, who, "wrong", capabilities.Operation{})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(said.String(), "audit_file_failing"); n != 1 || !strings.Contains(said.String(), "audit_file_rows_lost") || !strings.Contains(said.String(), "rows=3") {
		t.Errorf("the log says %s", said.String())
	}
	if next := lines(path); len(next) != 1 {
		t.Errorf("afterwards the file has %v", next)
	}
}

// A file that ends within a line, as after a full disk or a power cut, goes on with a line of
// its own.
func TestALineIsNotWrittenBehindHalfOfOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	const half = `{"at":"2026-11-30T`
	if err := os.WriteFile(path, []byte("{}\n"+half), 0o600); err != nil {
		t.Fatal(err)
	}
	door, log := opened(t, onSQLite(t), audit.Options{File: path, Log: slog.New(slog.DiscardHandler)})
	call(door, &capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Scopes: []string{"*"}}, "wrong", capabilities.Operation{})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if lines := strings.Split(string(data), "\n"); err != nil || len(lines) != 4 || lines[1] != half || !json.Valid([]byte(lines[2])) || lines[3] != "" {
		t.Errorf("%v: %q", err, data)
	}
}

func TestAFileThatCannotBeWritten(t *testing.T) {
	d := onSQLite(t)
	for name, path := range map[string]string{"a folder": t.TempDir(), "in a folder that is not there": filepath.Join(t.TempDir(), "none", "x"), "a device": "/dev/null"} {
		o := audit.Options{Engine: d.Engine(t), Log: slog.New(slog.DiscardHandler), Now: time.Now, File: path}
		if log, err := audit.Open(t.Context(), o); err == nil {
			_ = log.Close()
			t.Errorf("%s is taken", name)
		}
	}
}
