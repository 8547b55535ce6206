package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// hintKeys are the four hints as the protocol spells them, and as the catalogue does.
var hintKeys = [...]struct{ wire, row string }{
	{"readOnlyHint", "read_only"}, {"destructiveHint", "destructive"}, {"idempotentHint", "idempotent"}, {"openWorldHint", "open_world"},
}

// verdict is how far a bridged list agrees with what its server sent.
type verdict struct {
	sent, listed int
	hints        int // of all tools, that were sent as true or false and arrived so
	same         int // schemas that are byte for byte what was sent
	repaired     int // schemas that differ by the repairs that the catalogue names
	wrong        []string
}

// agree compares what a server sent with what is listed of it. offered answers the name
// that inspect says a tool is offered under.
func agree(sent []tool, b *bridged, offered map[string]string) *verdict {
	v := &verdict{sent: len(sent), listed: len(b.tools)}
	if v.sent != v.listed || len(b.skipped) > 0 {
		v.say("it sends %d tools, and %d are listed; skipped: %q", v.sent, v.listed, b.skipped)
	}
	if len(b.rows) != v.listed {
		v.say("the catalogue has %d rows, and the list %d tools", len(b.rows), v.listed)
	}
	listed := map[string]tool{}
	for _, one := range b.tools {
		listed[one.Name] = one
	}
	for _, one := range sent {
		name := b.prefix + one.Name
		if as := offered[one.Name]; as != "" {
			name = as
		}
		there, ok := listed[name]
		if !ok {
			v.say("%s is not listed as %s", one.Name, name)
			continue
		}
		v.judgeHints(one, there, b.rows[name])
		v.judgeSchema(one.Name, "", one.Input, there.Input, b.rows[name].Repaired)
		v.judgeSchema(one.Name, "output_", one.Output, there.Output, b.rows[name].Repaired)
	}
	return v
}

func (v *verdict) say(format string, args ...any) {
	v.wrong = append(v.wrong, fmt.Sprintf(format, args...))
}

// judgeHints compares the hints, each of which is yes, no or unknown: on the wire, and
// in the catalogue.
func (v *verdict) judgeHints(sent, listed tool, r row) {
	in, out := object(sent.Annotations), object(listed.Annotations)
	for _, key := range hintKeys {
		want := map[string]string{"true": "yes", "false": "no"}[string(in[key.wire])]
		got, stated := out[key.wire]
		switch {
		case want == "" && stated:
			v.say("%s: %s is %s, which the server does not say", sent.Name, key.wire, got)
		case want != "" && !bytes.Equal(got, in[key.wire]):
			v.say("%s: %s is %q, sent was %s", sent.Name, key.wire, got, in[key.wire])
		case want != "":
			v.hints++
		}
		if want == "" {
			want = "unknown"
		}
		if value := r.Hints[key.row].Value; value != want {
			v.say("%s: the catalogue says that %s is %q, and the server %q", sent.Name, key.row, value, want)
		}
	}
}

// object reads an object; what is none has no members.
func object(raw json.RawMessage) map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	return all
}

// judgeSchema compares a schema byte for byte or, where the catalogue names repairs of
// it, by value after exactly these.
func (v *verdict) judgeSchema(name, prefix string, sent, listed json.RawMessage, repairs []string) {
	var mine []string
	for _, r := range repairs {
		if strings.HasPrefix(r, "output_") == (prefix == "output_") {
			mine = append(mine, strings.TrimPrefix(r, prefix))
		}
	}
	switch {
	case len(mine) == 0 && bytes.Equal(sent, listed):
		if sent != nil {
			v.same++
		}
	case len(mine) == 0:
		v.say("%s: its %sschema is %.200s, sent was %.200s", name, prefix, listed, sent)
	case bytes.Equal(sent, listed):
		v.say("%s: its %sschema is said to be repaired (%v), and is as it was sent", name, prefix, mine)
	case !reflect.DeepEqual(mended(sent, mine), decoded(listed)):
		v.say("%s: its %sschema differs from what was sent by more than %v", name, prefix, mine)
	default:
		v.repaired++
	}
}

// decoded answers a schema as a value, numbers as they are written.
func decoded(raw json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// mended answers what a schema is after the named repairs and no other change.
func mended(raw json.RawMessage, repairs []string) any {
	v := decoded(raw)
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for _, r := range repairs {
		switch r {
		case "type_added":
			object["type"] = "object"
		case "properties_added":
			object["properties"] = map[string]any{}
		case "dialect_dropped":
			delete(object, "$schema")
		}
	}
	return v
}
