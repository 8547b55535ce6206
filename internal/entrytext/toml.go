package entrytext

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

func valueOfTOML(text []byte) (Value, error) {
	var tree map[string]any
	if err := toml.Unmarshal(text, &tree); err != nil {
		if e, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := e.Position()
			return Value{}, &Fault{line, column, strings.TrimPrefix(e.Error(), "toml: ")}
		}
		return Value{}, &Fault{Message: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	return fromTOML(tree), nil
}

func fromTOML(v any) Value {
	switch v := v.(type) {
	case map[string]any:
		out := Object()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out.Members = append(out.Members, Member{key, fromTOML(v[key])})
		}
		return out
	case []any:
		out := Value{Kind: List}
		for _, item := range v {
			out.Items = append(out.Items, fromTOML(item))
		}
		return out
	case string:
		return Text(v)
	case bool:
		return Flag(v)
	case int64:
		return Value{Kind: Number, Text: strconv.FormatInt(v, 10)}
	case float64:
		return Value{Kind: Number, Text: strconv.FormatFloat(v, 'g', -1, 64)}
	}
	return Text(fmt.Sprint(v)) // dates and times
}

// tomlTable is a header with the lines that belong to it.
type tomlTable struct {
	path []string
	// at is the start of the header's line, end the byte after the last line that says
	// something. Comments and blank lines behind that belong to what comes next.
	at, end int
}

// tomlTables answers the tables of a text that was judged.
func tomlTables(text []byte) []tomlTable {
	var tables []tomlTable
	for i := 0; i < len(text); {
		start := i
		first := skipBlank(text, i)
		switch byteAt(text, first) {
		case '#', '\r', '\n', 0:
			i = lineAfter(text, i)
			continue
		case '[':
			i = lineAfter(text, i)
			tables = append(tables, tomlTable{path: tomlHeader(text[first:i]), at: start, end: i})
			continue
		}
		i = tomlStatement(text, first)
		if n := len(tables); n > 0 {
			tables[n-1].end = i
		}
	}
	return tables
}

// tomlHeader answers the keys of a header line; nil for that of a list of tables.
func tomlHeader(line []byte) []string {
	if len(line) > 1 && line[1] == '[' {
		return nil
	}
	var path []string
	for i := 1; i < len(line); {
		switch c := line[i]; {
		case c == ']':
			return path
		case c == ' ' || c == '\t' || c == '.':
			i++
		case c == '"':
			end := rawjson.SkipString(line, i)
			path = append(path, rawjson.Unquote(line[i:end]))
			i = end
		case c == '\'':
			end := i + 1
			for end < len(line) && line[end] != '\'' {
				end++
			}
			path = append(path, string(line[i+1:end]))
			i = end + 1
		default:
			end := i
			for end < len(line) && !strings.ContainsRune(" \t.]\"'", rune(line[end])) {
				end++
			}
			path = append(path, string(line[i:end]))
			i = max(end, i+1)
		}
	}
	return nil
}

// tomlStatement answers the index of the line after the key and value that begin at i: a
// text in three quotes, a list and a table may go on over lines.
func tomlStatement(text []byte, i int) int {
	for depth := 0; i < len(text); {
		rest := text[i:]
		switch c := text[i]; {
		case strings.HasPrefix(string(rest[:min(3, len(rest))]), `"""`), strings.HasPrefix(string(rest[:min(3, len(rest))]), `'''`):
			i = tomlLongText(text, i)
			continue
		case c == '"':
			i = rawjson.SkipString(text, i)
			continue
		case c == '\'':
			i++
			for i < len(text) && text[i] != '\'' && text[i] != '\n' {
				i++
			}
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == '\n' && depth <= 0:
			return i + 1
		}
		i++
	}
	return len(text)
}

// tomlLongText answers the index after a text in three quotes; up to two more may stand
// before the closing three.
func tomlLongText(text []byte, i int) int {
	quote := text[i]
	for i += 3; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] == quote && byteAt(text, i+1) == quote && byteAt(text, i+2) == quote:
			for i += 3; byteAt(text, i) == quote; {
				i++
			}
			return i
		}
	}
	return len(text)
}

// addTOML puts a table behind all others.
func addTOML(text []byte, path []string, name string, entry Value) []edit {
	eol := lineEnd(text)
	lead := ""
	if n := len(text); n > 0 {
		if lead = eol; text[n-1] != '\n' {
			lead += eol
		}
	}
	return []edit{{at: len(text), insert: lead + WriteTOML(append(slices.Clone(path), name), entry, eol)}}
}

var bareTOML = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func tomlKey(key string) string {
	if bareTOML.MatchString(key) {
		return key
	}
	return string(rawjson.AppendQuoted(nil, key))
}

// WriteTOML answers a table of TOML, in lines that end with eol.
func WriteTOML(path []string, entry Value, eol string) string {
	var b strings.Builder
	keys := make([]string, len(path))
	for i, key := range path {
		keys[i] = tomlKey(key)
	}
	b.WriteString("[" + strings.Join(keys, ".") + "]" + eol)
	for _, m := range entry.Members {
		b.WriteString(tomlKey(m.Key) + " = " + tomlValue(m.Value) + eol)
	}
	return b.String()
}

func tomlValue(v Value) string {
	var parts []string
	switch v.Kind {
	case Bool, Number:
		return v.Text
	case List:
		for _, item := range v.Items {
			parts = append(parts, tomlValue(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Map:
		for _, m := range v.Members {
			parts = append(parts, tomlKey(m.Key)+" = "+tomlValue(m.Value))
		}
		if len(parts) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	default: // TOML has no null
		return string(rawjson.AppendQuoted(nil, v.Text))
	}
}

// removeTOML takes out the table of an entry, and those below it.
func removeTOML(text []byte, path []string, name string) ([]edit, error) {
	whole := append(slices.Clone(path), name)
	var edits []edit
	for _, t := range tomlTables(text) {
		if len(t.path) < len(whole) || !slices.Equal(t.path[:len(whole)], whole) {
			continue
		}
		start, end := t.at, t.end
		if n := len(edits); n > 0 && edits[n-1].at+edits[n-1].drop == start { // directly behind the last
			edits[n-1].drop += end - start
		} else {
			edits = append(edits, edit{at: start, drop: end - start})
		}
		last := &edits[len(edits)-1]
		blank := blankLines(text, end)
		last.drop += blank - end
		if blank == len(text) { // nothing follows, so what set it apart from what stands before goes
			for last.at > 0 && len(strings.TrimSpace(string(text[lineStart(text, last.at-1):last.at]))) == 0 {
				before := lineStart(text, last.at-1)
				last.drop += last.at - before
				last.at = before
			}
		}
	}
	if len(edits) == 0 {
		return nil, ErrUncertain // an inline table, or keys with dots
	}
	return edits, nil
}

// blankLines answers the index after the blank lines that begin at i.
func blankLines(text []byte, i int) int {
	for i < len(text) {
		next := lineAfter(text, i)
		if len(strings.TrimSpace(string(text[i:next]))) > 0 {
			return i
		}
		i = next
	}
	return i
}
