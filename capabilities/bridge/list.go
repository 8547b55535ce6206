package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

const (
	maxToolBytes = 256 << 10
	maxToolDepth = 64
	maxPages     = 100
	maxTools     = 10_000   // entries of a list, those that are no tools included
	maxListBytes = 32 << 20 // of all pages of a list
	maxCursor    = 64 << 10
)

// A wireTool is one tool as its server describes it. The parts are the server's
// own bytes.
type wireTool struct {
	raw         json.RawMessage
	name        string
	title       string
	description string
	input       json.RawMessage
	output      json.RawMessage
	meta        json.RawMessage
	icons       json.RawMessage
	execution   json.RawMessage
	facts       capabilities.HintFacts
	annotations map[string]json.RawMessage // beyond the hints and the title
	params      []paramHeader
	through     []string // the marks of the servers of our kind that it comes through
	also        string   // see [AlsoKey]; "" for a tool that came over MCP
	oddHints    []string // keys whose value is no boolean
}

// A listing is what a walk through tools/list brought.
type listing struct {
	tools   []*wireTool
	skipped []Skipped
	mark    string        // of the server, where it is one of our kind
	own     int           // tools that were left out because they lead back to us
	itself  bool          // the server is this program's own
	entries int           // that were read, tools or not
	bytes   int           // of the pages that were read
	more    bool          // a page had more entries than a list may have
	modern  bool          // the server speaks 2026-07-28 or later
	ttl     time.Duration // how long the server says it stays true; 0 unknown
}

// listTools reads every page of tools/list, as bytes, and splits it tool by tool:
// a bad tool costs itself, a bad hint costs itself. The walk ends at a cursor
// seen before and at a cap; what came until then counts.
func listTools(ctx context.Context, l lane, headers bool) (*listing, error) {
	var out listing
	seen := map[string]bool{}
	var cursor json.RawMessage
	for page := 1; ; page++ {
		m, err := l.roundTrip(ctx, request{method: "tools/list", cursor: cursor, repeatable: true})
		if page == 1 && lacksMethod(err) {
			return &out, nil
		}
		if err != nil {
			return nil, err
		}
		if m.fault != nil {
			e := readFault(m.fault)
			if page == 1 && e.code == codeMethodNotFound {
				return &out, nil // a server without tools
			}
			return nil, broken("refused tools/list: %s", e.sentence())
		}
		next, err := out.page(m.result, headers)
		switch {
		case err != nil:
			return nil, err
		case out.more:
			out.skip("", fmt.Sprintf("the list has more than %d tools, which is the limit", maxTools))
			return &out, nil
		case next == nil:
			return &out, nil
		case seen[string(next)]:
			out.skip("", fmt.Sprintf("the list repeats itself after page %d: its next page is one that was read", page))
			return &out, nil
		case len(next) > maxCursor:
			out.skip("", fmt.Sprintf("the list ends after page %d: the name of its next page has %d bytes, at most %d are taken", page, len(next), maxCursor))
			return &out, nil
		case page == maxPages || out.entries >= maxTools || out.bytes >= maxListBytes:
			out.skip("", fmt.Sprintf("the list goes on after %d pages, %d tools and %d bytes, which is the limit", page, len(out.tools), out.bytes))
			return &out, nil
		}
		seen[string(next)] = true
		cursor = next
	}
}

const codeMethodNotFound = -32601

func (l *listing) skip(tool, reason string) { l.skipped = append(l.skipped, Skipped{tool, reason}) }

// page takes one page and answers the cursor of the next one, or nil.
func (l *listing) page(result json.RawMessage, headers bool) (next json.RawMessage, err error) {
	var tools json.RawMessage
	for key, value := range rawjson.Members(result) {
		switch key {
		case "tools":
			tools = value
		case "nextCursor":
			// "" is no cursor; anything but a string is none either.
			if s, ok := rawjson.String(value); ok && s != "" {
				next = value
			}
		case "_meta":
			l.mark = cmp.Or(l.mark, wire.Mark(value))
		case "ttlMs":
			if ms, err := strconv.ParseInt(string(value), 10, 64); err == nil && ms > 0 {
				l.ttl = time.Duration(min(ms, int64(time.Hour/time.Millisecond))) * time.Millisecond
			}
		}
	}
	if rawjson.Kind(tools) != '[' {
		return nil, broken("answered tools/list without a list of tools")
	}
	l.bytes += len(result)
	for i, raw := range rawjson.Elements(tools) {
		if l.more = l.entries == maxTools; l.more {
			return nil, nil
		}
		l.entry(i, raw, headers)
	}
	return next, nil
}

// entry takes one entry.
func (l *listing) entry(i int, raw json.RawMessage, headers bool) {
	l.entries++
	t, err := readTool(raw, headers)
	if err != nil {
		name := fmt.Sprintf("number %d", i+1)
		if t != nil && t.name != "" {
			name = t.name
		}
		l.skip(bounded(name, 200), err.Error())
		return
	}
	l.tools = append(l.tools, t)
}

// readTool reads one tool. The error says why it cannot be offered; the tool
// answered with it holds its name where it has one.
func readTool(raw json.RawMessage, headers bool) (*wireTool, error) {
	t := &wireTool{raw: raw}
	if rawjson.Kind(raw) != '{' {
		return t, errors.New("it is not an object")
	}
	var annotations json.RawMessage
	for key, value := range rawjson.Members(raw) {
		switch key {
		case "name":
			t.name, _ = rawjson.String(value)
		case "title":
			t.title, _ = rawjson.String(value)
		case "description":
			t.description, _ = rawjson.String(value)
		case "inputSchema":
			t.input = value
		case "outputSchema":
			t.output = value
		case "annotations":
			annotations = value
		case "_meta":
			t.meta = object(value)
		case "icons":
			if rawjson.Kind(value) == '[' {
				t.icons = value
			}
		case "execution":
			t.execution = object(value)
		case AlsoKey:
			t.also, _ = rawjson.String(value)
		}
	}
	switch {
	case t.name == "":
		return t, errors.New("it has no name")
	case len(t.name) > 1024:
		return t, fmt.Errorf("its name has %d bytes", len(t.name))
	case t.input == nil:
		return t, errors.New("it has no inputSchema")
	case len(raw) > maxToolBytes:
		return t, fmt.Errorf("its description has %d bytes, at most %d are taken", len(raw), maxToolBytes)
	case rawjson.Valid(raw, maxToolDepth) != nil:
		return t, fmt.Errorf("its description nests deeper than %d levels", maxToolDepth)
	}
	title := t.readAnnotations(annotations)
	if t.title == "" {
		t.title = title
	}
	if headers {
		var err error
		if t.params, err = paramHeaders(t.input); err != nil {
			return t, err
		}
	}
	return t, nil
}

func object(raw json.RawMessage) json.RawMessage {
	if rawjson.Kind(raw) != '{' {
		return nil
	}
	return raw
}

// readAnnotations reads the hints, each three-valued: true is Yes, false is No,
// anything else and absence are Unknown. Keys match case by case, and a key that
// stands twice with two meanings asserts nothing. It answers the title.
func (t *wireTool) readAnnotations(raw json.RawMessage) (title string) {
	for key, value := range rawjson.Members(raw) {
		if key == "title" {
			title, _ = rawjson.String(value)
			continue
		}
		fact := t.factOf(key)
		if fact == nil {
			if t.annotations == nil {
				t.annotations = map[string]json.RawMessage{}
			}
			t.annotations[key] = value
			continue
		}
		read := capabilities.HintFact{Raw: value}
		if b, ok := rawjson.Bool(value); ok {
			read.Value, read.From = capabilities.HintOf(b), capabilities.FromServer
		} else {
			t.oddHints = append(t.oddHints, key)
		}
		if fact.Raw != nil && fact.Value != read.Value {
			read = capabilities.HintFact{Raw: value}
			t.oddHints = append(t.oddHints, key)
		}
		*fact = read
	}
	return title
}

func (t *wireTool) factOf(key string) *capabilities.HintFact {
	switch key {
	case "readOnlyHint":
		return &t.facts.ReadOnly
	case "destructiveHint":
		return &t.facts.Destructive
	case "idempotentHint":
		return &t.facts.Idempotent
	case "openWorldHint":
		return &t.facts.OpenWorld
	}
	return nil
}
