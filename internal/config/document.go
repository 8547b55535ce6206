package config

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Bounds are those of a document that is no configuration.
type Bounds struct {
	Depth  int // levels that values may nest
	Values int // values in all, counting what aliases repeat
	Bytes  int // of what they are written as, counting what aliases repeat
}

// maxPlace bounds what of one key of somebody else's stands in the place of a fault.
const maxPlace = 120

// JSONOfYAML returns a YAML document of somebody else's as JSON: one document, its keys texts, none of them twice. The error is the
// first [Fault], without a file.
func JSONOfYAML(data []byte, bounds Bounds) (json.RawMessage, error) {
	d := &decoder{bounds: bounds}
	root := parseYAML(d, data)
	if len(d.faults) > 0 {
		return nil, d.faults[0]
	}
	if root == nil {
		return json.RawMessage("null"), nil
	}
	out := root.appendJSON(d, make([]byte, 0, len(data)+len(data)/2), "")
	if len(d.faults) > 0 {
		return nil, d.faults[0]
	}
	return out, nil
}

func (n *node) appendJSON(d *decoder, b []byte, path string) []byte {
	if len(d.faults) > 0 {
		return b // nobody reads it
	}
	if len(b) > d.bounds.Bytes {
		d.fault(n.line, "", "the values take more than %d bytes, counting what aliases repeat", d.bounds.Bytes)
		return b
	}
	switch n.kind {
	case kindNull:
		return append(b, "null"...)
	case kindBool:
		return append(b, strings.ToLower(n.text)...)
	case kindNumber:
		number := jsonNumber(n.text)
		if number == "" {
			d.fault(n.line, path, "%s is no number that JSON can write", n.text)
		}
		return append(b, number...)
	case kindText:
		return append(b, quoted(n.text)...)
	case kindList:
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(d, b, at(path, i))
		}
		return append(b, ']')
	case kindObject:
		b = append(b, '{')
		for i, m := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = m.value.appendJSON(d, append(append(b, quoted(m.key)...), ':'), under(path, placed(m.key)))
		}
		return append(b, '}')
	}
	return b
}

// placed is a key as it stands in the place of a fault. Whatever stands below it carries it
// along, so that a long one would cost its length at every value.
func placed(key string) string {
	if len(key) <= maxPlace {
		return key
	}
	return strings.ToValidUTF8(key[:maxPlace], "") + " ..."
}

var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// jsonNumber spells a number of YAML as JSON does, "" when there is no way to.
func jsonNumber(text string) string {
	if plainNumber.MatchString(text) {
		return text
	}
	if v, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 0, 64); err == nil {
		return strconv.FormatInt(v, 10)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return ""
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
