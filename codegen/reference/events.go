package reference

import (
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// levels in the order of the table, with what each asks for.
var levels = [...]struct{ name, means string }{
	{"error", "somebody has to act"},
	{"warn", "something is worse than it should be"},
	{"info", "something changed"},
	{"debug", "the rest, logged with `--debug` alone"},
}

// eventPages answers the page of all events, and one of each.
func eventPages() map[string][]byte {
	all := events()
	p := newPage("Events")
	p.Para("What the server logs. A line has the time, the level and the event, whose name is its message, and attributes, each of which means the same wherever it stands. " +
		"Nothing of what callers send or get is ever among them, and no secret. Lines about a bridged server have its name as `server`, and its seat, where it has one, as `seat`.")
	for _, level := range levels {
		p.Section(sentenceCase(level.name))
		p.Para(sentenceCase(level.means) + ".")
		var rows [][]string
		for _, e := range all {
			if highest, _, _ := strings.Cut(e.levels, " "); highest == level.name {
				rows = append(rows, []string{linkTo("events/", e.name), markdown.Cell(e.means)})
			}
		}
		p.Table([]string{"event", "means"}, rows)
	}
	pages := map[string][]byte{Folder + "/events.md": p.Bytes()}
	for _, e := range all {
		pages[fmt.Sprintf("%s/events/%s.md", Folder, e.name)] = eventPage(e)
	}
	return pages
}

func eventPage(e event) []byte {
	p := newPage(markdown.Code(e.name))
	p.Para(e.means)
	if e.remedy != "" {
		p.Para(e.remedy)
	}
	p.Para("Level: " + strings.Join(strings.Fields(e.levels), ", or ") + ".")
	p.Section("Attributes")
	means := eventFields()
	var rows [][]string
	for name := range strings.FieldsSeq(e.fields) {
		rows = append(rows, []string{markdown.CodeCell(name), markdown.Cell(means[name])})
	}
	if len(rows) == 0 {
		p.Para("None of its own.")
	}
	p.Table([]string{"attribute", "is"}, rows)
	return p.Bytes()
}
