package schema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// explainer turns the library's tree of errors into violations.
type explainer struct {
	document any // the schema, to look up which fields it knows; nil when a schema itself is judged
	known    map[string][]string
}

// finding is a violation on its way: it still knows its path and what the library said. Its sentence is made when it is
// needed: a hostile text can break a schema a million times, and only the first hundred are shown.
type finding struct {
	path    []string
	pointer string
	keyword string
	cause   jsonschema.ErrorKind
	message func() string
}

func newFinding(path []string, keyword string, cause jsonschema.ErrorKind, message func() string) finding {
	return finding{path, pointerTo(path), keyword, cause, message}
}

func compareFindings(a, b finding) int {
	if order := cmp.Or(cmp.Compare(a.pointer, b.pointer), cmp.Compare(a.keyword, b.keyword)); order != 0 {
		return order
	}
	return cmp.Compare(a.message(), b.message())
}

// findings keeps the first MaxViolations distinct findings of however many it is given, in whatever order: the library
// ranges over maps, so its order differs from run to run.
type findings struct {
	list []finding
	more bool   // some were left out
	last string // when more: the last pointer that is kept
}

// passed says that nothing at or below the path can be kept any more.
func (l *findings) passed(path []string) bool { return l.more && pointerTo(path) > l.last }

func (l *findings) add(more ...finding) {
	for _, f := range more {
		if l.more && f.pointer > l.last {
			continue
		}
		if l.list = append(l.list, f); len(l.list) == 8*MaxViolations {
			l.settle()
		}
	}
}

// settle sorts, drops repetitions and what is too many, and answers what is left.
func (l *findings) settle() []finding {
	slices.SortFunc(l.list, compareFindings)
	l.list = slices.CompactFunc(l.list, func(a, b finding) bool { return compareFindings(a, b) == 0 })
	if len(l.list) > MaxViolations {
		l.list, l.more = slices.Delete(l.list, MaxViolations, len(l.list)), true
	}
	if l.more {
		l.last = l.list[len(l.list)-1].pointer
	}
	return l.list
}

func (x *explainer) explain(tree *jsonschema.ValidationError) []Violation {
	var found findings
	x.collect(tree, &found)
	list := found.settle()
	var shown []Violation
	if found.more {
		list = list[:MaxViolations-1]
		shown = append(shown, Violation{Keyword: "violations", Message: fmt.Sprintf(
			"only the first %d violations are listed: fix these first", len(list))})
	}
	for _, f := range list {
		shown = append(shown, Violation{f.pointer, f.keyword, f.message()})
	}
	return shown
}

// flatten lists the findings of one tree.
func (x *explainer) flatten(e *jsonschema.ValidationError) []finding {
	var found findings
	x.collect(e, &found)
	return found.settle()
}

// collect adds the findings of a tree.
func (x *explainer) collect(e *jsonschema.ValidationError, found *findings) {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			x.collect(cause, found)
		}
		return
	case *kind.PropertyNames:
		// The library's path is wrong here (see nameCheck); the nameCheck beside it reports the same names. A schema under
		// its meta-schema has none.
		if x.document == nil {
			x.leaf(e, found)
		}
		return
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			x.leaf(e, found)
			return
		}
	case *kind.AnyOf:
	default:
		x.leaf(e, found)
		return
	}
	if !found.passed(e.InstanceLocation) {
		found.add(x.union(e, keywordOf(e.ErrorKind))...)
	}
}

// leaf adds an error that has no branches. Some name several fields; each gets a finding at its own place.
func (x *explainer) leaf(e *jsonschema.ValidationError, found *findings) {
	at := e.InstanceLocation
	if found.passed(at) {
		return
	}
	each := func(names []string, keyword string, message func(name string) string) {
		for _, name := range names {
			found.add(newFinding(child(at, name), keyword, e.ErrorKind, func() string { return message(name) }))
		}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		each(k.Missing, "required", func(string) string { return "is required" })
	case *kind.DependentRequired:
		each(k.Missing, "dependentRequired", func(string) string { return "is required beside " + quote(k.Prop) })
	case *kind.Dependency:
		each(k.Missing, "dependencies", func(string) string { return "is required beside " + quote(k.Prop) })
	case *kind.AdditionalProperties:
		each(k.Properties, "additionalProperties", func(name string) string {
			return unknownField(name, x.knownFields(fragment(e.SchemaURL)))
		})
	case *kind.PropertyNames:
		each([]string{k.Property}, "propertyNames", func(name string) string { return x.badName(name, e.Causes...) })
	case *kind.Format:
		bad, ok := k.Err.(badNames) //nolint:errorlint // our own check's answer, never wrapped
		if !ok {
			found.add(worded(at, k))
			return
		}
		each(slices.Collect(maps.Keys(bad)), "propertyNames", func(name string) string { return x.badName(name, bad[name]) })
	case *kind.FalseSchema:
		found.add(x.falseSchema(fragment(e.SchemaURL), at, k))
	default:
		found.add(worded(at, k))
	}
}

// badName words a refused property name by the first finding about the name itself.
func (x *explainer) badName(name string, causes ...*jsonschema.ValidationError) string {
	for _, cause := range causes {
		if list := x.flatten(cause); len(list) > 0 {
			return "field name " + quote(name) + " " + list[0].message()
		}
	}
	return "field name " + quote(name) + " is not allowed here"
}

// falseSchema words a value that meets the schema false. The keyword that holds the false says what it meant.
func (x *explainer) falseSchema(pointer string, at []string, cause jsonschema.ErrorKind) finding {
	keyword := "not"
	tokens := pointerTokens(pointer)
	for _, token := range slices.Backward(tokens) {
		if holderOf(token) != holdsNone {
			keyword = token
			break
		}
	}
	return newFinding(at, keyword, cause, func() string {
		switch keyword {
		case "unevaluatedProperties", "additionalProperties":
			return unknownField(last(at), x.knownFields(strings.TrimSuffix(pointer, "/"+keyword)))
		case "items", "additionalItems", "unevaluatedItems":
			return "is one item too many: remove it"
		default:
			return "is not allowed here: remove it"
		}
	})
}

func last(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return path[len(path)-1]
}

// knownFields lists the fields an object schema names, its own first, then those of the subschemas that judge the same
// object; each list sorted.
func (x *explainer) knownFields(pointer string) []string {
	if names, ok := x.known[pointer]; ok {
		return names
	}
	object, _ := follow(x.document, pointerTokens(pointer))
	f := fieldFinder{document: x.document, steps: 1000}
	f.add(object)
	if x.known == nil {
		x.known = map[string][]string{}
	}
	x.known[pointer] = f.names
	return f.names
}

type fieldFinder struct {
	document any
	names    []string
	steps    int // references may lead in circles
}

func (f *fieldFinder) add(at any) {
	object, ok := at.(map[string]any)
	if f.steps--; !ok || f.steps < 0 {
		return
	}
	if properties, ok := object["properties"].(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if properties[name] != false && !slices.Contains(f.names, name) {
				f.names = append(f.names, name)
			}
		}
	}
	if ref, ok := object["$ref"].(string); ok {
		target, _ := resolveAny(f.document, ref)
		f.add(target)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf", "if", "then", "else"} {
		if list, ok := object[keyword].([]any); ok {
			for _, item := range list {
				f.add(item)
			}
		} else {
			f.add(object[keyword])
		}
	}
}
