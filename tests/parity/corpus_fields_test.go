package parity_test

// fields are inputs with fields too many or too few, under good and bad names.
func fields() []input {
	good := `{"ticket":{"project":"WEB","title":"login loops","kind":"bug","priority":3},"labels":[],"watchers":{}}`
	return []input{
		{name: "everything required", call: ticket, in: `{"project":"WEB","title":"login loops","kind":"bug"}`, want: good},
		{name: "an old name", call: "open_ticket", in: `{"project":"WEB","title":"login loops","kind":"bug"}`, want: good, cannot: cannot{overHTTP: noRoute}},
		{name: "an old name with a fault", call: "open_ticket", in: `{"project":"WEB","kind":"bug"}`, code: "invalid", at: []string{"/title required"}, cannot: cannot{overHTTP: noRoute}},
		{name: "a name that nobody has", call: "file_tickets", in: `{}`, code: "not_found", says: "file_tickets", cannot: cannot{overHTTP: noRoute, overMCP: noSuchTool}},
		{name: "a name in another case", call: "File_Ticket", in: `{}`, code: "not_found", cannot: cannot{overHTTP: noRoute, overMCP: noSuchTool}},
		{name: "a field missing", call: ticket, in: `{"project":"WEB","kind":"bug"}`, code: "invalid", at: []string{"/title required"}, says: "is required"},
		{name: "two fields missing", call: ticket, in: `{"project":"WEB"}`, code: "invalid", at: []string{"/kind required", "/title required"}},
		{name: "a field of the path missing", call: ticket, in: `{"title":"t","kind":"bug"}`, code: "invalid", at: []string{"/project required"}, cannot: cannot{overHTTP: pathWhole}},
		{
			name: "a field misspelt", call: ticket, in: `{"project":"WEB","titel":"t","kind":"bug"}`, code: "invalid",
			at: []string{"/titel additionalProperties", "/title required"}, says: `did you mean "title"`, cannot: noFlags(noField),
		},
		{name: "a field in another case", call: echo, in: `{"Text":"a"}`, code: "invalid", at: []string{"/Text additionalProperties"}, says: `did you mean "text"`, cannot: noFlags(noField)},
		{name: "a field far from every other", call: echo, in: `{"zzzzzzzz":1}`, code: "invalid", at: []string{"/zzzzzzzz additionalProperties"}, says: "unknown field", cannot: noFlags(noField)},
		{name: "a field with a slash and a tilde", call: echo, in: `{"a/b~c":1}`, code: "invalid", at: []string{"/a~1b~0c additionalProperties"}, cannot: noFlags(noField)},
		{name: "a field without a name", call: echo, in: `{"":1}`, code: "invalid", at: []string{"/ additionalProperties"}, cannot: noFlags(noField)},
		{name: "a field of an object of other languages", call: echo, in: `{"__proto__":{}}`, code: "invalid", at: []string{"/__proto__ additionalProperties"}, cannot: noFlags(noField)},
		{name: "an operation key among the arguments", call: ticket, in: `{"project":"W","title":"t","kind":"bug","op_id":"1"}`, code: "invalid", at: []string{"/op_id additionalProperties"}, cannot: noFlags(noField)},
		{
			name: "every field", call: ticket,
			in: `{"project":"W","title":"t","kind":"question","body":"b","priority":1,"estimate":0.5,"public":true,"labels":["l"],"external":9007199254740993,"small":255,` +
				`"due":"2026-01-31","link":"https://example.org/a?b=c#d","assignee":"","parent":null,"steps":[{"text":"s"}],"facts":{"n":-1},"extra":[null]}`,
			want: `{"ticket":{"project":"W","title":"t","kind":"question","body":"b","priority":1,"estimate":0.5,"public":true,"labels":["l"],"external":9007199254740993,"small":255,` +
				`"due":"2026-01-31","link":"https://example.org/a?b=c#d","assignee":"","parent":null,"steps":[{"text":"s"}],"facts":{"n":-1},"extra":[null]},"labels":["l"],"watchers":{}}`,
			cannot: noFlags(textOnly),
		},
		{name: "a whole value at a path", call: setting, in: `{"name":"theme","value":""}`, want: `{"name":"theme","value":""}`},
		{name: "the version that stands", call: setting, in: `{"name":"theme","value":"v","if_match":"1"}`, want: `{"name":"theme","value":"v"}`},
		{name: "a version that has passed", call: setting, in: `{"name":"theme","value":"v","if_match":"0"}`, code: "stale_version", says: "read it again"},
		{name: "what must not exist yet", call: setting, in: `{"name":"theme","value":"v","if_none_match":true}`, code: "exists", says: "there already"},
	}
}

// named is a ticket of a project with an unusual name.
func named(project string) string {
	return `{"ticket":{"project":"` + project + `","title":"t","kind":"bug","priority":3},"labels":[],"watchers":{}}`
}

// inPaths are values that HTTP carries in a path.
func inPaths() []input {
	file := func(name, project string) input {
		return input{name: name, call: ticket, in: `{"project":"` + project + `","title":"t","kind":"bug"}`, want: named(project)}
	}
	slash := file("a path with a slash", "a/b")
	slash.cannot = cannot{overHTTP: pathSlash}
	return []input{
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
		{name: "a path that is empty", call: ticket, in: `{"project":"","title":"t","kind":"bug"}`, code: "invalid", at: []string{"/project minLength"}, cannot: cannot{overHTTP: pathEmpty}},
		{name: "a path that is too long", call: ticket, in: `{"project":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","title":"t","kind":"bug"}`, code: "invalid", at: []string{"/project maxLength"}},
		{name: "a path of a wrong type", call: ticket, in: `{"project":7,"title":"t","kind":"bug"}`, code: "invalid", at: []string{"/project type"}, cannot: cannot{overHTTP: textOnly, asFlags: textOnly}},
		{name: "a path that is no UTF-8", call: ticket, in: "{\"project\":\"a\xff\",\"title\":\"t\",\"kind\":\"bug\"}", code: "invalid", at: []string{"/project utf8"}, cannot: noFlags(textOnly), ownOffset: true},
		{name: "a number in a path", call: box, in: `{"number":9007199254740993}`, want: `{"number":9007199254740993}`},
		{name: "a word for a number in a path", call: box, in: `{"number":"seven"}`, code: "invalid", at: []string{"/number type"}},
		{name: "a fraction in a path", call: box, in: `{"number":1.5}`, code: "invalid", at: []string{"/number type"}},
		{name: "a fraction of zero in a path", call: box, in: `{"number":1.0}`, code: "invalid", at: []string{"/number type"}, says: "without a fraction"},
		{name: "a number in a path below the minimum", call: box, in: `{"number":0}`, code: "invalid", at: []string{"/number minimum"}},
		{name: "a number in a path over 64 bits", call: box, in: `{"number":9223372036854775808}`, code: "invalid", at: []string{"/number type"}},
		{name: "what a path does not lead to", call: box, in: `{"number":404}`, code: "not_found", says: "no box 404"},
	}
}

// found is a page of findings.
func found(names ...string) string {
	var items string
	for i, n := range names {
		if i > 0 {
			items += ","
		}
		items += `{"name":"` + n + `","after":0}`
	}
	return `{"items":[` + items + `]}`
}

// inQueries are values that HTTP carries in a query.
func inQueries() []input {
	neither := func(why reason) cannot { return cannot{overHTTP: why, asFlags: why} }
	return []input{
		{name: "a query with nothing in it", call: tickets, in: `{"project":"WEB"}`, want: found()},
		{name: "a query with a list", call: tickets, in: `{"project":"WEB","label":["b","a"]}`, want: found("WEB-a", "WEB-b")},
		{name: "a query with reserved characters", call: tickets, in: `{"project":"WEB","label":["a&b=c","d+e f","100%","ü?#/"]}`, want: found("WEB-100%", "WEB-a&b=c", "WEB-d+e f", "WEB-ü?#/")},
		{name: "a query with a comma", call: tickets, in: `{"project":"WEB","label":["a,b"]}`, want: found("WEB-a,b")},
		{name: "a query with an empty item", call: tickets, in: `{"project":"WEB","label":[""]}`, want: found("WEB-")},
		{name: "a query with an empty list", call: tickets, in: `{"project":"WEB","label":[]}`, want: found(), cannot: neither(noEmptyList)},
		{name: "a query with numbers", call: tickets, in: `{"project":"WEB","number":[1,-2,3]}`, want: found()},
		{name: "a query with a word among numbers", call: tickets, in: `{"project":"WEB","number":[1,"x"]}`, code: "invalid", at: []string{"/number/1 type"}},
		{
			name: "a query with everything", call: tickets, in: `{"project":"WEB","label":["a"],"number":[7],"closed":true,"score":0.5,"kind":"bug","after":9007199254740993,"limit":10}`,
			want: `{"items":[{"name":"WEB-a","after":9007199254740993}]}`,
		},
		{name: "a query with too many items", call: tickets, in: `{"project":"WEB","label":["a","b","c","d","e","f"]}`, code: "invalid", at: []string{"/label maxItems"}},
		{name: "a query with no boolean", call: tickets, in: `{"project":"WEB","closed":"maybe"}`, code: "invalid", at: []string{"/closed type"}},
		{name: "a query with a number for a boolean", call: tickets, in: `{"project":"WEB","closed":1}`, code: "invalid", at: []string{"/closed type"}, cannot: neither(textOnly)},
		{name: "a query with a fraction for a whole number", call: tickets, in: `{"project":"WEB","after":1.5}`, code: "invalid", at: []string{"/after type"}},
		{name: "a query with a number over 64 bits", call: tickets, in: `{"project":"WEB","after":9223372036854775808}`, code: "invalid", at: []string{"/after type"}},
		{name: "a query with no member", call: tickets, in: `{"project":"WEB","kind":"bugs"}`, code: "invalid", at: []string{"/kind enum"}, says: `did you mean "bug"`},
		{name: "a query with a field misspelt", call: tickets, in: `{"project":"WEB","lable":"a"}`, code: "invalid", at: []string{"/lable additionalProperties"}, says: `did you mean "label"`, cannot: noFlags(noField)},
		{name: "a query with a field twice", call: tickets, in: `{"project":"WEB","score":1,"score":2}`, code: "invalid", at: []string{"/score duplicate"}, cannot: noFlags(flagsOnce), ownOffset: true},
		{name: "a query with null", call: tickets, in: `{"project":"WEB","score":null}`, code: "invalid", at: []string{"/score type"}, cannot: neither(textOnly)},
		{name: "a query that is no UTF-8", call: tickets, in: "{\"project\":\"WEB\",\"label\":[\"a\xff\"]}", code: "invalid", at: []string{"/label/0 utf8"}, cannot: noFlags(textOnly), ownOffset: true},
		{name: "a query for what does not exist", call: tickets, in: `{"project":"NONE"}`, code: "not_found", says: "no project NONE"},
	}
}

// pages are the pages of a list, by good and bad cursors.
func pages() []input {
	all := `"project":"P","label":["a","b","c"]`
	return []input{
		{name: "the first page", call: tickets, in: `{` + all + `,"limit":2}`, want: `{"items":[{"name":"P-a","after":0},{"name":"P-b","after":0}],"next_cursor":"UC1i"}`},
		{name: "the page behind it", call: tickets, in: `{` + all + `,"limit":2,"cursor":"UC1i"}`, want: found("P-c")},
		{name: "a page behind the last", call: tickets, in: `{` + all + `,"cursor":"UC1j"}`, want: found()},
		{name: "a cursor that is none", call: tickets, in: `{` + all + `,"cursor":"%%%"}`, code: "invalid", at: []string{"/cursor cursor"}, says: "next_cursor"},
		{name: "a cursor that is a number", call: tickets, in: `{` + all + `,"cursor":12}`, code: "invalid", at: []string{"/cursor type"}, cannot: cannot{overHTTP: textOnly, asFlags: textOnly}},
		{name: "a page of nothing", call: tickets, in: `{` + all + `,"limit":0}`, code: "invalid", at: []string{"/limit minimum"}},
		{name: "a page that is too long", call: tickets, in: `{` + all + `,"limit":1001}`, code: "invalid", at: []string{"/limit maximum"}},
	}
}
