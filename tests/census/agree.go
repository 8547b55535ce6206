package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// hintKeys are the four hints as the protocol spells them, and as the catalogue does.
var hintKeys = [...]struct{ wire, row string }{
	{"readOnlyHint", "read_only"}, {"destructiveHint", "destructive"}, {"idempotentHint", "idempotent"}, {"openWorldHint", "open_world"},
}

// verdict is how far a bridged list agrees with what its server sent. The counts are those
// of the list that a client of [modern] gets.
type verdict struct {
	sent, listed int
	hints        int // of all tools, that were sent as true or false and arrived so
	same         int // schemas that are byte for byte what was sent
	repaired     int // schemas that differ by the repairs that the catalogue names
	renamed      int // tools that are offered under another name than the prefix and their own
	foreign      int // members of tools that the protocol does not know, which are not handed on
	called       bool
	wrong        []string
}

// agree compares what a server sent with what is listed of it to a client of each version,
// and the answers to one call. offered answers the name that inspect says a tool is offered
// under.
func agree(sent *direct, b *bridged, offered map[string]string) *verdict {
	v := &verdict{sent: len(sent.tools), listed: len(b.lists[modern])}
	for _, version := range versions() {
		one := agreeOn(sent.tools, b, version, offered)
		for _, complaint := range one.wrong {
			v.say("to a client of %s: %s", version, complaint)
		}
		if version == modern {
			v.hints, v.same, v.repaired, v.renamed, v.foreign = one.hints, one.same, one.repaired, one.renamed, one.foreign
		}
		if sent.answer != nil {
			v.called = true
			v.judgeAnswer(version, sent.answer, b.answers[version])
		}
	}
	return v
}

// agreeOn compares a list with what is listed of it to a client of one version.
func agreeOn(sent []tool, b *bridged, version string, offered map[string]string) *verdict {
	list := b.lists[version]
	v := &verdict{}
	if len(sent) != len(list) || len(b.skipped) > 0 {
		v.say("it sends %d tools, and %d are listed; skipped: %q", len(sent), len(list), b.skipped)
	}
	if len(b.rows) != len(list) {
		v.say("the catalogue has %d rows, and the list %d tools", len(b.rows), len(list))
	}
	listed := map[string]tool{}
	for _, one := range list {
		listed[one.Name] = one
	}
	for _, one := range sent {
		name := b.prefix + one.Name
		if as := offered[one.Name]; as != "" && as != name {
			name = as
			v.renamed++
		}
		there, ok := listed[name]
		if !ok {
			v.say("%s is not listed as %s", one.Name, name)
			continue
		}
		v.judgeHints(one, there, b.rows[name])
		v.judgeWords(one, there)
		v.judgeSchema(one.Name, "", one.Input, there.Input, b.rows[name].Repaired)
		v.judgeSchema(one.Name, "output_", one.Output, there.Output, b.rows[name].Repaired)
	}
	return v
}

// ourKeys begins the keys of _meta that are the product's.
const ourKeys = "holotype/"

// judgeWords compares everything of a tool but its name, its hints and its schemas.
func (v *verdict) judgeWords(sent, listed tool) {
	said, shown := object(sent.Annotations), object(listed.Annotations)
	title := sent.members["title"]
	if title == nil || string(title) == `""` {
		title = said["title"] // where a server of 2025-03-26 has it
	}
	v.judgeMember(sent.Name, "title", title, listed.members["title"])
	v.judgeMember(sent.Name, "title in the annotations", title, shown["title"])
	for _, key := range []string{"description", "icons", "execution"} {
		v.judgeMember(sent.Name, key, sent.members[key], listed.members[key])
	}
	meta, there := object(sent.members["_meta"]), object(listed.members["_meta"])
	for key := range merged(meta, there) {
		if !strings.HasPrefix(key, ourKeys) {
			v.judgeMember(sent.Name, key+" in _meta", meta[key], there[key])
		}
	}
	for key := range merged(said, shown) {
		if key != "title" && !isHint(key) {
			v.judgeMember(sent.Name, key+" in the annotations", said[key], shown[key])
		}
	}
	for key := range merged(sent.members, listed.members) {
		switch key {
		case "name", "title", "description", "icons", "execution", "inputSchema", "outputSchema", "annotations", "_meta":
		default:
			v.foreign++
			v.judgeMember(sent.Name, key, nil, listed.members[key])
		}
	}
}

// judgeMember compares a member by value, its numbers as they are written. One that is
// empty or null says as much as none.
func (v *verdict) judgeMember(name, what string, sent, listed json.RawMessage) {
	if empty(sent) && empty(listed) {
		return
	}
	if !reflect.DeepEqual(decoded(sent), decoded(listed)) {
		v.say("%s: its %s is %.200s, sent was %.200s", name, what, listed, sent)
	}
}

func empty(raw json.RawMessage) bool {
	return raw == nil || string(raw) == `""` || string(raw) == "null"
}

func isHint(key string) bool {
	for _, one := range hintKeys {
		if one.wire == key {
			return true
		}
	}
	return false
}

// merged answers the keys of two objects.
func merged(a, b map[string]json.RawMessage) map[string]bool {
	all := map[string]bool{}
	for key := range a {
		all[key] = true
	}
	for key := range b {
		all[key] = true
	}
	return all
}

// judgeAnswer compares the result of a call.
func (v *verdict) judgeAnswer(version string, sent, got json.RawMessage) {
	said, there := object(sent), object(got)
	for _, key := range []string{"content", "structuredContent"} {
		v.judgeMember("to a client of "+version+" its call", key, said[key], there[key])
	}
	if failed := string(there["isError"]) == "true"; failed || string(said["isError"]) == "true" {
		v.say("to a client of %s its call answers %.300s, sent was %.300s", version, got, sent)
	}
	meta := object(there["_meta"])
	for key, value := range object(said["_meta"]) {
		v.judgeMember("to a client of "+version+" its call", key+" in _meta", value, meta[key])
	}
}

func (v *verdict) say(format string, args ...any) {
	v.wrong = append(v.wrong, fmt.Sprintf(format, args...))
}

// judgeRepeatable looks for what makes a list another one at another time or place: the
// directory that the server was started in, and the day.
func (v *verdict) judgeRepeatable(sent []tool, dir string, now time.Time) {
	for _, one := range sent {
		for key, value := range one.members {
			for what, text := range map[string]string{"its directory": dir, "the day": now.Format(time.DateOnly), "the day in UTC": now.UTC().Format(time.DateOnly)} {
				if bytes.Contains(value, []byte(text)) {
					v.say("%s: its %s names %s, so that the page would not be the same twice", one.Name, key, what)
				}
			}
		}
	}
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
