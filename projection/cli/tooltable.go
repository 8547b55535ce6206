package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

const (
	// maxSummary is how wide a summary may be, minSummary how wide its column has to be
	// to stand beside the others.
	maxSummary, minSummary = 72, 24

	hintHead   = "R D I O"
	hintLegend = `hints: R read-only, D destructive, I idempotent, O open-world; y yes, n no,
? unknown: nobody says. With a tool's name, "tools" shows who said what.
`
)

// toolTable writes a row a tool, in as many columns as the terminal has room for.
func (r *run) toolTable(items []json.RawMessage) error {
	p := &printer{w: r.out}
	if len(items) == 0 {
		p.print("no tools\n")
		return p.err
	}
	rows := make([]catalogue.Row, len(items))
	for i, item := range items {
		if err := json.Unmarshal(item, &rows[i]); err != nil {
			return fmt.Errorf("reading the answer of %s: %w", system.ListTools.Name(), err)
		}
	}
	room := columns(r.out)
	if !p.wideTools(rows, room) {
		p.narrowTools(rows, room)
	}
	p.print("\n", hintLegend)
	return p.err
}

// wideTools writes everything about a tool on one line, unless the summary has no
// room there.
func (p *printer) wideTools(tools []catalogue.Row, room int) bool {
	cells := [][]string{{"NAME", "SOURCE", "EFFECT", hintHead, "DELIVERS"}}
	for _, t := range tools {
		delivers := "-"
		if t.Delivers != "" {
			delivers = escape(t.Delivers, false)
		}
		cells = append(cells, []string{t.Name, escape(t.Source, false), effectWords(t), hintLetters(t.Hints), delivers})
	}
	for _, w := range widths(cells) {
		room -= w + 2
	}
	if room < minSummary {
		return false
	}
	for i := range cells {
		summary := "SUMMARY"
		if i > 0 {
			summary = oneLine(tools[i-1].Summary, min(room, maxSummary))
		}
		cells[i] = append(cells[i], summary)
	}
	p.rows(cells, "")
	return true
}

// narrowTools writes two lines a tool: what a call may do, and what it is.
func (p *printer) narrowTools(tools []catalogue.Row, room int) {
	const indent = "    "
	cells := [][]string{{"NAME", "EFFECT", hintHead}}
	for _, t := range tools {
		cells = append(cells, []string{t.Name, effectWords(t), hintLetters(t.Hints)})
	}
	w := widths(cells)
	for i, row := range cells {
		p.print(pad(row[0], w[0]), "  ", pad(row[1], w[1]), "  ", row[2], "\n")
		if i == 0 {
			continue
		}
		t := tools[i-1]
		about := t.Source
		if t.Delivers != "" {
			about += ", delivers to " + t.Delivers
		}
		about = escape(about, false) + ": "
		left := max(room-len(indent)-utf8.RuneCountInString(about), minSummary)
		p.print(indent, about, oneLine(t.Summary, min(left, maxSummary)), "\n")
	}
}

// hintLetters are the four hints in the order of [hintHead]. An unknown one has a sign
// of its own: a blank would look like a no.
func hintLetters(h catalogue.Hints) string {
	words := make([]string, 0, 4)
	for _, one := range []catalogue.Hint{h.ReadOnly, h.Destructive, h.Idempotent, h.OpenWorld} {
		switch string(one.Value) {
		case capabilities.Yes.String():
			words = append(words, "y")
		case capabilities.No.String():
			words = append(words, "n")
		default:
			words = append(words, "?")
		}
	}
	return strings.Join(words, " ")
}
