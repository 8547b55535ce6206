package vectors_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen"
	"github.com/seed-89b9419b/holotype/codegen/vectors"
	committed "github.com/seed-89b9419b/holotype/tests/vectors"
)

func written(t *testing.T) codegen.Set {
	t.Helper()
	files, err := vectors.Files()
	if err != nil {
		t.Fatal(err)
	}
	var set codegen.Set
	if err := set.Add(files, vectors.Folder); err != nil {
		t.Fatal(err)
	}
	return set
}

// What is committed is what the tables say now.
func TestVectorsAreFresh(t *testing.T) {
	if err := codegen.Check("../..", written(t)); err != nil {
		t.Error(err)
	}
}

// The closed sets are there whole.
func TestVectorsAreWhole(t *testing.T) {
	for name, least := range map[string]int{
		"effects": len(capabilities.Effects()), "classifiers": 81, "annotations": 81, "names": 25, "refusals": len(capabilities.BaseCodes()), "relay": 20, "violations": 25,
	} {
		cases, err := committed.Load[json.RawMessage](name)
		if err != nil {
			t.Fatal(err)
		}
		had := map[string]bool{}
		for _, c := range cases {
			had[string(c)] = true
		}
		if len(had) < least || len(had) != len(cases) {
			t.Errorf("%s has %d cases, %d of them different, and should have at least %d", name, len(cases), len(had), least)
		}
	}
	if _, err := committed.Load[json.RawMessage]("nothing"); err == nil {
		t.Error("vectors of nothing are answered")
	}
}

// replay runs the second implementation over a folder of vectors.
func replay(t *testing.T, folder string) (string, error) {
	t.Helper()
	node, err := exec.LookPath("node")
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	default:
		t.Skip("SKIPPED: node is not in the PATH, so no other implementation replays the vectors; install node 20 or newer")
	}
	out, err := exec.CommandContext(t.Context(), node, "../../tests/vectors/replay.mjs", folder).CombinedOutput()
	return string(out), err
}

// An implementation that was written from the README gives what the vectors say.
func TestAnotherLanguageReplaysThem(t *testing.T) {
	out, err := replay(t, "../../"+vectors.Folder)
	if err != nil || !strings.Contains(out, "compared, 0 wrong") {
		t.Errorf("%v: %s", err, out)
	}
}

// It tells a wrong vector of every file that it replays.
func TestTheReplayBites(t *testing.T) {
	set := written(t)
	for name, change := range map[string][2]string{
		"effects":     {`"idempotentHint":false`, `"idempotentHint":true`},
		"classifiers": {`"read_only_proven":true`, `"read_only_proven":false`},
		"annotations": {`"annotations":null`, `"annotations":"{}"`},
		"names":       {`"exposed":"alpha__`, `"exposed":"alpha_`},
		"refusals":    {`"exit":6`, `"exit":1`},
		"relay":       {`"asserts":"destroys"`, `"asserts":"writes"`},
	} {
		dir := t.TempDir()
		spoiled := codegen.Set{Files: map[string][]byte{}}
		for path, text := range set.Files {
			base := filepath.Base(path)
			if base == name+".json" {
				text = bytes.Replace(text, []byte(change[0]), []byte(change[1]), 1)
				if bytes.Equal(text, set.Files[path]) {
					t.Fatalf("%s has no %s", base, change[0])
				}
			}
			spoiled.Files[base] = text
		}
		if _, err := codegen.Write(dir, spoiled); err != nil {
			t.Fatal(err)
		}
		if out, err := replay(t, dir); err == nil || !strings.Contains(out, name+": ") {
			t.Errorf("a wrong vector of %s passes: %s", name, out)
		}
	}
}
