package mcpserver

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
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
	notifications    = "notifications/" // every notification begins so
	noteCancelled    = "notifications/cancelled"
	noteProgress     = "notifications/progress"
	noteListChanged  = "notifications/tools/list_changed"
)

// The keys of our own in the _meta object of a call.
const (
	// MetaOperation carries the operation's key: 1 to 128 visible ASCII characters.
	MetaOperation = "holotype/op_id"
	// MetaActingFor names whom a call, or a list, is made for: the id of a person. Only
	// a seat acts for somebody.
	MetaActingFor = "holotype/acting_for"
	// MetaWait says for how many seconds, 0 to 300, the call may be held where a person has
	// to approve it.
	MetaWait = "holotype/wait_seconds"
	// MetaDryRun asks what a call would do, when it is true.
	MetaDryRun = "holotype/dry_run"
)

// message is one JSON-RPC message (https://www.jsonrpc.org/specification) in
// parts that alias the bytes it was read from.
type message struct {
	id       json.RawMessage // a string or an integer, as it was written; nil when absent
	method   string
	params   params
	response bool // answers a request of ours
	// result and failed are what a response says; one of them is nil.
	result, failed json.RawMessage
}

// isCall reports whether the message wants an answer.
func (m *message) isCall() bool { return m.method != "" && m.id != nil }

// unanswered reports whether a message is one that nothing is ever said to, however
// wrong it is: a notification or a response.
func (m *message) unanswered() bool { return m.response || m.method != "" && m.id == nil }

// readMessage judges one message and finds its parts. Whatever the protocol gives a
// shape to that is read here has it afterwards, so that the library is never handed
// what it would refuse in words of its own. The error is a JSON-RPC error to be
// answered under the id that was found, or under null; "invalid params" is one of a
// request that is fine apart from its params.
//
// A fault inside the arguments of a tools/call that leaves the text readable
// (a duplicate key, too many levels, bad UTF-8) is not the message's: the door
// judges the arguments, and says so in a result.
func readMessage(data []byte) (message, *jsonrpc.Error) {
	fault := schema.Scan(data)
	switch {
	case fault == nil:
	case fault.Kind == schema.Syntax || fault.Kind == schema.Size:
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: fault.Error()}
	case rawjson.Valid(data, rawjson.AnyDepth) != nil:
		// What stands after the fault had not been judged.
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the text is not JSON after " + fault.Error()}
	case ofArguments(fault) && rawjson.Kind(rawjson.Member(data, "method")) != 0: // else it is no message
		if outside := schema.Scan(withoutContent(data)); outside != nil {
			fault = outside
		}
	}
	m := message{}
	switch i := rawjson.Space(data, 0); data[i] {
	case '{':
	case '[':
		return m, invalidRequest("batches are not taken: send one message at a time")
	default:
		return m, invalidRequest("a message is a JSON object")
	}
	failed := m.read(data)
	if fault != nil && (m.method != methodCall || !ofArguments(fault)) {
		return m, invalidRequest(fault.Error())
	}
	return m, failed
}

// ofArguments reports whether a fault lies inside the arguments. Giving
// "arguments" itself twice is a fault of the message.
func ofArguments(f *schema.Fault) bool {
	const at = "/params/arguments"
	return f.Kind != schema.Syntax && f.Kind != schema.Size &&
		(strings.HasPrefix(f.Pointer, at+"/") || f.Pointer == at && f.Kind != schema.Duplicate)
}

func (m *message) read(data []byte) *jsonrpc.Error {
	var version, method, params, result, failed json.RawMessage
	for key, value := range rawjson.Members(data) {
		switch key {
		case "jsonrpc":
			version = value
		case "id":
			m.id = value
		case "method":
			method = value
		case "params":
			params = value
		case "result":
			result = value
		case "error":
			failed = value
		}
	}
	if method == nil && (result != nil || failed != nil) {
		m.response, m.result, m.failed = true, result, failed
	}
	var ok bool
	if v, _ := rawjson.String(version); v != "2.0" {
		return invalidRequest(`every message says "jsonrpc":"2.0"`)
	}
	if m.response {
		return m.readResponse(result, failed)
	}
	switch m.method, ok = rawjson.String(method); {
	case method == nil:
		return invalidRequest("a message has a method, a result or an error")
	case !ok || m.method == "":
		return invalidRequest("the method is the name of one, as a string")
	case result != nil || failed != nil:
		return invalidRequest("a message with a method has no result and no error")
	case m.id != nil && !isID(m.id):
		return invalidRequest("the id of a request is a string or an integer")
	case strings.HasPrefix(m.method, notifications) != (m.id == nil):
		return invalidRequest("a request has an id, and a notification has none")
	}
	switch rawjson.Kind(params) {
	case '{':
	case 0, 'n':
		params = nil
	default:
		return invalidParams("the params are an object")
	}
	return m.params.read(m.method, params)
}

// readResponse judges the answer to a request of ours. One that says it could not
// read the request's id has none.
func (m *message) readResponse(result, failed json.RawMessage) *jsonrpc.Error {
	var said struct {
		Code    *int64
		Message *string
	}
	switch nameless := rawjson.Kind(m.id) == 0 || rawjson.Kind(m.id) == 'n'; {
	case result != nil && failed != nil:
		return invalidRequest("a response has a result or an error, not both")
	case nameless && failed != nil:
		m.id = nil
	case !isID(m.id):
		return invalidRequest("the id of a response is that of its request")
	}
	if failed != nil && (rawjson.Kind(failed) != '{' || json.Unmarshal(failed, &said) != nil || said.Code == nil || said.Message == nil) {
		return invalidRequest("an error has a code, which is an integer, and a message")
	}
	return nil
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

// failure frames an error under an id; under null where there is none that JSON-RPC
// admits, which is a string or a number of any kind.
func failure(id json.RawMessage, e *jsonrpc.Error) []byte {
	if k := rawjson.Kind(id); k != '"' && k != '-' && (k < '0' || k > '9') || !utf8.Valid(id) || !json.Valid(id) {
		id = json.RawMessage("null")
	}
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	out = append(out, `,"error":`...)
	body, err := json.Marshal(e)
	if err != nil { // only broken Data could fail
		body = []byte(`{"code":-32603,"message":"internal error"}`)
	}
	return append(append(out, body...), '}')
}

// mended answers an error of the library with a code, where it has none, and with
// words of a bounded length.
func mended(method string, e *jsonrpc.Error) *jsonrpc.Error {
	own := *e
	own.Message = clip(own.Message)
	if own.Code == 0 {
		// It names no code where it cannot read the params of initialize, and where
		// something comes out of turn.
		own.Code = jsonrpc.CodeInvalidRequest
		if method == methodInitialize {
			own = *invalidParams("the params of initialize are not as the protocol has them")
		}
	}
	return &own
}

// clip cuts words that may quote what a caller sent.
func clip(s string) string {
	const limit = 300
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}
