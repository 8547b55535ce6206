package faults_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

// sentBy answers the tools that a script sends, asked without the product: every entry
// of its list as it stands on the wire.
func sentBy(t *testing.T, script, mode string) []json.RawMessage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{scriptPath(script)}, strings.Fields(mode)...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = in.Close() // it ends with its input
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", script, err)
		}
	}()
	if _, err := in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	return toolsIn(t, line)
}

// toolsIn answers the entries of an answer to tools/list.
func toolsIn(t *testing.T, data []byte) []json.RawMessage {
	t.Helper()
	var m struct {
		Result struct{ Tools []json.RawMessage }
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m.Result.Tools
}

// asListed reads one entry as a list has it.
func asListed(t *testing.T, raw json.RawMessage) listed {
	t.Helper()
	one := listed{raw: raw}
	if err := json.Unmarshal(raw, &one); err != nil {
		t.Fatalf("%v in %.300s", err, raw)
	}
	return one
}

// catalogued answers the operator's rows of a server's tools by their exposed names.
func catalogued(t *testing.T, p *product, name string) map[string]catalogue.Row {
	t.Helper()
	rows := map[string]catalogue.Row{}
	in := system.ListToolsInput{Source: "mcp:" + name}
	for {
		page, err := system.ListTools.Call(context.WithoutCancel(t.Context()), p.server, capabilities.OwnerPrincipal(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range page.Items {
			rows[row.Name] = row
		}
		if page.NextCursor == "" {
			return rows
		}
		in.Cursor = page.NextCursor
	}
}

// relays fails unless a tool is listed with what its server sent of it: the schemas
// byte for byte where the catalogue names no repair, and the annotations by value.
func relays(t *testing.T, row catalogue.Row, listed, sent listed) {
	t.Helper()
	repaired := func(prefix string) bool {
		for _, r := range row.Repaired {
			if strings.HasPrefix(r, "output_") == (prefix == "output_") {
				return true
			}
		}
		return false
	}
	for _, one := range []struct {
		prefix       string
		listed, sent json.RawMessage
	}{{"", listed.Input, sent.Input}, {"output_", listed.Output, sent.Output}} {
		if same := string(one.listed) == string(one.sent); same == repaired(one.prefix) {
			t.Errorf("%s: repaired: %v, and its schema is\n%.600s\nsent was\n%.600s", sent.Name, row.Repaired, one.listed, one.sent)
		}
		if d := cmp.Diff(mended(t, one.sent, one.prefix, row.Repaired), decoded(t, one.listed)); d != "" {
			t.Errorf("%s: more was changed than %v says (-repaired +listed):\n%s", sent.Name, row.Repaired, d)
		}
	}
	if listed.Description != sent.Description {
		t.Errorf("%s: described as %.300q, sent was %.300q", sent.Name, listed.Description, sent.Description)
	}
	sameHints(t, sent, listed)
}

// decoded answers a schema as a value, numbers as they are written.
func decoded(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	if raw == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// mended answers what a schema is after the named repairs and no other change.
func mended(t *testing.T, raw json.RawMessage, prefix string, repairs []string) any {
	t.Helper()
	v := decoded(t, raw)
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for _, r := range repairs {
		switch r {
		case prefix + "type_added":
			object["type"] = "object"
		case prefix + "properties_added":
			object["properties"] = map[string]any{}
		case prefix + "dialect_dropped":
			delete(object, "$schema")
		}
	}
	return v
}

// sameHints fails unless the list asserts exactly what the server did, and drops none of
// its other annotations.
func sameHints(t *testing.T, sent, listed listed) {
	t.Helper()
	got, want := annotations(t, listed), annotations(t, sent)
	for key, value := range want {
		if strings.HasSuffix(key, "Hint") && string(value) != "true" && string(value) != "false" {
			delete(want, key) // unknown: nothing is asserted
		}
	}
	// A title is a title wherever it stands.
	delete(want, "title")
	delete(got, "title")
	for key, value := range want {
		if string(got[key]) != string(value) {
			t.Errorf("%s: %s is %s, sent was %s", sent.Name, key, got[key], value)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s: %s is %s, which nobody said", sent.Name, key, got[key])
		}
	}
}

// annotations answers the annotations of a tool; what is no object has none.
func annotations(t *testing.T, tool listed) map[string]json.RawMessage {
	t.Helper()
	all := map[string]json.RawMessage{}
	if len(tool.Annotations) > 0 && tool.Annotations[0] == '{' {
		if err := json.Unmarshal(tool.Annotations, &all); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
