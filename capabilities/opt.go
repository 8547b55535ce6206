package capabilities

import "encoding/json"

// Opt is a field with three states: absent, null, and a value. Tag it
// `json:"x,omitzero"` and, where null is admitted, `jsonschema:"nullable"`.
type Opt[T any] struct {
	value T
	state optState
}

type optState uint8

const (
	optAbsent optState = iota
	optNull
	optValue
)

// Some answers an Opt that holds v.
func Some[T any](v T) Opt[T] { return Opt[T]{v, optValue} }

// Null answers an Opt that holds null.
func Null[T any]() Opt[T] { return Opt[T]{state: optNull} }

// Get answers the value and whether there is one.
func (o Opt[T]) Get() (T, bool) { return o.value, o.state == optValue }

// IsNull reports whether the caller sent null.
func (o Opt[T]) IsNull() bool { return o.state == optNull }

// IsZero reports whether the field was absent; encoding/json asks it for omitzero.
func (o Opt[T]) IsZero() bool { return o.state == optAbsent }

// MarshalJSON writes the value, or null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if o.state != optValue {
		return []byte("null"), nil
	}
	return marshal(o.value)
}

// UnmarshalJSON reads a value, or null.
func (o *Opt[T]) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*o = Null[T]()
		return nil
	}
	o.state = optValue
	return json.Unmarshal(data, &o.value)
}

// JSONSchemaAlias makes the schema that of T; the nullable tag adds null.
func (Opt[T]) JSONSchemaAlias() any { return *new(T) }
