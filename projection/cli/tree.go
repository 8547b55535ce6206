package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// node is a JSON value with its members in their order and its numbers as they
// were written.
type node struct {
	kind   nodeKind
	text   string // of a scalar, as it is shown
	keys   []string
	values []*node // of an object, beside keys, or of an array
}

type nodeKind uint8

const (
	scalarNode nodeKind = iota
	stringNode
	arrayNode
	objectNode
)

// maxShownDepth is how deep a value is laid out; deeper parts are shown as JSON.
const maxShownDepth = 12

// parseTree reads one JSON value.
func parseTree(data []byte) (*node, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	n, err := parseValue(dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return n, nil
}

func parseValue(dec *json.Decoder, depth int) (*node, error) {
	if depth == maxShownDepth {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		return &node{kind: scalarNode, text: string(raw)}, nil
	}
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch v := t.(type) {
	case json.Delim:
		return parseHolder(dec, v, depth)
	case string:
		return &node{kind: stringNode, text: v}, nil
	case nil:
		return &node{text: "null"}, nil
	default:
		return &node{text: fmt.Sprint(v)}, nil
	}
}

func parseHolder(dec *json.Decoder, open json.Delim, depth int) (*node, error) {
	n := &node{kind: arrayNode}
	if open == '{' {
		n.kind = objectNode
	}
	for dec.More() {
		if n.kind == objectNode {
			k, err := dec.Token()
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, fmt.Sprint(k))
		}
		v, err := parseValue(dec, depth+1)
		if err != nil {
			return nil, err
		}
		n.values = append(n.values, v)
	}
	_, err := dec.Token()
	return n, err
}

// member answers an object's member, or nil.
func (n *node) member(key string) *node {
	for i, k := range n.keys {
		if k == key {
			return n.values[i]
		}
	}
	return nil
}

func (n *node) holds() bool { return n.kind == arrayNode || n.kind == objectNode }
