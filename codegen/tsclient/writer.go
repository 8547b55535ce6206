package tsclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// indentation is one level of the written source.
const indentation = "    "

// writer writes TypeScript line by line.
type writer struct {
	b     bytes.Buffer
	level int
}

// line writes one line at the current level.
func (w *writer) line(format string, args ...any) {
	w.b.WriteString(strings.Repeat(indentation, w.level))
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// open writes the line that begins a block, end the one that ends it.
func (w *writer) open(format string, args ...any) {
	w.line(format, args...)
	w.level++
}

func (w *writer) end(text string) {
	w.level--
	w.line("%s", text)
}

// about writes a doc comment; no text writes none.
func (w *writer) about(lines ...string) {
	text := strings.TrimSpace(plain(strings.Join(lines, "\n")))
	switch {
	case text == "":
	case !strings.Contains(text, "\n"):
		w.line("/** %s */", text)
	default:
		w.line("/**")
		for l := range strings.Lines(text) {
			w.line("%s", strings.TrimRight(" * "+strings.TrimRight(l, "\n"), " "))
		}
		w.line(" */")
	}
}

// property writes a property with a type that typeOf wrote at this level.
func (w *writer) property(name, optional, kind string) { w.line("%s%s: %s;", name, optional, kind) }

// text answers a member that is a string, or "".
func text(object []byte, name string) string {
	s, _ := rawjson.String(rawjson.Member(object, name))
	return s
}

// isTrue reports whether a member is true.
func isTrue(object []byte, name string) bool {
	v, ok := rawjson.Bool(rawjson.Member(object, name))
	return ok && v
}

// strs answers the strings of an array.
func strs(array json.RawMessage) []string {
	var all []string
	for _, one := range rawjson.Elements(array) {
		if s, ok := rawjson.String(one); ok {
			all = append(all, s)
		}
	}
	return all
}

// has reports whether an object has a member at all.
func has(object []byte, name string) bool { return rawjson.Member(object, name) != nil }
