package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/inspect"
)

// pageName is the page that the census writes, of the pages of the product.
const pageName = "census.md"

// ofSession reports a kind of finding that says how a session went. How fast the machine
// was decides on some of these, so that the page leaves them out.
func ofSession(id string) bool {
	switch id {
	case "junk-output", "discover-exited", "discover-ignored", "stop-signalled", "stop-killed", "left-processes", "old-transport":
		return true
	}
	return false
}

// census is what the page is made of: the servers that were compared, and those that do not
// start, both by their names.
type census struct {
	page     bytes.Buffer
	compared []*result
	out      []*result
}

// write answers the page. It depends on the servers alone: two runs answer the same bytes.
func write(results []*result) []byte {
	c := &census{}
	for _, r := range slices.SortedFunc(slices.Values(results), func(a, b *result) int { return cmp.Compare(a.Package, b.Package) }) {
		if r.verdict == nil {
			c.out = append(c.out, r)
		} else {
			c.compared = append(c.compared, r)
		}
	}
	c.head()
	c.hints()
	c.costs()
	c.findings()
	c.relayed()
	c.left()
	return c.page.Bytes()
}

func (c *census) say(format string, args ...any) { fmt.Fprintf(&c.page, format, args...) }

// table writes a table with one row for each server; of answers the cells behind its name.
func (c *census) table(heads string, of func(r *result) []any) {
	columns := strings.Count(heads, "|") + 1
	c.say("| server | %s |\n|%s\n", heads, strings.Repeat("---|", columns+1))
	for _, r := range c.compared {
		c.say("| %s |", r.Package)
		for _, cell := range of(r) {
			c.say(" %s |", strings.ReplaceAll(fmt.Sprint(cell), "|", `\|`))
		}
		c.say("\n")
	}
	c.say("\n")
}

// sum adds up a number of each server.
func (c *census) sum(of func(r *result) int) int {
	n := 0
	for _, r := range c.compared {
		n += of(r)
	}
	return n
}

// servers counts the servers that are so.
func (c *census) servers(is func(r *result) bool) int {
	return c.sum(func(r *result) int {
		if is(r) {
			return 1
		}
		return 0
	})
}

// tools counts the tools that are so.
func (c *census) tools(is func(t *inspect.Tool) bool) int {
	return c.sum(func(r *result) int { return r.tools(is) })
}

func (r *result) tools(is func(t *inspect.Tool) bool) int {
	n := 0
	for i := range r.report.Tools {
		if is(&r.report.Tools[i]) {
			n++
		}
	}
	return n
}

func (c *census) head() {
	tokens := c.sum(func(r *result) int { return r.report.List.Tokens })
	c.say(`# Census of the field

What MCP servers say of themselves, and whether a client of Holotype is told the same. %d servers that others published on npm, with %d tools, each of a pinned version and
checked by its hash, are started on one machine without the network, and without a credential: one that insists on it gets a made-up word. Each
is asked by [inspect](inspect.md), by a hand-written client that stands before it directly, and by two clients of `+"`holotype serve`"+` that bridges it: one of %s, one of %s.

`+"`make census`"+` makes this page anew; nothing in it depends on the day or on how fast the machine is. The servers are those of tests/census/servers.json: a choice by use and by whether they
start so, no sample of all that there is.

`, len(c.compared), c.tools(anyTool), legacy, modern)
	byVersion := map[string]int{}
	for _, r := range c.compared {
		byVersion[r.direct.version]++
	}
	var spoken []string
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", legacy, modern} {
		if n := byVersion[version]; n > 0 {
			spoken = append(spoken, fmt.Sprintf("%s (%d)", version, n))
		}
	}
	silent := c.servers(func(r *result) bool {
		return r.tools(func(t *inspect.Tool) bool { return known(t) > 0 }) == 0
	})
	c.say("- The newest version that they speak, of %d servers: %s.\n", len(c.compared), strings.Join(spoken, ", "))
	c.say("- Servers that state no hint at all: %d. Of the %d tools, %d state none of the four, and %d all of them.\n", silent,
		c.tools(anyTool), c.tools(func(t *inspect.Tool) bool { return known(t) == 0 }), c.tools(func(t *inspect.Tool) bool { return known(t) == len(hintKeys) }))
	c.say("- Tools that contradict themselves, in that they say that they only read and that they destroy: %d.\n", c.found("contradiction", false))
	c.say("- All lists together are %d bytes, and about %d tokens for a model that is shown all of them. The heaviest %s.\n",
		c.sum((*result).bytes), tokens, c.heaviest())
	c.say("- Servers that offer resources: %d; prompts: %d.\n\n",
		c.servers(func(r *result) bool { return r.direct.resources != nil }), c.servers(func(r *result) bool { return r.direct.prompts != nil }))
}

func anyTool(*inspect.Tool) bool { return true }

// heaviest says which list takes the most tokens.
func (c *census) heaviest() string {
	if len(c.compared) == 0 {
		return "is none"
	}
	most := slices.MaxFunc(c.compared, func(a, b *result) int { return cmp.Compare(a.report.List.Tokens, b.report.List.Tokens) })
	return fmt.Sprintf("takes %d of these: %s, with %d tools", most.report.List.Tokens, most.Package, most.verdict.sent)
}

// hintsOf answers the hints of a tool in the order of [hintKeys].
func hintsOf(t *inspect.Tool) [len(hintKeys)]inspect.Hint {
	return [...]inspect.Hint{t.Hints.ReadOnly, t.Hints.Destructive, t.Hints.Idempotent, t.Hints.OpenWorld}
}

// known counts the hints that a tool states.
func known(t *inspect.Tool) int {
	n := 0
	for _, h := range hintsOf(t) {
		if h.Value.Known() {
			n++
		}
	}
	return n
}

func (r *result) hint(i int, value capabilities.Hint) int {
	return r.tools(func(t *inspect.Tool) bool { return hintsOf(t)[i].Value == value })
}

func (c *census) hints() {
	c.say("## Hints by value\n\nA hint that is absent is not known: it means neither yes nor no. Of all tools:\n\n```\n")
	for i, key := range hintKeys {
		var counts [3]int
		for n, value := range []capabilities.Hint{capabilities.Yes, capabilities.No, capabilities.Unknown} {
			counts[n] = c.sum(func(r *result) int { return r.hint(i, value) })
		}
		c.say("%-16s%s  true %4d  false %4d  absent %4d\n", key.wire, bar(counts, 50), counts[0], counts[1], counts[2])
	}
	c.say("\n█ true   ▒ false   · absent\n```\n\n")
	c.say("Each cell has the tools that say true, false and nothing, in this order. A contradiction is a tool that says that it only reads and that it destroys.\n\n")
	c.table("version | protocol | tools | readOnlyHint | destructiveHint | idempotentHint | openWorldHint | contradictions", func(r *result) []any {
		cells := []any{r.Version, r.direct.version, r.verdict.sent}
		for i := range hintKeys {
			cells = append(cells, fmt.Sprintf("%d / %d / %d", r.hint(i, capabilities.Yes), r.hint(i, capabilities.No), r.hint(i, capabilities.Unknown)))
		}
		n, _ := r.found("contradiction")
		return append(cells, n)
	})
}

// bar draws shares of a width, rounded so that they fill it.
func bar(counts [3]int, width int) string {
	all, before, drawn := max(counts[0]+counts[1]+counts[2], 1), 0, 0
	var b strings.Builder
	for i, sign := range []string{"█", "▒", "·"} {
		before += counts[i]
		upTo := (2*before*width + all) / (2 * all)
		b.WriteString(strings.Repeat(sign, upTo-drawn))
		drawn = upTo
	}
	return b.String()
}

func (c *census) costs() {
	c.say("## What a list costs\n\nTokens are estimated, as `inspect` does: %s. Servers by the tokens of their lists:\n\n```\n", inspect.TokenRule)
	bounds := []int{500, 1_000, 2_000, 5_000, 10_000, 20_000}
	for i := range len(bounds) + 1 {
		low, high, name := 0, int(^uint(0)>>1), ""
		if i > 0 {
			low, name = bounds[i-1], fmt.Sprintf("%d and more", bounds[i-1])
		}
		if i < len(bounds) {
			high, name = bounds[i], fmt.Sprintf("%d to %d", low, bounds[i]-1)
		}
		n := c.servers(func(r *result) bool { return r.report.List.Tokens >= low && r.report.List.Tokens < high })
		c.say("%s\n", strings.TrimRight(fmt.Sprintf("%-15s%3d  %s", name, n, strings.Repeat("█", n)), " "))
	}
	c.say("```\n\nBytes are those of the tools as they were sent. A server that offers no resources or prompts has — there.\n\n")
	c.table("bytes | tokens | heaviest tool | its tokens | longest name | resources | templates | prompts", func(r *result) []any {
		heavy, tokens, longest := "", 0, 0
		for _, t := range r.report.Tools {
			if t.Tokens > tokens {
				heavy, tokens = t.Name, t.Tokens
			}
			longest = max(longest, utf8.RuneCountInString(t.Name))
		}
		return []any{r.bytes(), r.report.List.Tokens, heavy, tokens, longest, number(r.direct.resources), number(r.direct.templates), number(r.direct.prompts)}
	})
}

// bytes adds up the tools as they were sent.
func (r *result) bytes() int {
	n := 0
	for i := range r.direct.tools {
		n += r.direct.tools[i].bytes
	}
	return n
}

func number(n *int) string {
	if n == nil {
		return "—"
	}
	return fmt.Sprint(*n)
}

// found counts the tools that have a finding, and the findings of the server itself.
func (r *result) found(id string) (tools, server int) {
	seen := map[string]bool{}
	for _, f := range r.report.Findings {
		switch {
		case f.ID != id:
		case f.Tool == "":
			server++
		default:
			seen[f.Tool] = true
		}
	}
	return len(seen), server
}

// found counts the tools that have a finding, or the servers of which something has it.
func (c *census) found(id string, servers bool) int {
	return c.sum(func(r *result) int {
		tools, server := r.found(id)
		if servers {
			return min(tools+server, 1)
		}
		return tools
	})
}

func (c *census) findings() {
	c.say("## Schema traps and names\n\nEvery kind of finding that `holotype inspect` has of lists, and how many servers and tools have it; `inspect --list-findings` says whom each breaks. A name is judged as that of a server that clients know as %s.\n\n", alias)
	c.say("| finding | severity | means | servers | tools |\n|---|---|---|---|---|\n")
	for _, k := range inspect.Kinds() {
		if !ofSession(k.ID) {
			c.say("| %s | %s | %s | %d | %d |\n", k.ID, k.Severity, strings.ReplaceAll(k.Means, "|", `\|`), c.found(k.ID, true), c.found(k.ID, false))
		}
	}
	c.say("\nA finding of a list as a whole has no tools. Of each server, the errors and warnings with the number of tools, and the tools whose names have to be changed before they can be offered:\n\n")
	c.table("errors and warnings | names changed", func(r *result) []any {
		var parts []string
		for _, k := range inspect.Kinds() {
			tools, server := r.found(k.ID)
			switch {
			case ofSession(k.ID) || k.Severity == inspect.Note:
			case tools > 0:
				parts = append(parts, fmt.Sprintf("%s %d", k.ID, tools))
			case server > 0:
				parts = append(parts, k.ID)
			}
		}
		return []any{strings.Join(parts, ", "), r.verdict.renamed}
	})
}

func (c *census) relayed() {
	n := func(of func(v *verdict) int) int { return c.sum(func(r *result) int { return of(r.verdict) }) }
	agreed := c.servers(func(r *result) bool { return len(r.wrong(true)) == 0 })
	c.say(`## What Holotype makes of them

A client of each of the two versions is told, of each tool, the name with a prefix, the title, the description, the icons, the execution, the annotations and the _meta of the server,
with nothing left out and nothing added but keys of _meta that begin with holotype/, and the schemas byte for byte but for the repairs that [the catalogue](bridge.md) names. That is so for %d of the
%d servers. Of the schemas %d are as they were sent, and %d repaired: they lack what every client asks for, or name an older draft of JSON Schema in which they mean the same. Of the hints all %d
that were sent arrived, and no other. Where a tool is known that changes nothing and answers the same each time, it is called directly and by both clients, and the answers are the same.

`, agreed, len(c.compared), n(func(v *verdict) int { return v.same }), n(func(v *verdict) int { return v.repaired }), n(func(v *verdict) int { return v.hints }))
	if foreign := n(func(v *verdict) int { return v.foreign }); foreign > 0 {
		c.say("Members of a tool beside these, which the protocol does not know, are not handed on: there are %d.\n\n", foreign)
	}
	c.table("tools | hints | schemas as sent | repaired | called", func(r *result) []any {
		called := ""
		if r.verdict.called {
			called = r.Call.Tool
		}
		return []any{r.verdict.listed, r.verdict.hints, r.verdict.same, r.verdict.repaired, called}
	})
	c.say("No process of any server was left.\n")
}

func (c *census) left() {
	if len(c.out) == 0 {
		return
	}
	c.say("\n## Not counted\n\nThese do not start without the network or a credential, and what they say instead is:\n\n")
	for _, r := range c.out {
		c.say("- %s %s: %q\n", r.Package, r.Version, r.Offline)
	}
}
