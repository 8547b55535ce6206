package openapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// maxWords bounds what of a refusal stands in its sentence.
const maxWords = 2048

// result answers what a server answered as the result of a tool (schema CallToolResult).
// What is JSON and an object is structured content too.
func result(a *bridge.Answer) json.RawMessage {
	if a.Status >= 300 {
		return failed(a)
	}
	body := bytes.TrimSpace(bytes.TrimPrefix(a.Body, []byte("\xef\xbb\xbf")))
	kind := bare(a.Header.Get("Content-Type"))
	switch {
	case len(body) == 0:
		return written(nil, false, capabilities.TextBlock(fmt.Sprintf("[HTTP status %d, without content]", a.Status)))
	case (isJSON(kind) || kind == "") && utf8.Valid(body) && rawjson.Valid(body, rawjson.AnyDepth) == nil:
		text := capabilities.TextBlock(string(body))
		if rawjson.Kind(body) == '{' {
			return written(body, false, text)
		}
		return written(nil, false, text)
	case isJSON(kind):
		return written(nil, false, capabilities.TextBlock("[the server calls this JSON, and it is none]"), capabilities.TextBlock(strings.ToValidUTF8(string(body), "\uFFFD")))
	case strings.HasPrefix(kind, "image/") && kind != "image/svg+xml":
		return written(nil, false, capabilities.ImageBlock(kind, a.Body))
	case strings.HasPrefix(kind, "audio/"):
		return written(nil, false, capabilities.AudioBlock(kind, a.Body))
	case utf8.Valid(body) && bytes.IndexByte(body, 0) < 0:
		return written(nil, false, capabilities.TextBlock(string(a.Body)))
	}
	if kind == "" {
		kind = "application/octet-stream"
	}
	return written(nil, false, resource(a, kind))
}

// resource is what is neither text nor a picture nor a sound. It is named by its address,
// without the query.
func resource(a *bridge.Answer, kind string) capabilities.Block {
	at := *a.URL
	at.User, at.RawQuery, at.Fragment = nil, "", ""
	quoted := func(s string) string { return string(rawjson.AppendQuoted(nil, s)) }
	inner := joined([2]string{"uri", quoted(at.String())}, [2]string{"mimeType", quoted(short(kind, 200))},
		[2]string{"blob", quoted(base64.StdEncoding.EncodeToString(a.Body))})
	return capabilities.Block(joined([2]string{"type", `"resource"`}, [2]string{"resource", string(inner)}))
}

// failed is the answer that a server refuses with, in its own words.
func failed(a *bridge.Answer) json.RawMessage {
	says := fmt.Sprintf("HTTP status %d", a.Status)
	if name := http.StatusText(a.Status); name != "" {
		says += " " + name
	}
	body := strings.TrimSpace(strings.ToValidUTF8(string(a.Body), "\uFFFD"))
	words := wordsOf(a, body)
	if words != "" {
		says += ": " + short(words, maxWords)
	}
	if wait := a.Header.Get("Retry-After"); wait != "" {
		says += fmt.Sprintf(" (it asks to wait: Retry-After: %s)", short(wait, 100))
	}
	blocks := []capabilities.Block{capabilities.TextBlock(says)}
	if body != "" && body != words && !strings.Contains(body, "\x00") {
		blocks = append(blocks, capabilities.TextBlock(body))
	}
	return written(nil, true, blocks...)
}

// wordsOf is the sentence in a refusal: of problem details (RFC 9457), of what other servers
// call it, or the text itself. A page is no sentence.
func wordsOf(a *bridge.Answer, body string) string {
	kind := bare(a.Header.Get("Content-Type"))
	raw := json.RawMessage(body)
	if rawjson.Kind(raw) == '{' && rawjson.Valid(raw, rawjson.AnyDepth) == nil {
		all := map[string]string{}
		for key, value := range rawjson.Members(raw) {
			if s, ok := rawjson.String(value); ok {
				all[key] = s
			} else if key == "error" {
				all[key], _ = rawjson.String(rawjson.Member(value, "message"))
			}
		}
		for _, key := range []string{"detail", "title", "message", "error_description", "error", "msg", "reason"} {
			if all[key] != "" {
				return all[key]
			}
		}
		return ""
	}
	if kind == "text/html" || !strings.HasPrefix(kind, "text/") && kind != "" {
		return ""
	}
	return body
}

// written writes a result.
func written(structured []byte, isError bool, blocks ...capabilities.Block) json.RawMessage {
	out := []byte(`{"content":[`)
	for i, b := range blocks {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, b...)
	}
	out = append(out, ']')
	if structured != nil {
		out = append(append(out, `,"structuredContent":`...), structured...)
	}
	if isError {
		out = append(out, `,"isError":true`...)
	}
	return append(out, '}')
}
