package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// relayed is a tool of the [Upstream]: its entry, the arguments that it is called with and
// what it answers, byte for byte.
type relayed struct{ name, tool, arguments, result string }

// relays are tools of every kind that has been seen to suffer on its way: hints that are
// false, absent or no booleans, annotations and members that nobody here knows, numbers
// that a float cannot hold, schemas that say little or much, results of every form.
func relays() []relayed {
	return []relayed{
		{
			"reads", `{"name":"reads","title":"Reads","description":"Reads.","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"annotations":{"readOnlyHint":true}}`,
			`{"n":9007199254740993}`, `{"content":[{"type":"text","text":"a <b> & \u00e9"}],"structuredContent":{"n":9007199254740993,"x":1.10}}`,
		},
		{"silent", `{"name":"silent","inputSchema":{"type":"object","properties":{}}}`, `{}`, `{"content":[]}`},
		{
			"denies", `{"name":"denies","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}}`,
			`{}`, `{"content":[{"type":"text","text":"done","annotations":{"audience":["user"],"priority":0.5}}],"_meta":{"vendor.example/x":{"n":9007199254740993}}}`,
		},
		{
			"odd", `{"name":"odd","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":"true","destructiveHint":1,"vendor.example/x":{"n":9007199254740993}}}`,
			`{}`, `{"content":[{"type":"image","mimeType":"image/png","data":"AAEC"},{"type":"resource_link","uri":"file:///a","name":"a"}]}`,
		},
		{
			"shaped", `{"name":"shaped","inputSchema":{"type":"object","properties":{"a":{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}]}},"additionalProperties":false},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"annotations":{"destructiveHint":true,"openWorldHint":true}}`,
			`{"a":null}`, `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`,
		},
		{
			"fails", `{"name":"fails","inputSchema":{"type":"object","properties":{}},"annotations":{"idempotentHint":true}}`,
			`{}`, `{"content":[{"type":"text","text":"the printer is on fire"}],"structuredContent":{"why":"fire"},"isError":true}`,
		},
	}
}

// Upstream answers an MCP server of a few tools that are known to the byte, to be bridged
// by the server that is judged.
func Upstream() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name string `json:"name"`
			} `json:"params"`
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case err != nil || json.Unmarshal(body, &m) != nil:
			w.WriteHeader(http.StatusBadRequest)
			return
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := `"error":{"code":-32601,"message":"not served"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"conformance","version":"1"}}`
		case "tools/list":
			answer = `"result":{"tools":[`
			for i, one := range relays() {
				if i > 0 {
					answer += ","
				}
				answer += one.tool
			}
			answer += "]}"
		case "tools/call":
			for _, one := range relays() {
				if one.name == m.Params.Name {
					answer = `"result":` + one.result
				}
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer) // whoever has gone hears nothing
	})
}
