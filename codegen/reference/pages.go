package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func index(reg *capabilities.Registry) []byte {
	p := newPage("Reference")
	p.f("\nGenerated from the declarations. [Codes](codes.md) · [Configuration](config.md)\n")
	for _, info := range reg.Packs() {
		p.f("\n## [%s](packs/%s.md)\n\n%s\n", Text(info.Title), info.Name, Text(info.Summary))
		p.table(capabilityHead, capabilityRows(reg, info.Name, "capabilities/"))
	}
	return p.Bytes()
}

func pack(reg *capabilities.Registry, info capabilities.PackInfo) []byte {
	p := newPage(Text(info.Title))
	p.f("\n%s\n\nScopes: %s, %s.\n", Text(info.Summary), Code(info.Name+":read"), Code(info.Name+":write"))
	p.f("\n## Capabilities\n")
	p.table(capabilityHead, capabilityRows(reg, info.Name, "../capabilities/"))
	var own [][]string
	for _, i := range reg.Codes() {
		if i.Pack == info.Name {
			own = append(own, []string{fmt.Sprintf("[%s](../codes/%s.md)", Code(string(i.Code)), i.Code), Code(string(i.Base)), Text(i.Means)})
		}
	}
	if len(own) > 0 {
		p.f("\n## Codes\n")
		p.table([]string{"code", "base", "means"}, own)
	}
	return p.Bytes()
}

var capabilityHead = []string{"capability", "effect", "HTTP", "what it does"}

func capabilityRows(reg *capabilities.Registry, pack, folder string) [][]string {
	var rows [][]string
	for c := range reg.All() {
		if c.Pack() != pack || c.AliasOf() != "" {
			continue
		}
		effect := c.Hints().Word()
		if e, ok := c.Effect(); ok {
			effect = e.String()
		}
		rows = append(rows, []string{
			fmt.Sprintf("[%s](%s%s.md)", Code(c.Name()), folder, c.Name()), Code(effect), Code(c.Route().String()), Text(c.Summary()),
		})
	}
	return rows
}

func codes(reg *capabilities.Registry) []byte {
	p := newPage("Codes")
	p.f("\nA refusal has one code on every surface. Over HTTP it is an RFC 9457 problem with the status below and the member `code`; " +
		"over MCP a tool result with `isError` and `_meta[\"holotype/error\"].code`; on the command line an exit status and a sentence on standard error.\n")
	var rows [][]string
	for _, i := range reg.Codes() {
		rows = append(rows, []string{
			fmt.Sprintf("[%s](codes/%s.md)", Code(string(i.Code)), i.Code), fmt.Sprint(i.Status), fmt.Sprint(i.Exit), Text(i.Means), Text(i.Remedy),
		})
	}
	p.table([]string{"code", "HTTP", "exit", "means", "the caller should"}, rows)
	p.f("\nFurther exit statuses: 0 success, 130 interrupted. Further HTTP statuses: 405, 406 and 415 with the code `invalid`.\n")
	return p.Bytes()
}

func code(reg *capabilities.Registry, i capabilities.CodeInfo) []byte {
	p := newPage(Code(string(i.Code)))
	p.f("\n%s. The caller should %s.\n", Text(sentenceCase(i.Means)), Text(i.Remedy))
	facts := [][]string{{"HTTP status", fmt.Sprint(i.Status)}, {"exit status", fmt.Sprint(i.Exit)}}
	if i.Base != i.Code {
		facts = append(facts, []string{"base", fmt.Sprintf("[%s](%s.md)", Code(string(i.Base)), i.Base)}, []string{"pack", Code(i.Pack)})
	}
	p.table([]string{"", ""}, facts)
	var users [][]string
	for c := range reg.All() {
		if c.AliasOf() == "" && slices.ContainsFunc(c.Codes(), func(o capabilities.CodeInfo) bool { return o.Code == i.Code }) {
			users = append(users, []string{fmt.Sprintf("[%s](../capabilities/%s.md)", Code(c.Name()), c.Name()), Text(c.Summary())})
		}
	}
	if i.Implicit {
		p.f("\nAny capability may be refused with it.\n")
		return p.Bytes()
	}
	p.table([]string{"answered by", ""}, users)
	return p.Bytes()
}

func sentenceCase(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
