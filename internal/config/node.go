package config

// limits of a configuration file. Everything that comes from outside is bounded.
const (
	maxBytes = 4 << 20
	maxDepth = 64
	maxNodes = 100_000
)

// kind is what a node is, after either syntax.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindText
	kindList
	kindObject
)

func (k kind) String() string {
	return [...]string{"nothing", "true or false", "a number", "text", "a list", "an object"}[k]
}

// node is a value of a YAML or a JSON file: one tree for both, so that there is one decoder.
type node struct {
	kind kind
	line int
	// text is a scalar as it was written: 1.10 stays 1.10.
	text    string
	items   []*node
	members []member
	// torn says that a member could not be read, which was reported: what is missing is perhaps that one.
	torn bool
}

// member is one key of an object with its value.
type member struct {
	key   string
	line  int
	value *node
}

// get returns the value of a key, nil when the object does not have it.
func (n *node) get(key string) *node {
	for i := range n.members {
		if n.members[i].key == key {
			return n.members[i].value
		}
	}
	return nil
}

// lineOf returns the line of a key, or that of the object when it does not have it.
func (n *node) lineOf(key string) int {
	for i := range n.members {
		if n.members[i].key == key {
			return n.members[i].line
		}
	}
	return n.line
}

// builder makes trees, and refuses what neither syntax may do: repeat a key, or grow without bound.
type builder struct {
	d     *decoder
	nodes int
	seen  map[*node]map[string]int
	full  bool
	most  Bounds
}

func newBuilder(d *decoder) *builder {
	b := &builder{d: d, seen: map[*node]map[string]int{}, most: d.bounds}
	if b.most == (Bounds{}) {
		b.most = Bounds{Depth: maxDepth, Values: maxNodes}
	}
	return b
}

// make returns a new node, or nil once the tree is too large or too deep, which it reports once.
func (b *builder) make(k kind, line, depth int, text string) *node {
	b.nodes++
	switch {
	case b.full:
		return nil
	case depth > b.most.Depth:
		b.d.fault(line, "", "values are nested more than %d levels deep", b.most.Depth)
		b.full = true
		return nil
	case b.nodes > b.most.Values:
		b.d.fault(line, "", "the file holds more than %d values, counting what aliases repeat", b.most.Values)
		b.full = true
		return nil
	}
	return &node{kind: k, line: line, text: text}
}

// key reports whether a key is new in an object; a repeated one is a fault.
func (b *builder) key(object *node, key string, line int, path string) bool {
	keys := b.seen[object]
	if keys == nil {
		keys = map[string]int{}
		b.seen[object] = keys
	}
	if first, dup := keys[key]; dup {
		b.d.fault(line, under(path, key), "this key is given twice, first on line %d; keep one", first)
		return false
	}
	keys[key] = line
	return true
}
