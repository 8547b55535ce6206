package capabilities

import (
	"encoding/json"
	"sync"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// Schema is a JSON Schema as published, and the validator compiled from it on
// first use. It is safe for concurrent use.
type Schema struct {
	raw      json.RawMessage
	kind     schemaKind
	once     sync.Once
	compiled *schema.Schema
	fault    error
}

// schemaKind says whose a schema is, and with that how it is compiled and checked. A
// bridge holds many: what it takes are fields, where functions would take three times
// the memory.
type schemaKind uint8

const (
	ownInput schemaKind = iota
	ownOutput
	foreign
	foreignCertain
)

// newSchema answers one of our own schemas.
func newSchema(raw []byte) *Schema { return &Schema{raw: raw, kind: ownInput} }

// newOutputSchema answers the schema of what one of our own handlers answers. It is
// checked like [newSchema]'s, and what was compiled for that is let go of: a handler's
// types see to it that its answers fit, so no call is judged by it.
func newOutputSchema(raw []byte) *Schema { return &Schema{raw: raw, kind: ownOutput} }

// newForeignSchema answers a bridged server's schema. It is checked without being
// compiled: most tools are never called, and a compiled schema has many times the
// size of its text. One that certainly compiles is not checked again.
func newForeignSchema(raw []byte, certain bool) *Schema {
	if certain {
		return &Schema{raw: raw, kind: foreignCertain}
	}
	return &Schema{raw: raw, kind: foreign}
}

// compile compiles the schema once.
func (s *Schema) compile() (*schema.Schema, error) {
	s.once.Do(func() {
		if s.kind == foreign || s.kind == foreignCertain {
			s.compiled, s.fault = schema.CompileForeign(s.raw)
		} else {
			s.compiled, s.fault = schema.Compile(s.raw)
		}
	})
	return s.compiled, s.fault
}

// Raw answers the published schema; do not change it.
func (s *Schema) Raw() json.RawMessage { return s.raw }

// Check reports why the schema cannot be compiled, or nil.
func (s *Schema) Check() error {
	var err error
	switch s.kind {
	case ownInput:
		_, err = s.compile()
	case ownOutput:
		_, err = schema.Compile(s.raw)
	case foreign:
		err = schema.CheckForeign(s.raw)
	case foreignCertain:
	}
	return err
}

// Validate judges raw JSON and answers every violation, sorted by pointer. The
// error is set when the schema itself cannot be compiled.
func (s *Schema) Validate(data []byte) ([]Violation, error) {
	c, err := s.compile()
	if err != nil {
		return nil, err
	}
	found := c.Validate(data)
	if len(found) == 0 {
		return nil, nil
	}
	all := make([]Violation, len(found))
	for i, v := range found {
		all[i] = Violation(v)
	}
	return all, nil
}
