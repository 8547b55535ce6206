package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A toolResult is a CallToolResult (schema, 2025-11-25 and 2026-07-28), its parts
// the server's own bytes.
type toolResult struct {
	capabilities.Result
	failed bool
}

// readResult reads the result of tools/call. What is well formed passes as it
// came: numbers, order, blocks of types nobody here knows. A block that is not
// well formed is replaced by a note in its place. The error is a result that is no
// tool result at all.
//
// nullable says that null is a structured value, and not the absence of one.
func readResult(raw json.RawMessage, nullable bool) (*toolResult, *failure) {
	if rawjson.Kind(raw) != '{' {
		return nil, broken("answered tools/call with something that is no tool result")
	}
	var (
		r       toolResult
		content json.RawMessage
		kind    string
		asked   json.RawMessage
		task    bool
		notes   []string
		extra   []member
	)
	for key, value := range rawjson.Members(raw) {
		switch key {
		case "content":
			content = value
		case "structuredContent":
			if r.Structured = value; rawjson.Kind(value) == 'n' && !nullable {
				r.Structured = nil
			}
		case "isError":
			// Only true is true, and only false, null and absence are false: what nobody can
			// read as success is none. A member that stands twice keeps the worse.
			b, ok := rawjson.Bool(value)
			if !ok && rawjson.Kind(value) != 'n' {
				notes = append(notes, fmt.Sprintf("[the server marked this result with isError %s, which is no boolean; it is taken as failed]",
					bounded(printable(value), 80)))
				b = true
			}
			r.failed = r.failed || b
		case "_meta":
			r.Meta = object(value)
		case "resultType":
			kind, _ = rawjson.String(value)
		case "inputRequests":
			asked = value
		case "task":
			task = true
		case "requestState": // of a question that is not relayed
		default:
			extra = append(extra, member{key, value})
		}
	}
	r.Extra = joinMembers(extra)
	switch {
	case kind == "input_required" || asked != nil && content == nil:
		return nil, &failure{code: capabilities.UpstreamError, text: "asks for input that cannot be given through here: " + questions(asked)}
	case task && content == nil && r.Structured == nil:
		return nil, broken("started a task nobody asked for, and gave no result")
	case kind != "" && kind != "complete":
		return nil, broken("answered with a result of the type %q, which is not known here", bounded(kind, 80))
	}
	r.Blocks = readBlocks(content, &notes)
	if len(r.Blocks) == 0 && r.Structured != nil {
		r.Blocks = append(r.Blocks, capabilities.TextBlock(string(r.Structured)))
	}
	for _, note := range notes {
		r.Blocks = append(r.Blocks, capabilities.TextBlock(note))
	}
	return &r, nil
}

// readBlocks splits content. Absent and null are no blocks.
func readBlocks(content json.RawMessage, notes *[]string) []capabilities.Block {
	switch rawjson.Kind(content) {
	case 0, 'n':
		return []capabilities.Block{}
	case '[':
	case '"':
		*notes = append(*notes, "[the server sent its content as a text and not as blocks]")
		return []capabilities.Block{capabilities.TextBlock(rawjson.Unquote(content))}
	case '{':
		*notes = append(*notes, "[the server sent its content as one block and not as a list]")
		block, _ := checked(0, content) // a block or its note
		return []capabilities.Block{block}
	default:
		*notes = append(*notes, "[the server sent content that is no list of blocks]")
		return []capabilities.Block{}
	}
	blocks := make([]capabilities.Block, 0, 4)
	faults := 0
	for i, raw := range rawjson.Elements(content) {
		block, ok := checked(i, raw)
		if !ok {
			faults++
		}
		if ok || faults <= maxBlockNotes {
			blocks = append(blocks, block)
		}
	}
	if more := faults - maxBlockNotes; more > 0 {
		*notes = append(*notes, fmt.Sprintf("[%d more content blocks of the server's result cannot be shown]", more))
	}
	return blocks
}

// maxBlockNotes is how many blocks are replaced by a note each. A note is longer than
// what it stands for may be: millions of them would fill the memory.
const maxBlockNotes = 100

// checked answers a block as it came, or a note in its place.
func checked(i int, raw json.RawMessage) (block capabilities.Block, ok bool) {
	if why := blockFault(raw); why != "" {
		return capabilities.TextBlock(fmt.Sprintf("[content block %d of the server's result cannot be shown: %s]", i+1, why)), false
	}
	return capabilities.Block(raw), true
}

// blockFault says what is wrong with a block (schema ContentBlock), or "". Of
// types it does not know it asks nothing but a type.
func blockFault(raw json.RawMessage) string {
	if rawjson.Kind(raw) != '{' {
		return "it is no object"
	}
	f := fields(raw)
	kind, ok := rawjson.String(f["type"])
	if !ok || kind == "" {
		return "it has no type"
	}
	text := func(of map[string]json.RawMessage, key string) bool { return rawjson.Kind(of[key]) == '"' }
	switch kind {
	case "text":
		if !text(f, "text") {
			return "a text block without a text"
		}
	case "image", "audio":
		switch {
		case !text(f, "mimeType"):
			return kind + " without a mimeType"
		case !text(f, "data"):
			return kind + " without data"
		case !isBase64(f["data"]):
			return kind + " whose data is not Base64"
		}
	case "resource_link":
		if !text(f, "uri") || !text(f, "name") {
			return "a link without a uri or a name"
		}
	case "resource":
		r := fields(f["resource"])
		switch {
		case !text(r, "uri"):
			return "a resource without a uri"
		case !text(r, "text") && !text(r, "blob"):
			return "a resource without text or blob"
		case text(r, "blob") && !isBase64(r["blob"]):
			return "a resource whose blob is not Base64"
		}
	}
	return ""
}

func fields(raw json.RawMessage) map[string]json.RawMessage {
	f := maps.Collect(rawjson.Members(raw))
	return f
}

// isBase64 judges a raw JSON string the way browsers and the SDKs do, without
// decoding it: white space and missing padding are forgiven (WHATWG Infra,
// forgiving-base64 decode).
func isBase64(raw json.RawMessage) bool {
	s := raw[1 : len(raw)-1]
	if bytes.IndexByte(s, '\\') >= 0 {
		s = []byte(rawjson.Unquote(raw))
	}
	n, padding := 0, 0
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '+', c == '/':
			if padding > 0 {
				return false
			}
			n++
		case c == '=':
			padding++
		case c == ' ', c == '\n', c == '\r', c == '\t', c == '\f':
		default:
			return false
		}
	}
	return n%4 != 1 && (padding == 0 || padding <= 2 && (n+padding)%4 == 0)
}

// questions names what a server asks for (2026-07-28, multi round-trip requests).
func questions(asked json.RawMessage) string {
	var all []string
	for name, one := range rawjson.Members(asked) {
		f := fields(one)
		method, _ := rawjson.String(f["method"])
		text, _ := rawjson.String(fields(f["params"])["message"])
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s (%s) %s", name, method, text)))
		if len(all) == 5 {
			break
		}
	}
	if len(all) == 0 {
		return "it does not say what"
	}
	return bounded(strings.Join(all, "; "), 1024)
}

// A member is one of an object.
type member struct {
	key   string
	value json.RawMessage
}

// joinMembers answers an object of members, of each key the last, or nil for none.
func joinMembers(all []member) json.RawMessage {
	if len(all) == 0 {
		return nil
	}
	last := map[string]int{}
	for i, m := range all {
		last[m.key] = i
	}
	b := []byte{'{'}
	for i, m := range all {
		if last[m.key] != i {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(rawjson.AppendQuoted(b, m.key), ':'), m.value...)
	}
	return append(b, '}')
}
