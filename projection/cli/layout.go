package cli

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxInline is how wide a small object or list may be to stand on one line.
	maxInline = 72
	// maxTable is how wide a table may be; wider rows are shown one under another.
	maxTable = 160
)

// printer lays values out for people. Every write goes through it, and the first
// failure stays.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) print(parts ...string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, strings.Join(parts, ""))
	}
}

// value lays out one JSON value, every line behind indent.
func (p *printer) value(n *node, indent string) {
	switch {
	case n.kind == arrayNode && len(n.values) > 0:
		p.list(n.values, indent)
	case n.kind == objectNode && len(n.keys) > 0:
		p.object(n, indent)
	default:
		text, _ := inline(n)
		if n.kind == stringNode && n.text != "" {
			text = escape(n.text, true)
		}
		p.print(indent, strings.ReplaceAll(text, "\n", "\n"+indent), "\n")
	}
}

// page lays out a list answer: its items, and how to go on.
func (p *printer) page(n *node) bool {
	items, next := n.member("items"), n.member("next_cursor")
	known := len(n.keys) == 1 || len(n.keys) == 2 && next != nil && next.kind == stringNode
	if items == nil || items.kind != arrayNode || !known {
		return false
	}
	p.value(items, "")
	if next != nil {
		p.print("\nnext page: the same, and --cursor ", shellQuote(next.text), "\n")
	}
	return true
}

func (p *printer) object(n *node, indent string) {
	width := 0
	for _, k := range n.keys {
		width = max(width, utf8.RuneCountInString(escape(k, false)))
	}
	for i, k := range n.keys {
		k, v := escape(k, false), n.values[i]
		text, fits := inline(v)
		switch {
		case v.kind == stringNode && strings.Contains(v.text, "\n"):
			p.print(indent, k, "\n")
			p.value(v, indent+"  ")
		case fits:
			p.print(strings.TrimRight(indent+pad(k, width)+"  "+text, " "), "\n")
		default:
			p.print(indent, k, "\n")
			p.value(v, indent+"  ")
		}
	}
}

// list lays out the items of an array: a table where they are objects that fit,
// else one after another.
func (p *printer) list(items []*node, indent string) {
	if rows, ok := tableOf(items); ok {
		p.rows(rows, indent)
		return
	}
	apart := slices.ContainsFunc(items, func(n *node) bool { return n.kind == objectNode && len(n.keys) > 1 })
	for i, n := range items {
		if apart && i > 0 {
			p.print("\n")
		}
		if text, fits := inline(n); fits && !apart {
			p.print(indent, "- ", text, "\n")
			continue
		}
		if !apart {
			p.print(indent, "-\n")
		}
		if apart {
			p.value(n, indent)
		} else {
			p.value(n, indent+"  ")
		}
	}
}

// tableOf answers the rows of a table, the head first, where every item is an
// object whose members fit a cell.
func tableOf(items []*node) ([][]string, bool) {
	var head []string
	for _, n := range items {
		if n.kind != objectNode || len(n.keys) == 0 {
			return nil, false
		}
		for _, k := range n.keys {
			if !slices.Contains(head, k) {
				head = append(head, k)
			}
		}
	}
	if len(head) > 12 {
		return nil, false
	}
	rows := [][]string{make([]string, len(head))}
	for i, k := range head {
		rows[0][i] = strings.ToUpper(escape(k, false))
	}
	for _, n := range items {
		row := make([]string, len(head))
		for i, k := range head {
			v := n.member(k)
			if v == nil {
				continue
			}
			text, fits := inline(v)
			if !fits {
				return nil, false
			}
			row[i] = text
		}
		rows = append(rows, row)
	}
	total := 0
	for _, w := range widths(rows) {
		total += w + 2
	}
	return rows, total <= maxTable
}

func widths(rows [][]string) []int {
	w := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			w[i] = max(w[i], utf8.RuneCountInString(cell))
		}
	}
	return w
}

// rows writes aligned columns, two spaces apart. All rows have the head's length.
func (p *printer) rows(rows [][]string, indent string) {
	w := widths(rows)
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(pad(cell, w[i]) + "  ")
		}
		p.print(indent, strings.TrimRight(line.String(), " "), "\n")
	}
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// inline writes a value on one line. fits is false for a holder that is too wide
// or holds holders of holders.
func inline(n *node) (text string, fits bool) {
	switch n.kind {
	case scalarNode, stringNode:
		if n.kind == stringNode && n.text == "" {
			return `""`, true
		}
		return escape(n.text, false), true
	case arrayNode, objectNode:
	}
	if len(n.values) == 0 {
		return map[nodeKind]string{arrayNode: "[]", objectNode: "{}"}[n.kind], true
	}
	parts := make([]string, len(n.values))
	width := 0
	for i, v := range n.values {
		if v.holds() && len(v.values) > 0 {
			return "", false
		}
		parts[i], _ = inline(v)
		if n.kind == objectNode {
			parts[i] = escape(n.keys[i], false) + ": " + parts[i]
		}
		if width += utf8.RuneCountInString(parts[i]) + 2; width > maxInline {
			return "", false
		}
	}
	return strings.Join(parts, ", "), true
}
