package wire

import (
	"encoding/json"
	"slices"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A mark is a word that tells one server of this kind from all others. By the marks a
// server sees that what another one offers is its own, however many stand between.
const (
	// HeaderMark carries the mark of who sends a request over HTTP to a server that it
	// bridges. A response has it where it is the answering server's own.
	HeaderMark = "Holotype-Mark"
	// MetaMark is the key in the _meta object of a tools/list result for the mark of the
	// server that lists.
	MetaMark = "holotype/mark"
	// MetaThrough is the key in the _meta object of a bridged tool for the marks of the
	// servers that it comes through, the nearest first. Without any it is absent.
	MetaThrough = "holotype/through"
)

// MaxThrough is how many servers a tool may come through.
const MaxThrough = 16

// IsMark reports whether a word can be a mark: 8 to 64 letters and digits.
func IsMark(word string) bool {
	for i := range len(word) {
		if c := word[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(word) >= 8 && len(word) <= 64
}

// Mark reads the mark in a _meta object; "" where there is none.
func Mark(meta json.RawMessage) string {
	if word, ok := rawjson.String(rawjson.Member(meta, MetaMark)); ok && IsMark(word) {
		return word
	}
	return ""
}

// Through reads which servers a tool comes through in its _meta object. What is no mark
// is left out. Of more than [MaxThrough] it answers one more than that.
func Through(meta json.RawMessage) []string {
	var all []string
	for _, raw := range rawjson.Elements(rawjson.Member(meta, MetaThrough)) {
		if word, ok := rawjson.String(raw); ok && IsMark(word) {
			all = append(all, word)
		}
		if len(all) > MaxThrough {
			break
		}
	}
	return slices.Clip(all)
}

// marks writes marks as JSON; nil for none.
func marks(all []string) []byte {
	if len(all) == 0 {
		return nil
	}
	return value(all)
}
