package schema

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Validate judges the arguments of a call and answers every violation, sorted by pointer, then keyword; nil means valid. The
// text is judged first, as by [Scan], and a fault there is the only violation. Numbers are compared exactly at any size.
// data is neither changed nor kept.
func (s *Schema) Validate(data []byte) []Violation {
	if s.Accept(data) {
		return nil
	}
	if f := Scan(data); f != nil {
		return []Violation{f.Violation()}
	}
	value := decode(data)
	if (s.weight > freely || len(data) > smallText) && tooCostly(s.judge, value) {
		return []Violation{{
			Keyword: "complexity", Message: "takes too many steps to check against this schema: send a smaller or flatter value",
		}}
	}
	var tree *jsonschema.ValidationError
	if !errors.As(s.judge.Validate(value), &tree) {
		return nil
	}
	return (&explainer{document: s.document}).explain(tree)
}
