package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// base is the URI a schema is compiled under. It is hierarchical, so that a relative $ref resolves away from the document
// (below an opaque base such as a urn it would resolve to the document itself), and its scheme belongs to no loader.
const base = "holotype:///schema"

// Error says why a schema cannot be used.
type Error struct {
	Pointer string // where in the schema, as an RFC 6901 pointer; "" is the root
	Message string // what is wrong there
}

// Error is the message with its place.
func (e *Error) Error() string { return fmt.Sprintf("schema at %s: %s", place(e.Pointer), e.Message) }

// Schema is one compiled JSON Schema. It never changes and may be used by many goroutines at once.
type Schema struct {
	raw      []byte
	document any // decoded and prepared: what messages look facts up in
	judge    *jsonschema.Schema
	accept   *rule // nil when the acceptor can prove nothing for this schema
	weight   int   // see graph.weight
	unjudged []string
}

// Compile reads a schema: 2020-12 unless $schema names draft 4, 6, 7 or 2019-09. Formats are asserted; the OpenAPI 3.0 word
// nullable is honoured beside type. The text must pass [Scan], the schema its meta-schema, every local reference must lead
// somewhere, and no reference may lead outside: an external $ref or an unknown dialect is refused and nothing is fetched. A
// pattern that Go's regular expressions (RE2) cannot run is refused by name. The error is an [*Error].
//
// It costs about 0.1 ms for a handful of properties and 1 ms for 15 with constraints; callers with hundreds of schemas
// compile each at its first use.
func Compile(raw []byte) (*Schema, error) { return compile(raw, false) }

// CompileForeign is [Compile] for a schema whose owner judges the call again: a pattern in ECMA-262 syntax that RE2 cannot run
// (look-around, back-references) admits every string instead of making the schema unusable. [Schema.Unjudged] names those
// places. A pattern that is malformed in both is refused all the same. Where no $schema says otherwise, a list in items is read as
// the tuple it was before 2020-12.
func CompileForeign(raw []byte) (*Schema, error) { return compile(raw, true) }

// Raw is the schema's text, byte for byte as compiled. Callers must not change it.
func (s *Schema) Raw() []byte { return s.raw }

// Unjudged lists the pointers of the patterns that [CompileForeign] could not run, sorted.
func (s *Schema) Unjudged() []string { return slices.Clone(s.unjudged) }

func compile(raw []byte, foreign bool) (s *Schema, err error) {
	// The library panics on a few contradictory $id constellations; a stranger's schema must not take the process down.
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, &Error{Message: fmt.Sprintf("the schema cannot be compiled: %v", r)}
		}
	}()
	if f := Scan(raw); f != nil {
		return nil, &Error{f.Pointer, f.Error()}
	}
	document := decode(raw)
	switch document.(type) {
	case map[string]any, bool:
	default:
		return nil, &Error{Message: "must be an object, not " + article(typeName(document))}
	}
	s = &Schema{raw: bytes.Clone(raw), document: document}
	p := preparation{document: document, foreign: foreign}
	if err := p.run(); err != nil {
		return nil, err
	}
	s.unjudged = p.unjudged
	s.accept = newAcceptor(s.raw, document, p.dialect, p.embedded)
	if err := s.compileJudge(&p); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Schema) compileJudge(p *preparation) error {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(p.engine)
	names := p.hookNames(c)
	p.hookWidths(c)
	if err := c.AddResource(base, s.document); err != nil {
		return &Error{Message: err.Error()}
	}
	judge, err := c.Compile(base)
	if err != nil {
		return s.schemaError(err, p)
	}
	for _, n := range names {
		if n.keys, err = c.Compile(base + "#" + encodeFragment(n.pointer)); err != nil {
			return s.schemaError(err, p)
		}
	}
	s.judge = judge
	g := newGraph(judge)
	if loop := g.loop(); loop != nil {
		return &Error{fragment(loop.Location), "the reference leads back to itself, or through too many others, so nothing could ever fit it"}
	}
	s.weight = g.weight()
	return nil
}

// noLoader refuses every URI: a $ref in a stranger's schema is not a reason to open a file or a connection.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errExternal }

var errExternal = errors.New("nothing outside the schema is loaded")

func externalMessage(uri string) string {
	return fmt.Sprintf("external $ref %s is never fetched: put the definition into $defs", quote(uri))
}

// schemaError turns the library's error into one that names the place in the schema.
func (s *Schema) schemaError(err error, p *preparation) error {
	if external, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		if pointer := p.refLike(external.URL); pointer != "" {
			return &Error{pointer, externalMessage(external.URL)}
		}
		return &Error{Message: fmt.Sprintf("$schema %s is not known and never fetched: remove it", quote(external.URL))}
	}
	var meta *jsonschema.SchemaValidationError
	var tree *jsonschema.ValidationError
	if errors.As(err, &meta) && errors.As(meta.Err, &tree) {
		list := (&explainer{}).explain(tree)
		if len(list) > 0 {
			return &Error{fragment(meta.URL) + list[0].Pointer, list[0].Message}
		}
	}
	if anchor, ok := errors.AsType[*jsonschema.AnchorNotFoundError](err); ok {
		_, name, _ := strings.Cut(anchor.Reference, "#")
		return &Error{p.refLike(name), fmt.Sprintf("$ref to anchor %s leads nowhere", quote(name))}
	}
	return &Error{Message: strings.ReplaceAll(err.Error(), base, "")}
}

// decode reads scanned text with numbers kept as written.
func decode(data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil // not reached for scanned text
	}
	return v
}
