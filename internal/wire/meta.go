package wire

import (
	"slices"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// member is one member of a JSON object.
type member struct {
	key   string
	value []byte
}

// withMembers answers the JSON object obj with some members of ours; one without a value
// is absent. Whatever obj said under their keys is dropped: nobody else speaks under
// them. The other members keep their bytes and their order; an obj that is no object
// counts as empty.
func withMembers(obj []byte, ours ...member) []byte {
	return appendWithMembers(make([]byte, 0, len(obj)+64), obj, ours...)
}

// appendWithMembers is withMembers that appends to bytes.
func appendWithMembers(dst, obj []byte, ours ...member) []byte {
	o := newObjectAt(dst)
	for key, value := range rawjson.Members(obj) {
		if !slices.ContainsFunc(ours, func(m member) bool { return m.key == key }) {
			o.raw(key, value)
		}
	}
	for _, m := range ours {
		o.raw(m.key, m.value)
	}
	return o.end()
}
