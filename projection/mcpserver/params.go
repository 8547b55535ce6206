package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// params are the members of the params of any method that decide something here.
type params struct {
	name      string          // of a tool
	arguments json.RawMessage // of a tool; nil when absent
	cursor    string
	requestID json.RawMessage // that a notification is about
	meta      meta
	// requestState and inputResponses are what a client brings back that was asked something
	// (2026-07-28); nil when absent.
	requestState, inputResponses json.RawMessage
	// relay is the method, where it is one that is relayed: name is then what it is about,
	// and arguments are its params without what is about the request. level is that of
	// logging/setLevel, and subscriptions the resources that a subscription is for.
	relay, level  string
	subscriptions []string
	// fault is what is wrong with the params of a relayed method, for where it is served.
	fault *jsonrpc.Error
	// capabilities are those that the client of the handshake era declares.
	capabilities json.RawMessage
}

// meta are the members of a request's _meta object that decide something here.
type meta struct {
	version, clientInfo, clientCapabilities json.RawMessage // the version is a string
	progressToken                           json.RawMessage // a string or an integer; nil when absent
	logLevel                                string
	operation, dryRun, actingFor, wait      json.RawMessage
	traceparent, tracestate                 json.RawMessage
}

// apart answers what a call needs of its params, in bytes of its own.
func (p *params) apart() params {
	m := &p.meta
	out := params{relay: strings.Clone(p.relay), cursor: strings.Clone(p.cursor), name: strings.Clone(p.name), arguments: bytes.Clone(p.arguments), meta: meta{
		version: bytes.Clone(m.version), clientInfo: bytes.Clone(m.clientInfo), clientCapabilities: bytes.Clone(m.clientCapabilities),
		progressToken: bytes.Clone(m.progressToken), logLevel: strings.Clone(m.logLevel),
		operation: bytes.Clone(m.operation), dryRun: bytes.Clone(m.dryRun), actingFor: bytes.Clone(m.actingFor), wait: bytes.Clone(m.wait),
		traceparent: bytes.Clone(m.traceparent), tracestate: bytes.Clone(m.tracestate),
	}}
	return out
}

// modern reports whether a request says that it follows 2026-07-28 or later. Only a
// request says so itself: a session of stdio may carry both eras.
func (m *meta) modern() bool {
	v, _ := rawjson.String(m.version)
	return v >= modernVersion
}

// read finds the params of a method in an object, or in nothing, and judges the
// shapes of those that are read here.
func (p *params) read(method string, object []byte) *jsonrpc.Error {
	var ok bool
	for key, value := range rawjson.Members(object) {
		switch {
		case key == "_meta":
			if fault := p.meta.read(value); fault != nil {
				return fault
			}
		case key == "requestId":
			p.requestID = value
		case method == methodList && key == "cursor" && rawjson.Kind(value) != 'n':
			if p.cursor, ok = rawjson.String(value); !ok {
				return misshapen(method, key, '"')
			}
		case method == methodInitialize && key == "capabilities":
			p.capabilities = value
		case method != methodCall:
		case key == "name":
			if p.name, ok = rawjson.String(value); !ok {
				return misshapen(method, key, '"')
			}
		case key == "arguments":
			p.arguments = value
		case rawjson.Kind(value) == 'n':
		case key == "requestState":
			if p.requestState = value; rawjson.Kind(value) != '"' {
				return misshapen(method, key, '"')
			}
		case key == "inputResponses":
			if p.inputResponses = value; rawjson.Kind(value) != '{' {
				return misshapen(method, key, '{')
			}
		}
	}
	switch method {
	case methodCall:
		if p.name == "" {
			return misshapen(method, "name", '"')
		}
	case methodInitialize:
		if p.meta.modern() {
			return nil // that era does not have it, and says so
		}
		return lacking(method, object, param{"protocolVersion", '"'}, param{"capabilities", '{'}, param{"clientInfo", '{'})
	case methodListen:
		return p.readSubscription(object)
	}
	p.fault = p.readRelay(method, object)
	return nil
}

// readSubscription judges what a subscription asks to be told of.
func (p *params) readSubscription(object []byte) *jsonrpc.Error {
	if fault := lacking(methodListen, object, param{"notifications", '{'}); fault != nil {
		return fault
	}
	for key, value := range rawjson.Members(rawjson.Member(object, "notifications")) {
		_, flag := rawjson.Bool(value)
		switch key {
		case "toolsListChanged", "promptsListChanged", "resourcesListChanged":
			if !flag {
				return invalidParams("params.notifications." + key + " is true or false")
			}
		case "resourceSubscriptions":
			all := rawjson.Kind(value) == '['
			for _, one := range rawjson.Elements(value) {
				all = all && rawjson.Kind(one) == '"'
			}
			if !all {
				return invalidParams("params.notifications." + key + " is a list of URIs")
			}
			for _, one := range rawjson.Elements(value) {
				if len(p.subscriptions) == maxSubscriptions {
					return invalidParams(fmt.Sprintf("params.notifications.%s has more than %d URIs, which is the limit", key, maxSubscriptions))
				}
				p.subscriptions = append(p.subscriptions, rawjson.Unquote(one))
			}
		}
	}
	return nil
}

func (m *meta) read(object json.RawMessage) *jsonrpc.Error {
	if k := rawjson.Kind(object); k != '{' && k != 'n' {
		return invalidParams("_meta is an object")
	}
	for key, value := range rawjson.Members(object) {
		switch key {
		case mcp.MetaKeyProtocolVersion:
			if m.version = value; rawjson.Kind(value) != '"' {
				return invalidParams(fmt.Sprintf("_meta %q is a string", key))
			}
		case mcp.MetaKeyClientInfo:
			m.clientInfo = value
		case mcp.MetaKeyClientCapabilities:
			m.clientCapabilities = value
		case "progressToken":
			switch {
			case isID(value):
				m.progressToken = value
			case rawjson.Kind(value) != 'n':
				return invalidParams("a progressToken is a string or an integer")
			}
		case mcp.MetaKeyLogLevel:
			var ok bool
			if m.logLevel, ok = rawjson.String(value); !ok && rawjson.Kind(value) != 'n' {
				return invalidParams(fmt.Sprintf("_meta %q is a string", key))
			}
		case MetaOperation:
			m.operation = value
		case MetaActingFor:
			m.actingFor = value
		case MetaDryRun:
			m.dryRun = value
		case MetaWait:
			m.wait = value
		case "traceparent":
			m.traceparent = value
		case "tracestate":
			m.tracestate = value
		case "dry_run", "dryRun", "op_id", "idempotency_key":
			// Passing over one would make a write of what was meant to be tried, or two of one.
			return invalidParams(fmt.Sprintf("_meta has the key %q, which means nothing: ours are %q and %q", key, MetaDryRun, MetaOperation))
		}
	}
	return nil
}

// param is one that a method cannot go without, and the first byte of its value.
type param struct {
	name string
	kind byte
}

func lacking(method string, object []byte, all ...param) *jsonrpc.Error {
	for _, p := range all {
		if rawjson.Kind(rawjson.Member(object, p.name)) != p.kind {
			return misshapen(method, p.name, p.kind)
		}
	}
	return nil
}

func misshapen(method, name string, kind byte) *jsonrpc.Error {
	what := "a string"
	if kind == '{' {
		what = "an object"
	}
	return invalidParams(fmt.Sprintf("params.%s of %s is %s", name, method, what))
}
