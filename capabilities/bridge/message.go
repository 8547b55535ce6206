package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

const (
	// maxMessage bounds one message from a server, after decompression.
	maxMessage = 16 << 20
	// maxDepth bounds how deep what is handed on may nest.
	maxDepth = 512
	// firstID starts the data lane's own id space. The SDK counts from 1 and never
	// gets here; servers that keep ids in 32 bits cope.
	firstID uint32 = 1 << 30
	lastID  uint32 = 1<<31 - 1
)

// errNotMessage marks bytes that are no JSON-RPC 2.0 message.
var errNotMessage = errors.New("not a JSON-RPC 2.0 message")

// A message is one JSON-RPC 2.0 message (https://www.jsonrpc.org/specification)
// in parts that alias the bytes it was read from.
type message struct {
	id     json.RawMessage // nil when absent or null
	method string          // "" in a response
	params json.RawMessage
	result json.RawMessage
	fault  json.RawMessage // the error member
	depth  int             // how many levels its parts nest
}

// tooDeep says that nobody gets the message: only a list is of use when one part
// of it nests like that.
func (m *message) tooDeep() bool { return m.depth > maxDepth }

func (m *message) isRequest() bool      { return m.method != "" && m.id != nil }
func (m *message) isNotification() bool { return m.method != "" && m.id == nil }
func (m *message) isResponse() bool     { return m.method == "" && m.id != nil }

// own answers the id when it is in the data lane's space.
func (m *message) own() (uint32, bool) { return ownID(m.id) }

// ownID reads one of our ids, which some servers answer as a string.
func ownID(raw json.RawMessage) (uint32, bool) {
	if s, ok := rawjson.String(raw); ok {
		raw = json.RawMessage(s)
	}
	n, err := strconv.ParseUint(string(raw), 10, 32)
	if err != nil || uint32(n) < firstID || uint32(n) > lastID {
		return 0, false
	}
	return uint32(n), true
}

// A brokenAnswer is a response that cannot be read but names the call it belongs
// to, so that it fails that call and nothing else.
type brokenAnswer struct {
	id     json.RawMessage
	reason error
}

func (b *brokenAnswer) Error() string { return "unreadable answer: " + b.reason.Error() }
func (b *brokenAnswer) Unwrap() error { return b.reason }

// parseMessage reads the message at the start of data and answers the index
// after it. It answers errNotMessage, or a *brokenAnswer where the damage comes
// after an id and so can be tied to a call. Bytes that are not UTF-8 are to be
// replaced before.
func parseMessage(data []byte) (m message, end int, err error) {
	i := rawjson.Space(data, 0)
	if i >= len(data) || data[i] != '{' {
		return m, i, errNotMessage
	}
	version := ""
	fail := func(at int, cause error) (message, int, error) {
		if (version == "" || version == `"2.0"`) && m.id != nil && m.method == "" {
			return m, at, &brokenAnswer{m.id, cause}
		}
		return m, at, errNotMessage
	}
	for i = rawjson.Space(data, i+1); ; i = rawjson.Space(data, i+1) {
		if i < len(data) && data[i] == '}' {
			break
		}
		if i >= len(data) || data[i] != '"' {
			return fail(i, rawjson.ErrSyntax)
		}
		from := i
		if i, _, err = rawjson.Scan(data, i, 0); err != nil {
			return fail(i, err)
		}
		key := rawjson.Unquote(data[from:i])
		if i = rawjson.Space(data, i); i >= len(data) || data[i] != ':' {
			return fail(i, rawjson.ErrSyntax)
		}
		from = rawjson.Space(data, i+1)
		var deep int
		if i, deep, err = rawjson.Scan(data, from, rawjson.AnyDepth); err != nil {
			return fail(i, err)
		}
		m.depth = max(m.depth, deep)
		switch value := json.RawMessage(data[from:i:i]); key {
		case "jsonrpc":
			version = string(value)
		case "id":
			if m.id = value; rawjson.Kind(value) == 'n' {
				m.id = nil
			}
		case "method":
			m.method, _ = rawjson.String(value)
		case "params":
			m.params = value
		case "result":
			m.result = value
		case "error":
			if m.fault = value; rawjson.Kind(value) == 'n' {
				m.fault = nil
			}
		}
		if i = rawjson.Space(data, i); i < len(data) && data[i] == '}' {
			break
		}
		if i >= len(data) || data[i] != ',' {
			return fail(i, rawjson.ErrSyntax)
		}
	}
	if version != `"2.0"` || m.method == "" && m.id == nil {
		return m, i + 1, errNotMessage
	}
	return m, i + 1, nil
}

// eachMessage reads every message of one line or body: one object, several
// behind each other, or an array of them (a batch of revision 2025-03-26). It
// calls found for each and broken for an answer that can only be tied to its
// call, and reports whether anything was left that is no message.
func eachMessage(data []byte, found func(message), broken func(*brokenAnswer)) (junk bool) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	data = bytes.TrimSpace(data)
	if rawjson.Kind(data) == '[' && rawjson.Valid(data, rawjson.AnyDepth) == nil {
		for _, raw := range rawjson.Elements(data) {
			junk = rawjson.Kind(raw) != '{' || eachMessage(raw, found, broken) || junk
		}
		return junk
	}
	for len(data) > 0 {
		m, end, err := parseMessage(data)
		var b *brokenAnswer
		switch {
		case errors.As(err, &b):
			broken(b)
			return false
		case err != nil:
			return true
		}
		found(m)
		data = bytes.TrimSpace(data[end:])
	}
	return false
}

// idOfHead finds the id in the first bytes of a response that is too long to be
// kept. ok is false when the id comes later than that.
func idOfHead(head []byte) (id json.RawMessage, ok bool) {
	_, _, err := parseMessage(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if b, ok := errors.AsType[*brokenAnswer](err); ok {
		return b.id, true
	}
	return nil, false
}

// A rpcError is the error member of a response, read leniently: servers send
// strings, missing codes and worse.
type rpcError struct {
	code    int64
	text    string
	data    json.RawMessage
	hasCode bool
}

func readFault(raw json.RawMessage) rpcError {
	if s, ok := rawjson.String(raw); ok {
		return rpcError{text: s}
	}
	var e rpcError
	for key, value := range rawjson.Members(raw) {
		switch key {
		case "code":
			n, err := strconv.ParseInt(string(value), 10, 64)
			e.code, e.hasCode = n, err == nil
		case "message":
			e.text, _ = rawjson.String(value)
		case "data":
			e.data = value
		}
	}
	return e
}

// sentence is the error as one bounded line.
func (e rpcError) sentence() string {
	text := e.text
	if text == "" {
		text = "no message"
	}
	if e.hasCode {
		return fmt.Sprintf("JSON-RPC error %d: %s", e.code, bounded(text, 2048))
	}
	return "JSON-RPC error: " + bounded(text, 2048)
}

// cutMark stands where bounded has cut.
const cutMark = " ... ("

// bounded answers s, or what fits of it in n bytes and how much there was.
func bounded(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := n
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s%s%d bytes)", s[:cut], cutMark, len(s))
}
