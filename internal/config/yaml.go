package config

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

// parseYAML returns the tree of a YAML document, nil when there is none, be it for a fault or because the file is empty.
func parseYAML(d *decoder, data []byte) *node {
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithV4Defaults())
	if err != nil {
		d.fault(0, "", "cannot be read as YAML: %v", err)
		return nil
	}
	var doc, rest yaml.Node
	if err := loader.Load(&doc); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		d.yamlFault(err)
		return nil
	}
	switch err := loader.Load(&rest); {
	case err == nil:
		d.fault(rest.Line, "", "a second document starts here; one YAML document is read")
		return nil
	case !errors.Is(err, io.EOF):
		d.yamlFault(err)
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil
	}
	y := yamlTree{newBuilder(d)}
	return y.convert(doc.Content[0], 0, "")
}

func (d *decoder) yamlFault(err error) {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		d.fault(0, "", "not valid YAML: %v", err)
		return
	}
	text := e.Message
	if e.ContextMsg != "" {
		text = e.ContextMsg + ": " + text
	}
	line := e.Mark.Line
	// An unclosed quote or bracket is found at the end of the file; where it was opened is what helps.
	if e.ContextMark.Line > 0 && strings.Contains(e.Message, "end of stream") {
		line = e.ContextMark.Line
	}
	d.fault(line, "", "not valid YAML: %s", text)
}

type yamlTree struct{ *builder }

func (y yamlTree) convert(n *yaml.Node, depth int, path string) *node {
	switch n.Kind {
	case yaml.AliasNode:
		if n.Alias == nil {
			return nil
		}
		// An alias that contains itself ends at the depth limit, one that multiplies at the count.
		return y.convert(n.Alias, depth+1, path)
	case yaml.SequenceNode:
		return y.list(n, depth, path)
	case yaml.MappingNode:
		return y.object(n, depth, path)
	case yaml.ScalarNode:
		k, ok := scalarKind(n)
		if !ok {
			y.d.fault(n.Line, path, "the tag %s is not read here; write the value without it", n.ShortTag())
			return nil
		}
		return y.make(k, n.Line, depth, n.Value)
	}
	return nil
}

func (y yamlTree) list(n *yaml.Node, depth int, path string) *node {
	out := y.make(kindList, n.Line, depth, "")
	if out == nil {
		return nil
	}
	for i, item := range n.Content {
		if v := y.convert(item, depth+1, at(path, i)); v != nil {
			out.items = append(out.items, v)
		}
	}
	return out
}

func (y yamlTree) object(n *yaml.Node, depth int, path string) *node {
	out := y.make(kindObject, n.Line, depth, "")
	if out == nil {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode || k.ShortTag() == "!!null" {
			y.d.fault(k.Line, path, "a key must be a plain word")
			out.torn = true
			continue
		}
		if k.ShortTag() == "!!merge" {
			y.d.fault(k.Line, path, "merge keys (<<) are not read here; repeat the keys")
			out.torn = true
			continue
		}
		value := y.convert(v, depth+1, under(path, placed(k.Value)))
		out.torn = out.torn || value == nil
		if y.key(out, k.Value, k.Line, path) && value != nil {
			out.members = append(out.members, member{key: k.Value, line: k.Line, value: value})
		}
	}
	return out
}

func scalarKind(n *yaml.Node) (kind, bool) {
	switch n.ShortTag() {
	case "!!str", "!!timestamp", "!!merge":
		return kindText, true
	case "!!int", "!!float":
		return kindNumber, true
	case "!!bool":
		return kindBool, true
	case "!!null":
		return kindNull, true
	}
	return kindNull, false
}
