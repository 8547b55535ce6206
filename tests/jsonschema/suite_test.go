// Package jsonschema_test runs the official JSON Schema test suite through the door
// that judges every call: package internal/schema. What the door does not answer as
// the suite does stands in a list, with the reason; the list may only get shorter.
//
// The suite is vendored as data; testdata/README.md says from where and how.
package jsonschema_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// A draft is one dialect of the suite.
type draft struct {
	name   string // the folder in the suite, and the files in testdata
	marker string // the $schema that its schemas are read under when they name none
	// What the suite must hold, so that a vendored file that lost lines is noticed.
	groups, required int
}

var drafts = []draft{
	{"draft2020-12", "https://json-schema.org/draft/2020-12/schema", 383, 1299},
	{"draft7", "http://json-schema.org/draft-07/schema#", 257, 927},
}

// A group is one schema of the suite and the values it is asked about. Schemas and
// values stay bytes: what is tested is how bytes are read.
type group struct {
	File        string          `json:"file"` // without .json, from the draft's folder
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []verdict       `json:"tests"`
}

// A verdict is what the suite says about one value.
type verdict struct {
	Description string          `json:"description"`
	Data        json.RawMessage `json:"data"`
	Valid       bool            `json:"valid"`
}

// optional says that the suite leaves it to the implementation.
func (g group) optional() bool { return strings.HasPrefix(g.File, "optional/") }

// key names a group, or one of its tests, as the lists do.
func (g group) key(test ...string) string {
	return strings.Join(append([]string{g.File, g.Description}, test...), " | ")
}

// marked answers the group's schema, reading as a schema of the draft.
func (g group) marked(d draft) []byte {
	text := bytes.TrimSpace(g.Schema)
	if text[0] != '{' || bytes.Contains(text, []byte(`"$schema"`)) {
		return text
	}
	rest := bytes.TrimSpace(text[1:])
	comma := ","
	if rest[0] == '}' {
		comma = ""
	}
	return []byte(`{"$schema":"` + d.marker + `"` + comma + string(rest))
}

// read answers a draft's groups in the order of the file.
func read(t testing.TB, d draft) []group {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", d.name+".ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	var all []group
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var g group
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatalf("%s.ndjson:%d: %v", d.name, len(all)+1, err)
		}
		all = append(all, g)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// An outcome is what the door answers about one value.
type outcome struct {
	key   string
	right bool
	said  string // for a reader of the failure
}

// judge asks the door about every value of a group. A schema that the door refuses
// is one outcome: none of its values is judged.
func judge(g group, d draft) []outcome {
	s, err := schema.Compile(g.marked(d))
	if err != nil {
		return []outcome{{g.key(), false, "refused: " + err.Error()}}
	}
	var all []outcome
	for _, v := range g.Tests {
		said := "valid"
		violations := s.Validate(v.Data)
		if len(violations) > 0 {
			said = violations[0].Pointer + " " + violations[0].Message
		}
		all = append(all, outcome{g.key(v.Description), (len(violations) == 0) == v.Valid, said})
	}
	return all
}
