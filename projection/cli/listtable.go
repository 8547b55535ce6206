package cli

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// column is a column of the table of a list.
type column struct {
	name  string
	head  string
	place int // among the fields of an item
	rank  int // the lowest is chosen first
	room  int // what it is taken to need when columns are chosen
	when  bool
}

// What a column is taken to need. The values do not count: the columns of a list are the
// same whatever stands in it.
const (
	textRoom   = 9
	numberRoom = 7
	whenRoom   = len("2006-01-02 15:04:05Z")
	madeRoom   = 34 // an id, a position, a digest
	gap        = 2
)

// listFields answers what the items of a builtin's list are made of, by its output
// schema; nil where it answers no list of objects.
func listFields(c *capabilities.Capability) []schema.Property {
	if c.Bridged() || c.Output() == nil {
		return nil
	}
	o, ok := schema.ReadOutline(c.Output().Raw())
	if !ok {
		return nil // the answer is laid out by what it holds
	}
	return o.FieldsWithin("items")
}

// listColumns chooses the columns that have room beside each other, and answers the
// names of the fields that are left out. First come the name of the thing, the first
// field, and what every item has; then what some have; then who did what when; last
// numbers and what machines know a thing by. They stand in the order of the fields.
func listColumns(fields []schema.Property, room int) (shown []column, left []string) {
	var all []column
	for i, f := range fields {
		c := columnOf(i, f)
		if c.rank < 0 {
			left = append(left, f.Name)
			continue
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b column) int { return cmp.Compare(a.rank, b.rank) })
	for _, c := range all {
		if need := max(c.room, utf8.RuneCountInString(c.head)); len(shown) == 0 || need <= room {
			room -= need + gap
			shown = append(shown, c)
			continue
		}
		left = append(left, c.name)
	}
	slices.SortFunc(shown, func(a, b column) int { return cmp.Compare(a.place, b.place) })
	return shown, left
}

func columnOf(i int, f schema.Property) column {
	c := column{name: f.Name, head: strings.ToUpper(escape(f.Name, false)), place: i, room: textRoom}
	c.when = f.Format == "date-time" || f.Name == "at" || strings.HasSuffix(f.Name, "_at")
	closed := len(f.Enum) > 0 || slices.Equal(f.Types, []string{"boolean"})
	for _, value := range f.Enum {
		c.room = max(numberRoom, c.room, utf8.RuneCount(value)-len(`""`))
	}
	number := len(f.Types) > 0 && !slices.ContainsFunc(f.Types, func(t string) bool { return t != "integer" && t != "number" })
	switch {
	case f.ScalarArray():
		c.rank = 5
	case !f.Scalar() && len(f.Types) > 0:
		c.rank = -1
	case number:
		c.rank, c.room = 7, numberRoom
	case madeByMachines(f.Name):
		c.rank, c.room = 8, madeRoom
	case strings.HasSuffix(f.Name, "_at"), strings.HasSuffix(f.Name, "_by"):
		c.rank = 6
	case closed && f.Required:
		c.rank = 1
	case f.Required:
		c.rank = 2
	case closed:
		c.rank = 3
	default:
		c.rank = 4
	}
	if c.when {
		c.room = whenRoom
	}
	if i == 0 && c.rank > 0 {
		c.rank = 0
	}
	return c
}

// madeByMachines reports whether a field of that name holds what nobody reads.
func madeByMachines(name string) bool {
	switch name {
	case "id", "position", "digest", "op_id":
		return true
	}
	return strings.HasSuffix(name, "_id")
}

// cell writes a value on one line; a time without what nobody compares by eye.
func (c column) cell(n *node) string {
	switch {
	case n == nil:
		return ""
	case c.when && n.kind == stringNode:
		if at, err := time.Parse(time.RFC3339Nano, n.text); err == nil {
			return at.UTC().Format("2006-01-02 15:04:05Z")
		}
	case n.kind == arrayNode:
		parts := make([]string, len(n.values))
		for i, v := range n.values {
			parts[i], _ = inline(v)
		}
		return strings.Join(parts, ", ")
	}
	if text, fits := inline(n); n.holds() && fits {
		return text
	}
	if n.holds() {
		return "…"
	}
	return escape(n.text, false)
}

// listed lays out a list answer by what its schema says of an item, for a line of room
// characters. Where it is cut, cells that have no room end early: a person looks at a
// terminal, and what stands behind a pipe wants everything.
func (p *printer) listed(n *node, fields []schema.Property, room int, cut bool) bool {
	items := n.member("items")
	if items == nil || items.kind != arrayNode {
		return false
	}
	shown, left := listColumns(fields, room)
	if len(shown) == 0 {
		return false
	}
	rows := [][]string{make([]string, len(shown))}
	for i, c := range shown {
		rows[0][i] = c.head
	}
	for _, item := range items.values {
		if item.kind != objectNode {
			return false
		}
		row := make([]string, len(shown))
		for i, c := range shown {
			row[i] = c.cell(item.member(c.name))
		}
		rows = append(rows, row)
	}
	if cut {
		cutCells(rows, room)
	}
	if len(items.values) == 0 {
		p.print("none\n")
	} else {
		p.rows(rows, "")
	}
	p.beside(n)
	if cut && len(left) > 0 && len(items.values) > 0 {
		p.print("\nnot shown: ", escape(strings.Join(left, ", "), false), "; -o json has everything\n")
	}
	return true
}

// beside lays out what stands beside the items of a list.
func (p *printer) beside(n *node) {
	rest := &node{kind: objectNode}
	var next *node
	for i, key := range n.keys {
		switch key {
		case "items":
		case "next_cursor":
			next = n.values[i]
		default:
			rest.keys, rest.values = append(rest.keys, key), append(rest.values, n.values[i])
		}
	}
	if len(rest.keys) > 0 {
		p.print("\n")
		p.object(rest, "")
	}
	if next != nil && next.kind == stringNode {
		p.print("\nnext page: the same, and --cursor ", shellQuote(next.text), "\n")
	}
}

// cutCells shortens the widest columns until the rows have room.
func cutCells(rows [][]string, room int) {
	w := widths(rows)
	total := -gap
	for _, one := range w {
		total += one + gap
	}
	for total > room {
		widest := 0
		for i := range w {
			if w[i] > w[widest] {
				widest = i
			}
		}
		if w[widest] <= utf8.RuneCountInString(rows[0][widest]) || w[widest] <= textRoom {
			break
		}
		w[widest]--
		total--
	}
	for _, row := range rows {
		for i, cell := range row {
			if utf8.RuneCountInString(cell) > w[i] {
				row[i] = string([]rune(cell)[:w[i]-1]) + "…"
			}
		}
	}
}
