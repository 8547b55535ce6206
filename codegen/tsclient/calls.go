package tsclient

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// operation is what the client has to know of one operation of the document.
type operation struct {
	name, method, path string
	raw                json.RawMessage
}

// operations are those of the document, by name.
func (d document) list() []operation {
	var all []operation
	for path, item := range rawjson.Members(rawjson.Member(d.raw, "paths")) {
		for _, method := range methods() {
			if op := rawjson.Member(item, method); op != nil {
				all = append(all, operation{text(op, "operationId"), strings.ToUpper(method), path, op})
			}
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.name, b.name) })
	return all
}

// codes are those that the operation may be refused with.
func (o operation) codes() []string { return strs(rawjson.Member(o.raw, "x-holotype-codes")) }

// sends answers where the fields travel that stand neither in the path nor in a header.
func (o operation) sends() string {
	switch {
	case o.method == "GET":
		return "query"
	case has(o.raw, "requestBody"):
		return "body"
	}
	return "nothing"
}

// repeat answers when the call may be sent again: always if it is proven to only read, with
// an operation key if the server keeps one, else never.
func (o operation) repeat(d document, keys bool) string {
	hints := rawjson.Member(o.raw, "x-holotype-hints")
	switch {
	case isTrue(hints, "readOnlyHint") && !isTrue(hints, "destructiveHint"):
		return "always"
	case keys && slices.Contains(d.headers(o), "Idempotency-Key"):
		return "keyed"
	}
	return "never"
}

// headers are the parameters that travel as headers.
func (d document) headers(o operation) []string {
	var all []string
	for p := range d.parametersOf(o.raw) {
		if text(p, "in") == "header" {
			all = append(all, text(p, "name"))
		}
	}
	return all
}

// calls writes the table of what each capability takes, answers and is refused with, and
// what the runtime has to know to send it.
func (d document) calls(codes []capabilities.CodeInfo, keys bool) []byte {
	all := d.list()
	common := shared(all)
	w := &writer{}
	w.line("// %s", markdown.Marker)
	w.b.WriteByte('\n')
	w.line(`import type { InputOf, OutputOf } from "./kinds.ts";`)
	w.line(`import type { operations } from "./schema.ts";`)
	w.b.WriteByte('\n')
	w.about("The codes that every call may be refused with.")
	w.line("export type Everywhere = %s;", codeUnion(common))
	w.b.WriteByte('\n')
	w.about("What each capability takes, answers and may be refused with, by its name.")
	w.open("export interface Calls {")
	for _, o := range all {
		refuses := []string{}
		if len(common) > 0 {
			refuses = append(refuses, "Everywhere")
		}
		for _, c := range o.codes() {
			if !slices.Contains(common, c) {
				refuses = append(refuses, quoted(c))
			}
		}
		if len(refuses) == 0 {
			refuses = append(refuses, never)
		}
		w.about(text(o.raw, "description"))
		w.open("%s: {", key(o.name))
		w.line("input: InputOf<operations[%s]>;", quoted(o.name))
		w.line("output: OutputOf<operations[%s]>;", quoted(o.name))
		w.line("refuses: %s;", strings.Join(refuses, " | "))
		w.end("};")
	}
	w.end("}")
	w.b.WriteByte('\n')
	w.about("The base of every code, which says what the caller should do.")
	w.open("export interface Bases {")
	for _, c := range codes {
		w.line("%s: %s;", key(string(c.Code)), quoted(string(c.Base)))
	}
	w.end("}")
	w.b.WriteByte('\n')
	w.about("The same at run time.")
	w.open("export const bases: Bases = {")
	for _, c := range codes {
		w.line("%s: %s,", key(string(c.Code)), quoted(string(c.Base)))
	}
	w.end("};")
	w.b.WriteByte('\n')
	w.about("How a call is sent.")
	w.open("export interface Plan {")
	w.line("method: string;")
	w.about("The route, below /api/v1; what stands in braces is a field of the input.")
	w.line("path: string;")
	w.about("Where the other fields travel.")
	w.line(`sends: "query" | "body" | "nothing";`)
	w.about("When it may be sent again without a second effect.")
	w.line(`repeat: "always" | "keyed" | "never";`)
	w.about("The fields that travel as headers.")
	w.line(`conditions?: readonly ("if_match" | "if_none_match")[];`)
	w.end("}")
	w.b.WriteByte('\n')
	w.about("How every call is sent, by the capability's name.")
	w.open("export const calls: { readonly [N in keyof Calls]: Plan } = {")
	for _, o := range all {
		conditions := ""
		for _, h := range d.headers(o) {
			switch h {
			case "If-Match":
				conditions += `"if_match", `
			case "If-None-Match":
				conditions += `"if_none_match", `
			}
		}
		if conditions != "" {
			conditions = ", conditions: [" + strings.TrimSuffix(conditions, ", ") + "]"
		}
		w.line("%s: { method: %s, path: %s, sends: %s, repeat: %s%s },", key(o.name), quoted(o.method), quoted(o.path), quoted(o.sends()), quoted(o.repeat(d, keys)), conditions)
	}
	w.end("};")
	return w.b.Bytes()
}

// shared answers the codes of all operations, in the order of the first.
func shared(all []operation) []string {
	var common []string
	for i, o := range all {
		if i == 0 {
			common = o.codes()
			continue
		}
		has := o.codes()
		common = slices.DeleteFunc(common, func(c string) bool { return !slices.Contains(has, c) })
	}
	return common
}

func codeUnion(codes []string) string {
	if len(codes) == 0 {
		return never
	}
	all := make([]string, len(codes))
	for i, c := range codes {
		all[i] = quoted(c)
	}
	return strings.Join(all, " | ")
}
