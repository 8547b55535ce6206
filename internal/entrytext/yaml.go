package entrytext

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

// maxNodes is how many values a text of YAML may have, with those that aliases repeat.
const maxNodes = 200_000

func valueOfYAML(text []byte) (Value, error) {
	root, err := readYAML(text)
	if err != nil {
		return Value{}, err
	}
	if root == nil {
		return Object(), nil
	}
	left := maxNodes
	v, err := fromYAML(root, 0, &left)
	if err == nil && v.Kind == Null {
		return Object(), nil
	}
	return v, err
}

// readYAML answers the value of the one document of a text, nil where there is none.
func readYAML(text []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(text), yaml.WithV4Defaults())
	if err != nil {
		return nil, yamlFault(err)
	}
	var doc, rest yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil //nolint:nilnil // a file of comments
	case err != nil:
		return nil, yamlFault(err)
	}
	switch err := loader.Load(&rest); {
	case err == nil:
		return nil, &Fault{Line: rest.Line, Message: "a second document starts here, and which of them counts is not for us to say"}
	case !errors.Is(err, io.EOF):
		return nil, yamlFault(err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, nil //nolint:nilnil // as above
	}
	return doc.Content[0], nil
}

func yamlFault(err error) error {
	if e, ok := errors.AsType[*yaml.LoadError](err); ok {
		return &Fault{Line: e.Mark.Line, Message: "not valid YAML: " + e.Message}
	}
	return &Fault{Message: "not valid YAML: " + err.Error()}
}

func fromYAML(n *yaml.Node, depth int, left *int) (Value, error) {
	if *left--; *left < 0 || depth > maxDepth {
		return Value{}, &Fault{Line: n.Line, Message: "the file holds too much, counting what aliases repeat"}
	}
	switch n.Kind {
	case yaml.AliasNode:
		if n.Alias == nil {
			return Value{}, nil
		}
		return fromYAML(n.Alias, depth+1, left)
	case yaml.SequenceNode:
		out := Value{Kind: List}
		for _, item := range n.Content {
			v, err := fromYAML(item, depth+1, left)
			if err != nil {
				return Value{}, err
			}
			out.Items = append(out.Items, v)
		}
		return out, nil
	case yaml.MappingNode:
		out := Object()
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := fromYAML(n.Content[i+1], depth+1, left)
			if err != nil {
				return Value{}, err
			}
			out.Members = append(out.Members, Member{n.Content[i].Value, v})
		}
		return out, nil
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		return Value{Kind: Number, Text: n.Value}, nil
	case "!!bool":
		return Flag(strings.EqualFold(n.Value, "true")), nil
	case "!!null":
		return Value{}, nil
	}
	return Text(n.Value), nil
}

// yamlMember is a key of a mapping with its value, and where the pair stands.
type yamlMember struct {
	key, value *yaml.Node
	alone      bool // its mapping has no other
}

// yamlAt answers the member at a path, nil where it is not there. Every mapping that the
// path leads through is in the block style.
func yamlAt(root *yaml.Node, path []string) (*yamlMember, error) {
	var found *yamlMember
	at := root
	for i, key := range path {
		if at.Kind != yaml.MappingNode || at.Style&yaml.FlowStyle != 0 || at.Anchor != "" && i > 0 {
			return nil, ErrUncertain
		}
		found = nil
		for j := 0; j+1 < len(at.Content); j += 2 {
			if at.Content[j].Value == key && at.Content[j].Kind == yaml.ScalarNode {
				found = &yamlMember{at.Content[j], at.Content[j+1], len(at.Content) == 2}
			}
		}
		if found == nil {
			return nil, nil //nolint:nilnil // it is not there
		}
		at = found.value
	}
	return found, nil
}

// offsetOf answers the index of a line and a column, which count from one.
func offsetOf(text []byte, line, column int) int {
	i := 0
	for ; line > 1; line-- {
		i = lineAfter(text, i)
	}
	for range column - 1 {
		if i >= len(text) || text[i] == '\n' {
			break
		}
		for i++; i < len(text) && text[i]&0xc0 == 0x80; {
			i++
		}
	}
	return i
}

// region answers the index after the last line that says something of what stands below a
// key: lines that are indented more than it and, where list is true, the dashes that stand
// as far left as it does. Blank lines and comments behind that belong to what comes next.
func region(text []byte, key int, list bool) int {
	indent := key - lineStart(text, key)
	end := lineAfter(text, key)
	for i := end; i < len(text); {
		first := skipBlank(text, i)
		next := lineAfter(text, i)
		switch c := byteAt(text, first); {
		case c == '\n' || c == '\r' || c == '#' || c == 0:
		case first-i > indent, list && first-i == indent && c == '-':
			end = next
		default:
			return end
		}
		i = next
	}
	return end
}
