package mcpserver

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/schema"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// Limits of what one call of discovery answers.
const (
	maxQuery       = 400
	usualFound     = 10
	maxFound       = 100
	maxDescribed   = 20
	maxFoundText   = 200
	maxNamedLength = 200
)

// tool is one of the tools of discovery.
type tool struct {
	name, title, summary string
	input, output        string         // schemas; "" for none
	compiled             *schema.Schema // of input
	// hints are derived from the tools of the list.
	hints func(tools []*capabilities.Capability) capabilities.Hints
	// answer serves a call; nil for one that stands for another call.
	answer func(of *listing, arguments json.RawMessage, modern bool) ([]byte, *capabilities.Error)
	// admits refuses what the tool does not reach; nil for one that calls nothing.
	admits func(*capabilities.Capability) *capabilities.Error
}

// discoveryTools answers the four, in the order they are listed. Only their hints follow
// from the caller's list, so that it changes for a client when these do.
func discoveryTools() []tool {
	looks := func([]*capabilities.Capability) capabilities.Hints {
		return capabilities.Read(capabilities.Local).Hints()
	}
	called := func(what string) string {
		return `{"type":"object","properties":{"name":{"type":"string","minLength":1,"description":"The tool's name, as ` + capabilities.FindTools + ` answers it."},` +
			`"arguments":{"type":"object","description":"` + what + `"}},"required":["name"],"additionalProperties":false}`
	}
	const ofTool = "What the tool takes, by the inputSchema that " + capabilities.DescribeTools + " answers."
	return []tool{{
		name: capabilities.FindTools, title: "Find tools",
		summary: "Find tools by words of what they are to do. Answers names, best first, with effect and hints; without words, every tool. Describe one before you call it.",
		input: `{"type":"object","properties":{"query":{"type":"string","maxLength":` + strconv.Itoa(maxQuery) + `,"description":"Words of what the tool is to do, or of its name. Absent for every tool."},` +
			`"limit":{"type":"integer","minimum":1,"maximum":` + strconv.Itoa(maxFound) + `,"default":` + strconv.Itoa(usualFound) + `,"description":"How many tools at most."},` +
			`"cursor":{"type":"string","description":"Where to go on: next_cursor of the answer before, with the same query."}},"additionalProperties":false}`,
		output: `{"type":"object","properties":{"tools":{"type":"array","items":{"type":"object","properties":{` +
			`"name":{"type":"string"},"summary":{"type":"string"},"effect":{"type":"string","enum":["reads","writes","destroys","unknown"]},` +
			`"hints":{"type":"object","additionalProperties":{"type":"boolean"}},"call":{"type":"string","enum":["` + capabilities.CallRead + `","` + capabilities.CallWrite + `"]}},` +
			`"required":["name","summary","effect","hints","call"]}},"total":{"type":"integer"},"next_cursor":{"type":"string"}},"required":["tools","total"]}`,
		hints: looks, answer: findTools,
	}, {
		name: capabilities.DescribeTools, title: "Describe tools",
		summary: "Describe tools by their names: what each takes and answers, its effect and hints, as in a list of all tools.",
		input: `{"type":"object","properties":{"names":{"type":"array","minItems":1,"maxItems":` + strconv.Itoa(maxDescribed) +
			`,"items":{"type":"string","minLength":1,"maxLength":` + strconv.Itoa(maxNamedLength) + `},"description":"The tools' names, as ` + capabilities.FindTools + ` answers them."}},"required":["names"],"additionalProperties":false}`,
		output: `{"type":"object","properties":{"tools":{"type":"array","items":{"type":"object"}},"unknown":{"type":"array","items":{"type":"string"}}},"required":["tools","unknown"]}`,
		hints:  looks, answer: describeTools,
	}, {
		name: capabilities.CallRead, title: "Call a tool that only reads",
		summary: "Call a tool that is known to change nothing, by its name. Refuses every other one: see " + capabilities.CallWrite + ".",
		input:   called(ofTool), hints: readHints, admits: readsOnly,
	}, {
		name: capabilities.CallWrite, title: "Call a tool that may write",
		summary: "Call a tool that may add, change or remove something, or of which nobody says that it does not, by its name. For all others: see " + capabilities.CallRead + ".",
		input:   called(ofTool), hints: writeHints, admits: theRest,
	}}
}

// compiledTools answers the four by their names, ready to be called.
func compiledTools() (map[string]tool, error) {
	all := map[string]tool{}
	for _, one := range discoveryTools() {
		var err error
		if one.compiled, err = schema.Compile([]byte(one.input)); err != nil {
			return nil, fmt.Errorf("the input schema of %s: %w", one.name, err)
		}
		all[one.name] = one
	}
	return all, nil
}

// readHints are those of what reaches each tool that is known to change nothing. A hint
// which is that of all of them is theirs; a world that not all say is closed is open.
func readHints(tools []*capabilities.Capability) capabilities.Hints {
	h := capabilities.Hints{ReadOnly: capabilities.Yes, Destructive: capabilities.No, Idempotent: capabilities.Yes, OpenWorld: capabilities.No}
	for _, c := range tools {
		if !capabilities.ReadOnlyProven(c) {
			continue
		}
		of := c.Hints()
		switch {
		case of.Idempotent == capabilities.No:
			h.Idempotent = capabilities.No
		case of.Idempotent == capabilities.Unknown && h.Idempotent == capabilities.Yes:
			h.Idempotent = capabilities.Unknown
		}
		if of.OpenWorld != capabilities.No {
			h.OpenWorld = capabilities.Yes
		}
	}
	return h
}

// writeHints are those of what reaches each tool that is not known to change nothing, in
// the dangerous reading: what one of them may do, a call may.
func writeHints(tools []*capabilities.Capability) capabilities.Hints {
	h := capabilities.Hints{ReadOnly: capabilities.No, Destructive: capabilities.No, Idempotent: capabilities.Yes, OpenWorld: capabilities.No}
	for _, c := range tools {
		if capabilities.ReadOnlyProven(c) {
			continue
		}
		of := c.Hints()
		if of.Destructive != capabilities.No {
			h.Destructive = capabilities.Yes
		}
		if of.Idempotent != capabilities.Yes {
			h.Idempotent = capabilities.No
		}
		if of.OpenWorld != capabilities.No {
			h.OpenWorld = capabilities.Yes
		}
	}
	return h
}

// shown writes what a model is usually shown of the tool: see [wire.ModelBytes].
func (t tool) shown() []byte {
	dst := rawjson.AppendQuoted([]byte(`{"name":`), t.name)
	dst = rawjson.AppendQuoted(append(dst, `,"description":`...), t.summary)
	return append(append(append(dst, `,"inputSchema":`...), t.input...), '}')
}

// append writes the tool as tools/list has it.
func (t tool) append(dst []byte, tools []*capabilities.Capability) []byte {
	text := func(key, value string) {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendQuoted(append(rawjson.AppendQuoted(dst, key), ':'), value)
	}
	raw := func(key, value string) {
		dst = append(append(rawjson.AppendQuoted(append(dst, ','), key), ':'), value...)
	}
	dst = append(dst, '{')
	text("name", t.name)
	text("title", t.title)
	text("description", t.summary)
	raw("inputSchema", t.input)
	if t.output != "" {
		raw("outputSchema", t.output)
	}
	dst = append(dst, `,"annotations":{`...)
	text("title", t.title)
	hints := t.hints(tools)
	dst = appendHints(dst, hints, true)
	dst = append(dst, `},"_meta":{`...)
	dst = append(rawjson.AppendQuoted(dst, wire.MetaEffect), `:{"asserts":`...)
	return append(rawjson.AppendQuoted(dst, hints.Word()), "}}}"...)
}

// appendHints writes the known hints as members of an object, which may have some already.
func appendHints(dst []byte, h capabilities.Hints, further bool) []byte {
	h.Each(func(key string, value capabilities.Hint) {
		if !value.Known() {
			return
		}
		if further {
			dst = append(dst, ',')
		}
		further = true
		dst = append(rawjson.AppendQuoted(dst, key), ':')
		dst = strconv.AppendBool(dst, value == capabilities.Yes)
	})
	return dst
}

// arguments judges the arguments of a call, without what clients add of their own. Those of
// a tool that stands for another call are read as that is.
func (t tool) arguments(args json.RawMessage) (json.RawMessage, *capabilities.Error) {
	if len(args) == 0 || rawjson.Kind(args) == 'n' {
		args = json.RawMessage("{}")
	}
	args = withoutAdded(args)
	if t.admits != nil {
		if rawjson.Kind(args) != '{' {
			return nil, capabilities.Violates(capabilities.Violation{Keyword: "type", Message: "are an object"})
		}
		return args, nil
	}
	var wrong []capabilities.Violation
	for _, v := range t.compiled.Validate(args) {
		wrong = append(wrong, capabilities.Violation(v))
	}
	if len(wrong) > 0 {
		return nil, capabilities.Violates(wrong...)
	}
	return args, nil
}

// withoutAdded answers an object without the members that clients add, none of which the
// tools of discovery know.
func withoutAdded(args json.RawMessage) json.RawMessage {
	if rawjson.Kind(args) != '{' || !anyInjected(args) {
		return args
	}
	out := []byte("{")
	for key, value := range rawjson.Members(args) {
		if isInjected(key, value) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(rawjson.AppendQuoted(out, key), ':'), value...)
	}
	return append(out, '}')
}
