package clientconf_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// lay writes a file with a mode.
func lay(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func opened(t *testing.T, path string) *clientconf.File {
	t.Helper()
	f, err := clientconf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestWrite: a link is followed and stays one, no copy takes the place of another, and a
// file that is new has no copy.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles", "mcp.json"), filepath.Join(dir, "mcp.json")
	lay(t, target, "one", 0o644)
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{".before-holotype", ".before-holotype.2", ".before-holotype.3"} {
		f := opened(t, link)
		before := string(f.Text)
		backup, err := f.Write("holotype", []byte(strings.Repeat("x", i+1)))
		if err != nil || backup != target+want {
			t.Fatalf("%q, %v; want %q", backup, err, target+want)
		}
		isFile(t, backup, []byte(before), 0o600)
	}
	isFile(t, target, []byte("xxx"), 0o644)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is no longer one: %v, %v", info.Mode(), err)
	}
	fresh := filepath.Join(dir, "new", "folder", "mcp.json")
	f := opened(t, fresh)
	if backup, err := f.Write("holotype", []byte("y")); err != nil || backup != "" || f.Backup("holotype") != "" {
		t.Errorf("%q, %v; want no copy of a file that was not there", backup, err)
	}
	isFile(t, fresh, []byte("y"), 0o600)
}

// TestWriteRefused: a file that somebody else has changed, or that is read-only, stays as it is.
func TestWriteRefused(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name   string
		first  os.FileMode // 0 for a file that is not there at first
		change func(path string) error
		want   string
	}{
		{"changed", 0o600, func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) }, "changed it meanwhile"},
		{"removed", 0o600, os.Remove, "changed it meanwhile"},
		{"created", 0, func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) }, "changed it meanwhile"},
		{"read-only", 0o400, func(string) error { return nil }, "read-only"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.name)
			if tt.first != 0 {
				lay(t, path, "ours", tt.first)
			}
			f := opened(t, path)
			if err := tt.change(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			if backup, err := f.Write("holotype", []byte("new")); err == nil || !strings.Contains(err.Error(), tt.want) || backup != "" {
				t.Errorf("%q, %v; want an error with %q", backup, err, tt.want)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Errorf("it holds %q, and held %q", after, before)
			}
			if all, _ := filepath.Glob(filepath.Join(dir, "*before*")); len(all) > 0 {
				t.Errorf("copies were left: %v", all)
			}
		})
	}
}

// TestUnreadable: a file that cannot be understood has a standing of its own, with the place
// and the reason, and there is nothing to write to.
func TestUnreadable(t *testing.T) {
	for _, tt := range []struct{ name, id, text, want string }{
		{"no JSON", "cursor", "{\n  \"mcpServers\": {\n    'a': {}\n  }\n}", "it is not JSON here: line 3, column 5"},
		{"no TOML", "codex", "a = 1\nb = [\n", "it is not TOML here: line"},
		{"no YAML", "goose", "a: 1\n b: 2\n", "it is not YAML here: line"},
		{"not an object", "cursor", "[]", "holds a list"},
		{"servers that are a list", "cursor", `{"mcpServers": []}`, "mcpServers is a list and not an object"},
		{"UTF-16", "cursor", "\xff\xfe{\x00}\x00", "UTF-16"},
		{"not UTF-8", "cursor", "{\"a\": \"\xe9\"}", "not UTF-8"},
		{"too large", "cursor", "{}", "too large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host, c := at(clientconf.Linux, t.TempDir()), clientconf.Find(tt.id)
			path, err := host.File(c)
			if err != nil {
				t.Fatal(err)
			}
			lay(t, path, tt.text, 0o600)
			if tt.name == "too large" {
				if err := os.Truncate(path, clientconf.MaxBytes+1); err != nil {
					t.Fatal(err)
				}
			}
			if v := clientconf.Look(host, c, ours()); v.Standing != clientconf.Unreadable || v.File != nil || !strings.Contains(v.Why, tt.want) {
				t.Errorf("%s, %q; want unreadable with %q", v.Standing, v.Why, tt.want)
			}
		})
	}
	host, c := at(clientconf.Linux, t.TempDir()), clientconf.Find("cursor")
	path, _ := host.File(c)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink("nowhere", path)); err != nil {
		t.Fatal(err)
	}
	if v := clientconf.Look(host, c, ours()); v.Standing != clientconf.Unreadable || !strings.Contains(v.Why, "leads nowhere") {
		t.Errorf("a link that leads nowhere: %s, %q", v.Standing, v.Why)
	}
}

// TestStandings: our entry is found under any name, and another one under ours is foreign.
func TestStandings(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       clientconf.Standing
		entry, why string
	}{
		{"an empty file", "", clientconf.Absent, "", ""},
		{"an empty object", "{}", clientconf.Absent, "", ""},
		{"others", `{"mcpServers": {"a": {"command": "a"}}}`, clientconf.Absent, "", ""},
		{"ours", `{"mcpServers": {"holotype": {"command": "` + program + `", "args": ["mcp"]}}}`, clientconf.Wired, "holotype", ""},
		{"ours, switched off", `{"mcpServers": {"holotype": {"command": "` + program + `", "args": ["mcp"], "disabled": true}}}`, clientconf.Wired, "holotype", "switched off"},
		{"ours by its address", `{"mcpServers": {"holotype": {"url": "http://127.0.0.1:4280/operator/mcp/readonly"}}}`, clientconf.Wired, "holotype", ""},
		{"ours under another name", `{"mcpServers": {"tools": {"command": "` + program + `"}}}`, clientconf.Wired, "tools", ""},
		{"two of ours", `{"mcpServers": {"tools": {"command": "` + program + `"}, "holotype": {"command": "` + program + `"}}}`, clientconf.Wired, "holotype", ""},
		{"another program", `{"mcpServers": {"holotype": {"command": "other"}}}`, clientconf.Foreign, "holotype", ""},
		{"no entry at all", `{"mcpServers": {"holotype": null}}`, clientconf.Foreign, "holotype", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host, c := at(clientconf.Linux, t.TempDir()), clientconf.Find("cursor")
			path, _ := host.File(c)
			lay(t, path, tt.text, 0o600)
			if v := clientconf.Look(host, c, ours()); v.Standing != tt.want || v.Entry != tt.entry || !strings.Contains(v.Why, tt.why) {
				t.Errorf("%s, %q, %q; want %s, %q, %q", v.Standing, v.Entry, v.Why, tt.want, tt.entry, tt.why)
			}
		})
	}
}

// TestHide: no credential of a file is in what is shown of it, and what only refers to one
// is.
func TestHide(t *testing.T) {
	const text = `{"a": {"env": {"API_KEY": "hunter2-hunter2", "OTHER": "ghp_0123456789abcdefghij", "REF": "${API_KEY}", "MY_TOKEN": "${env:MY_TOKEN}", "LEVEL": "debug", "PASSWORD_FILE": "/etc/pw"},
 "args": ["--token", "s3cr3t-value", "--key=another-s3cr3t", "postgres://u:pass-word@h/d", "-y"], "headers": {"Authorization": "Bearer q\"uoted-secret"}, "url": "https://h/mcp?api_key=in-the-query"}}`
	said, err := entrytext.Read(entrytext.JSON, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := clientconf.Hide(text, said)
	for _, secret := range []string{"hunter2", "ghp_", "s3cr3t", "pass-word", "uoted-secret", "in-the-query"} {
		if strings.Contains(got, secret) {
			t.Errorf("%s is shown: %s", secret, got)
		}
	}
	for _, kept := range []string{"${API_KEY}", "${env:MY_TOKEN}", "debug", "/etc/pw", `"-y"`, "Bearer "} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s is not shown: %s", kept, got)
		}
	}
}

// TestDiff: the difference is one that patch takes.
func TestDiff(t *testing.T) {
	numbered := func(n int, more ...string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(string(rune('a'+i)) + "\n")
		}
		return b.String() + strings.Join(more, "")
	}
	for _, tt := range []struct{ name, before, after, want string }{
		{"nothing", "a\n", "a\n", ""},
		{"a new file", "", "a\nb", "--- x\n+++ y\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"},
		{"one line", numbered(9), strings.Replace(numbered(9), "e\n", "E\n", 1), "--- x\n+++ y\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n"},
		{"two places", numbered(12), "0\n" + numbered(12, "z\n"), "--- x\n+++ y\n@@ -1,3 +1,4 @@\n+0\n a\n b\n c\n@@ -10,3 +11,4 @@\n j\n k\n l\n+z\n"},
		{"places that touch", numbered(8), "0\n" + numbered(6) + "G\nh\n", "--- x\n+++ y\n@@ -1,8 +1,9 @@\n+0\n a\n b\n c\n d\n e\n f\n-g\n+G\n h\n"},
		{"the end of the last line", "a", "a\n", "--- x\n+++ y\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
	} {
		if got := clientconf.Diff("x", "y", []byte(tt.before), []byte(tt.after)); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, got, tt.want)
		}
	}
}
