package tsclient

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/seed-89b9419b/holotype/internal/markdown"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// document is an OpenAPI 3.1 document whose order is kept.
type document struct {
	raw        []byte
	parameters map[string]json.RawMessage // those that are referred to, by their references
}

func newDocument(raw []byte) document {
	d := document{raw, map[string]json.RawMessage{}}
	for name, p := range rawjson.Members(rawjson.Member(rawjson.Member(raw, "components"), "parameters")) {
		d.parameters["#/components/parameters/"+name] = p
	}
	return d
}

// parametersOf ranges over the parameters of an operation, and the reference of each that
// is one.
func (d document) parametersOf(op json.RawMessage) iter.Seq2[json.RawMessage, string] {
	return func(yield func(json.RawMessage, string) bool) {
		for _, p := range rawjson.Elements(rawjson.Member(op, "parameters")) {
			ref := text(p, "$ref")
			if ref != "" {
				p = d.parameters[ref]
			}
			if !yield(p, ref) {
				return
			}
		}
	}
}

// Types answers the types of an OpenAPI 3.1 document, which [openapi.Document] wrote, in
// the shape of openapi-typescript: paths, components and operations. It fails for a
// document without paths.
//
// [openapi.Document]: https://pkg.go.dev/github.com/seed-89b9419b/holotype/projection/httpapi/openapi#Document
func Types(doc []byte) ([]byte, error) {
	d := newDocument(doc)
	paths := rawjson.Member(doc, "paths")
	if rawjson.Kind(paths) != '{' {
		return nil, fmt.Errorf("reading the OpenAPI document: it has no paths")
	}
	w := &writer{}
	w.line("// %s", markdown.Marker)
	w.b.WriteByte('\n')
	d.paths(w, paths)
	w.line("export type webhooks = Record<string, never>;")
	d.components(w)
	w.line("export type $defs = Record<string, never>;")
	d.operations(w, paths)
	return w.b.Bytes(), nil
}

// methods is the order of the operations of a path.
func methods() []string {
	return []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}
}

func (d document) paths(w *writer, paths json.RawMessage) {
	w.open("export interface paths {")
	for path, item := range rawjson.Members(paths) {
		w.open("%s: {", quoted(path))
		w.open("parameters: {")
		for _, in := range places() {
			w.line("%s?: never;", in)
		}
		w.end("};")
		for _, method := range methods() {
			op := rawjson.Member(item, method)
			if op == nil {
				w.line("%s?: never;", method)
				continue
			}
			w.about(text(op, "summary"), "", text(op, "description"))
			w.line("%s: operations[%s];", method, quoted(text(op, "operationId")))
		}
		w.end("};")
	}
	w.end("}")
}

func (d document) operations(w *writer, paths json.RawMessage) {
	w.open("export interface operations {")
	for _, item := range rawjson.Members(paths) {
		for _, method := range methods() {
			if op := rawjson.Member(item, method); op != nil {
				w.open("%s: {", key(text(op, "operationId")))
				d.operation(w, op)
				w.end("};")
			}
		}
	}
	w.end("}")
}

// places is where parameters stand.
func places() []string { return []string{"query", "header", "path", "cookie"} }

func (d document) operation(w *writer, op json.RawMessage) {
	w.open("parameters: {")
	for _, in := range places() {
		d.place(w, op, in)
	}
	w.end("};")
	body := rawjson.Member(op, "requestBody")
	if body == nil {
		w.line("requestBody?: never;")
	} else {
		optional := "?"
		if isTrue(body, "required") {
			optional = ""
		}
		w.open("requestBody%s: {", optional)
		content(w, body)
		w.end("};")
	}
	w.open("responses: {")
	for status, r := range rawjson.Members(rawjson.Member(op, "responses")) {
		name := key(status)
		if isStatus(status) {
			name = status
		}
		if ref := text(r, "$ref"); ref != "" {
			w.line("%s: %s;", name, reference(ref))
			continue
		}
		w.about(text(r, "description"))
		w.open("%s: {", name)
		response(w, r)
		w.end("};")
	}
	w.end("};")
}

// place writes the parameters of one place.
func (d document) place(w *writer, op json.RawMessage, in string) {
	type parameter struct{ about, name, optional, kind string }
	var all []parameter
	for p, ref := range d.parametersOf(op) {
		if text(p, "in") != in {
			continue
		}
		one := parameter{text(p, "description"), key(text(p, "name")), "?", typeOf(rawjson.Member(p, "schema"), w.level+1)}
		if isTrue(p, "required") {
			one.optional = ""
		}
		if ref != "" {
			one.kind = reference(ref)
		}
		all = append(all, one)
	}
	switch {
	case len(all) == 0:
		w.line("%s?: never;", in)
		return
	case slices.ContainsFunc(all, func(p parameter) bool { return p.optional == "" }):
		w.open("%s: {", in)
	default:
		w.open("%s?: {", in)
	}
	for _, p := range all {
		w.about(p.about)
		w.property(p.name, p.optional, p.kind)
	}
	w.end("};")
}

// content writes the bodies of a request or a response by their media types.
func content(w *writer, holder json.RawMessage) {
	w.open("content: {")
	for media, body := range rawjson.Members(rawjson.Member(holder, "content")) {
		kind := unknown
		if s := rawjson.Member(body, "schema"); s != nil {
			kind = typeOf(s, w.level)
		}
		w.line("%s: %s;", quoted(media), kind)
	}
	w.end("};")
}

func response(w *writer, r json.RawMessage) {
	w.open("headers: {")
	for name, h := range rawjson.Members(rawjson.Member(r, "headers")) {
		if ref := text(h, "$ref"); ref != "" {
			w.line("%s: %s;", key(name), reference(ref))
			continue
		}
		w.line("%s?: %s;", key(name), typeOf(rawjson.Member(h, "schema"), w.level))
	}
	w.line("[name: string]: unknown;")
	w.end("};")
	content(w, r)
}

func (d document) components(w *writer) {
	all := rawjson.Member(d.raw, "components")
	w.open("export interface components {")
	part := func(kind string, one func(name string, value json.RawMessage)) {
		members := rawjson.Member(all, kind)
		if members == nil {
			w.line("%s: never;", kind)
			return
		}
		w.open("%s: {", kind)
		for name, value := range rawjson.Members(members) {
			one(name, value)
		}
		w.end("};")
	}
	part("schemas", func(name string, s json.RawMessage) {
		w.about(about(s))
		w.property(key(name), "", typeOf(s, w.level))
	})
	part("responses", func(name string, r json.RawMessage) {
		w.about(text(r, "description"))
		w.open("%s: {", key(name))
		response(w, r)
		w.end("};")
	})
	held := func(name string, p json.RawMessage) {
		w.about(text(p, "description"))
		w.property(key(name), "", typeOf(rawjson.Member(p, "schema"), w.level))
	}
	part("parameters", held)
	w.line("requestBodies: never;")
	part("headers", held)
	w.line("pathItems: never;")
	w.end("}")
}
