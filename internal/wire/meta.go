package wire

import (
	"bytes"
	"encoding/json"
)

// withMember answers the JSON object obj with key set to value. Whatever obj said
// under key is dropped: nobody else speaks under our keys. The other members keep
// their bytes and their order; an obj that is no object counts as empty.
func withMember(obj []byte, key string, value []byte) []byte {
	o := newObject()
	for _, m := range members(obj) {
		if m.key != key {
			o.raw(m.key, m.value)
		}
	}
	o.raw(key, value)
	return o.end()
}

type member struct {
	key   string
	value json.RawMessage
}

// members answers the members of a JSON object in their order, or nil.
func members(obj []byte) []member {
	dec := json.NewDecoder(bytes.NewReader(obj))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var all []member
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return nil
		}
		m := member{key: key}
		if dec.Decode(&m.value) != nil {
			return nil
		}
		all = append(all, m)
	}
	return all
}
