package parity_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// request writes one JSON-RPC request around the parameters, byte for byte.
func request(id int, method, params string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

// callParams writes the parameters of a call. Absent arguments stay absent.
func callParams(name, arguments, meta string) string {
	quoted, err := json.Marshal(name)
	if err != nil {
		return "{}"
	}
	p := `{"name":` + string(quoted)
	if arguments != "" {
		p += `,"arguments":` + arguments
	}
	if meta != "" {
		p += `,"_meta":` + meta
	}
	return p + "}"
}

const handshake = `{"protocolVersion":"` + legacy + `","capabilities":{},"clientInfo":{"name":"parity","version":"1"}}`

// describes is the _meta object of a request of the modern era.
func describes(client string) string {
	return `{"io.modelcontextprotocol/protocolVersion":"` + modern + `","io.modelcontextprotocol/clientInfo":{"name":"` + client +
		`","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
}

// legacyHTTP opens a session of the handshake era.
func (r *running) legacyHTTP(t *testing.T) func(*testing.T, input) (said, reason) {
	t.Helper()
	header := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	resp, data := r.exchange(t, http.MethodPost, "/operator/mcp", header, request(1, "initialize", handshake))
	header["Mcp-Session-Id"], header["Mcp-Protocol-Version"] = resp.Header.Get("Mcp-Session-Id"), legacy
	if header["Mcp-Session-Id"] == "" {
		t.Fatalf("initialize opened no session: %s", data)
	}
	r.exchange(t, http.MethodPost, "/operator/mcp", header, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	id := 1
	return func(t *testing.T, in input) (said, reason) {
		id++
		resp, data := r.exchange(t, http.MethodPost, "/operator/mcp", header, request(id, "tools/call", callParams(in.call, in.in, "")))
		return ofMCP(t, resp, data, in)
	}
}

// modernHTTP calls without a session. A stranger gives another description of
// itself with every call.
func (r *running) modernHTTP(t *testing.T, strangers bool) func(*testing.T, input) (said, reason) {
	t.Helper()
	id := 0
	return func(t *testing.T, in input) (said, reason) {
		id++
		client := "parity"
		if strangers {
			client = fmt.Sprintf("parity-%d", id)
		}
		header := map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": modern, "Mcp-Method": "tools/call", "Mcp-Name": in.call,
		}
		resp, data := r.exchange(t, http.MethodPost, "/operator/mcp", header, request(id, "tools/call", callParams(in.call, in.in, describes(client))))
		return ofMCP(t, resp, data, in)
	}
}

// ofMCP reads an answer of streamable HTTP, as JSON or as an event.
func ofMCP(t *testing.T, resp *http.Response, data []byte, in input) (said, reason) {
	t.Helper()
	switch {
	case resp.StatusCode == http.StatusRequestEntityTooLarge:
		got, _ := ofProblem(t, data, false)
		return long(got, in)
	case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream"):
		for line := range bytes.Lines(data) {
			if event, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				data = bytes.TrimSpace(event)
			}
		}
	}
	return ofMessage(t, data, in)
}

// long tells an input that is too large from one that only its message makes so.
func long(got said, in input) (said, reason) {
	if got.code == capabilities.TooLarge && in.code != capabilities.TooLarge {
		return got, longMessage
	}
	return got, ""
}

// ofMessage reads a JSON-RPC answer.
func ofMessage(t *testing.T, data []byte, in input) (said, reason) {
	t.Helper()
	m := parse[struct {
		Error *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
		Result *struct {
			IsError    bool            `json:"isError"`
			Content    json.RawMessage `json:"content"`
			Structured json.RawMessage `json:"structuredContent"`
			Meta       struct {
				Error *problem `json:"holotype/error"`
			} `json:"_meta"`
		} `json:"result"`
	}](t, data)
	got := said{raw: data}
	switch {
	case m.Error != nil && m.Error.Code == -32700:
		return got, brokenMessage
	case m.Error != nil && m.Error.Code == -32602:
		return got, noSuchTool
	case m.Error != nil || m.Result == nil:
		t.Errorf("the answer is no result: %s", clip(data))
		return got, ""
	case !m.Result.IsError:
		if m.Result.Meta.Error != nil {
			t.Errorf("a result carries a refusal: %s", clip(data))
		}
		got.structured, got.content = m.Result.Structured, m.Result.Content
		return got, ""
	case m.Result.Meta.Error == nil || m.Result.Structured != nil:
		t.Errorf("a refusal carries no code, or a result: %s", clip(data))
		return got, ""
	}
	e := m.Result.Meta.Error
	got.code, got.violations, got.maybe, got.retry = e.Code, e.Violations, e.Maybe, e.Retry
	got.message = settled(refusedText(t, m.Result.Content, e), e.RequestID, false)
	return long(got, in)
}

// refusedText reads the sentence of a refusal off its one text block. With several
// violations the block lists them, and the sentence is the one that other surfaces
// derive from the same list.
func refusedText(t *testing.T, content json.RawMessage, e *problem) string {
	t.Helper()
	blocks := parse[[]struct{ Type, Text string }](t, content)
	if len(blocks) != 1 || blocks[0].Type != "text" {
		t.Errorf("a refusal has the content %s", clip(content))
		return ""
	}
	if len(e.Violations) < 2 {
		return blocks[0].Text
	}
	for _, v := range e.Violations {
		if !strings.Contains(blocks[0].Text, v.Message) {
			t.Errorf("the text leaves out %q:\n%s", v.Message, blocks[0].Text)
		}
	}
	return capabilities.Violates(e.Violations...).Message
}
