package parity_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// broken says what becomes of arguments that are no JSON.
func broken() cannot { return cannot{overMCP: brokenMessage, asFlags: flagsWhole} }

// texts are texts that are no JSON object, or no text that can be trusted.
func texts() []input {
	return []input{
		{name: "a list", call: echo, in: `[]`, code: "invalid", at: []string{" type"}, says: "must be an object", cannot: noFlags(flagsWhole)},
		{name: "a text", call: echo, in: `"x"`, code: "invalid", at: []string{" type"}, cannot: noFlags(flagsWhole)},
		{name: "null", call: echo, in: `null`, code: "invalid", at: []string{" type"}, says: "not null", cannot: noFlags(flagsWhole)},
		{name: "a number", call: echo, in: `7`, code: "invalid", at: []string{" type"}, cannot: noFlags(flagsWhole)},
		{name: "half an object", call: echo, in: `{"text":"a"`, code: "invalid", at: []string{" syntax"}, cannot: broken()},
		{name: "a comma too many", call: echo, in: `{"text":"a",}`, code: "invalid", at: []string{" syntax"}, cannot: broken()},
		{name: "single quotes", call: echo, in: `{'text':'a'}`, code: "invalid", at: []string{" syntax"}, cannot: broken()},
		{name: "a comment", call: echo, in: `{/* no */}`, code: "invalid", at: []string{" syntax"}, cannot: broken()},
		{name: "no number of JSON", call: echo, in: `{"count":NaN}`, code: "invalid", at: []string{"/count syntax"}, cannot: broken()},
		{name: "a leading zero", call: echo, in: `{"count":042}`, code: "invalid", at: []string{"/count syntax"}, cannot: broken()},
		{name: "a raw control character", call: echo, in: "{\"text\":\"a\x01b\"}", code: "invalid", at: []string{"/text syntax"}, cannot: broken()},
		{name: "two objects", call: echo, in: `{} {}`, code: "invalid", at: []string{" syntax"}, cannot: broken()},
		{name: "a byte order mark", call: echo, in: "\uFEFF{}", code: "invalid", at: []string{" syntax"}, cannot: broken()},
		{name: "a field twice", call: echo, in: `{"text":"a","text":"b"}`, code: "invalid", at: []string{"/text duplicate"}, says: "given twice", cannot: noFlags(flagsOnce)},
		{name: "a field twice with the same value", call: echo, in: `{"count":2,"count":2}`, code: "invalid", at: []string{"/count duplicate"}, cannot: noFlags(flagsOnce)},
		{name: "a field twice in two spellings", call: echo, in: `{"text":"a","te\u0078t":"b"}`, code: "invalid", at: []string{"/text duplicate"}, cannot: noFlags(flagsOnce)},
		{name: "a field twice within a map", call: echo, in: `{"facts":{"a":1,"a":2}}`, code: "invalid", at: []string{"/facts/a duplicate"}},
		{name: "a field twice within any JSON", call: echo, in: `{"extra":[{"k":1,"k":2}]}`, code: "invalid", at: []string{"/extra/0/k duplicate"}},
		{name: "bytes that are no UTF-8", call: echo, in: "{\"text\":\"caf\xe9\"}", code: "invalid", at: []string{"/text utf8"}, cannot: noFlags(textOnly)},
		{name: "an overlong encoding", call: echo, in: "{\"text\":\"\xc0\xaf\"}", code: "invalid", at: []string{"/text utf8"}, cannot: noFlags(textOnly)},
		{name: "an encoded half of a pair", call: echo, in: "{\"text\":\"\xed\xa0\x80\"}", code: "invalid", at: []string{"/text utf8"}, cannot: noFlags(textOnly)},
		{name: "an escaped high half of a pair", call: echo, in: `{"text":"\ud83d"}`, code: "invalid", at: []string{"/text utf8"}, says: "surrogate", cannot: noFlags(textOnly)},
		{name: "an escaped low half of a pair", call: echo, in: `{"text":"\ude00a"}`, code: "invalid", at: []string{"/text utf8"}, cannot: noFlags(textOnly)},
		{name: "bytes that are no UTF-8 in a key", call: echo, in: "{\"te\xe9\":1}", code: "invalid", at: []string{" utf8"}, cannot: noFlags(noField)},
	}
}

// limits are inputs at and over the limits that all surfaces share.
func limits() []input {
	large := strings.Repeat("a", capabilities.MaxArguments)
	atLimit := `{"text":"` + large[:capabilities.MaxArguments-len(`{"text":""}`)] + `"}`
	atMost := capabilities.MaxArguments - len(`{"text":""}`)
	return []input{
		{name: "64 levels", call: echo, in: `{"extra":` + nested(63) + `}`, want: echoed(`"extra":` + nested(63))},
		{name: "65 levels", call: echo, in: `{"extra":` + nested(64) + `}`, code: "invalid", at: []string{"/extra" + strings.Repeat("/0", 63) + " depth"}, says: "64 levels"},
		{name: "a thousand levels", call: echo, in: `{"extra":` + nested(1000) + `}`, code: "invalid", at: []string{"/extra" + strings.Repeat("/0", 63) + " depth"}, says: "64 levels"},
		{name: "a quarter of a megabyte", call: echo, in: `{"text":"` + large[:1<<18] + `"}`, want: echoedText(`"text":"aaaaaaaaaa"`, 1<<18)},
		{name: "as large as is taken", call: echo, in: atLimit, want: echoedText(`"text":"aaaaaaaaaa"`, atMost), cannot: cannot{overMCP: longMessage}},
		{name: "a byte too large", call: echo, in: `{"text":"` + large[:atMost+1] + `"}`, code: "too_large", says: "4194304", ownWords: true},
		{name: "much too large", call: echo, in: `{"text":"` + large + large[:1<<20] + `"}`, code: "too_large", says: "4194304", ownWords: true},
		{name: "a number of a thousand digits", call: echo, in: `{"extra":` + strings.Repeat("1", 1000) + `}`, want: echoed(`"extra":` + strings.Repeat("1", 1000))},
		{name: "a number of more digits", call: echo, in: `{"extra":` + strings.Repeat("1", 1001) + `}`, code: "invalid", at: []string{"/extra number"}},
		{
			name: "a text at its limit", call: ticket, in: `{"project":"W","title":"` + strings.Repeat("é", 200) + `","kind":"bug"}`,
			want: `{"ticket":{"project":"W","title":"` + strings.Repeat("é", 200) + `","kind":"bug","priority":3},"labels":[],"watchers":{}}`,
		},
		{name: "a text over its limit", call: ticket, in: `{"project":"W","title":"` + strings.Repeat("é", 201) + `","kind":"bug"}`, code: "invalid", at: []string{"/title maxLength"}, says: "200"},
		{name: "a hundred faults and more", call: echo, in: `{"numbers":[` + strings.TrimSuffix(strings.Repeat(`"x",`, 150), ",") + `]}`, code: "invalid", at: manyFaults(), says: "only the first 99"},
	}
}

// manyFaults are the first faults of a long list, sorted as pointers are, behind
// the one that says that there are more.
func manyFaults() []string {
	at := []string{" violations"}
	var pointers []string
	for i := range 150 {
		pointers = append(pointers, fmt.Sprintf("/numbers/%d type", i))
	}
	slices.Sort(pointers)
	return append(at, pointers[:99]...)
}
