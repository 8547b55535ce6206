package capabilities

import (
	"encoding/json"
	"errors"
	"reflect"
	"sync"
)

// decoderFor answers the decoder of validated arguments into In: the declared
// defaults first, then the JSON. What the schema admits and the Go type cannot
// hold (2^70 in an int64, 1.0 in an int) is a violation too.
func decoderFor[In any]() func([]byte) (In, error) {
	defaults := sync.OnceValues(func() ([]byte, error) { return defaultsOf(reflect.TypeFor[In]()) })
	plan := sync.OnceValue(func() *plan { return planFor(reflect.TypeFor[In]()) })
	fresh := func() (*In, error) {
		in := new(In)
		d, err := defaults()
		if err != nil || d == nil {
			return in, err
		}
		// Decoded per call, so that no call shares a slice with another.
		return in, json.Unmarshal(d, in)
	}
	return func(args []byte) (In, error) {
		in, err := fresh()
		if err != nil || len(args) == 0 || string(args) == "{}" {
			return *in, err
		}
		if p := plan(); p != nil {
			if p.decode(args, reflect.ValueOf(in).Elem()) {
				return *in, nil
			}
			if in, err = fresh(); err != nil {
				return *in, err
			}
		}
		if err := json.Unmarshal(args, in); err != nil {
			return *in, decodeError(args, err)
		}
		return *in, nil
	}
}

func decodeError(args []byte, err error) error {
	var te *json.UnmarshalTypeError
	if !errors.As(err, &te) {
		return Violates(Violation{Keyword: "type", Message: "the arguments cannot be read: " + err.Error()}).Because(err)
	}
	// The error's own path leaves out the items of lists, and a key may hold a dot.
	v := Violation{Pointer: pointerAt(args, te.Offset), Keyword: "type", Message: "does not fit a " + te.Type.String()}
	switch te.Type.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.Message = "must be an integer within the range of " + te.Type.Kind().String() + ", written without a fraction or an exponent"
	}
	return Violates(v).Because(err)
}

// defaultsOf answers the JSON object of the defaults that the tags of t's own
// fields declare, embedded structs included, or nil when there are none.
func defaultsOf(t reflect.Type) ([]byte, error) {
	m := map[string]json.RawMessage{}
	collectDefaults(t, m)
	if len(m) == 0 {
		return nil, nil
	}
	return json.Marshal(m)
}

func collectDefaults(t reflect.Type, m map[string]json.RawMessage) {
	if t.Kind() != reflect.Struct {
		return
	}
	for f := range fieldsOf(t) {
		if f.embedded {
			collectDefaults(f.Type, m)
			continue
		}
		for _, kv := range f.tags() {
			if kv.key == "default" {
				m[f.name] = literal(f.Type, kv.value)
			}
		}
	}
}

// literal writes the text of a tag value as JSON of the field's kind.
func literal(t reflect.Type, text string) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.String {
		b, err := marshal(text)
		if err != nil {
			return nil
		}
		return b
	}
	return json.RawMessage(text)
}
