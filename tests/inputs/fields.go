package inputs

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// fields are inputs with fields too many or too few, under good and bad names.
func fields() []Input {
	good := `{"ticket":{"project":"WEB","title":"login loops","kind":"bug","priority":3},"labels":[],"watchers":{}}`
	return []Input{
		{Name: "everything required", Call: ticket, In: `{"project":"WEB","title":"login loops","kind":"bug"}`, Want: good},
		{Name: "an old name", Call: "open_ticket", In: `{"project":"WEB","title":"login loops","kind":"bug"}`, Want: good, Cannot: Cannot{OverHTTP: NoRoute}},
		{Name: "an old name with a fault", Call: "open_ticket", In: `{"project":"WEB","kind":"bug"}`, Code: "invalid", At: []string{"/title required"}, Cannot: Cannot{OverHTTP: NoRoute}},
		{Name: "a name that nobody has", Call: "file_tickets", In: `{}`, Code: "not_found", Says: "file_tickets", Cannot: Cannot{OverHTTP: NoRoute, OverMCP: NoSuchTool}},
		{Name: "a name in another case", Call: "File_Ticket", In: `{}`, Code: "not_found", Cannot: Cannot{OverHTTP: NoRoute, OverMCP: NoSuchTool}},
		{Name: "a field missing", Call: ticket, In: `{"project":"WEB","kind":"bug"}`, Code: "invalid", At: []string{"/title required"}, Says: "is required"},
		{Name: "two fields missing", Call: ticket, In: `{"project":"WEB"}`, Code: "invalid", At: []string{"/kind required", "/title required"}},
		{Name: "a field of the path missing", Call: ticket, In: `{"title":"t","kind":"bug"}`, Code: "invalid", At: []string{"/project required"}, Cannot: Cannot{OverHTTP: PathWhole}},
		{
			Name: "a field misspelt", Call: ticket, In: `{"project":"WEB","titel":"t","kind":"bug"}`, Code: "invalid",
			At: []string{"/titel additionalProperties", "/title required"}, Says: `did you mean "title"`, Cannot: noFlags(NoField),
		},
		{Name: "a field in another case", Call: echo, In: `{"Text":"a"}`, Code: "invalid", At: []string{"/Text additionalProperties"}, Says: `did you mean "text"`, Cannot: noFlags(NoField)},
		{Name: "a field far from every other", Call: echo, In: `{"zzzzzzzz":1}`, Code: "invalid", At: []string{"/zzzzzzzz additionalProperties"}, Says: "unknown field", Cannot: noFlags(NoField)},
		{Name: "a field with a slash and a tilde", Call: echo, In: `{"a/b~c":1}`, Code: "invalid", At: []string{"/a~1b~0c additionalProperties"}, Cannot: noFlags(NoField)},
		{Name: "a field without a name", Call: echo, In: `{"":1}`, Code: "invalid", At: []string{"/ additionalProperties"}, Cannot: noFlags(NoField)},
		{Name: "a field of an object of other languages", Call: echo, In: `{"__proto__":{}}`, Code: "invalid", At: []string{"/__proto__ additionalProperties"}, Cannot: noFlags(NoField)},
		{Name: "an operation key among the arguments of a read", Call: echo, In: `{"op_id":"1"}`, Code: "invalid", At: []string{"/op_id additionalProperties"}, Cannot: noFlags(NoField)},
		{
			Name: "every field", Call: ticket,
			In: `{"project":"W","title":"t","kind":"question","body":"b","priority":1,"estimate":0.5,"public":true,"labels":["l"],"external":9007199254740993,"small":255,` +
				`"due":"2026-01-31","link":"https://example.org/a?b=c#d","assignee":"","parent":null,"steps":[{"text":"s"}],"facts":{"n":-1},"extra":[null]}`,
			Want: `{"ticket":{"project":"W","title":"t","kind":"question","body":"b","priority":1,"estimate":0.5,"public":true,"labels":["l"],"external":9007199254740993,"small":255,` +
				`"due":"2026-01-31","link":"https://example.org/a?b=c#d","assignee":"","parent":null,"steps":[{"text":"s"}],"facts":{"n":-1},"extra":[null]},"labels":["l"],"watchers":{}}`,
			Cannot: noFlags(TextOnly),
		},
		{Name: "a whole value at a path", Call: setting, In: `{"name":"theme","value":""}`, Want: `{"name":"theme","value":""}`},
		{Name: "the version that stands", Call: setting, In: `{"name":"theme","value":"v","if_match":"1"}`, Want: `{"name":"theme","value":"v"}`},
		{Name: "a version that has passed", Call: setting, In: `{"name":"theme","value":"v","if_match":"0"}`, Code: "stale_version", Says: "read it again"},
		{Name: "what must not exist yet", Call: setting, In: `{"name":"theme","value":"v","if_none_match":true}`, Code: "exists", Says: "there already"},
	}
}

// named is a ticket of a project with an unusual name.
func named(project string) string {
	return `{"ticket":{"project":"` + project + `","title":"t","kind":"bug","priority":3},"labels":[],"watchers":{}}`
}

// inPaths are values that HTTP carries in a path.
func inPaths() []Input {
	file := func(name, project string) Input {
		return Input{Name: name, Call: ticket, In: `{"project":"` + project + `","title":"t","kind":"bug"}`, Want: named(project)}
	}
	slash := file("a path with a slash", "a/b")
	slash.Cannot = Cannot{OverHTTP: PathSlash}
	return []Input{
		slash,
		file("a path with a space", "a b"),
		file("a path with a percent sign", "100%"),
		file("a path with an escape", "a%2Fb"),
		file("a path with a question mark", "a?b=c"),
		file("a path with a hash", "a#b"),
		file("a path with a plus", "a+b"),
		file("a path with an ampersand", "a&b=c;d"),
		file("a path with unicode", "Straße-東京-😀"),
		file("a path with two dots", ".."),
		file("a path with one dot", "."),
		file("a path with a colon", "a:b@c"),
		file("a path with braces", "{project}"),
		file("a path with a backslash", `a\\b`),
		file("a path with quotes", `\"a'b`),
		file("a path that looks like a number", "42"),
		{Name: "a path that is empty", Call: ticket, In: `{"project":"","title":"t","kind":"bug"}`, Code: "invalid", At: []string{"/project minLength"}, Cannot: Cannot{OverHTTP: PathEmpty}},
		{Name: "a path that is too long", Call: ticket, In: `{"project":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","title":"t","kind":"bug"}`, Code: "invalid", At: []string{"/project maxLength"}},
		{Name: "a path of a wrong type", Call: ticket, In: `{"project":7,"title":"t","kind":"bug"}`, Code: "invalid", At: []string{"/project type"}, Cannot: Cannot{OverHTTP: TextOnly, AsFlags: TextOnly}},
		{Name: "a path that is no UTF-8", Call: ticket, In: "{\"project\":\"a\xff\",\"title\":\"t\",\"kind\":\"bug\"}", Code: "invalid", At: []string{"/project utf8"}, Cannot: noFlags(TextOnly), OwnOffset: true},
		{Name: "a number in a path", Call: box, In: `{"number":9007199254740993}`, Want: `{"number":9007199254740993}`},
		{Name: "a word for a number in a path", Call: box, In: `{"number":"seven"}`, Code: "invalid", At: []string{"/number type"}},
		{Name: "a fraction in a path", Call: box, In: `{"number":1.5}`, Code: "invalid", At: []string{"/number type"}},
		{Name: "a fraction of zero in a path", Call: box, In: `{"number":1.0}`, Code: "invalid", At: []string{"/number type"}, Says: "without a fraction"},
		{Name: "a number in a path below the minimum", Call: box, In: `{"number":0}`, Code: "invalid", At: []string{"/number minimum"}},
		{Name: "a number in a path over 64 bits", Call: box, In: `{"number":9223372036854775808}`, Code: "invalid", At: []string{"/number type"}},
		{Name: "what a path does not lead to", Call: box, In: `{"number":404}`, Code: "not_found", Says: "no box 404"},
	}
}

// found is a page of findings.
func found(names ...string) string {
	items := make([]string, len(names))
	for i, n := range names {
		items[i] = `{"name":"` + n + `","after":0}`
	}
	return `{"items":[` + strings.Join(items, ",") + `]}`
}

// inQueries are values that HTTP carries in a query.
func inQueries() []Input {
	neither := func(why Reason) Cannot { return Cannot{OverHTTP: why, AsFlags: why} }
	return []Input{
		{Name: "a query with nothing in it", Call: tickets, In: `{"project":"WEB"}`, Want: found()},
		{Name: "a query with a list", Call: tickets, In: `{"project":"WEB","label":["b","a"]}`, Want: found("WEB-a", "WEB-b")},
		{Name: "a query with reserved characters", Call: tickets, In: `{"project":"WEB","label":["a&b=c","d+e f","100%","ü?#/"]}`, Want: found("WEB-100%", "WEB-a&b=c", "WEB-d+e f", "WEB-ü?#/")},
		{Name: "a query with a comma", Call: tickets, In: `{"project":"WEB","label":["a,b"]}`, Want: found("WEB-a,b")},
		{Name: "a query with an empty item", Call: tickets, In: `{"project":"WEB","label":[""]}`, Want: found("WEB-")},
		{Name: "a query with an empty list", Call: tickets, In: `{"project":"WEB","label":[]}`, Want: found(), Cannot: neither(NoEmptyList)},
		{Name: "a query with numbers", Call: tickets, In: `{"project":"WEB","number":[1,-2,3]}`, Want: found()},
		{Name: "a query with a word among numbers", Call: tickets, In: `{"project":"WEB","number":[1,"x"]}`, Code: "invalid", At: []string{"/number/1 type"}},
		{
			Name: "a query with everything", Call: tickets, In: `{"project":"WEB","label":["a"],"number":[7],"closed":true,"score":0.5,"kind":"bug","after":9007199254740993,"limit":10}`,
			Want: `{"items":[{"name":"WEB-a","after":9007199254740993}]}`,
		},
		{Name: "a query with too many items", Call: tickets, In: `{"project":"WEB","label":["a","b","c","d","e","f"]}`, Code: "invalid", At: []string{"/label maxItems"}},
		{Name: "a query with no boolean", Call: tickets, In: `{"project":"WEB","closed":"maybe"}`, Code: "invalid", At: []string{"/closed type"}},
		{Name: "a query with a number for a boolean", Call: tickets, In: `{"project":"WEB","closed":1}`, Code: "invalid", At: []string{"/closed type"}, Cannot: neither(TextOnly)},
		{Name: "a query with a fraction for a whole number", Call: tickets, In: `{"project":"WEB","after":1.5}`, Code: "invalid", At: []string{"/after type"}},
		{Name: "a query with a number over 64 bits", Call: tickets, In: `{"project":"WEB","after":9223372036854775808}`, Code: "invalid", At: []string{"/after type"}},
		{Name: "a query with no member", Call: tickets, In: `{"project":"WEB","kind":"bugs"}`, Code: "invalid", At: []string{"/kind enum"}, Says: `did you mean "bug"`},
		{Name: "a query with a field misspelt", Call: tickets, In: `{"project":"WEB","lable":"a"}`, Code: "invalid", At: []string{"/lable additionalProperties"}, Says: `did you mean "label"`, Cannot: noFlags(NoField)},
		{Name: "a query with a field twice", Call: tickets, In: `{"project":"WEB","score":1,"score":2}`, Code: "invalid", At: []string{"/score duplicate"}, Cannot: noFlags(FlagsOnce), OwnOffset: true},
		{Name: "a query with a number over a float", Call: tickets, In: `{"project":"WEB","score":1e309}`, Code: "invalid", At: []string{"/score format"}},
		{Name: "a query with a number that a float has as 0", Call: tickets, In: `{"project":"WEB","score":1e-400}`, Code: "invalid", At: []string{"/score format"}},
		{Name: "a query with a number that nobody computes with", Call: tickets, In: `{"project":"WEB","score":1e999}`, Code: "invalid", At: []string{"/score number"}, OwnOffset: true},
		{Name: "a query with null", Call: tickets, In: `{"project":"WEB","score":null}`, Code: "invalid", At: []string{"/score type"}, Cannot: neither(TextOnly)},
		{Name: "a query that is no UTF-8", Call: tickets, In: "{\"project\":\"WEB\",\"label\":[\"a\xff\"]}", Code: "invalid", At: []string{"/label/0 utf8"}, Cannot: noFlags(TextOnly), OwnOffset: true},
		{Name: "a query for what does not exist", Call: tickets, In: `{"project":"NONE"}`, Code: "not_found", Says: "no project NONE"},
	}
}

// pages are the pages of a list, by good and bad cursors.
func pages() []Input {
	all := `"project":"P","label":["a","b","c"]`
	return []Input{
		{Name: "the first page", Call: tickets, In: `{` + all + `,"limit":2}`, Want: `{"items":[{"name":"P-a","after":0},{"name":"P-b","after":0}],"next_cursor":"` + behind(2) + `"}`},
		{Name: "the page behind it", Call: tickets, In: `{` + all + `,"limit":2,"cursor":"` + behind(2) + `"}`, Want: found("P-c")},
		{Name: "the page behind it, of another length and with a default spelt out", Call: tickets, In: `{` + all + `,"limit":7,"after":0,"cursor":"` + behind(1) + `"}`, Want: found("P-b", "P-c")},
		{Name: "a cursor of the same list with one label less", Call: tickets, In: `{"project":"P","label":["a","b"],"cursor":"` + behind(1) + `"}`, Code: "invalid", At: []string{"/cursor cursor"}, Says: "next_cursor"},
		{Name: "a cursor that is none", Call: tickets, In: `{` + all + `,"cursor":"%%%"}`, Code: "invalid", At: []string{"/cursor cursor"}, Says: "next_cursor"},
		{Name: "a cursor that is another text", Call: tickets, In: `{` + all + `,"cursor":"UC1i"}`, Code: "invalid", At: []string{"/cursor cursor"}, Says: "next_cursor"},
		{Name: "a cursor of the tools that is another text", Call: "list_tools", In: `{"cursor":"bGlzdF90b29scw"}`, Code: "invalid", At: []string{"/cursor cursor"}, Says: "next_cursor"},
		{Name: "a cursor of the tools from another list", Call: "list_tools", In: `{"cursor":"` + behind(2) + `"}`, Code: "invalid", At: []string{"/cursor cursor"}, Says: "next_cursor"},
		{Name: "a cursor that is a number", Call: tickets, In: `{` + all + `,"cursor":12}`, Code: "invalid", At: []string{"/cursor type"}, Cannot: Cannot{OverHTTP: TextOnly, AsFlags: TextOnly}},
		{Name: "a page of nothing", Call: tickets, In: `{` + all + `,"limit":0}`, Code: "invalid", At: []string{"/limit minimum"}},
		{Name: "a page that is too long", Call: tickets, In: `{` + all + `,"limit":1001}`, Code: "invalid", At: []string{"/limit maximum"}},
	}
}

// behind is the cursor that a list of three findings answers behind the first ones.
func behind(first int) string {
	reg, err := capabilities.Assemble(fixture.Pack.Bind(fixture.Deps{}))
	if err != nil {
		return "none, so that the rows fail"
	}
	door := capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	page, err := fixture.FindTickets.Call(context.Background(), door, capabilities.OwnerPrincipal(), fixture.FindTicketsInput{
		PageInput: capabilities.PageInput{Limit: first}, Project: "P", Label: []string{"a", "b", "c"},
	})
	if err != nil {
		return "none, so that the rows fail"
	}
	return page.NextCursor
}
