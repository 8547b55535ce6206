package mcpserver

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// The methods this package reads by name; the library knows the rest.
const (
	methodInitialize = "initialize"
	methodPing       = "ping"
	methodDiscover   = "server/discover"
	methodList       = "tools/list"
	methodCall       = "tools/call"
	methodListen     = "subscriptions/listen"
	noteCancelled    = "notifications/cancelled"
	noteProgress     = "notifications/progress"
	noteListChanged  = "notifications/tools/list_changed"
)

// The keys of our own in the _meta object of a call.
const (
	// MetaOperation carries the operation's key: 1 to 128 visible ASCII characters.
	MetaOperation = "holotype/op_id"
	// MetaDryRun asks what a call would do, when it is true.
	MetaDryRun = "holotype/dry_run"
)

// message is one JSON-RPC message (https://www.jsonrpc.org/specification) in
// parts that alias the bytes it was read from.
type message struct {
	id     json.RawMessage // nil when absent
	method string
	params params
	batch  bool // an array of messages, none of which was read
	odd    bool // has a shape that the fast lane leaves to the library
}

// params are the members of tools/call, tools/list and notifications/cancelled.
type params struct {
	name      string
	arguments json.RawMessage // nil when absent
	cursor    string
	requestID json.RawMessage
	meta      meta
}

// meta are the members of a request's _meta object that decide something here.
type meta struct {
	version, clientInfo, clientCapabilities json.RawMessage
	progressToken                           json.RawMessage
	operation, dryRun                       json.RawMessage
}

// isCall reports whether the message wants an answer.
func (m *message) isCall() bool { return m.method != "" && m.id != nil }

// readMessage judges the text of one message and finds its parts. The error is a
// JSON-RPC error to be answered under the id that was found, or under null.
//
// A fault inside the arguments of a tools/call that leaves the text readable
// (a duplicate key, too many levels, bad UTF-8) is not the message's: the door
// judges the arguments, and says so in a result.
func readMessage(data []byte) (message, *jsonrpc.Error) {
	fault := schema.Scan(data)
	if fault != nil && (fault.Kind == schema.Syntax || fault.Kind == schema.Size) {
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: fault.Error()}
	}
	m := message{}
	switch i := space(data, 0); data[i] {
	case '{':
		m.read(data)
	case '[':
		m.batch = true
	default:
		return m, invalidRequest("a message is a JSON object")
	}
	if fault != nil && (m.method != methodCall || !ofArguments(fault)) {
		return m, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fault.Error()}
	}
	return m, nil
}

// ofArguments reports whether a fault lies inside the arguments. Giving
// "arguments" itself twice is a fault of the message.
func ofArguments(f *schema.Fault) bool {
	const at = "/params/arguments"
	return strings.HasPrefix(f.Pointer, at+"/") || f.Pointer == at && f.Kind != schema.Duplicate
}

func (m *message) read(data []byte) {
	version := false
	for key, value := range members(data) {
		switch key {
		case "jsonrpc":
			version = string(value) == `"2.0"`
		case "id":
			m.id = value
			m.odd = m.odd || !plainID(value)
		case "method":
			name, ok := text(value)
			m.method = name
			m.odd = m.odd || !ok
		case "params":
			m.odd = m.odd || kind(value) != '{'
			m.params.read(value, &m.odd)
		case "result", "error":
			m.odd = true
		}
	}
	m.odd = m.odd || !version
}

// plainID reports whether an id is a string or an integer.
func plainID(raw json.RawMessage) bool {
	switch c := kind(raw); {
	case c == '"':
		return true
	case c == '-' || c >= '0' && c <= '9':
		return !strings.ContainsAny(string(raw), ".eE")
	}
	return false
}

func (p *params) read(data []byte, odd *bool) {
	for key, value := range members(data) {
		ok := true
		switch key {
		case "name":
			p.name, ok = text(value)
		case "arguments":
			p.arguments = value
		case "cursor":
			p.cursor, ok = text(value)
		case "requestId":
			p.requestID = value
		case "inputResponses", "requestState":
			ok = false
		case "_meta":
			ok = kind(value) == '{' && p.meta.read(value)
		}
		*odd = *odd || !ok
	}
}

func (m *meta) read(data []byte) (plain bool) {
	plain = true
	for key, value := range members(data) {
		switch key {
		case mcp.MetaKeyProtocolVersion:
			m.version = value
			plain = plain && kind(value) == '"'
		case mcp.MetaKeyClientInfo:
			m.clientInfo = value
		case mcp.MetaKeyClientCapabilities:
			m.clientCapabilities = value
		case "progressToken":
			m.progressToken = value
			plain = plain && plainID(value)
		case MetaOperation:
			m.operation = value
		case MetaDryRun:
			m.dryRun = value
		}
	}
	return plain
}

func invalidRequest(text string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: text}
}

func invalidParams(text string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text}
}

// answer frames a result under an id, whose bytes are kept.
func answer(id json.RawMessage, result ...[]byte) [][]byte {
	parts := make([][]byte, 0, len(result)+2)
	parts = append(parts, append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"result":`...))
	parts = append(parts, result...)
	return append(parts, []byte("}"))
}

// failure frames an error under an id; without one under null.
func failure(id json.RawMessage, e *jsonrpc.Error) []byte {
	if !plainID(id) || !utf8.Valid(id) {
		id = json.RawMessage("null")
	}
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	out = append(out, `,"error":`...)
	body, err := json.Marshal(e)
	if err != nil { // only broken Data could fail, and ours has none
		body = []byte(`{"code":-32603,"message":"internal error"}`)
	}
	return append(append(out, body...), '}')
}
