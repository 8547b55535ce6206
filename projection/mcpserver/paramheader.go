package mcpserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// headerParam starts the headers that mirror arguments.
const headerParam = "Mcp-Param-"

// paramHeaders checks that the headers which mirror arguments say what the body
// says: a schema may ask for them with x-mcp-header (2026-07-28, streamable HTTP),
// something on the way may route by them, and a server must refuse a request where
// they differ. Builtins ask for none; a bridged tool's schema may.
func (s *Server) paramHeaders(h http.Header, p *capabilities.Principal, m *message) *jsonrpc.Error {
	if m.method != methodCall {
		return nil
	}
	c, _, ok := s.o.Viewer.Find(p, m.params.name)
	if !ok || !bytes.Contains(c.Input().Raw(), []byte(`"x-mcp-header"`)) {
		return nil
	}
	return mirrored(h, c.Input().Raw(), m.params.arguments, "")
}

// mirrored checks the properties of one schema object against the arguments there.
func mirrored(h http.Header, schema, args json.RawMessage, at string) *jsonrpc.Error {
	for key, properties := range rawjson.Members(schema) {
		if key != "properties" {
			continue
		}
		for name, property := range rawjson.Members(properties) {
			value := rawjson.Member(args, name)
			if header, ok := rawjson.String(rawjson.Member(property, "x-mcp-header")); ok && header != "" {
				if why := differs(h.Get(headerParam+header), value); why != "" {
					return &jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: fmt.Sprintf("the header %s%s and the argument %s%s differ: %s", headerParam, header, at, name, why)}
				}
			}
			if failed := mirrored(h, property, value, at+name+"."); failed != nil {
				return failed
			}
		}
	}
	return nil
}

// differs says how a header differs from the argument it mirrors; "" for not.
func differs(header string, value json.RawMessage) string {
	switch {
	case value == nil || rawjson.Kind(value) == 'n':
		if header != "" {
			return "the argument is absent"
		}
		return ""
	case header == "":
		return "the header is missing"
	}
	if encoded, ok := strings.CutPrefix(header, "=?base64?"); ok {
		if encoded, ok = strings.CutSuffix(encoded, "?="); ok {
			raw, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil {
				return "the header is not base64"
			}
			header = string(raw)
		}
	}
	same := false
	switch rawjson.Kind(value) {
	case '"':
		same = header == rawjson.Unquote(value)
	case 't', 'f':
		same = header == string(value)
	case '{', '[':
		return "the argument is no single value"
	default:
		same = sameInteger(header, string(value))
	}
	if !same {
		return "they have other values"
	}
	return ""
}

// sameInteger compares two spellings of an integer that a double holds exactly,
// which is all that may be mirrored.
func sameInteger(a, b string) bool {
	const limit = 1<<53 - 1
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y && x == float64(int64(x)) && x >= -limit && x <= limit
}
