package prose

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v4"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// example judges a passage in YAML or JSON. Where it is a configuration of this program,
// every key is held to the schema; a call of a tool, as MCP sends it, names one that
// exists. What does not parse is part of something, or nobody's, and says nothing here.
func (j *judge) example(p Passage, whole bool, found func(line int, c Claim, v verdict)) {
	text := []byte(p.Text)
	if p.Form == JSON && !bytes.Contains(text, []byte(`"tools/call"`)) && !j.mentions(text) || p.Form == YAML && !j.mentions(text) {
		return
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text), yaml.WithV4Defaults())
	if err != nil {
		return
	}
	e := exampleReader{judge: j, begin: p.Line, found: found}
	for {
		var doc yaml.Node
		if err := loader.Load(&doc); errors.Is(err, io.EOF) || err != nil {
			return
		}
		if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
			return
		}
		root := doc.Content[0]
		e.calls(root, 0)
		if j.ours(root, whole) {
			e.keys(root, place{}.spread(j.truth.keys, 0), "", 0)
		}
	}
}

// mentions is a cheap look for a key that a configuration of ours may have.
func (j *judge) mentions(text []byte) bool {
	for _, key := range j.topKeys {
		if bytes.Contains(text, []byte(key)) {
			return true
		}
	}
	return false
}

// ours reports whether a mapping is a configuration of this program: one of its keys is a
// key of ours, and more than half of them are, or nearly so. A whole file that nobody
// shows has to say more than one plain word, which others have too.
func (j *judge) ours(n *yaml.Node, whole bool) bool {
	if n.Kind != yaml.MappingNode {
		return false
	}
	known := j.topKeys
	exact, near, all := 0, 0, len(n.Content)/2
	own := false // whether a key of ours is no plain word
	for i := 0; i < len(n.Content); i += 2 {
		if _, ok := j.truth.keys.Properties[n.Content[i].Value]; ok {
			exact++
			own = own || toolShaped(n.Content[i].Value)
		} else if _, ok := schema.Nearest(n.Content[i].Value, known); ok {
			near++
		}
	}
	return exact > 0 && 2*(exact+near) > all && (own || !whole || exact+near > 1)
}

// exampleReader walks one example.
type exampleReader struct {
	*judge
	begin int // the line that the example begins at
	found func(line int, c Claim, v verdict)
}

func (e *exampleReader) line(n *yaml.Node) int { return e.begin + max(n.Line, 1) - 1 }

// keys holds the keys of a mapping to what may stand at its place.
func (e *exampleReader) keys(n *yaml.Node, at place, where string, depth int) {
	switch {
	case depth > maxKeyDepth || len(at) == 0:
	case n.Kind == yaml.SequenceNode:
		for _, one := range n.Content {
			e.keys(one, at.item(), where, depth+1)
		}
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			below, known := at.within(key.Value)
			if !known && key.Value != "<<" && !(where == "" && len(key.Value) > 1 && key.Value[:2] == "x-") {
				what := "key of the configuration"
				if where != "" {
					what = "key below " + where + " in the configuration"
				}
				e.found(e.line(key), Claim{KindKey, key.Value}, e.missing(what, key.Value, at.names()))
				continue
			}
			next := key.Value
			if where != "" {
				next = where + "." + next
			}
			e.keys(n.Content[i+1], below, next, depth+1)
		}
	}
}

// calls judges the names of tools in requests of MCP.
func (e *exampleReader) calls(n *yaml.Node, depth int) {
	if depth > maxKeyDepth {
		return
	}
	if n.Kind == yaml.MappingNode {
		method, params := member(n, "method"), member(n, "params")
		if method != nil && params != nil && method.Value == "tools/call" {
			if name := member(params, "name"); name != nil && name.Kind == yaml.ScalarNode {
				c := Claim{KindTool, name.Value}
				v := e.of(c)
				if bridgedShaped.MatchString(name.Value) {
					v = e.whyBridged(name.Value)
				}
				if v.why != "" {
					e.found(e.line(name), c, v)
				}
			}
		}
	}
	for _, one := range n.Content {
		e.calls(one, depth+1)
	}
}

// member answers a member of a mapping, or nil.
func member(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
