package entrytext

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A piece is what stands in a block of YAML: the lines of a member or of an item, each
// with its indentation and its end.
type piece struct {
	lines func(indent, eol string) string
	list  bool
}

func member(name string, v Value) piece {
	return piece{lines: func(indent, eol string) string { return WriteYAML(name, v, indent, eol) }}
}

func element(v Value) piece {
	return piece{list: true, lines: func(indent, eol string) string { return WriteYAMLItem(v, indent, eol) }}
}

// addYAML puts a piece at the end of the block at a path of one key.
func addYAML(text []byte, path []string, p piece) ([]edit, error) {
	if len(path) != 1 {
		return nil, ErrUncertain
	}
	root, err := readYAML(text)
	if err != nil {
		return nil, err
	}
	eol := lineEnd(text)
	lead := ""
	if n := len(text); n > 0 && text[n-1] != '\n' {
		lead = eol
	}
	if root == nil || root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return []edit{{at: len(text), insert: lead + yamlScalar(path[0]) + ":" + eol + p.lines("  ", eol)}}, nil
	}
	at, err := yamlAt(root, path)
	if err != nil {
		return nil, err
	}
	if at == nil {
		if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
			return nil, ErrUncertain
		}
		base := strings.Repeat(" ", root.Column-1)
		return []edit{{at: len(text), insert: lead + base + yamlScalar(path[0]) + ":" + eol + p.lines(base+"  ", eol)}}, nil
	}
	key := offsetOf(text, at.key.Line, at.key.Column)
	child := indentAt(text, key) + "  "
	var edits []edit
	end := lineAfter(text, key)
	switch v := at.value; {
	case v.Kind == yaml.ScalarNode && v.ShortTag() == "!!null" && v.Value == "" && v.Anchor == "":
	case v.Line == at.key.Line && len(v.Content) == 0 && v.Style&yaml.FlowStyle != 0:
		from := offsetOf(text, v.Line, v.Column)
		if pair := string(text[from:min(from+2, len(text))]); pair != "{}" && pair != "[]" {
			return nil, ErrUncertain
		}
		start := from
		for start > 0 && text[start-1] == ' ' {
			start--
		}
		edits = append(edits, edit{at: start, drop: from + 2 - start})
	case (v.Kind == yaml.MappingNode || v.Kind == yaml.SequenceNode) && v.Style&yaml.FlowStyle == 0 && v.Anchor == "":
		child = strings.Repeat(" ", v.Column-1)
		end = region(text, key, v.Kind == yaml.SequenceNode)
	default:
		return nil, ErrUncertain
	}
	if end == 0 || text[end-1] != '\n' {
		return append(edits, edit{at: end, insert: eol + strings.TrimSuffix(p.lines(child, eol), eol)}), nil
	}
	return append(edits, edit{at: end, insert: p.lines(child, eol)}), nil
}

// removeYAML takes a member out of the mapping at a path.
func removeYAML(text []byte, path []string, name string) ([]edit, error) {
	root, err := readYAML(text)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, ErrNotThere
	}
	over, err := yamlAt(root, path)
	if err != nil {
		return nil, err
	}
	at, err := yamlAt(root, append(append([]string{}, path...), name))
	switch {
	case err != nil:
		return nil, err
	case at == nil || over == nil:
		return nil, ErrNotThere
	}
	key := offsetOf(text, at.key.Line, at.key.Column)
	if !beginsLine(text, key) {
		return nil, ErrUncertain
	}
	start, end := lineStart(text, key), region(text, key, at.value.Kind == yaml.SequenceNode)
	edits := []edit{{at: start, drop: end - start}}
	if at.alone { // nothing is left below the key: say that it is a mapping all the same
		from := offsetOf(text, over.key.Line, over.key.Column)
		line := string(text[from:lineAfter(text, from)])
		colon := strings.Index(line, ":")
		if colon < 0 {
			return nil, ErrUncertain
		}
		edits = append(edits, edit{at: from + colon + 1, insert: " {}"})
	}
	return edits, nil
}

// WriteYAML answers a member of a mapping of YAML, in lines that begin with indent and end
// with eol.
func WriteYAML(name string, v Value, indent, eol string) string {
	var b strings.Builder
	writeYAML(&b, name, v, indent, eol)
	return b.String()
}

// WriteYAMLItem answers an item of a sequence of YAML, in lines that begin with indent and
// end with eol.
func WriteYAMLItem(v Value, indent, eol string) string {
	if v.Kind != Map || len(v.Members) == 0 {
		return indent + "- " + yamlFlow(v) + eol
	}
	var b strings.Builder
	for _, m := range v.Members {
		writeYAML(&b, m.Key, m.Value, indent+"  ", eol)
	}
	return indent + "- " + strings.TrimPrefix(b.String(), indent+"  ")
}

func writeYAML(b *strings.Builder, name string, v Value, indent, eol string) {
	if v.Kind == Map && len(v.Members) > 0 {
		fmt.Fprintf(b, "%s%s:%s", indent, yamlScalar(name), eol)
		for _, m := range v.Members {
			writeYAML(b, m.Key, m.Value, indent+"  ", eol)
		}
		return
	}
	fmt.Fprintf(b, "%s%s: %s%s", indent, yamlScalar(name), yamlFlow(v), eol)
}

// yamlFlow writes a value in one line.
func yamlFlow(v Value) string {
	var parts []string
	switch v.Kind {
	case Null:
		return "null"
	case Bool, Number:
		return v.Text
	case List:
		for _, item := range v.Items {
			parts = append(parts, yamlFlow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Map:
		for _, m := range v.Members {
			parts = append(parts, yamlScalar(m.Key)+": "+yamlFlow(m.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case String:
	}
	return yamlScalar(v.Text)
}

// plainYAML is text that no reader of YAML takes for anything but text. What it leaves out
// stands in quotes.
var (
	plainYAML = regexp.MustCompile(`^([A-Za-z_/][A-Za-z0-9_./+=-]*|-{1,2}[A-Za-z][A-Za-z0-9_.=/-]*)$`)
	wordYAML  = regexp.MustCompile(`^(?i:true|false|yes|no|on|off|null|y|n)$`)
)

func yamlScalar(s string) string {
	if plainYAML.MatchString(s) && !wordYAML.MatchString(s) {
		return s
	}
	return string(rawjson.AppendQuoted(nil, s))
}
