package schema

import "errors"

// Judge is Validate without the acceptor: what the full validator says alone.
func (s *Schema) Judge(data []byte) bool {
	if Scan(data) != nil {
		return false
	}
	value := decode(data)
	if (s.weight > freely || len(data) > smallText) && tooCostly(s.judge, value) {
		return false
	}
	return s.judge.Validate(value) == nil
}

// HasAcceptor says whether the acceptor understands the schema at all.
func (s *Schema) HasAcceptor() bool { return s.accept != nil }

// AsError unwraps a schema error.
func AsError(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// Certain says that a scanned schema is judged by [CheckForeign] without compiling it.
func Certain(raw []byte) bool {
	root := parse(raw)
	return root.isObject() && new(certainty).schema(root, true)
}
