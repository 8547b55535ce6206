package bridge

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A paramHeader is a tool parameter that a modern HTTP server wants mirrored into
// a header (2026-07-28, transports/streamable-http, custom headers from tool
// parameters).
type paramHeader struct {
	path []string // property names from the root of the arguments
	name string   // the full header name
}

// paramHeaders reads the x-mcp-header annotations of an input schema. The error
// says which one breaks the rules; a tool with one must not be offered over HTTP.
func paramHeaders(schema json.RawMessage) ([]paramHeader, error) {
	if !strings.Contains(string(schema), "x-mcp-header") {
		return nil, nil
	}
	w := paramWalk{seen: map[string]bool{}}
	if err := w.object(schema, nil, maxToolDepth); err != nil {
		return nil, err
	}
	return w.found, nil
}

type paramWalk struct {
	found []paramHeader
	seen  map[string]bool
}

// object walks a schema whose place is reached through properties alone.
func (w *paramWalk) object(schema json.RawMessage, path []string, depth int) error {
	if depth == 0 {
		return nil // the tool is refused for its depth
	}
	var kind string
	var header, properties json.RawMessage
	for key, value := range rawjson.Members(schema) {
		switch key {
		case "type":
			kind, _ = rawjson.String(value)
		case "x-mcp-header":
			header = value
		case "properties":
			properties = value
		default:
			if rawjson.Kind(value) == '{' || rawjson.Kind(value) == '[' {
				if key != "default" && key != "const" && key != "enum" && key != "examples" && annotated(value, depth-1) {
					return fmt.Errorf("x-mcp-header stands under %q, where no argument can be read from", key)
				}
			}
		}
	}
	if header != nil {
		if err := w.add(header, kind, path); err != nil {
			return err
		}
	}
	for name, sub := range rawjson.Members(properties) {
		if err := w.object(sub, append(slices.Clip(path), name), depth-1); err != nil {
			return err
		}
	}
	return nil
}

func (w *paramWalk) add(header json.RawMessage, kind string, path []string) error {
	name, ok := rawjson.String(header)
	at := strings.Join(path, ".")
	switch {
	case len(path) == 0 || !ok || name == "" || strings.ContainsFunc(name, notToken):
		return fmt.Errorf("x-mcp-header of %q is not a header name", at)
	case kind != "string" && kind != "integer" && kind != "boolean":
		return fmt.Errorf("x-mcp-header of %q stands on type %q, and only string, integer and boolean may have one", at, kind)
	case w.seen[strings.ToLower(name)]:
		return fmt.Errorf("x-mcp-header %q stands twice", name)
	}
	w.seen[strings.ToLower(name)] = true
	w.found = append(w.found, paramHeader{path, "Mcp-Param-" + name})
	return nil
}

// annotated reports whether x-mcp-header is a key anywhere in the value.
func annotated(value json.RawMessage, depth int) bool {
	if depth <= 0 {
		return false
	}
	for key, sub := range rawjson.Members(value) {
		if key == "x-mcp-header" || annotated(sub, depth-1) {
			return true
		}
	}
	for _, sub := range rawjson.Elements(value) {
		if annotated(sub, depth-1) {
			return true
		}
	}
	return false
}

// notToken reports what RFC 9110 section 5.6.2 does not allow in a field name.
func notToken(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// setParamHeaders mirrors the arguments; absent and null ones have no header.
func setParamHeaders(h http.Header, params []paramHeader, arguments json.RawMessage) {
	for _, p := range params {
		at := arguments
		for _, name := range p.path {
			var next json.RawMessage
			for key, value := range rawjson.Members(at) {
				if key == name {
					next = value
				}
			}
			at = next
		}
		switch rawjson.Kind(at) {
		case '"':
			h.Set(p.name, headerValue(rawjson.Unquote(at)))
		case 't', 'f':
			h.Set(p.name, string(at))
		case 0, 'n', '{', '[':
		default:
			if n, err := strconv.ParseInt(string(at), 10, 64); err == nil {
				h.Set(p.name, strconv.FormatInt(n, 10))
			} else {
				h.Set(p.name, string(at))
			}
		}
	}
}

// headerValue encodes a value for a header as the transport says: as it is where
// plain ASCII carries it, else in the Base64 form.
func headerValue(s string) string {
	plain := s == strings.Trim(s, " \t") && (!strings.HasPrefix(s, "=?base64?") || !strings.HasSuffix(s, "?="))
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= ' ' && s[i] <= '~'
	}
	if plain {
		return s
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
}
