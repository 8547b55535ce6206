package reference

import (
	"fmt"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

func codes(reg *capabilities.Registry) []byte {
	p := newPage("Codes")
	p.Para("A refusal has one code on every surface; [Surfaces](surfaces.md#codes) shows where it stands on each.")
	var rows [][]string
	for _, i := range reg.Codes() {
		rows = append(rows, []string{
			linkTo("codes/", string(i.Code)), fmt.Sprint(i.Status), fmt.Sprint(i.Exit), markdown.Text(i.Means), markdown.Text(i.Remedy),
		})
	}
	p.Table([]string{"code", "HTTP", "exit", "means", "the caller should"}, rows)
	p.Para("Further exit statuses: 0 success, 130 interrupted. Further HTTP statuses: 405, 406 and 415 with the code `invalid`, and 408 with `timeout` for a body that does not come in.")
	return p.Bytes()
}

func code(reg *capabilities.Registry, i capabilities.CodeInfo) []byte {
	p := newPage(markdown.Code(string(i.Code)))
	p.Para(markdown.Text(sentenceCase(i.Means)) + ".")
	p.Para("The caller should " + markdown.Text(i.Remedy) + ".")
	head, row := []string{"HTTP status", "exit status"}, []string{status(i.Status), fmt.Sprint(i.Exit)}
	if i.Base != i.Code {
		head, row = append(head, "base", "pack"), append(row, linkTo("", string(i.Base)), linkTo("../packs/", i.Pack))
	}
	p.Table(head, [][]string{row})

	p.Section("Who answers it")
	var all, answering [][]string
	for c := range reg.All() {
		if c.AliasOf() != "" || c.Bridged() {
			continue
		}
		line := []string{linkTo("../capabilities/", c.Name()), markdown.Text(c.Summary())}
		all = append(all, line)
		if holds(c.Codes(), i.Code) {
			answering = append(answering, line)
		}
	}
	switch {
	case len(answering) == 0:
		p.Para("None of this server's own capabilities.")
	case i.Implicit && len(answering) == len(all):
		p.Para("Any of this server's own capabilities.")
	default:
		p.Table([]string{"capability", "what it does"}, answering)
	}
	if probe, err := bridgedWith(capabilities.Hints{}); err == nil && holds(probe.Codes(), i.Code) {
		p.Para("Any tool of a bridged server.")
	}
	return p.Bytes()
}

func holds(codes []capabilities.CodeInfo, code capabilities.Code) bool {
	return slices.ContainsFunc(codes, func(i capabilities.CodeInfo) bool { return i.Code == code })
}
