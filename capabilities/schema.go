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
}

func newSchema(raw []byte, compile func([]byte) (*schema.Schema, error)) *Schema {
	s := &Schema{raw: raw}
	s.compile = sync.OnceValues(func() (*schema.Schema, error) { return compile(raw) })
	return s
}

// Raw answers the published schema; do not change it.
func (s *Schema) Raw() json.RawMessage { return s.raw }

// Check reports why the schema cannot be compiled, or nil.
func (s *Schema) Check() error {
	_, err := s.compile()
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
