package parity_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// withJSON calls with the whole input on standard input. It reaches the running
// server through the data directory, as every command does.
func (r *running) withJSON(t *testing.T, in input) (said, reason) {
	t.Helper()
	return r.run(t, in, in.in, "--json", "-")
}

// withFlags calls with a flag a field.
func (r *running) withFlags(t *testing.T, in input) (said, reason) {
	t.Helper()
	fields, ok := members(in.in)
	if !ok {
		return said{}, flagsWhole
	}
	var words []string
	seen := map[string]bool{}
	for _, m := range fields {
		s, known := r.tools[in.call].field(m.key)
		if !known {
			return r.unknownFlag(t, in, m.key)
		}
		if seen[m.key] {
			return said{}, flagsOnce
		}
		seen[m.key] = true
		values := []json.RawMessage{m.value}
		if item, list := r.tools[in.call].scalars(s); list {
			if m.value[0] != '[' {
				return said{}, textOnly
			}
			s, values = item, nil
			if err := json.Unmarshal(m.value, &values); err != nil || len(values) == 0 {
				return said{}, noEmptyList
			}
		}
		for _, v := range values {
			text, ok := asText(s, v)
			if !ok || strings.Contains(text, "\x00") {
				return said{}, textOnly
			}
			words = append(words, "--"+flagOf(m.key)+"="+text)
		}
	}
	got, why := r.run(t, in, "", words...)
	if !json.Valid([]byte(in.in)) && why == "" && in.in != "" {
		t.Errorf("flags made a call of %q", in.in)
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
func (r *running) unknownFlag(t *testing.T, in input, name string) (said, reason) {
	t.Helper()
	if _, known := r.tools[in.call]; !known {
		return r.run(t, in, "")
	}
	out, errw, exit := r.CLI(t, "", "call", in.call, "--"+flagOf(name)+"=x")
	if exit != 2 || len(out) > 0 || !bytes.Contains(errw, []byte(flagOf(name))) {
		t.Errorf("the flag of the unknown field %q: exit status %d, %s", name, exit, errw)
	}
	return said{raw: errw}, noField
}

// run runs one call and reads its answer.
func (r *running) run(t *testing.T, in input, stdin string, words ...string) (said, reason) {
	t.Helper()
	out, errw, exit := r.CLI(t, stdin, append([]string{"call", in.call, "-o", "json", "--yes"}, words...)...)
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
			return said{raw: errw}, emptyText
		}
		if exit == 2 && strings.Contains(string(errw), "is not UTF-8") {
			return said{raw: errw}, textOnly
		}
		t.Errorf("exit status %d: %s", exit, string(errw))
		return said{raw: errw}, ""
	}
	got, _ := ofProblem(t, []byte(last))
	if want := statuses()[got.code].exit; exit != want {
		t.Errorf("%s exits %d, want %d", got.code, exit, want)
	}
	return got, ""
}
