package bridge

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/unseen"
)

// The bounds of what a server may ask, and be answered.
const (
	maxQuestions   = 32       // of one call
	maxQuestion    = 4 << 20  // bytes of one, with what a model is to look at
	maxForm        = 64 << 10 // bytes of what a person is asked
	maxAskedBytes  = 16 << 20 // of all questions of one call
	maxAnswer      = 4 << 20  // bytes of one answer
	maxFormDepth   = 32
	maxQuestionURL = 8 << 10
)

// codes of JSON-RPC errors.
const (
	codeInvalidParams = -32602
	codeInternal      = -32603
)

// An unasked is why a question is not put: the JSON-RPC error that its server is answered.
type unasked struct {
	code int64
	text string
}

func (u *unasked) Error() string { return u.text }

func noQuestion(code int64, format string, args ...any) *unasked {
	return &unasked{code, fmt.Sprintf(format, args...)}
}

// switchedOff is why nobody is asked what the operator does not let through, and under which
// key they would.
func switchedOff(method, server, key string) *unasked {
	return noQuestion(codeMethodNotFound, "%s is not relayed for the server %q: its operator switches it on with relay.%s", method, server, key)
}

// question answers the params of a question as the client is to get them: without the
// server's secrets, and with its name where a person reads it. The error is that of one
// that is none.
func (sp *spec) question(method string, params json.RawMessage) (json.RawMessage, *unasked) {
	switch on, name := sp.conf.Relay.may(method); {
	case name == "":
		return nil, noQuestion(codeMethodNotFound, "this client does not serve %s", bounded(method, 100))
	case !on:
		return nil, switchedOff(method, sp.conf.Name, name)
	}
	if len(params) == 0 || rawjson.Kind(params) == 'n' {
		params = json.RawMessage("{}")
	}
	limit := maxQuestion
	if method != methodSample {
		limit = maxForm
	}
	switch {
	case rawjson.Kind(params) != '{':
		return nil, noQuestion(codeInvalidParams, "the params of %s are an object", method)
	case len(params) > limit:
		return nil, noQuestion(codeInvalidParams, "the params of %s have %d bytes, at most %d are relayed", method, len(params), limit)
	case rawjson.Valid(params, maxDepth) != nil: // a client that cannot read it may end its session
		return nil, noQuestion(codeInvalidParams, "the params of %s nest deeper than %d levels, which is the limit", method, maxDepth)
	}
	params = sp.masker().maskJSON(params)
	switch method {
	case methodElicit:
		return sp.elicitation(params)
	case methodSample:
		return sp.sampling(params)
	}
	return rebuilt(params, func(key string, value json.RawMessage) json.RawMessage {
		if key == "_meta" {
			return foreignMeta(value)
		}
		return value
	}), nil
}

// elicitation judges a question to a person, and says in it who asks.
func (sp *spec) elicitation(params json.RawMessage) (json.RawMessage, *unasked) {
	f := fields(params)
	text, ok := rawjson.String(f["message"])
	if !ok {
		return nil, noQuestion(codeInvalidParams, "a question to a person has a message")
	}
	mode, ok := rawjson.String(f["mode"])
	switch {
	case f["mode"] != nil && !ok:
		return nil, noQuestion(codeInvalidParams, "the mode of a question is form or url")
	case mode == "url":
		if u := checkQuestionURL(f); u != nil {
			return nil, u
		}
	case mode == "" || mode == "form":
		schema := f["requestedSchema"]
		if kind, _ := rawjson.String(rawjson.Member(schema, "type")); rawjson.Kind(schema) != '{' || kind != "object" {
			return nil, noQuestion(codeInvalidParams, "the requestedSchema of a form is that of an object")
		}
		if rawjson.Valid(schema, maxFormDepth) != nil {
			return nil, noQuestion(codeInvalidParams, "the requestedSchema of a form nests deeper than %d levels", maxFormDepth)
		}
	default:
		return nil, noQuestion(codeInvalidParams, "the mode of a question is form or url, not %q", bounded(mode, 40))
	}
	signed := fmt.Sprintf("The MCP server %q asks: %s", sp.conf.Name, text)
	return rebuilt(params, func(key string, value json.RawMessage) json.RawMessage {
		switch key {
		case "message":
			return rawjson.AppendQuoted(nil, signed)
		case "task": // no task is kept here
			return nil
		case "_meta":
			return foreignMeta(value)
		}
		return value
	}), nil
}

// checkQuestionURL judges where a person is to be sent.
func checkQuestionURL(f map[string]json.RawMessage) *unasked {
	address, _ := rawjson.String(f["url"])
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return noQuestion(codeInvalidParams, "a person is sent to an http or https address alone")
	case u.User != nil:
		return noQuestion(codeInvalidParams, "an address that a person is sent to names nobody before its host")
	case len(address) > maxQuestionURL:
		return noQuestion(codeInvalidParams, "the address that a person is to be sent to has %d bytes, at most %d are relayed", len(address), maxQuestionURL)
	case strings.ContainsFunc(address, unseen.Hides):
		return noQuestion(codeInvalidParams, "the address that a person is to be sent to has characters that show nothing")
	}
	if id, ok := rawjson.String(f["elicitationId"]); f["elicitationId"] != nil && (!ok || id == "" || len(id) > 1024) {
		return noQuestion(codeInvalidParams, "an elicitationId is a text of 1 to 1024 bytes")
	}
	return nil
}

// sampling judges a question to the client's model. The context of servers is left out:
// for the client all that is behind here is one server, and this one is to get nothing of
// the others.
func (sp *spec) sampling(params json.RawMessage) (json.RawMessage, *unasked) {
	if rawjson.Kind(rawjson.Member(params, "messages")) != '[' {
		return nil, noQuestion(codeInvalidParams, "a question to a model has messages")
	}
	return rebuilt(params, func(key string, value json.RawMessage) json.RawMessage {
		switch key {
		case "includeContext":
			if s, _ := rawjson.String(value); s != "none" {
				return nil
			}
		case "task":
			return nil
		case "_meta":
			return foreignMeta(value)
		}
		return value
	}), nil
}

// rebuilt answers an object whose members are what each answers for its own; nil leaves it
// out. Of a key that stands twice the last one counts.
func rebuilt(object json.RawMessage, each func(key string, value json.RawMessage) json.RawMessage) json.RawMessage {
	var all []member
	for key, value := range rawjson.Members(object) {
		if value = each(key, value); value != nil {
			all = append(all, member{key, value})
		}
	}
	if joined := joinMembers(all); joined != nil {
		return joined
	}
	return json.RawMessage("{}")
}

// foreignMeta answers the _meta object of a question without what is about the request, and
// without our keys, under which nobody else speaks.
func foreignMeta(meta json.RawMessage) json.RawMessage {
	if rawjson.Kind(meta) != '{' {
		return nil
	}
	return rebuilt(meta, func(key string, value json.RawMessage) json.RawMessage {
		if key == "progressToken" || strings.HasPrefix(key, "holotype/") {
			return nil
		}
		return value
	})
}

func withoutMember(object json.RawMessage, name string) json.RawMessage {
	if rawjson.Kind(object) != '{' || rawjson.Member(object, name) == nil {
		return object
	}
	return rebuilt(object, func(key string, value json.RawMessage) json.RawMessage {
		if key == name {
			return nil
		}
		return value
	})
}
