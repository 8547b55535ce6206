package codegen_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/codegen"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

const marked = "<!-- " + markdown.Marker + ". -->\n"

func set(t *testing.T, files map[string]string, folders ...string) codegen.Set {
	t.Helper()
	bytes := map[string][]byte{}
	for name, text := range files {
		bytes[name] = []byte(text)
	}
	var s codegen.Set
	if err := s.Add(bytes, folders...); err != nil {
		t.Fatal(err)
	}
	return s
}

// folder makes files below a fresh folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// tree answers the files below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Write and Check see the same changes: what Check names, Write touches, and after
// Write there is nothing to name.
func TestWriteAndCheckWalkOneMap(t *testing.T) {
	want := map[string]string{"out/a.md": "a\nb\n", "out/deep/er/b.md": "b\n", "alone.txt": "x\n"}
	for _, c := range []struct {
		name    string
		have    map[string]string
		touched []string
		named   []string // parts of what Check says
	}{
		{"everything is missing", nil, []string{"alone.txt", "out/a.md", "out/deep/er/b.md"}, []string{"alone.txt: missing", "out/a.md: missing"}},
		{"nothing changes", want, nil, nil},
		{"one differs", map[string]string{"out/a.md": "a\nX\n", "out/deep/er/b.md": "b\n", "alone.txt": "x\n"}, []string{"out/a.md"}, []string{"out/a.md: differs from line 2 on"}},
		{"one is longer", map[string]string{"out/a.md": "a\nb\nc\n", "out/deep/er/b.md": "b\n", "alone.txt": "x\n"}, []string{"out/a.md"}, []string{"out/a.md: differs from line 3 on"}},
		{"one lacks its end", map[string]string{"out/a.md": "a\nb", "out/deep/er/b.md": "b\n", "alone.txt": "x\n"}, []string{"out/a.md"}, []string{"out/a.md: differs from line 3 on"}},
		{"one is empty", map[string]string{"out/a.md": "", "out/deep/er/b.md": "b\n", "alone.txt": "x\n"}, []string{"out/a.md"}, []string{"out/a.md: differs from line 1 on"}},
		{
			"one is stale",
			map[string]string{"out/a.md": "a\nb\n", "out/deep/er/b.md": "b\n", "alone.txt": "x\n", "out/deep/old.md": marked, "out/Z.md": marked},
			[]string{"out/Z.md", "out/deep/old.md"},
			[]string{"out/Z.md: stale: no generator writes it", "out/deep/old.md: stale"},
		},
		{
			"others are not ours",
			map[string]string{"out/a.md": "a\nb\n", "out/deep/er/b.md": "b\n", "alone.txt": "x\n", "README.md": "mine", "outer/x.md": marked, "out.md": marked},
			nil, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir := set(t, want, "out"), folder(t, c.have)
			before := tree(t, dir)
			err := codegen.Check(dir, s)
			if (err == nil) != (c.named == nil) {
				t.Fatalf("Check: %v", err)
			}
			for _, part := range c.named {
				if !strings.Contains(err.Error(), "\n  "+part) {
					t.Errorf("%q is not named in: %v", part, err)
				}
			}
			if err != nil && strings.Count(err.Error(), "\n  ") != len(c.touched) {
				t.Errorf("Check names other files than %v: %v", c.touched, err)
			}
			if d := cmp.Diff(before, tree(t, dir)); d != "" {
				t.Errorf("Check wrote:\n%s", d)
			}
			touched, err := codegen.Write(dir, s)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.touched, touched); d != "" {
				t.Errorf("touched (-want +got):\n%s", d)
			}
			after := map[string]string{}
			for name, text := range before {
				if !strings.HasPrefix(name, "out/") {
					after[name] = text
				}
			}
			maps.Copy(after, want)
			if d := cmp.Diff(after, tree(t, dir)); d != "" {
				t.Errorf("tree (-want +got):\n%s", d)
			}
			if err := codegen.Check(dir, s); err != nil {
				t.Errorf("after Write: %v", err)
			}
			if touched, err := codegen.Write(dir, s); err != nil || touched != nil {
				t.Errorf("the second Write touched %v, %v", touched, err)
			}
		})
	}
}

// What nobody says was generated is reported, and everything else is written.
func TestStrangersAreKept(t *testing.T) {
	for name, text := range map[string]string{
		"a note of a person":             "my notes\n",
		"an empty file":                  "",
		"a marker that is not the first": "title\n" + marked,
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, map[string]string{"out/notes.md": text, "out/old.md": marked})
			s := set(t, map[string]string{"out/a.md": "a\n"}, "out")
			if err := codegen.Check(dir, s); err == nil || !strings.Contains(err.Error(), "out/notes.md: no generator writes it") {
				t.Errorf("Check: %v", err)
			}
			touched, err := codegen.Write(dir, s)
			if err == nil || !strings.Contains(err.Error(), "out/notes.md") {
				t.Errorf("Write: %v", err)
			}
			if d := cmp.Diff([]string{"out/a.md", "out/old.md"}, touched); d != "" {
				t.Errorf("touched (-want +got):\n%s", d)
			}
			if d := cmp.Diff(map[string]string{"out/notes.md": text, "out/a.md": "a\n"}, tree(t, dir)); d != "" {
				t.Errorf("tree (-want +got):\n%s", d)
			}
		})
	}
}

func TestTwoGeneratorsNeverWriteOnePath(t *testing.T) {
	s := set(t, map[string]string{"out/a.md": "a"})
	err := s.Add(map[string][]byte{"out/b.md": nil, "out/a.md": []byte("other")})
	if err == nil || !strings.Contains(err.Error(), "two generators write out/a.md") {
		t.Errorf("%v", err)
	}
	if string(s.Files["out/a.md"]) != "a" {
		t.Errorf("the second one won: %q", s.Files["out/a.md"])
	}
}

func TestNothingLeavesTheFolder(t *testing.T) {
	outside := folder(t, map[string]string{"victim.md": marked})
	for _, path := range []string{"../victim.md", "/etc/victim.md", "a/../../victim.md", "a//b.md", "./a.md", "a/", ".", ""} {
		for name, s := range map[string]codegen.Set{
			"as a file":   {Files: map[string][]byte{path: []byte("x")}},
			"as a folder": {Folders: []string{path}},
		} {
			t.Run(path+" "+name, func(t *testing.T) {
				dir := filepath.Join(outside, "in")
				if err := codegen.Check(dir, s); err == nil || !strings.Contains(err.Error(), "below the output folder") {
					t.Errorf("Check: %v", err)
				}
				if touched, err := codegen.Write(dir, s); err == nil || touched != nil {
					t.Errorf("Write: %v, %v", touched, err)
				}
			})
		}
	}
	if d := cmp.Diff(map[string]string{"victim.md": marked}, tree(t, outside)); d != "" {
		t.Errorf("outside (-want +got):\n%s", d)
	}
}

func TestLinksLeadNowhere(t *testing.T) {
	outside := folder(t, map[string]string{"victim.md": marked})
	dir := folder(t, map[string]string{"out/x.md": "x"})
	if err := os.Symlink(filepath.Join(outside, "victim.md"), filepath.Join(dir, "out", "link.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	s := set(t, map[string]string{"out/x.md": "x", "out/link.md": "overwritten"}, "out")
	if touched, err := codegen.Write(dir, s); err == nil {
		t.Errorf("wrote through a link of a file: %v", touched)
	}
	s = set(t, map[string]string{"away/new.md": "new"}, "away")
	if touched, err := codegen.Write(dir, s); err == nil {
		t.Errorf("wrote through a link of a folder: %v", touched)
	}
	s = set(t, map[string]string{"out/x.md": "x"}, "out")
	if _, err := codegen.Write(dir, s); err == nil || !strings.Contains(err.Error(), "out/link.md: no generator writes it") {
		t.Errorf("a link that nobody writes: %v", err)
	}
	if d := cmp.Diff(map[string]string{"victim.md": marked}, tree(t, outside)); d != "" {
		t.Errorf("outside (-want +got):\n%s", d)
	}
}

func TestCheckOfAFolderThatIsNotThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	err := codegen.Check(dir, set(t, map[string]string{"a.md": "a"}, "out"))
	if err == nil || !strings.Contains(err.Error(), "a.md: missing") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("Check made the folder: %v", err)
	}
}

// What people and their tools keep in a folder of the generators is theirs.
func TestKeptFoldersAreNobodysToJudge(t *testing.T) {
	dir := folder(t, map[string]string{"out/a.md": marked, "out/released/a.md": marked, "out/released/b.json": "{}", "out/lock.json": "{}"})
	s := set(t, map[string]string{"out/a.md": marked}, "out")
	if err := codegen.Check(dir, s); err == nil {
		t.Error("files that nobody writes are fresh")
	}
	s.Kept = []string{"out/released", "out/lock.json"}
	if err := codegen.Check(dir, s); err != nil {
		t.Error(err)
	}
	if touched, err := codegen.Write(dir, s); err != nil || touched != nil {
		t.Errorf("touched %v, %v", touched, err)
	}
}
