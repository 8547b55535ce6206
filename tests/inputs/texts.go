package inputs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// broken says what becomes of arguments that are no JSON.
func broken() Cannot { return Cannot{OverMCP: BrokenMessage, AsFlags: FlagsWhole} }

// texts are texts that are no JSON object, or no text that can be trusted.
func texts() []Input {
	return []Input{
		{Name: "a list", Call: echo, In: `[]`, Code: "invalid", At: []string{" type"}, Says: "must be an object", Cannot: noFlags(FlagsWhole)},
		{Name: "a text", Call: echo, In: `"x"`, Code: "invalid", At: []string{" type"}, Cannot: noFlags(FlagsWhole)},
		{Name: "null", Call: echo, In: `null`, Code: "invalid", At: []string{" type"}, Says: "not null", Cannot: noFlags(FlagsWhole)},
		{Name: "a number", Call: echo, In: `7`, Code: "invalid", At: []string{" type"}, Cannot: noFlags(FlagsWhole)},
		{Name: "half an object", Call: echo, In: `{"text":"a"`, Code: "invalid", At: []string{" syntax"}, Cannot: broken()},
		{Name: "a comma too many", Call: echo, In: `{"text":"a",}`, Code: "invalid", At: []string{" syntax"}, Cannot: broken()},
		{Name: "single quotes", Call: echo, In: `{'text':'a'}`, Code: "invalid", At: []string{" syntax"}, Cannot: broken()},
		{Name: "a comment", Call: echo, In: `{/* no */}`, Code: "invalid", At: []string{" syntax"}, Cannot: broken()},
		{Name: "no number of JSON", Call: echo, In: `{"count":NaN}`, Code: "invalid", At: []string{"/count syntax"}, Cannot: broken()},
		{Name: "a leading zero", Call: echo, In: `{"count":042}`, Code: "invalid", At: []string{"/count syntax"}, Cannot: broken()},
		{Name: "a raw control character", Call: echo, In: "{\"text\":\"a\x01b\"}", Code: "invalid", At: []string{"/text syntax"}, Cannot: broken()},
		{Name: "two objects", Call: echo, In: `{} {}`, Code: "invalid", At: []string{" syntax"}, Cannot: broken()},
		{Name: "a byte order mark", Call: echo, In: "\uFEFF{}", Code: "invalid", At: []string{" syntax"}, Cannot: broken()},
		{Name: "a field twice", Call: echo, In: `{"text":"a","text":"b"}`, Code: "invalid", At: []string{"/text duplicate"}, Says: "given twice", Cannot: noFlags(FlagsOnce)},
		{Name: "a field twice with the same value", Call: echo, In: `{"count":2,"count":2}`, Code: "invalid", At: []string{"/count duplicate"}, Cannot: noFlags(FlagsOnce)},
		{Name: "a field twice in two spellings", Call: echo, In: `{"text":"a","te\u0078t":"b"}`, Code: "invalid", At: []string{"/text duplicate"}, Cannot: noFlags(FlagsOnce)},
		{Name: "a field twice within a map", Call: echo, In: `{"facts":{"a":1,"a":2}}`, Code: "invalid", At: []string{"/facts/a duplicate"}},
		{Name: "a field twice within any JSON", Call: echo, In: `{"extra":[{"k":1,"k":2}]}`, Code: "invalid", At: []string{"/extra/0/k duplicate"}},
		{Name: "bytes that are no UTF-8", Call: echo, In: "{\"text\":\"caf\xe9\"}", Code: "invalid", At: []string{"/text utf8"}, Cannot: noFlags(TextOnly)},
		{Name: "an overlong encoding", Call: echo, In: "{\"text\":\"\xc0\xaf\"}", Code: "invalid", At: []string{"/text utf8"}, Cannot: noFlags(TextOnly)},
		{Name: "an encoded half of a pair", Call: echo, In: "{\"text\":\"\xed\xa0\x80\"}", Code: "invalid", At: []string{"/text utf8"}, Cannot: noFlags(TextOnly)},
		{Name: "an escaped high half of a pair", Call: echo, In: `{"text":"\ud83d"}`, Code: "invalid", At: []string{"/text utf8"}, Says: "surrogate", Cannot: noFlags(TextOnly)},
		{Name: "an escaped low half of a pair", Call: echo, In: `{"text":"\ude00a"}`, Code: "invalid", At: []string{"/text utf8"}, Cannot: noFlags(TextOnly)},
		{Name: "bytes that are no UTF-8 in a key", Call: echo, In: "{\"te\xe9\":1}", Code: "invalid", At: []string{" utf8"}, Cannot: noFlags(NoField)},
	}
}

// limits are inputs at and over the limits that all surfaces share.
func limits() []Input {
	large := strings.Repeat("a", capabilities.MaxArguments)
	atLimit := `{"text":"` + large[:capabilities.MaxArguments-len(`{"text":""}`)] + `"}`
	atMost := capabilities.MaxArguments - len(`{"text":""}`)
	return []Input{
		{Name: "64 levels", Call: echo, In: `{"extra":` + nested(63) + `}`, Want: echoed(`"extra":` + nested(63))},
		{Name: "65 levels", Call: echo, In: `{"extra":` + nested(64) + `}`, Code: "invalid", At: []string{"/extra" + strings.Repeat("/0", 63) + " depth"}, Says: "64 levels"},
		{Name: "a thousand levels", Call: echo, In: `{"extra":` + nested(1000) + `}`, Code: "invalid", At: []string{"/extra" + strings.Repeat("/0", 63) + " depth"}, Says: "64 levels"},
		{Name: "a quarter of a megabyte", Call: echo, In: `{"text":"` + large[:1<<18] + `"}`, Want: echoedText(`"text":"aaaaaaaaaa"`, 1<<18)},
		{Name: "as large as is taken", Call: echo, In: atLimit, Want: echoedText(`"text":"aaaaaaaaaa"`, atMost), Cannot: Cannot{OverMCP: LongMessage}},
		{Name: "a byte too large", Call: echo, In: `{"text":"` + large[:atMost+1] + `"}`, Code: "too_large", Says: "4194304", OwnWords: true},
		{Name: "much too large", Call: echo, In: `{"text":"` + large + large[:1<<20] + `"}`, Code: "too_large", Says: "4194304", OwnWords: true, Heavy: true},
		{Name: "a number of a thousand digits", Call: echo, In: `{"extra":` + strings.Repeat("1", 1000) + `}`, Want: echoed(`"extra":` + strings.Repeat("1", 1000))},
		{Name: "a number of more digits", Call: echo, In: `{"extra":` + strings.Repeat("1", 1001) + `}`, Code: "invalid", At: []string{"/extra number"}},
		{
			Name: "a text at its limit", Call: ticket, In: `{"project":"W","title":"` + strings.Repeat("é", 200) + `","kind":"bug"}`,
			Want: `{"ticket":{"project":"W","title":"` + strings.Repeat("é", 200) + `","kind":"bug","priority":3},"labels":[],"watchers":{}}`,
		},
		{Name: "a text over its limit", Call: ticket, In: `{"project":"W","title":"` + strings.Repeat("é", 201) + `","kind":"bug"}`, Code: "invalid", At: []string{"/title maxLength"}, Says: "200"},
		{Name: "a hundred faults and more", Call: echo, In: `{"numbers":[` + strings.TrimSuffix(strings.Repeat(`"x",`, 150), ",") + `]}`, Code: "invalid", At: manyFaults(), Says: "only the first 99"},
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
