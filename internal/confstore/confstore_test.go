package confstore_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/confstore"
)

// clock tells another minute every time.
func clock() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2026, 1, 2, 3, 0, 0, 7, time.FixedZone("X", 3600))
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Minute)
		return now
	}
}

func minute(n int) time.Time { return time.Date(2026, 1, 2, 2, n, 0, 7, time.UTC) }

func open(t *testing.T, path string) *confstore.Store {
	t.Helper()
	s, err := confstore.Open(path, clock())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t *testing.T, s *confstore.Store, name, raw string) confstore.Entry {
	t.Helper()
	e, err := s.Put(name, json.RawMessage(raw), "ada", confstore.Condition{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func names(entries []confstore.Entry) string {
	var out []string
	for _, e := range entries {
		out = append(out, e.Name+"="+string(e.Raw))
	}
	return strings.Join(out, " ")
}

func TestChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp_servers.json")
	s := open(t, path)
	if len(s.List()) != 0 || len(s.History("")) != 0 {
		t.Errorf("an empty store holds %v, %v", s.List(), s.History(""))
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("reading made the file")
	}
	a := put(t, s, "a", "{ \"x\": \"<${T}> \\u00fc\",\n \"y\": [1.10, 1e400] }")
	put(t, s, "b", `{}`)
	a2, err := s.Put("a", json.RawMessage(`{"x":2}`), "bob", confstore.IfMatch(a.ETag), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Delete("b", "eve", confstore.Condition{}, nil); err != nil {
		t.Fatal(err)
	}
	put(t, s, "c", `{"z":1}`)
	b := put(t, s, "b", `{}`)

	const first = `{"x":"<${T}> \u00fc","y":[1.10,1e400]}`
	if string(a.Raw) != first || a.Revision != 1 || a.By != "ada" || !a.At.Equal(minute(1)) {
		t.Errorf("got %+v", a)
	}
	if a2.ETag == a.ETag || a2.Revision != 3 || a2.By != "bob" || b.ETag == "" {
		t.Errorf("got %+v", a2)
	}
	want := []confstore.Revision{
		{Revision: 6, Name: "b", By: "ada", At: minute(6), After: json.RawMessage(`{}`)},
		{Revision: 5, Name: "c", By: "ada", At: minute(5), After: json.RawMessage(`{"z":1}`)},
		{Revision: 4, Name: "b", By: "eve", At: minute(4), Before: json.RawMessage(`{}`)},
		{Revision: 3, Name: "a", By: "bob", At: minute(3), Before: json.RawMessage(first), After: json.RawMessage(`{"x":2}`)},
		{Revision: 2, Name: "b", By: "ada", At: minute(2), After: json.RawMessage(`{}`)},
		{Revision: 1, Name: "a", By: "ada", At: minute(1), After: json.RawMessage(first)},
	}
	for what, store := range map[string]*confstore.Store{"at once": s, "opened again": open(t, path)} {
		if diff := cmp.Diff(want, store.History("")); diff != "" {
			t.Errorf("%s: history (-want +got)\n%s", what, diff)
		}
		if got := names(store.List()); got != `a={"x":2} c={"z":1} b={}` {
			t.Errorf("%s: %s", what, got)
		}
		if got, err := store.Get("a"); err != nil || !cmp.Equal(got, a2) {
			t.Errorf("%s: %+v, %v, want %+v", what, got, err, a2)
		}
		if got := store.History("c"); len(got) != 1 || got[0].Name != "c" {
			t.Errorf("%s: the history of c is %v", what, got)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v, want mode 0600", info.Mode(), err)
	}
}

// What is handed out is the caller's.
func TestWhatIsHandedOutIsACopy(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "f"))
	raw := json.RawMessage(`{"a":1}`)
	put(t, s, "a", string(raw))
	for _, b := range []json.RawMessage{s.List()[0].Raw, s.History("")[0].After} {
		clear(b)
	}
	if got := names(s.List()); got != `a={"a":1}` || string(s.History("")[0].After) != `{"a":1}` {
		t.Errorf("got %s", got)
	}
}

func TestTheSameAgainChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	s := open(t, path)
	a := put(t, s, "a", `{"x": 1}`)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	again := put(t, s, "a", "{\"x\":\n1}")
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || !cmp.Equal(a, again) || len(s.History("")) != 1 {
		t.Errorf("got %+v, want %+v, and one change: %v", again, a, s.History(""))
	}
}

func TestConditions(t *testing.T) {
	for name, c := range map[string]struct {
		entry  string
		when   func(etag string) confstore.Condition
		put    error
		remove error
	}{
		"none, nothing there":          {"b", func(string) confstore.Condition { return confstore.Condition{} }, nil, confstore.ErrNotFound},
		"none, there":                  {"a", func(string) confstore.Condition { return confstore.Condition{} }, nil, nil},
		"absent, nothing there":        {"b", func(string) confstore.Condition { return confstore.IfAbsent() }, nil, confstore.ErrNotFound},
		"absent, there":                {"a", func(string) confstore.Condition { return confstore.IfAbsent() }, confstore.ErrExists, confstore.ErrExists},
		"matching":                     {"a", confstore.IfMatch, nil, nil},
		"matching anything":            {"a", func(string) confstore.Condition { return confstore.IfMatch("*") }, nil, nil},
		"matching another":             {"a", func(string) confstore.Condition { return confstore.IfMatch("1-000000000000") }, confstore.ErrMismatch, confstore.ErrMismatch},
		"matching, nothing there":      {"b", confstore.IfMatch, confstore.ErrNotFound, confstore.ErrNotFound},
		"matching anything, not there": {"b", func(string) confstore.Condition { return confstore.IfMatch("*") }, confstore.ErrNotFound, confstore.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			for _, op := range []string{"put", "try to put", "remove", "try to remove"} {
				path := filepath.Join(t.TempDir(), "f")
				s := open(t, path)
				a := put(t, s, "a", `{}`)
				when, raw := c.when(a.ETag), json.RawMessage(`{"new":true}`)
				var err error
				want := c.put
				switch op {
				case "put":
					_, err = s.Put(c.entry, raw, "ada", when, nil)
				case "try to put":
					_, err = s.TryPut(c.entry, raw, "ada", when)
				case "remove":
					err, want = s.Delete(c.entry, "ada", when, nil), c.remove
				case "try to remove":
					_, err = s.TryDelete(c.entry, "ada", when)
					want = c.remove
				}
				if !errors.Is(err, want) || want == nil && err != nil {
					t.Errorf("%s: %v, want %v", op, err, want)
				}
				if failed, ok := errors.AsType[*confstore.ConditionError](err); want != nil {
					etag := ""
					if c.entry == "a" {
						etag = a.ETag
					}
					if !ok || failed.Name != c.entry || failed.ETag != etag {
						t.Errorf("%s: %#v, want the entry %q and the etag %q", op, err, c.entry, etag)
					}
				}
				if changed := len(open(t, path).History("")) > 1; changed != (want == nil && !strings.HasPrefix(op, "try")) {
					t.Errorf("%s: changed: %v", op, changed)
				}
			}
		})
	}
}

func TestACheckSeesWhatWouldBe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	s := open(t, path)
	put(t, s, "a", `{}`)
	no := errors.New("no")
	var seen []string
	check := func(after []confstore.Entry) error {
		seen = append(seen, names(after))
		return no
	}
	_, first := s.Put("b", json.RawMessage(`{"b":1}`), "ada", confstore.Condition{}, check)
	second := s.Delete("a", "ada", confstore.Condition{}, check)
	if first != no || second != no { //nolint:errorlint // it is the very answer
		t.Errorf("got %v, %v, want what the check answers", first, second)
	}
	tried, err := s.TryPut("a", json.RawMessage(`{"c":1}`), "ada", confstore.Condition{})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := s.TryDelete("a", "ada", confstore.Condition{})
	if err != nil || len(gone) != 0 {
		t.Errorf("after taking away the only one: %v, %v", gone, err)
	}
	if diff := cmp.Diff([]string{`a={} b={"b":1}`, "", `a={"c":1}`}, append(seen, names(tried))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := names(s.List()) + names(open(t, path).List()); got != "a={}a={}" {
		t.Errorf("what was refused or tried was done: %s", got)
	}
}

func TestWhatIsNotKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	s := open(t, path)
	for what, c := range map[string][3]string{
		"no name": {"", `{}`, "ada"}, "a long name": {strings.Repeat("x", 257), `{}`, "ada"}, "nobody": {"a", `{}`, ""},
		"no entry": {"a", ``, "ada"}, "a list": {"a", `[]`, "ada"}, "a text": {"a", `"{}"`, "ada"}, "null": {"a", `null`, "ada"}, "half": {"a", `{`, "ada"}, "two": {"a", `{}{}`, "ada"},
		"no UTF-8": {"a", "{\"x\":\"\xff\"}", "ada"}, "large": {"a", `{"x":"` + strings.Repeat("x", confstore.MaxEntry) + `"}`, "ada"},
	} {
		if _, err := s.Put(c[0], json.RawMessage(c[1]), c[2], confstore.Condition{}, nil); err == nil || strings.Contains(err.Error(), "{") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := s.Delete("a", "", confstore.Condition{}, nil); err == nil {
		t.Error("nobody removes")
	}
	if len(s.List()) != 0 {
		t.Errorf("kept: %v", s.List())
	}
}

// filled writes a file with so many entries and changes, each entry as large as they may be.
func filled(t *testing.T, entries, changes int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	large := `{"x":"` + strings.Repeat("x", confstore.MaxEntry-8) + `"}`
	var all, history []string
	for i := range entries {
		all = append(all, fmt.Sprintf(`{"name":"e%d","revision":1,"by":"ada","at":"2026-01-01T00:00:00Z","entry":%s}`, i, large))
	}
	for i := range changes {
		history = append(history, fmt.Sprintf(`{"revision":%d,"name":"e0","by":"ada","at":"2026-01-01T00:00:00Z","after":%s}`, i+1, large))
	}
	text := fmt.Sprintf(`{"format":1,"last":%d,"entries":[%s],"history":[%s]}`, max(changes, 1), strings.Join(all, ","), strings.Join(history, ","))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBounds(t *testing.T) {
	s := open(t, filled(t, confstore.MaxBytes/confstore.MaxEntry, 0))
	if _, err := s.Put("more", json.RawMessage(`{}`), "ada", confstore.Condition{}, nil); err == nil || !strings.Contains(err.Error(), "all entries together") {
		t.Errorf("too many bytes: %v", err)
	}
	put(t, s, "e0", `{}`) // less of one makes room
	put(t, s, "more", `{}`)

	const most = confstore.MaxHistoryBytes / confstore.MaxEntry
	s = open(t, filled(t, 1, most))
	if got := len(s.History("")); got != most {
		t.Fatalf("%d changes, want %d", got, most)
	}
	put(t, s, "e0", `{}`)
	// The new change takes the entry before and the one after: the two oldest go.
	if h := s.History(""); h[0].Revision != most+1 || len(h) != most-1 {
		t.Errorf("%d changes, the newest %d, want %d and %d", len(h), h[0].Revision, most-1, most+1)
	}

	path := filepath.Join(t.TempDir(), "f")
	var all []string
	for i := range confstore.MaxEntries {
		all = append(all, fmt.Sprintf(`{"name":"e%d","revision":1,"entry":{}}`, i))
	}
	if err := os.WriteFile(path, []byte(`{"format":1,"last":1,"entries":[`+strings.Join(all, ",")+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var bound *confstore.BoundError
	if _, err := open(t, path).Put("more", json.RawMessage(`{}`), "ada", confstore.Condition{}, nil); !errors.As(err, &bound) || !strings.Contains(err.Error(), "at most 1000 entries") {
		t.Errorf("too many: %v", err)
	}
}

func TestTheHistoryForgetsAndTheNumbersDoNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	content := strings.Builder{}
	for i := range confstore.MaxHistory {
		fmt.Fprintf(&content, `,{"revision":%d,"name":"a","by":"ada","at":"2026-01-01T00:00:00Z","after":{"n":%d}}`, i+1, i)
	}
	text := fmt.Sprintf(`{"format":1,"last":%d,"entries":[{"name":"old","revision":1,"by":"ada","at":"2026-01-01T00:00:00Z","entry":{}}],"history":[%s]}`, confstore.MaxHistory, content.String()[1:])
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	e := put(t, s, "b", `{}`)
	h := open(t, path).History("")
	if e.Revision != confstore.MaxHistory+1 || len(h) != confstore.MaxHistory || h[0].Revision != e.Revision || h[len(h)-1].Revision != 2 {
		t.Errorf("revision %d, %d changes from %d to %d", e.Revision, len(h), h[len(h)-1].Revision, h[0].Revision)
	}
	if got := names(s.List()); got != "old={} b={}" {
		t.Errorf("an entry went with its history: %s", got)
	}
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	for what, content := range map[string]string{
		"empty": "", "not JSON": "{", "another format": `{"format":2}`, "no format": `{}`, "a list": `[]`,
		"an entry that is none":     `{"format":1,"last":1,"entries":[{"name":"a","revision":1,"entry":[]}]}`,
		"an entry without a name":   `{"format":1,"last":1,"entries":[{"revision":1,"entry":{}}]}`,
		"a name twice":              `{"format":1,"last":2,"entries":[{"name":"a","revision":1,"entry":{}},{"name":"a","revision":2,"entry":{}}]}`,
		"a revision to come":        `{"format":1,"last":1,"entries":[{"name":"a","revision":2,"entry":{}}]}`,
		"a change to come":          `{"format":1,"last":1,"history":[{"name":"a","revision":2}]}`,
		"changes out of order":      `{"format":1,"last":3,"history":[{"name":"a","revision":2},{"name":"a","revision":2}]}`,
		"a change that is no entry": `{"format":1,"last":3,"history":[{"name":"a","revision":2,"before":1}]}`,
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := confstore.Open(path, time.Now); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "put it back from a backup") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A write that fails changes nothing, in memory or on disk; what a crash left beside the file goes away.
func TestAFailedWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "f")
	s := open(t, path)
	put(t, s, "a", `{}`)
	moved := dir + "-moved"
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put("b", json.RawMessage(`{}`), "ada", confstore.Condition{}, nil); err == nil {
		t.Error("no error without a directory")
	}
	if got := names(s.List()); got != "a={}" {
		t.Errorf("after a failed write the store holds %s", got)
	}
	if err := errors.Join(os.Rename(moved, dir), os.WriteFile(filepath.Join(dir, ".f-1"), []byte("half"), 0o600)); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	if got := names(again.List()); got != "a={}" {
		t.Errorf("got %s", got)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("in the directory: %v, %v", entries, err)
	}
}

// Of several who create one entry at once, one does.
func TestTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	s := open(t, path)
	const n = 8
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			_, errs[i] = s.Put("a", json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)), "ada", confstore.IfAbsent(), nil)
			s.List()
			s.History("")
		})
	}
	group.Wait()
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
		} else if !errors.Is(err, confstore.ErrExists) {
			t.Error(err)
		}
	}
	if made != 1 || len(open(t, path).History("")) != 1 {
		t.Errorf("%d succeeded, history %v", made, s.History(""))
	}
}
