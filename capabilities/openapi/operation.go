package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// An operation is one that can be called: what is needed for its requests.
type operation struct {
	name   string // the one that the bridge knows it by
	label  string // the method and the path, as an operator names it
	method string
	path   []segment
	params []parameter
	body   *body // nil for none
	accept string
}

// A segment of a path is a literal, or stands for a parameter.
type segment struct {
	text      string // encoded
	parameter bool
}

// A body is what an operation is sent.
type body struct {
	media    string
	form     bool // application/x-www-form-urlencoded; else JSON
	required bool
	says     string
	schema   json.RawMessage
}

// An api is what a document says that can be called.
type api struct {
	title, number, version string
	base                   *base
	tools                  []json.RawMessage
	operations             map[string]*operation
	skipped                []bridge.Skipped
}

// methods are those of a path item, in the order in which operations are listed.
var methods = [...]string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// build reads the operations of a document.
func build(ctx context.Context, d *document, o *Options) (*api, error) {
	info := rawjson.Member(d.root, "info")
	a := &api{version: d.version, operations: map[string]*operation{}}
	a.title, _ = rawjson.String(rawjson.Member(info, "title"))
	a.number, _ = rawjson.String(rawjson.Member(info, "version"))
	var err error
	if a.base, err = newBase(d, o); err != nil {
		return nil, err
	}
	b := &builder{d: d, o: o, a: a, t: newTranslator(d)}
	for path, item := range rawjson.Members(rawjson.Member(d.root, "paths")) {
		if strings.HasPrefix(path, "x-") {
			continue
		}
		if err := b.item(ctx, path, item); err != nil {
			return nil, err
		}
		if b.full {
			break
		}
	}
	return a, nil
}

type builder struct {
	d    *document
	o    *Options
	a    *api
	t    *translator
	seen int
	size int
	full bool
}

func (b *builder) skip(label, format string, args ...any) {
	b.a.skipped = append(b.a.skipped, bridge.Skipped{Tool: short(label, 200), Reason: fmt.Sprintf(format, args...)})
}

// item reads the operations of one path. The error is the end of ctx.
func (b *builder) item(ctx context.Context, path string, item json.RawMessage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	target, err := b.d.follow(item)
	if err != nil {
		if b.more() { // at least one that there would have been
			b.skip(path, "%v", err)
		}
		return nil
	}
	for _, method := range methods {
		raw := rawjson.Member(target, method)
		if rawjson.Kind(raw) != '{' {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if !b.more() {
			return nil
		}
		label := strings.ToUpper(method) + " " + path
		if why := b.operation(label, method, path, target, raw); why != nil {
			b.skip(label, "%v", why)
		}
		if b.full {
			return nil
		}
	}
	return nil
}

// more reports whether one more operation is looked at.
func (b *builder) more() bool {
	if b.seen++; b.seen > maxOperations {
		b.skip("", "the document has more than %d operations, which is the limit", maxOperations)
		b.full = true
	}
	return !b.full
}

// maxTools bounds all operations together, as they are given to the bridge.
const maxTools = 32 << 20

// operation takes one operation, or says why it cannot be called.
func (b *builder) operation(label, method, path string, item, raw json.RawMessage) error {
	op := &operation{label: label, method: strings.ToUpper(method)}
	if method == "trace" {
		return errors.New("TRACE answers with the request, and with the credential in it")
	}
	if err := b.elsewhere(item, raw); err != nil {
		return err
	}
	op.name, _ = rawjson.String(rawjson.Member(raw, "operationId"))
	switch {
	case op.name == "":
		op.name = nameOf(method, path)
	case op.name != label && isLabel(op.name):
		return fmt.Errorf("its operationId %q is how an operator names an operation by its method and path, and it is another one", short(op.name, 100))
	}
	if other := b.a.operations[op.name]; other != nil {
		return fmt.Errorf("its name would be %q, which is that of %s; the first one counts", short(op.name, 100), short(other.label, 200))
	}
	in := b.t.bundle(sent)
	props, err := b.inputs(op, path, item, raw, in)
	if err != nil {
		return err
	}
	input, err := inputSchema(op, props, in)
	if err != nil {
		return err
	}
	op.accept = accepted(b.d, raw)
	output, note := b.output(raw)
	if note != nil {
		b.skip(label, "its output schema is left out: %v", note)
	}
	tool := b.tool(op, raw, input, output)
	if len(tool) > maxSchemas && output != nil {
		b.skip(label, "its output schema is left out: with it the operation takes more than %d bytes", maxSchemas)
		tool = b.tool(op, raw, input, nil)
	}
	if b.size += len(tool); b.size > maxTools {
		b.full = true
		return fmt.Errorf("with it the operations take more than %d bytes, which is the limit; it and those after it are left out", maxTools)
	}
	b.a.operations[op.name] = op
	b.a.tools = append(b.a.tools, tool)
	return nil
}

// isLabel reports whether a name reads like a method and a path. What an operator says of
// those is not for a document to give to something else.
func isLabel(name string) bool {
	method, path, found := strings.Cut(name, " ")
	return found && strings.HasPrefix(strings.TrimSpace(path), "/") && slices.Contains(methods[:], strings.ToLower(method))
}

// elsewhere refuses an operation that has an address of its own, unless the operator says
// where everything goes.
func (b *builder) elsewhere(item, raw json.RawMessage) error {
	if b.o.BaseURL != "" {
		return nil
	}
	for _, of := range []json.RawMessage{item, raw} {
		for range rawjson.Elements(rawjson.Member(of, "servers")) {
			return errors.New("it has servers of its own; state base_url to have it called there with all the others")
		}
	}
	return nil
}

// nameOf names an operation that has no operationId, by nothing but its method and path.
func nameOf(method, path string) string {
	parts := []string{method}
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if inner, ok := strings.CutPrefix(part, "{"); ok && strings.HasSuffix(inner, "}") && !strings.Contains(inner, "{") {
			part = "by_" + strings.TrimSuffix(inner, "}")
		}
		if part != "" {
			parts = append(parts, strings.NewReplacer("{", "", "}", "").Replace(part))
		}
	}
	return strings.ReplaceAll(clean(strings.Join(parts, "_"), 1000), ".", "_")
}

// tool writes an operation as an entry of tools/list. What it says of the operation stays
// between here and the bridge, which lets the operator name it by that.
func (b *builder) tool(op *operation, raw json.RawMessage, input, output []byte) json.RawMessage {
	text := func(key string) string {
		s, _ := rawjson.String(rawjson.Member(raw, key))
		return strings.TrimSpace(s)
	}
	title, says := text("summary"), text("description")
	switch {
	case says == "" && title == "":
		says = op.label
	case says == "":
		says = title
	case title != "" && !strings.HasPrefix(says, title):
		says = title + "\n\n" + says
	}
	if string(rawjson.Member(raw, "deprecated")) == "true" {
		says = "[deprecated] " + says
	}
	quoted := func(s string) string {
		if s == "" {
			return ""
		}
		return string(rawjson.AppendQuoted(nil, s))
	}
	return joined([2]string{"name", quoted(op.name)}, [2]string{"title", quoted(title)}, [2]string{"description", quoted(says)},
		[2]string{"inputSchema", string(input)}, [2]string{"outputSchema", string(output)}, [2]string{bridge.AlsoKey, quoted(op.label)})
}

// media is what a body can be, of a content map.
type media struct {
	kind   string
	schema json.RawMessage
}

func medias(d *document, content json.RawMessage) []media {
	var all []media
	for kind, of := range rawjson.Members(content) {
		target, err := d.follow(of)
		if err != nil {
			continue
		}
		all = append(all, media{kind, rawjson.Member(target, "schema")})
	}
	// JSON first: where there is a choice it is what schemas are about.
	slices.SortStableFunc(all, func(a, b media) int { return rank(a.kind) - rank(b.kind) })
	return all
}

func rank(kind string) int {
	switch {
	case isJSON(kind):
		return 0
	case bare(kind) == formType:
		return 1
	}
	return 2
}

// bare is a media type without its parameters.
func bare(kind string) string {
	kind, _, _ = strings.Cut(kind, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

func isJSON(kind string) bool {
	kind = bare(kind)
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
}

const formType = "application/x-www-form-urlencoded"
