package inspect_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/projection/inspect"
)

// clean is a tool that nobody finds anything about.
const clean = `{"name":"look","title":"Look","description":"Looks.","inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false},` +
	`"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`

// observe makes an observation of tools as they would stand in a list.
func observe(t *testing.T, tools ...string) *bridge.Observation {
	t.Helper()
	o, err := bridge.Observe("server", json.RawMessage(`{"tools":[`+strings.Join(tools, ",")+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// changed is the clean tool with some members replaced, each given as a pair of a name
// and a JSON value; "" takes the member away.
func changed(t *testing.T, pairs ...string) string {
	t.Helper()
	var tool map[string]json.RawMessage
	if err := json.Unmarshal([]byte(clean), &tool); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			delete(tool, pairs[i])
			continue
		}
		tool[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	b, err := json.Marshal(tool)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// input is the clean tool with another input schema, closed and with one property
// unless it says otherwise; null takes a member away.
func input(t *testing.T, members string) string {
	t.Helper()
	schema := map[string]json.RawMessage{}
	for _, text := range []string{`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, members} {
		if err := json.Unmarshal([]byte(text), &schema); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	maps.DeleteFunc(schema, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	b, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	return changed(t, "inputSchema", string(b))
}

func property(t *testing.T, schema string) string {
	t.Helper()
	return input(t, `{"properties":{"a":`+schema+`}}`)
}

// ids answers the findings of a report, each as its id and its pointer.
func ids(r *inspect.Report) []string {
	all := []string{}
	for _, f := range r.Findings {
		all = append(all, strings.TrimSpace(f.ID+" "+f.Pointer))
	}
	return all
}

// wire answers the lists of public servers by their names.
func wire(t testing.TB) map[string]*bridge.Observation {
	t.Helper()
	files, err := filepath.Glob("../../tests/testdata/wire/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	all := map[string]*bridge.Observation{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(b, &answer); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if all[name], err = bridge.Observe(name, answer.Result); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", name, err))
		}
	}
	return all
}
