package generators_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// judge is a compiled validator.
type judge struct{ program, dir string }

func buildJudge(t *testing.T) judge {
	t.Helper()
	dir := module(t, nil)
	if err := steps(t, dir, words("compile go build -o program ./validate")); err != nil {
		t.Fatal(err)
	}
	return judge{filepath.Join(dir, "program"), dir}
}

// hold holds exchanges against a document.
func (j judge) hold(t *testing.T, doc []byte, all []exchange) ([]verdict, error) {
	t.Helper()
	var in bytes.Buffer
	for _, e := range all {
		if err := json.NewEncoder(&in).Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "document.json")
	write(t, path, doc)
	out, err := pipe(t, j.dir, "run", in.Bytes(), j.program, path)
	if err != nil {
		return nil, err
	}
	var verdicts []verdict
	for dec := json.NewDecoder(strings.NewReader(out)); ; {
		var v verdict
		if err := dec.Decode(&v); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		verdicts = append(verdicts, v)
	}
	if len(verdicts) != len(all) {
		t.Fatalf("%d verdicts on %d exchanges", len(verdicts), len(all))
	}
	return verdicts, nil
}

// disagreements are where the server and a document differ on what was sent and
// answered, each with the name of its input first.
func disagreements(t *testing.T, rows []row, all []exchange, verdicts []verdict) []string {
	t.Helper()
	var found []string
	for i, v := range verdicts {
		e := &all[i]
		say := func(text string, why []string) {
			found = append(found, rows[i].Name+": "+text+": "+strings.Join(why, " | ")+"\n\t"+e.Method+" "+e.URL+" "+clip(e.Body)+" -> "+clip(e.Answer.Body))
		}
		except := rows[i].exception
		malformed, refused, unlisted := e.malformed(t), len(v.Request) > 0, len(v.Response) > 0
		if unlisted && except.unlisted == "" {
			say("the document does not have the answer", v.Response)
		}
		switch {
		case refused && !malformed && except.stricter == "":
			say("the server takes it and the document does not", v.Request)
		case malformed && !refused && except.beyond == "":
			say("the server refuses it and the document does not", nil)
		case except.beyond != "" && !except.either && (refused || !malformed), except.stricter != "" && (!refused || malformed), except.unlisted != "" && !unlisted:
			say("they agree, and it is listed as an exception", v.Request)
		}
	}
	return found
}

func clip(b []byte) string { return string(b[:min(len(b), 300)]) }

// Every request and every answer is what the document of the same server says.
func TestExchangesAreWhatTheDocumentSays(t *testing.T) {
	r, doc := serve(t)
	rows, all := exchanges(t, r)
	j := buildJudge(t)
	verdicts, err := j.hold(t, doc, all)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range disagreements(t, rows, all, verdicts) {
		t.Error(d)
	}
	for _, twin := range []struct {
		name  string
		spoil func(object)
		says  string
		only  func(name string) bool // the inputs it concerns
	}{
		{"an operation is missing", func(doc object) {
			delete(doc.at("paths", "/waits"), "post")
		}, "not", about("wait_for", "steps of progress")},
		{"a status is missing", func(doc object) {
			delete(doc.at("paths", "/boxes/{number}", "delete", "responses"), "409")
		}, "409", about("a full box")},
		{"an output is narrowed", func(doc object) {
			doc.at("components", "schemas", "PutSettingOutput", "properties", "value")["maxLength"] = 1
		}, "maxLength", about("put_setting")},
		{"an input is narrowed", func(doc object) {
			doc.at("components", "schemas", "EchoValuesInput", "properties", "count")["maximum"] = 41
		}, "maximum", about("a whole number", "the greatest number that is taken")},
		{"an input is widened", func(doc object) {
			delete(doc.at("components", "schemas", "EchoValuesInput", "properties", "kind"), "enum")
		}, "the server refuses it", about("a word that is no member", "a word far from every member", "a member in another case")},
	} {
		t.Run(twin.name, func(t *testing.T) {
			verdicts, err := j.hold(t, spoiled(t, doc, twin.spoil), all)
			if err != nil {
				t.Fatal(err)
			}
			found := disagreements(t, rows, all, verdicts)
			if len(found) == 0 {
				t.Error("nobody noticed")
			}
			for _, d := range found {
				if name, _, _ := strings.Cut(d, ":"); !twin.only(name) || !strings.Contains(d, twin.says) {
					t.Errorf("it fails elsewhere than for %q: %s", twin.says, d)
				}
			}
		})
	}
}

// about answers for the inputs of a capability's examples, or of one name.
func about(names ...string) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return name == n || strings.HasPrefix(name, n+", ") })
	}
}
