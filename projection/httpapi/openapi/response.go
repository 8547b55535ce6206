package openapi

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// The components that every document has, and the security schemes.
const (
	schemeBearer = "bearer"
	schemeCookie = "cookie"

	// toolResultName is the component of results without an output schema.
	toolResultName = "ToolResult"
)

// addShared writes the components of every document, before anything else can
// take their names.
func (c *components) addShared(codes []capabilities.CodeInfo) {
	for _, m := range []member{
		{"Problem", problem(codes)},
		{"Violation", violation()},
		{"ContentBlock", contentBlock()},
	} {
		c.schemas = append(c.schemas, member{c.names.take(m.key, ""), m.value})
	}
	c.names.take(toolResultName, "")
}

// codesOf answers every code of the document once: the base set, the registry's,
// and what the capabilities themselves answer.
func codesOf(o Options, caps []*capabilities.Capability) []capabilities.CodeInfo {
	all := slices.Concat(capabilities.BaseCodes(), o.Codes)
	for _, c := range caps {
		all = append(all, c.Codes()...)
	}
	seen := map[capabilities.Code]bool{}
	return slices.DeleteFunc(all, func(i capabilities.CodeInfo) bool {
		dup := seen[i.Code]
		seen[i.Code] = true
		return dup
	})
}

func codeNames(codes []capabilities.CodeInfo) *node {
	list := array()
	for _, i := range codes {
		list.items = append(list.items, str(string(i.Code)))
	}
	return list
}

func codeLine(i capabilities.CodeInfo) string {
	return "- `" + string(i.Code) + "`: " + i.Means + "; " + i.Remedy
}

func field(kind, text string) *node { return object().str("type", kind).str("description", text) }

func problem(codes []capabilities.CodeInfo) *node {
	lines := []string{"What was refused, in one word. What each means, and what to do:"}
	bases := array()
	for _, i := range codes {
		lines = append(lines, codeLine(i))
		if i.Base == i.Code {
			bases.items = append(bases.items, str(string(i.Code)))
		}
	}
	upstream := object().str("type", "object").
		add("required", strs("content")).
		add("properties", object().
			add("content", object().str("type", "array").add("items", refTo("ContentBlock")).str("description", "The server's own words.")).
			add("structuredContent", field("object", "The structured part, where the server sent one.").add("additionalProperties", boolean(true)))).
		str("description", "What the bridged server answered, with upstream_error only.")
	approval := object().str("type", "object").
		add("required", strs("id", "expires_at")).
		add("properties", object().
			add("id", field("string", "The request, which decide_approval takes.")).
			add("url", field("string", "The page where a person decides, where there is one.")).
			add("expires_at", field("string", "Until when it is good.").str("format", "date-time"))).
		str("description", "The request that a person decides on, with approval_needed only.")
	return object().str("type", "object").
		str("description", "A refusal (RFC 9457).").
		add("required", strs("type", "title", "status", "code")).
		add("properties", object().
			add("type", field("string", "Where the page of the code stands.").str("format", "uri-reference")).
			add("title", field("string", "What the code means.")).
			add("status", field("integer", "The HTTP status.").str("format", "int32").add("minimum", number("400")).add("maximum", number("599"))).
			add("detail", field("string", "What failed, on what, and what to do.")).
			add("code", field("string", strings.Join(lines, "\n")).add("enum", codeNames(codes))).
			add("base", field("string", "The base of a code that a pack declares.").add("enum", bases)).
			add("violations", object().str("type", "array").add("items", refTo("Violation")).str("description", "What is wrong with the arguments, sorted by pointer.")).
			add("maybe_applied", field("boolean", "The call may have taken effect although it is refused.")).
			add("retry_after_seconds", field("integer", "How long to wait before a retry can land.").str("format", "int64").add("minimum", number("0"))).
			add("approval", approval).
			add("request_id", field("string", "The request in the server's log.")).
			add("upstream", upstream))
}

func violation() *node {
	return object().str("type", "object").
		str("description", "One thing that is wrong with the arguments.").
		add("required", strs("pointer", "keyword", "message")).
		add("properties", object().
			add("pointer", field("string", "Where, as a JSON pointer (RFC 6901) into the arguments; empty for the whole.")).
			add("keyword", field("string", "The JSON Schema keyword or JSON rule that is broken.")).
			add("message", field("string", "What to fix.")))
}

// contentBlock is open on purpose: a block of a kind that comes to be later
// passes unchanged.
func contentBlock() *node {
	open := func(text string) *node { return field("object", text).add("additionalProperties", boolean(true)) }
	return object().str("type", "object").
		str("description", "One content block of an MCP tool result: text, image, audio, resource, resource_link, or a kind that is not known here.").
		add("required", strs("type")).
		add("properties", object().
			add("type", field("string", "The kind of block.")).
			add("text", field("string", "The text of a text block.")).
			add("data", field("string", "The bytes of an image or audio block, in base64.")).
			add("mimeType", field("string", "The media type of the data or of what is linked.")).
			add("uri", field("string", "Where a linked resource is.")).
			add("name", field("string", "The name of a linked resource.")).
			add("resource", open("An embedded resource: uri, mimeType, and text or blob.")).
			add("annotations", open("For whom the block is, and how much it matters.")).
			add("_meta", open("Facts beside the protocol."))).
		add("additionalProperties", boolean(true))
}

// success answers the schema of a call that is not refused: the structured value,
// or a tool result where a result has content blocks.
func (c *components) success(capa *capabilities.Capability, id string) (*node, error) {
	var structured *node
	if out := capa.Output(); out != nil {
		s, err := c.side(out.Raw(), id+"Output", capa.Bridged())
		if err != nil {
			return nil, err
		}
		structured = s.publish()
	}
	if !capa.HasBlocks() {
		return structured, nil
	}
	if structured == nil {
		if !c.held[toolResultName] {
			c.held[toolResultName] = true
			open := field("object", "The structured part, where the server sends one.").add("additionalProperties", boolean(true))
			c.schemas = append(c.schemas, member{toolResultName, toolResult(open, false)})
		}
		return refTo(toolResultName), nil
	}
	name := c.names.take(id+"Result", capa.Name())
	c.schemas = append(c.schemas, member{name, toolResult(structured, !capa.Bridged())})
	return refTo(name), nil
}

func toolResult(structured *node, required bool) *node {
	r := object().str("type", "object").str("description", "The result of a tool: what people and models read, and the same for programs.")
	if required {
		r.add("required", strs("content", "structuredContent"))
	} else {
		r.add("required", strs("content"))
	}
	return r.add("properties", object().
		add("content", object().str("type", "array").add("items", refTo("ContentBlock")).str("description", "The content blocks, in order.")).
		add("structuredContent", structured))
}

// responsesOf answers the success and one refusal a status. Operations that may
// answer the same codes share it.
func (c *components) responsesOf(capa *capabilities.Capability, success *node) *node {
	ok := object().str("description", "The call was carried out.").
		add("headers", responseHeaders(false)).
		add("content", object().add("application/json", object().add("schema", success)))
	out := object().add("200", ok)
	byStatus := map[int][]capabilities.CodeInfo{}
	for _, i := range capa.Codes() {
		byStatus[i.Status] = append(byStatus[i.Status], i)
	}
	for _, h := range ofHTTP(capa) {
		for _, i := range capabilities.BaseCodes() {
			if i.Code == h.code && !slices.ContainsFunc(byStatus[h.status], func(o capabilities.CodeInfo) bool { return o.Code == h.code }) {
				byStatus[h.status] = append(byStatus[h.status], i)
			}
		}
	}
	for _, s := range slices.Sorted(maps.Keys(byStatus)) {
		out.add(strconv.Itoa(s), c.refusal(s, byStatus[s]))
	}
	return out
}

// httpRefusal is a refusal that comes from the request and not from the call.
type httpRefusal struct {
	status int
	code   capabilities.Code
}

// ofHTTP answers what the surface itself may refuse of an operation's requests,
// beside the codes that every capability may answer.
func ofHTTP(capa *capabilities.Capability) []httpRefusal {
	all := []httpRefusal{{http.StatusNotAcceptable, capabilities.Invalid}, {http.StatusRequestTimeout, capabilities.Timeout}}
	if capa.Route().Method != http.MethodGet {
		all = append(all, httpRefusal{http.StatusUnsupportedMediaType, capabilities.Invalid})
	}
	if len(capa.Route().Fields) > 0 || capa.Bridged() {
		all = append(all, httpRefusal{http.StatusNotFound, capabilities.NotFound}) // an empty segment, or a tool that went away
	}
	return all
}

// refusal writes the response of some codes of one status and answers a
// reference to it.
func (c *components) refusal(status int, codes []capabilities.CodeInfo) *node {
	words := []string{"Refused" + strconv.Itoa(status)}
	var lines []string
	wait := false
	for _, i := range codes {
		words = append(words, pascal(string(i.Code)))
		lines = append(lines, codeLine(i))
		wait = wait || i.Base == capabilities.RateLimited || i.Base == capabilities.Unavailable
	}
	name := strings.Join(words, "")
	if !c.held[name] {
		c.held[name] = true
		c.responses = append(c.responses, member{name, object().
			str("description", "Refused:\n\n"+strings.Join(lines, "\n")).
			add("headers", responseHeaders(wait)).
			add("content", object().add("application/problem+json", object().add("schema", refTo("Problem")))).
			add("x-holotype-codes", codeNames(codes))})
	}
	return object().str("$ref", "#/components/responses/"+name)
}

func responseHeaders(wait bool) *node {
	h := object().add("X-Request-Id", object().str("$ref", "#/components/headers/RequestId"))
	if wait {
		h.add("Retry-After", object().str("$ref", "#/components/headers/RetryAfter"))
	}
	return h
}

// node writes the components, each list in the order of its names.
func (c *components) node(cookie string) *node {
	out := object().add("schemas", byKey(c.schemas)).add("responses", byKey(c.responses))
	if c.writes {
		out.add("parameters", object().
			add("DryRun", object().str("name", "dry_run").str("in", "query").
				str("description", "Answer the receipt the call would give, and change nothing.").
				add("schema", object().str("type", "boolean").add("default", boolean(false)))).
			add("IdempotencyKey", object().str("name", "Idempotency-Key").str("in", "header").
				str("description", "The operation's own key: the same call with the same key has its effect once. Kept for 30 days.").
				add("schema", object().str("type", "string").add("minLength", number("1")).add("maxLength", number("128")).str("pattern", "^[!-~]+$"))))
	}
	schemes := object().
		add(schemeBearer, object().str("type", "http").str("scheme", "bearer").str("description", "A token of this server."))
	if cookie != "" {
		schemes.add(schemeCookie, object().str("type", "apiKey").str("in", "cookie").str("name", cookie).
			str("description", "The session of a signed-in browser."))
	}
	return out.
		add("headers", object().
			add("RequestId", object().str("description", "The request in the server's log.").add("schema", object().str("type", "string"))).
			add("RetryAfter", object().str("description", "Seconds to wait before a retry can land.").
				add("schema", object().str("type", "integer").str("format", "int64").add("minimum", number("0"))))).
		add("securitySchemes", schemes)
}
