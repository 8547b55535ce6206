package tsclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-89b9419b/holotype/internal/markdown"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// readme writes how the package is used, with calls that there are.
func (d document) readme(a About) []byte {
	name := PackageName(a.Name)
	p := markdown.NewPage(markdown.Marker+".", markdown.Text(name))
	p.Para("Calls the capabilities of " + markdown.Text(a.Name) + " from TypeScript and JavaScript, with types of what each takes, answers and is refused with. " +
		"It has no dependencies, and runs where there is `fetch`: Node 20.3 or newer, Deno, Bun, browsers.")
	p.Fence("sh", "npm install && npm run build")
	var sample bytes.Buffer
	fmt.Fprintf(&sample, "import { createClient } from %s;\n\nconst client = createClient({ baseUrl: \"http://127.0.0.1:4280\", token: process.env.TOKEN! });\n", quoted(name))
	all := d.list()
	if i := slices.IndexFunc(all, func(o operation) bool { return o.example() != "" && has(o.raw, "requestBody") }); i >= 0 {
		fmt.Fprintf(&sample, `
const made = await client.call(%s, %s);
if (made.ok) {
  console.log(made.data);
} else if (made.refusal.code === "invalid") {
  console.error(made.refusal.violations);
} else {
  console.error(made.refusal.code, made.refusal.detail);
}
`, quoted(all[i].name), all[i].example())
	}
	if i := slices.IndexFunc(all, d.listsFreely); i >= 0 {
		fmt.Fprintf(&sample, "\nfor await (const item of client.items(%s)) {\n  console.log(item);\n}\n", quoted(all[i].name))
	}
	p.Fence("ts", sample.String())
	for _, text := range []string{
		"`call` answers a union: `ok` is true with `data`, or false with a `refusal`, a union on its `code`. `must`, `pages` and `items` throw a `RefusedError` instead. " +
			"A call that nobody answered throws an `UnansweredError`, which says whether it may have been carried out.",
		"**Repeating.** A write carries a fresh `Idempotency-Key`; `key` gives one of your own, and `false` none. A call is sent again, with the same key, when the network fails, when it is " +
			"`rate_limited` or `unavailable`, and when its outcome is unknown; `Retry-After` is kept to. Nothing is sent again that could have a second effect. " +
			"`retry` bounds it, 3 times within 30 s if absent, and `signal` ends it.",
		"**Trying.** `dryRun` answers the receipt that a write would give, and changes nothing.",
		"**Whole numbers.** One beyond 2^53 arrives as a `bigint`, although its type says `number`, and may be sent as one: no digit is lost. `integers: \"number\"` rounds it as `JSON.parse` does. " +
			"`text` of every answer has what came, to the byte.",
		"`schema.ts` has the types of the OpenAPI document in the shape of openapi-typescript, so that other clients for that shape work with them.",
	} {
		p.Para(text)
	}
	return p.Bytes()
}

// example answers an input of the operation as it stands in the document, or "".
func (o operation) example() string {
	examples := rawjson.Member(rawjson.Member(rawjson.Member(rawjson.Member(o.raw, "requestBody"), "content"), "application/json"), "examples")
	for called, one := range rawjson.Members(examples) {
		fields := []byte{'{'}
		add := func(name string, value json.RawMessage) {
			if len(fields) > 1 {
				fields = append(fields, ',')
			}
			fields = append(append(rawjson.AppendQuoted(fields, name), ':'), value...)
		}
		for _, p := range rawjson.Elements(rawjson.Member(o.raw, "parameters")) {
			if value := rawjson.Member(rawjson.Member(rawjson.Member(p, "examples"), called), "value"); value != nil {
				add(text(p, "name"), value)
			}
		}
		for name, value := range rawjson.Members(rawjson.Member(one, "value")) {
			add(name, value)
		}
		var out bytes.Buffer
		if json.Indent(&out, append(fields, '}'), "", "  ") != nil {
			return ""
		}
		return out.String()
	}
	return ""
}

// listsFreely reports whether an operation answers pages and needs no input.
func (d document) listsFreely(o operation) bool {
	if o.method != "GET" {
		return false
	}
	pages := false
	for _, p := range rawjson.Elements(rawjson.Member(o.raw, "parameters")) {
		if isTrue(p, "required") {
			return false
		}
		pages = pages || text(p, "name") == "cursor"
	}
	return pages
}
