package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// The modes of a server.
const (
	everyHint = "hints" // a tool for every combination of the four hints, and odd ones
	working   = "works" // tools that answer
	mute      = "mute"  // it never answers, and ends with its input
)

// spoken are the hints as the protocol names them, in the order of its schema.
func spoken() []string {
	return []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
}

// sent is a tool of the upstream server: its name there and its annotations as
// JSON text, "" for none.
type sent struct{ name, annotations string }

// combinations are all 81 of yes, no and absent for four hints; the name says
// which.
func combinations() []sent {
	var all []sent
	for n := range 81 {
		name, members := "h_", []string{}
		for i, rest := 0, n; i < 4; i, rest = i+1, rest/3 {
			switch rest % 3 {
			case 0:
				name += "u"
			case 1:
				name += "y"
				members = append(members, `"`+spoken()[i]+`":true`)
			case 2:
				name += "n"
				members = append(members, `"`+spoken()[i]+`":false`)
			}
		}
		all = append(all, sent{name, "{" + strings.Join(members, ",") + "}"})
	}
	return all
}

// odd are annotations that are not what the protocol says.
func odd() []sent {
	return []sent{
		{"none", ""},
		{"null", "null"},
		{"list", "[]"},
		{"word", `"yes"`},
		{"words", `{"readOnlyHint":"true","destructiveHint":"false"}`},
		{"numbers", `{"readOnlyHint":1,"idempotentHint":0}`},
		{"nulls", `{"readOnlyHint":null,"openWorldHint":null}`},
		{"objects", `{"readOnlyHint":{},"destructiveHint":[]}`},
		{"case", `{"ReadOnlyHint":true,"readonlyhint":true}`},
		{"contradiction", `{"readOnlyHint":true,"destructiveHint":true}`},
		{"mixed", `{"readOnlyHint":"yes","destructiveHint":false,"idempotentHint":true}`},
		{"more", `{"title":"More","readOnlyHint":true,"vendor.example/x":{"n":9007199254740993}}`},
	}
}

// serve speaks newline-delimited JSON-RPC of the handshake era.
func serve(mode string, in io.Reader, out io.Writer) error {
	if mode == mute {
		_, err := io.Copy(io.Discard, in)
		return err
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return err
		}
		if m.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"not served"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"upstream","version":"3"}}`
		case "tools/list":
			answer = `"result":{"tools":[` + strings.Join(toolsOf(mode), ",") + `]}`
		case "tools/call":
			answer = `"result":` + answerTo(m.Params)
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

func toolsOf(mode string) []string {
	if mode == working {
		return []string{
			`{"name":"echo","description":"Answers its arguments.","inputSchema":{"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"}},"required":["text"]},"annotations":{"readOnlyHint":true}}`,
			`{"name":"fail","description":"Fails in its own words.","inputSchema":{"type":"object"}}`,
			`{"name":"blocks","description":"Answers content alone.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`,
		}
	}
	var all []string
	for _, s := range append(combinations(), odd()...) {
		tool := `{"name":"` + s.name + `","inputSchema":{"type":"object"}`
		if s.annotations != "" {
			tool += `,"annotations":` + s.annotations
		}
		all = append(all, tool+"}")
	}
	return all
}

func answerTo(params json.RawMessage) string {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return `{"content":[],"isError":true}`
	}
	switch p.Name {
	case "echo":
		return `{"content":[{"type":"text","text":"echoed"}],"structuredContent":{"args":` + string(p.Arguments) + `,"big":9007199254740993}}`
	case "blocks":
		return `{"content":[{"type":"text","text":"a <b> & c"},{"type":"image","mimeType":"image/png","data":"AAEC"}]}`
	}
	return `{"content":[{"type":"text","text":"the printer is on fire"}],"isError":true}`
}
