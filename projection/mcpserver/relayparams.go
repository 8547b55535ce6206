package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// readRelay finds the params of a method that is relayed, and judges the shapes of those
// that decide something here. The rest is its server's to judge.
func (p *params) readRelay(method string, object []byte) *jsonrpc.Error {
	var needs string
	switch method {
	case capabilities.RelayResources, capabilities.RelayTemplates, capabilities.RelayPrompts, capabilities.RelayComplete:
	case capabilities.RelayRead, capabilities.RelaySubscribe, capabilities.RelayUnsubscribe:
		needs = "uri"
	case capabilities.RelayPrompt:
		needs = "name"
	case capabilities.RelayLogging:
		needs = "level"
	default:
		return nil
	}
	p.relay = method
	var own []byte
	for key, value := range rawjson.Members(object) {
		var ok bool
		switch {
		case key == "_meta":
			continue
		case key == "cursor" && strings.HasSuffix(method, "/list"):
			if p.cursor, ok = rawjson.String(value); !ok && rawjson.Kind(value) != 'n' {
				return misshapen(method, key, '"')
			}
			continue
		case key == "requestState" && rawjson.Kind(value) != 'n':
			if p.requestState = value; rawjson.Kind(value) != '"' {
				return misshapen(method, key, '"')
			}
			continue
		case key == "inputResponses" && rawjson.Kind(value) != 'n':
			if p.inputResponses = value; rawjson.Kind(value) != '{' {
				return misshapen(method, key, '{')
			}
			continue
		case key == "requestState", key == "inputResponses":
			continue
		case key == "arguments" && method == capabilities.RelayPrompt:
			if fault := textArguments(value); fault != nil {
				return fault
			}
		case key == needs:
			if p.name, ok = rawjson.String(value); !ok {
				return misshapen(method, key, '"')
			}
		}
		own = append(own, ',')
		own = append(append(rawjson.AppendQuoted(own, key), ':'), value...)
	}
	if own == nil {
		own = []byte{','}
	}
	own[0] = '{'
	p.arguments = append(json.RawMessage(own), '}')
	switch {
	case needs != "" && p.name == "":
		return misshapen(method, needs, '"')
	case method == capabilities.RelayLogging:
		if p.level = p.name; !slices.Contains(capabilities.LogLevels(), p.level) {
			return invalidParams(fmt.Sprintf("params.level of %s is one of %s", method, strings.Join(capabilities.LogLevels(), ", ")))
		}
	case method == capabilities.RelayComplete:
		return lacking(method, object, param{"ref", '{'}, param{"argument", '{'})
	}
	return nil
}

// maxSubscriptions bounds the resources that one subscription is for.
const maxSubscriptions = 1000

// textArguments judges the arguments of a prompt, each of which is a text.
func textArguments(arguments json.RawMessage) *jsonrpc.Error {
	if k := rawjson.Kind(arguments); k != '{' && k != 'n' {
		return misshapen(capabilities.RelayPrompt, "arguments", '{')
	}
	for key, value := range rawjson.Members(arguments) {
		if rawjson.Kind(value) != '"' {
			return invalidParams(fmt.Sprintf("params.arguments.%s of %s is a string, as every argument of a prompt is", clip(key), capabilities.RelayPrompt))
		}
	}
	return nil
}
