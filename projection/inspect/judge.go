package inspect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// Judge answers the report of an observation. It is a function of the observation
// alone and takes a few milliseconds a hundred tools.
func Judge(o *bridge.Observation) *Report {
	r := &Report{
		Server: Server{Name: o.Name, Title: o.Title, Version: o.Number, Instructions: len(o.Instructions), Capabilities: o.Capabilities},
		Session: Session{
			Transport: o.Transport, Version: o.Version, Offered: o.Offered, Modern: o.Modern, Discover: o.Discover,
			Handshake: o.Handshake.Milliseconds(), List: o.List.Milliseconds(),
			JunkLines: o.JunkLines, Junk: o.Junk, Stderr: o.Stderr,
		},
		List:  List{Tools: len(o.Tools), Pages: o.Pages, Bytes: o.ListBytes, Rule: TokenRule, Prefix: clientPrefix(o.Alias)},
		Tools: make([]Tool, 0, len(o.Tools)),
	}
	if o.Stop != nil {
		r.Session.Stop = &Stop{How: o.Stop.How, After: o.Stop.After.Milliseconds(), Left: append([]string{}, o.Stop.Left...)}
	}
	order := map[string]Kind{}
	for _, k := range Kinds() {
		order[k.ID] = k
	}
	names := map[string]int{}
	for i := range o.Tools {
		j := &judgement{kinds: order, tool: Tool{Findings: []string{}}}
		j.judge(r.List.Prefix, &o.Tools[i], i)
		if name := o.Tools[i].Name; name != "" {
			if names[name]++; names[name] == 2 {
				j.add("duplicate-name", "/name", "an entry before it has the same name")
			}
		}
		r.Tools = append(r.Tools, j.tool)
		r.Findings = append(r.Findings, j.found...)
		r.List.Tokens += j.tool.Tokens
		if j.tool.Skipped != "" {
			r.List.Skipped++
		}
	}
	j := &judgement{kinds: order}
	j.server(o, r)
	r.Findings = slices.Concat(j.found, r.Findings)
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	return r
}

// clientPrefix is what coding assistants put before a tool's name.
func clientPrefix(alias string) string { return "mcp__" + clean(alias) + "__" }

// clean replaces what a model API takes in no name.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		if nameCharacter(r) {
			return r
		}
		return '_'
	}, name)
}

func nameCharacter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// A judgement collects the findings of one tool, or of the server.
type judgement struct {
	kinds map[string]Kind
	name  string
	tool  Tool
	found []Finding
}

func (j *judgement) add(id, pointer, format string, args ...any) {
	k := j.kinds[id]
	j.found = append(j.found, Finding{
		ID: id, Severity: k.Severity, Tool: j.name, Pointer: pointer, Reason: fmt.Sprintf(format, args...), Breaks: k.Breaks,
	})
	if !slices.Contains(j.tool.Findings, id) {
		j.tool.Findings = append(j.tool.Findings, id)
		j.tool.kinds = append(j.tool.kinds, k.Severity)
	}
}

// server judges what is true of no single tool.
func (j *judgement) server(o *bridge.Observation, r *Report) {
	if o.JunkLines > 0 {
		j.add("junk-output", "", "%s, the first: %s", plural(o.JunkLines, "line"), strings.Join(o.Junk[:min(1, len(o.Junk))], ""))
	}
	switch o.Discover {
	case bridge.DiscoverExited:
		j.add("discover-exited", "", "a process that was not asked works")
	case bridge.DiscoverIgnored:
		j.add("discover-ignored", "", "two of them had no answer, and it works when it is initialized")
	case bridge.DiscoverAnswered, bridge.DiscoverRefused, bridge.DiscoverLate, bridge.DiscoverUnasked:
	}
	if o.Transport == bridge.TransportSSE {
		j.add("old-transport", "", "streamable HTTP was refused")
	}
	if s := o.Stop; s != nil {
		switch s.How {
		case bridge.StopTerm:
			j.add("stop-signalled", "", "it ended %d ms after its input was closed", s.After.Milliseconds())
		case bridge.StopKill:
			j.add("stop-killed", "", "it ended %d ms after its input was closed", s.After.Milliseconds())
		case bridge.StopInput, bridge.StopItself:
		}
		if len(s.Left) > 0 {
			j.add("left-processes", "", "%d were ended after it: %s", len(s.Left), strings.Join(s.Left, ", "))
		}
	}
	if o.ListFault != "" {
		j.add("list-endless", "", "%s", o.ListFault)
	}
	if n := len(o.Tools); n > maxTools {
		j.add("many-tools", "", "%d", n)
	}
	if r.List.Tokens > heavyList {
		j.add("heavy-list", "", "about %d tokens", r.List.Tokens)
	}
}

// judge judges one entry of the list.
func (j *judgement) judge(prefix string, t *bridge.ObservedTool, at int) {
	j.name = cmp.Or(t.Name, fmt.Sprintf("number %d", at+1))
	j.tool.Name, j.tool.OfferedAs, j.tool.Bytes, j.tool.Input = t.Name, t.Exposed, len(t.Raw), NoRoot
	if t.Name != "" {
		j.tool.ClientName = prefix + t.Name
	}
	j.tool.Hints = Hints{hint(t.Hints.ReadOnly), hint(t.Hints.Destructive), hint(t.Hints.Idempotent), hint(t.Hints.OpenWorld)}
	if t.Skipped != "" {
		j.tool.Skipped = t.Skipped
		j.add("skipped-tool", "", "%s", t.Skipped)
		return
	}
	entry, ok := decode(t.Raw).(map[string]any)
	if !ok { // the bridge keeps objects alone
		return
	}
	j.hints(t, entry["annotations"])
	j.names(t.Name)
	j.texts(entry)
	j.schemas(entry)
	j.size(t.Name, entry)
}

func hint(f capabilities.HintFact) Hint { return Hint{f.Value, f.Raw} }

// size judges what the tool costs whoever shows it to a model.
func (j *judgement) size(name string, entry map[string]any) {
	description, _ := entry["description"].(string)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(shown{name, description, entry["inputSchema"]}); err != nil {
		return // cannot happen: it was decoded
	}
	j.tool.ModelBytes = b.Len() - 1 // without the line's end
	j.tool.Tokens = wire.Tokens(j.tool.ModelBytes)
	if j.tool.Tokens > heavyTool {
		j.add("heavy-tool", "", "about %d tokens", j.tool.Tokens)
	}
}

// shown is what of a tool a model is shown.
type shown struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	InputSchema any    `json:"inputSchema"`
}

// text is a decoded value as JSON.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "" // cannot happen: it was decoded
	}
	return string(b)
}

// decode reads JSON that was scanned, its numbers as they were written.
func decode(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil // not reached for what a bridge observed
	}
	return v
}
