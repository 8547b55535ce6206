package capabilities

import (
	"encoding/json"
	"sync"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// Schema is a JSON Schema as published, and the validator compiled from it on
// first use. It is safe for concurrent use.
type Schema struct {
	raw     json.RawMessage
	compile func() (*schema.Schema, error)
	check   func() error
}

// newSchema answers one of our own schemas.
func newSchema(raw []byte) *Schema {
	s := &Schema{raw: raw, compile: sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(raw) })}
	s.check = func() error {
		_, err := s.compile()
		return err
	}
	return s
}

// newOutputSchema answers the schema of what one of our own handlers answers. It is
// checked like [newSchema]'s, and what was compiled for that is let go of: a handler's
// types see to it that its answers fit, so no call is judged by it.
func newOutputSchema(raw []byte) *Schema {
	s := newSchema(raw)
	s.check = func() error {
		_, err := schema.Compile(raw)
		return err
	}
	return s
}

// newForeignSchema answers a bridged server's schema. It is checked without being
// compiled: most tools are never called, and a compiled schema has many times the
// size of its text.
func newForeignSchema(raw []byte) *Schema {
	return &Schema{
		raw:     raw,
		compile: sync.OnceValues(func() (*schema.Schema, error) { return schema.CompileForeign(raw) }),
		check:   func() error { return schema.CheckForeign(raw) },
	}
}

// Raw answers the published schema; do not change it.
func (s *Schema) Raw() json.RawMessage { return s.raw }

// Check reports why the schema cannot be compiled, or nil.
func (s *Schema) Check() error { return s.check() }

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
