package prose

import (
	"encoding/json"
	"iter"
	"maps"
	"regexp"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// A Truth is what there is. Fill it before it is given to [New], which does not change
// it. What is left empty is not judged, so that a truth of names alone holds names
// alone.
type Truth struct {
	// Program is the name of the program, as its command lines begin.
	Program string
	// Tools are the capabilities, bridged ones too.
	Tools []Tool
	// Recorded are further bridged tools, as they are exposed, of which only the names are known.
	Recorded []string
	// Bridged says that all bridged tools are among Tools and Recorded. Without it the name
	// of one that is not known is not judged.
	Bridged bool
	// Packs are the names of the packs.
	Packs []string
	// Codes are those of refusals; BaseCodes says how many of them no pack declares.
	Codes     []string
	BaseCodes int
	// Members are the names that stand in inputs, outputs and what else is on the wire.
	Members []string
	// Words are further names that a sentence may say as a matter of course.
	Words []string
	// Events are those of the log.
	Events []string
	// Config is the JSON Schema of the configuration file.
	Config []byte
	// Routes are METHOD and pattern, each as it is served: GET /api/v1/tools/{name}.
	Routes []string
	// Serves reports whether a GET of a path leads somewhere that Routes does not say; nil
	// is no. It is called by one goroutine at a time.
	Serves func(path string) bool
	// Address is the host and port that examples show, such as 127.0.0.1:4280.
	Address string
	// Commands has the flags of every command by its path, with their dashes; "" is the
	// program itself, whose flags every command has.
	Commands map[string][]string

	keys *keyTree
}

// A Tool is one capability as sentences speak of it.
type Tool struct {
	Name   string
	Group  string   // its pack, or the server it is bridged from
	Server bool     // whether Group is a server
	Alias  bool     // whether it is an old name
	Flags  []string // of its command, with their dashes; nil where they are not known
}

// Known answers what a set of capabilities makes true: their names, their packs, the
// names in their schemas, the routes below /api/v1 and the codes.
func Known(program string, all iter.Seq[*capabilities.Capability], codes []capabilities.CodeInfo) Truth {
	t := Truth{Program: program, BaseCodes: len(capabilities.BaseCodes()), Words: capabilities.DiscoveryNames()}
	packs, members := map[string]bool{}, map[string]bool{}
	for c := range all {
		t.Tools = append(t.Tools, Tool{Name: c.Name(), Group: c.Group(), Server: c.Bridged(), Alias: c.AliasOf() != ""})
		if c.Pack() != "" {
			packs[c.Pack()] = true
		}
		if r := c.Route(); !r.IsZero() {
			t.Routes = append(t.Routes, r.Method+" /api/v1"+r.Path)
		}
		for _, s := range []*capabilities.Schema{c.Input(), c.Output()} {
			if s != nil {
				namesOf(members, s.Raw())
			}
		}
	}
	for _, c := range codes {
		t.Codes = append(t.Codes, string(c.Code))
	}
	t.Packs, t.Members = slices.Sorted(maps.Keys(packs)), slices.Sorted(maps.Keys(members))
	return t
}

// namesOf adds what a schema names: the members of its objects, and the values of its
// closed sets that are words.
func namesOf(names map[string]bool, schema []byte) {
	var s struct {
		Properties  map[string]json.RawMessage `json:"properties"`
		Enum        []json.RawMessage          `json:"enum"`
		Defs        map[string]json.RawMessage `json:"$defs"`
		Definitions map[string]json.RawMessage `json:"definitions"`
		Items       json.RawMessage            `json:"items"`
		More        json.RawMessage            `json:"additionalProperties"`
		AnyOf       []json.RawMessage          `json:"anyOf"`
		OneOf       []json.RawMessage          `json:"oneOf"`
		AllOf       []json.RawMessage          `json:"allOf"`
	}
	if len(schema) == 0 || schema[0] != '{' || json.Unmarshal(schema, &s) != nil {
		return // true, false, or what no writer of ours makes
	}
	for name := range s.Properties {
		names[name] = true
	}
	for _, value := range s.Enum {
		var word string
		if json.Unmarshal(value, &word) == nil {
			names[word] = true
		}
	}
	for _, some := range []map[string]json.RawMessage{s.Properties, s.Defs, s.Definitions} {
		for _, below := range some {
			namesOf(names, below)
		}
	}
	for _, below := range slices.Concat([]json.RawMessage{s.Items, s.More}, s.AnyOf, s.OneOf, s.AllOf) {
		namesOf(names, below)
	}
}

// names are all the tool-shaped words that are one: the tools first, since the first of
// equally near names is suggested.
func (t *Truth) names() []string {
	all := slices.Concat(t.toolNames(), t.Codes, t.keys.words(), t.Members, t.Events, t.Packs, t.Words)
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(name string) bool {
		old := seen[name]
		seen[name] = true
		return old || !toolShaped(name)
	})
}

// toolNames are those of the tools that are not bridged.
func (t *Truth) toolNames() (all []string) {
	for _, one := range t.Tools {
		if !one.Server {
			all = append(all, one.Name)
		}
	}
	return all
}

// bridgedNames are those of the tools that are.
func (t *Truth) bridgedNames() (all []string) {
	for _, one := range t.Tools {
		if one.Server {
			all = append(all, one.Name)
		}
	}
	return append(all, t.Recorded...)
}

// tool answers the tool of a name.
func (t *Truth) tool(name string) (Tool, bool) {
	i := slices.IndexFunc(t.Tools, func(one Tool) bool { return one.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return t.Tools[i], true
}

// flags are those of every command, and of every tool as a command.
func (t *Truth) flags() (all []string) {
	for _, of := range slices.Sorted(maps.Keys(t.Commands)) {
		all = append(all, t.Commands[of]...)
	}
	for _, one := range t.Tools {
		all = append(all, one.Flags...)
	}
	return all
}

// parameter is a segment of a path that stands for a value: {name}, <code>, X.
var parameter = regexp.MustCompile(`/(?:\{[^/]*\}|<[^/]*>|[A-Z]+)(?:$|\b)`)

// samples are values that such a segment is tried with.
func (t *Truth) samples() (all []string) {
	for _, some := range [][]string{t.toolNames(), t.Codes, t.keys.names(), t.Events, t.Packs} {
		all = append(all, some[:min(1, len(some))]...)
	}
	return all
}
