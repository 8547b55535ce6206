package generators_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// row is one input.
type row struct {
	name string
	call string
	in   string          // the arguments
	with func(*exchange) // changes the request

	// beyond is why the server refuses what the document cannot.
	beyond string
	// stricter is why the server takes what the validator says the document does not.
	stricter string
	// unlisted is a status that the document should have and has not.
	unlisted int
}

const (
	text64     = "a document has no 64 bits: its whole numbers are of any size"
	jsonText   = "a document is about values, and the text has two for one name"
	handler    = "only the handler knows which cursors there are"
	asWritten  = "a document has numbers, and no way to write them"
	exploded   = "the validator reads a repeated parameter one item at a time"
	inBody     = "the server takes the version in the body too, as other surfaces do; the document has the header alone"
	noUnknowns = "a document lists the parameters it has, and does not close the list"
)

// exchanges sends every example of every capability and the table below.
func exchanges(t *testing.T, r *drive.Running) ([]row, []exchange) {
	t.Helper()
	known := tools(t, r)
	var rows []row
	for _, name := range slices.Sorted(maps.Keys(known)) {
		for _, e := range known[name].Examples {
			rows = append(rows, row{name: name + ", " + e.Name, call: name, in: string(e.Arguments)})
		}
		if len(known[name].Examples) == 0 {
			rows = append(rows, row{name: name + ", nothing", call: name, in: `{}`})
		}
	}
	if len(rows) < 30 {
		t.Fatalf("only %d examples", len(rows))
	}
	rows = slices.Concat(rows, good(), bad(), requests())
	all := make([]exchange, len(rows))
	for i, in := range rows {
		to, ok := known[in.call]
		if !ok {
			t.Fatalf("%s: there is no %s", in.name, in.call)
		}
		all[i] = request(t, r, to, in.in)
		if in.with != nil {
			in.with(&all[i])
		}
		all[i].send(t)
	}
	return rows, all
}

const (
	echo    = "echo_values"
	ticket  = "file_ticket"
	tickets = "find_tickets"
	box     = "drop_box"
)

// good are inputs that are carried out, or refused by a handler alone.
func good() []row {
	return []row{
		{name: "a whole number", call: echo, in: `{"count":42}`},
		{name: "numbers of 64 bits", call: echo, in: `{"big":9223372036854775807,"numbers":[-9223372036854775808]}`},
		{name: "three states", call: echo, in: `{"mark":null,"note":""}`},
		{name: "any JSON", call: echo, in: `{"extra":[{"a":null},1.5,"x"]}`},
		{name: "steps within steps", call: echo, in: `{"steps":[{"text":"a","steps":[{"text":"b"}]}],"facts":{"":1,"a/b":2}}`},
		{name: "formats", call: echo, in: `{"mail":"ada@example.org","moment":"2026-01-31T09:30:00.5+02:00"}`},
		{name: "bounds", call: echo, in: `{"count":-10,"ratio":1,"words":["a","b","c"],"kind":"question","output":"abc"}`},
		{name: "every field", call: ticket, in: `{"project":"W","title":"t","kind":"question","body":"b","priority":1,"estimate":0.5,"public":true,"labels":["l"],` +
			`"external":9007199254740993,"small":255,"due":"2026-01-31","link":"https://example.org/a?b=c#d","assignee":"","parent":null,"steps":[{"text":"s"}],"facts":{"n":-1},"extra":[null]}`},
		{name: "a path with unicode", call: ticket, in: `{"project":"Straße 東京","title":"t","kind":"bug"}`},
		{name: "a path with an escape", call: ticket, in: `{"project":"a%2Fb?c#d","title":"t","kind":"bug"}`},
		{name: "a query of everything", call: tickets, in: `{"project":"P","label":["a","b","c,d"],"number":[1,9007199254740993],"closed":true,"score":0.5,"kind":"bug","after":7,"limit":1000}`},
		{name: "a list of one", call: tickets, in: `{"project":"P","label":["a"]}`},
		{name: "pages", call: tickets, in: `{"project":"P","label":["a","b","c"],"limit":2,"cursor":"UC1i"}`},
		{name: "a full box", call: box, in: `{"number":409}`},
		{name: "a stale version", call: "put_setting", in: `{"name":"theme","value":"v"}`, with: func(e *exchange) { e.Header.Set("If-Match", `"0"`) }},
		{name: "a stale version in the body", call: "put_setting", in: `{"name":"theme","value":"v","if_match":"0"}`, stricter: inBody},
		{name: "an error without a code", call: "refuse_with", in: `{"code":"plain"}`},
		{name: "a panic", call: "refuse_with", in: `{"code":"panic"}`},
		{name: "a wait", call: "refuse_with", in: `{"code":"rate_limited","retry_after":90}`},
		{name: "what may have landed", call: "refuse_with", in: `{"code":"unavailable","maybe_applied":true}`},
		{name: "an unknown outcome", call: "refuse_with", in: `{"code":"unknown_outcome"}`},
		{name: "nothing there", call: "get_tool", in: `{"name":"no_such_tool"}`},
	}
}

// bad are inputs that are refused for what they are.
func bad() []row {
	return []row{
		{name: "a field missing", call: ticket, in: `{"project":"W","kind":"bug"}`},
		{name: "a field too many", call: ticket, in: `{"project":"W","title":"t","kind":"bug","titel":"t"}`},
		{name: "a text that is too long", call: ticket, in: `{"project":"W","title":"` + strings.Repeat("é", 201) + `","kind":"bug"}`},
		{name: "a path that is too long", call: ticket, in: `{"project":"` + strings.Repeat("a", 41) + `","title":"t","kind":"bug"}`},
		{name: "a word for a number in a path", call: box, in: `{"number":"seven"}`},
		{name: "a number in a path below the minimum", call: box, in: `{"number":0}`},
		{name: "a number for a text", call: echo, in: `{"text":5}`},
		{name: "null for a text", call: echo, in: `{"text":null}`},
		{name: "a word for a number", call: echo, in: `{"count":"many"}`},
		{name: "a fraction for a whole number", call: echo, in: `{"count":1.5}`},
		{name: "a fraction of zero", call: echo, in: `{"big":1.0}`, beyond: asWritten},
		{name: "a number over 64 bits", call: echo, in: `{"big":9223372036854775808}`, beyond: text64},
		{name: "a number over 8 bits", call: ticket, in: `{"project":"W","title":"t","kind":"bug","small":256}`},
		{name: "a number over the maximum", call: echo, in: `{"count":1002}`},
		{name: "a number that is no multiple", call: echo, in: `{"count":3}`},
		{name: "a number on an open bound", call: echo, in: `{"ratio":0}`},
		{name: "a word that is no member", call: echo, in: `{"kind":"zebra"}`},
		{name: "a text that does not match", call: echo, in: `{"output":"A1"}`},
		{name: "no moment", call: echo, in: `{"moment":"yesterday"}`},
		{name: "an item twice", call: echo, in: `{"words":["a","b","a"]}`},
		{name: "too many items", call: echo, in: `{"words":["a","b","c","d"]}`},
		{name: "a field missing deep within", call: echo, in: `{"steps":[{"text":"a","steps":[{"done":true}]}]}`},
		{name: "a map with a wrong value", call: echo, in: `{"facts":{"a":"x"}}`},
		{name: "a list for an object", call: echo, in: `[]`},
		{name: "half an object", call: echo, in: `{"text":"a"`},
		{name: "a field twice", call: echo, in: `{"text":"a","text":"b"}`, beyond: jsonText},
		{name: "a page of nothing", call: tickets, in: `{"project":"P","limit":0}`},
		{name: "a query with no member", call: tickets, in: `{"project":"P","kind":"bugs"}`},
		{name: "a query with a word for a number", call: tickets, in: `{"project":"P","score":"high"}`},
		{name: "a query with a word in a list of numbers", call: tickets, in: `{"project":"P","number":[1,"x"]}`},
		{name: "a query with too many items", call: tickets, in: `{"project":"P","label":["a","b","c","d","e","f"]}`, beyond: exploded},
		{name: "a query with a field too many", call: tickets, in: `{"project":"P","lable":"a"}`, beyond: noUnknowns},
		{name: "a cursor that is none", call: tickets, in: `{"project":"P","cursor":"%%%"}`, beyond: handler},
	}
}

// requests are requests that are wrong around their arguments.
func requests() []row {
	const least = `{"project":"W","title":"t","kind":"bug"}`
	header := func(key, value string) func(*exchange) {
		return func(e *exchange) {
			e.Header.Del(key)
			if value != "" {
				e.Header.Set(key, value)
			}
		}
	}
	return []row{
		{name: "no credential", call: ticket, in: least, with: header("Authorization", "")},
		{name: "a bad credential", call: ticket, in: least, with: header("Authorization", "Bearer none"), beyond: "a document does not know the tokens"},
		{name: "a key", call: ticket, in: least, with: header("Idempotency-Key", "0196f3a2-9f4b-7c1e-8a57-3d2f4b6c8e90")},
		{name: "no body", call: ticket, in: least, with: func(e *exchange) {
			e.Body = nil
			e.Header.Del("Content-Type")
		}},
		{name: "another type of body", call: ticket, in: least, with: header("Content-Type", "text/plain"), unlisted: http.StatusUnsupportedMediaType},
		{name: "a field of a query twice", call: tickets, in: `{"project":"P"}`, with: func(e *exchange) { e.URL += "?score=1&score=2" }, beyond: exploded},
		{name: "too large", call: echo, in: `{"text":"` + strings.Repeat("a", http.DefaultMaxHeaderBytes<<2) + `"}`, beyond: "the limit is of the whole body"},
	}
}
