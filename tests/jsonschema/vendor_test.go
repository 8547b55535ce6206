package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var suite = flag.String("suite", "", "a clone of the JSON Schema test suite to vendor anew")

// left are the optional tests of things that a door for the arguments of a call has
// no part in.
var left = []string{"optional/cross-draft", "optional/content", "optional/no-schema", "optional/format/idn-", "optional/format/iri", "optional/format-assertion"}

// TestSuiteIsWhole holds the vendored files to the suite's own counts, having written
// them anew when it is given a clone:
//
//	go test ./tests/jsonschema -run TestSuiteIsWhole -suite DIR
func TestSuiteIsWhole(t *testing.T) {
	for _, d := range drafts {
		if *suite != "" {
			if err := vendorDraft(d); err != nil {
				t.Fatal(err)
			}
		}
		groups, required := 0, 0
		for _, g := range read(t, d) {
			if !g.optional() {
				groups, required = groups+1, required+len(g.Tests)
			}
		}
		if groups != d.groups || required != d.required {
			t.Errorf("%s.ndjson has %d required tests in %d groups, want %d in %d", d.name, required, groups, d.required, d.groups)
		}
	}
}

func vendorDraft(d draft) error {
	folder := os.DirFS(filepath.Join(*suite, "tests", d.name))
	var out bytes.Buffer
	err := fs.WalkDir(folder, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return vendor(&out, folder, name)
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join("testdata", d.name+".ndjson"), out.Bytes(), 0o600)
}

// vendor adds the groups of one file of the suite, one a line, byte for byte but for
// the white space.
func vendor(out *bytes.Buffer, folder fs.FS, name string) error {
	file := strings.TrimSuffix(name, ".json")
	for _, l := range left {
		if strings.HasPrefix(file, l) {
			return nil
		}
	}
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return err
	}
	var groups []group
	if err := json.Unmarshal(text, &groups); err != nil {
		return err
	}
	for _, g := range groups {
		g.File = file
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(g); err != nil {
			return err
		}
	}
	return nil
}
