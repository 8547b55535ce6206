package arch_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// tutorial is the page from which a newcomer learns to add a capability.
const tutorial = "docs/add-a-capability.md"

// taught is where it tells a newcomer to put the example, and the example.
var taught = regexp.MustCompile("(?s)in the folder of its pack: `([^`]+)`.*?```go\n(.*?)```")

// TestTutorialTeachesWhatCompiles builds the example of the tutorial as if it
// stood where the text says, under the rules every declaration keeps.
func TestTutorialTeachesWhatCompiles(t *testing.T) {
	m := taught.FindStringSubmatch(own(t).files[tutorial])
	if m == nil {
		t.Fatalf("%s shows no example with the file it belongs in", tutorial)
	}
	name, source := m[1], m[2]
	for _, r := range []rule{oneName, noInit, givenClock, oneEnvironment, noStrangers, importsPointDown} {
		for _, fault := range r(small(t, map[string]string{name: source})) {
			t.Error(fault)
		}
	}
	if err := buildWith(t, name, source); err != nil {
		t.Error(err)
	}
	if err := buildWith(t, name, source+"\nvar _ int = true\n"); err == nil {
		t.Error("a source that does not compile was built, so nothing was")
	}
}

// buildWith compiles the package of a file that is not there.
func buildWith(t *testing.T, name, source string) error {
	t.Helper()
	dir := t.TempDir()
	file, overlay := filepath.Join(dir, "source.go"), filepath.Join(dir, "overlay.json")
	absolute, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {absolute: file}})
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{file: []byte(source), overlay: replace} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-tags", "sqlite_fts5", "-overlay", overlay, "./"+filepath.ToSlash(filepath.Dir(name)))
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Logf("%s", out)
		return err
	}
	return nil
}
