package reference

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
	"github.com/seed-89b9419b/holotype/internal/wire"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

// surfaces writes the page of what looks how on which surface. Nothing on it is
// stated here that the code which writes the wire can be asked.
func surfaces(reg *capabilities.Registry) ([]byte, error) {
	p := newPage("Surfaces")
	p.Para("A capability is declared once, and HTTP, MCP and the command line are projections of that one declaration. " +
		"These tables are printed by the code that writes each surface.")
	codeTable(p, reg)
	for _, table := range []func(*markdown.Page) error{effectTable, wireTable, assertTable} {
		if err := table(p); err != nil {
			return nil, err
		}
	}
	return p.Bytes(), nil
}

func codeTable(p *markdown.Page, reg *capabilities.Registry) {
	p.Section("Codes")
	p.Para("A refused call has one code. Over HTTP it is the member `code` of an RFC 9457 problem, whose `type` is the address of the page of that code. " +
		"Over MCP it stands in a tool result with `isError`, under `_meta[\"" + wire.MetaError + "\"]`; only the name of a tool that is in no view is a JSON-RPC error, -32602. " +
		"On the command line it begins the sentence on standard error and decides the exit status; with `-o json` the problem stands there in its place.")
	var rows [][]string
	for _, i := range reg.Codes() {
		rows = append(rows, []string{linkTo("codes/", string(i.Code)), status(i.Status), markdown.CodeCell(wire.ProblemType(i.Code)), fmt.Sprint(i.Exit)})
	}
	p.Table([]string{"code", "HTTP status", "problem type", "exit status"}, rows)
	e := capabilities.Refuse(capabilities.NotFound, "there is no ticket WEB-7")
	p.Para("One refusal over HTTP:")
	p.JSON(wire.Problem(e, e.Info().Status, "4f2a-17"))
	p.Para("The same over MCP:")
	p.JSON(wire.Refusal(e, "4f2a-17"))
}

func effectTable(p *markdown.Page) error {
	p.Section("Effects")
	p.Para("An effect is a change and a reach. The hints of a builtin, the methods its route may have, whether it counts as writing to what " +
		"others see and whether the command line asks before it calls all follow from it. On the wire the effect stands in `_meta[\"" + wire.MetaEffect + "\"]`.")
	head := append(append([]string{"effect"}, hintHeads()...), "HTTP methods", "others see it", "asks first")
	var rows [][]string
	for _, e := range capabilities.Effects() {
		c, err := builtinWith(e)
		if err != nil {
			return err
		}
		row := []string{markdown.CodeCell(e.String())}
		c.Hints().Each(func(_ string, h capabilities.Hint) { row = append(row, h.String()) })
		rows = append(rows, append(row, strings.Join(e.Methods(), " "), yes(capabilities.WritesToSharedSurface(c)), yes(c.Hints().AskFirst())))
	}
	p.Table(head, rows)
	var words [][]string
	for _, e := range capabilities.Effects() {
		if e.Reach() == capabilities.Private {
			words = append(words, []string{markdown.CodeCell(e.Change().String()), changeMeans(e.Change())})
		}
	}
	p.Table([]string{"change", "means"}, words)
	words = nil
	for _, e := range capabilities.Effects() {
		if e.Change() == capabilities.ChangeRead {
			words = append(words, []string{markdown.CodeCell(e.Reach().String()), reachMeans(e.Reach())})
		}
	}
	p.Table([]string{"reach", "means"}, words)
	return nil
}

// wireTable shows one hint of a bridged tool with each of its three values.
func wireTable(p *markdown.Page) error {
	p.Section("Three values on the wire")
	p.Para("A hint is yes, no or unknown. Unknown is an absent key and never becomes no: what is advertised of a bridged tool asserts nothing that its " +
		"server, or the configuration, did not. Here is `" + capabilities.HintNames[0] + "` of a bridged tool about which nothing else is known.")
	var rows [][]string
	for _, v := range []capabilities.Hint{capabilities.Yes, capabilities.No, capabilities.Unknown} {
		c, err := bridgedWith(capabilities.Hints{ReadOnly: v})
		if err != nil {
			return err
		}
		inDocument, err := documented(c)
		if err != nil {
			return err
		}
		inRow, err := capabilities.Encode(catalogue.RowOf(c).Hints.ReadOnly)
		if err != nil {
			return err
		}
		rows = append(rows, []string{v.String(), orAbsent(wire.Annotations(c)), orAbsent(inDocument), markdown.CodeCell(string(inRow))})
	}
	p.Table([]string{"value", "MCP `annotations`", "OpenAPI `x-holotype-hints`", "row of the catalogue"}, rows)
	return nil
}

// assertTable shows what follows from two hints that may each be unknown.
func assertTable(p *markdown.Page) error {
	p.Section("What hints assert")
	p.Para("Where one word is wanted it is the strongest thing that the hints positively assert. Each classifier reads a contradiction as the danger, and what nobody said as its purpose asks.")
	values := []capabilities.Hint{capabilities.Yes, capabilities.No, capabilities.Unknown}
	var rows [][]string
	for _, readOnly := range values {
		for _, destructive := range values {
			h := capabilities.Hints{ReadOnly: readOnly, Destructive: destructive}
			row := []string{readOnly.String(), destructive.String(), markdown.CodeCell(h.Word()), yes(h.ReadOnlyProven()), yes(h.AskFirst())}
			for _, world := range values {
				h.OpenWorld = world
				c, err := bridgedWith(h)
				if err != nil {
					return err
				}
				row = append(row, yes(capabilities.WritesToSharedSurface(c)))
			}
			rows = append(rows, row)
		}
	}
	head := append(hintHeads()[:2], "asserts", "proven to read", "asks first")
	for _, world := range values {
		head = append(head, "others see it, open world "+world.String())
	}
	p.Table(head, rows)
	return nil
}

func hintHeads() []string {
	var all []string
	for _, name := range capabilities.HintNames {
		all = append(all, markdown.CodeCell(name))
	}
	return all
}

func yes(b bool) string { return capabilities.HintOf(b).String() }

func orAbsent(raw []byte) string {
	if len(raw) == 0 {
		return "absent"
	}
	return markdown.CodeCell(string(raw))
}

func status(n int) string { return fmt.Sprintf("%d %s", n, http.StatusText(n)) }
