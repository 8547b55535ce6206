package parity_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// withJSON calls with the whole input on standard input. It reaches the running
// server through the data directory, as every command does.
func (r *running) withJSON(t *testing.T, in inputs.Input) (said, inputs.Reason) {
	t.Helper()
	return r.run(t, in, in.In, "--json", "-")
}

// withFlags calls with a flag a field.
func (r *running) withFlags(t *testing.T, in inputs.Input) (said, inputs.Reason) {
	t.Helper()
	fields, ok := inputs.Members(in.In)
	if !ok {
		return said{}, inputs.FlagsWhole
	}
	var words []string
	seen := map[string]bool{}
	for _, m := range fields {
		s, known := r.tools[in.Call].Field(m.Key)
		if !known {
			return r.unknownFlag(t, in, m.Key)
		}
		if seen[m.Key] {
			return said{}, inputs.FlagsOnce
		}
		seen[m.Key] = true
		values := []json.RawMessage{m.Value}
		if item, list := r.tools[in.Call].Scalars(s); list {
			if m.Value[0] != '[' {
				return said{}, inputs.TextOnly
			}
			s, values = item, nil
			if err := json.Unmarshal(m.Value, &values); err != nil || len(values) == 0 {
				return said{}, inputs.NoEmptyList
			}
		}
		for _, v := range values {
			text, ok := inputs.AsText(s, v)
			if !ok || strings.Contains(text, "\x00") {
				return said{}, inputs.TextOnly
			}
			if strings.HasPrefix(text, "@") {
				text = "@" + text // one alone names a file
			}
			words = append(words, "--"+flagOf(m.Key)+"="+text)
		}
	}
	got, why := r.run(t, in, "", words...)
	if !json.Valid([]byte(in.In)) && why == "" && in.In != "" {
		t.Errorf("flags made a call of %q", in.In)
	}
	return got, why
}

// flagOf is the flag of a field: dashes for underscores, and "arg-" before what the
// command line has a flag for itself.
func flagOf(field string) string {
	flag := strings.ReplaceAll(field, "_", "-")
	if slices.Contains([]string{"data", "config", "output", "help", "json", "yes", "dry-run", "op-id", "mcp-config"}, flag) {
		return "arg-" + flag
	}
	return flag
}

// unknownFlag checks what becomes of a flag that is no field.
func (r *running) unknownFlag(t *testing.T, in inputs.Input, name string) (said, inputs.Reason) {
	t.Helper()
	if _, known := r.tools[in.Call]; !known {
		return r.run(t, in, "")
	}
	out, errw, exit := r.CLI(t, "", "call", in.Call, "--"+flagOf(name)+"=x")
	if exit != 2 || len(out) > 0 || !bytes.Contains(errw, []byte(flagOf(name))) {
		t.Errorf("the flag of the unknown field %q: exit status %d, %s", name, exit, errw)
	}
	return said{raw: errw}, inputs.NoField
}

// run runs one call and reads its answer.
func (r *running) run(t *testing.T, in inputs.Input, stdin string, words ...string) (said, inputs.Reason) {
	t.Helper()
	if in.DryRun {
		words = append(slices.Clone(words), "--dry-run")
	}
	out, errw, exit := r.CLI(t, stdin, append([]string{"call", in.Call, "-o", "json", "--yes"}, words...)...)
	if exit == 0 {
		return ofBody(t, out), ""
	}
	if len(out) > 0 {
		t.Errorf("a refused call wrote to standard output: %s", out)
	}
	lines := strings.Split(strings.TrimSpace(string(errw)), "\n")
	last := lines[len(lines)-1]
	if !strings.HasPrefix(last, "{") {
		if exit == 2 && slices.Contains(words, "--json") && strings.TrimSpace(stdin) == "" {
			return said{raw: errw}, inputs.EmptyText
		}
		if exit == 2 && strings.Contains(string(errw), "is not UTF-8") {
			return said{raw: errw}, inputs.TextOnly
		}
		t.Errorf("exit status %d: %s", exit, string(errw))
		return said{raw: errw}, ""
	}
	got, _ := ofProblem(t, []byte(last))
	if want := inputs.Statuses()[got.code].Exit; exit != want {
		t.Errorf("%s exits %d, want %d", got.code, exit, want)
	}
	return got, ""
}
