package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// The ways to call.
const (
	overHTTP  = "HTTP"
	overMCP   = "MCP"
	asCommand = "the command line"
)

const (
	mcpPath  = "/operator/mcp"
	revision = "2026-07-28"
)

// meta is the _meta object that a request of this revision has; %s is for more members.
const meta = `{"io.modelcontextprotocol/protocolVersion":"` + revision +
	`","io.modelcontextprotocol/clientInfo":{"name":"conformance","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}%s}`

// reply is what came back over HTTP.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// ask sends one request as the holder of a token.
func (s Server) ask(ctx context.Context, token, method, path string, header map[string]string, body []byte) (reply, error) {
	base := s.URL
	if s.Handler != nil {
		base = "http://127.0.0.1"
	}
	r, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	if s.Handler != nil {
		r.RemoteAddr, r.RequestURI = "127.0.0.1:1", r.URL.RequestURI()
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		return reply{w.Code, w.Header(), w.Body.Bytes()}, nil
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}, fmt.Errorf("the answer to %s %s: %w", method, path, err)
	}
	return reply{resp.StatusCode, resp.Header, data}, nil
}

// rpc sends one request over MCP and answers the message that came back.
func (s Server) rpc(ctx context.Context, token, method, name, params string) (reply, error) {
	header := map[string]string{"Content-Type": "application/json", "Mcp-Protocol-Version": revision, "Mcp-Method": method}
	if name != "" {
		header["Mcp-Name"] = name
	}
	got, err := s.ask(ctx, token, http.MethodPost, mcpPath, header, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params))
	if err != nil || !strings.HasPrefix(got.header.Get("Content-Type"), "text/event-stream") {
		return got, err
	}
	var last []byte
	for line := range bytes.Lines(got.body) {
		if event, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			last = bytes.TrimSpace(event)
		}
	}
	got.body = last
	return got, nil
}

// callMCP calls a tool over MCP.
func (s Server) callMCP(ctx context.Context, token, name, arguments string, dry bool) (answer, error) {
	more := ""
	if dry {
		more = `,"holotype/dry_run":true`
	}
	got, err := s.rpc(ctx, token, "tools/call", name, fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":%s}`, name, arguments, fmt.Sprintf(meta, more)))
	if err != nil {
		return answer{}, err
	}
	return ofMessage(got), nil
}

// ofMessage reads the answer to tools/call.
func ofMessage(got reply) answer {
	a := answer{way: overMCP, status: got.status, raw: got.body}
	var m struct {
		Error  json.RawMessage `json:"error"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(got.body, &m); err != nil || m.Result == nil {
		a.unheard = "it is no result: " + clip(got.body)
		return a
	}
	result, err := wire.ParseToolResult(m.Result)
	if e, ok := capabilities.AsError(err); ok {
		a.refusal(e, sentence(e), requestOf(m.Result))
		return a
	}
	if err != nil {
		a.unheard = err.Error()
		return a
	}
	a.structured = result.Structured
	var content struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(m.Result, &content) == nil {
		a.content = content.Content
	}
	return a
}

// refusal keeps a refusal, with its sentence and without the id of its request.
func (a *answer) refusal(e *capabilities.Error, said, request string) {
	a.code, a.violations, a.said = e.Code, e.Violations, said
	if request != "" {
		a.said = strings.ReplaceAll(a.said, request, "REQUEST")
	}
}

// sentence answers what a refusal over MCP says: the text of one violation stands as it
// is, of several the sentence that other surfaces derive of the same list.
func sentence(e *capabilities.Error) string {
	if len(e.Violations) > 1 {
		return capabilities.Violates(e.Violations...).Message
	}
	return e.Message
}

// requestOf answers the id of the request in a refused result.
func requestOf(result json.RawMessage) string {
	var m struct {
		Meta struct {
			Error struct {
				Request string `json:"request_id"`
			} `json:"holotype/error"`
		} `json:"_meta"`
	}
	if json.Unmarshal(result, &m) != nil {
		return ""
	}
	return m.Meta.Error.Request
}

// callHTTP calls a capability by its own route. ok is false where no request can carry
// the arguments.
func (s Server) callHTTP(ctx context.Context, token string, tool inputs.Tool, arguments string, dry bool) (a answer, ok bool, err error) {
	q, why := inputs.Input{Call: tool.Name, In: arguments, DryRun: dry}.HTTP(tool)
	if why != "" {
		return answer{}, false, nil
	}
	got, err := s.ask(ctx, token, q.Method, "/api/v1"+q.Path, q.Header, []byte(q.Body))
	if err != nil {
		return answer{}, false, err
	}
	a = answer{way: overHTTP, status: got.status, raw: got.body}
	if got.status == http.StatusOK {
		a.body(got.body)
		return a, true, nil
	}
	a.problem(got.body)
	return a, true, nil
}

// body reads a result as HTTP and the command line have it.
func (a *answer) body(data []byte) {
	a.structured = data
	var both map[string]json.RawMessage
	if json.Unmarshal(data, &both) == nil && both["content"] != nil && both["structuredContent"] != nil {
		a.structured, a.content = both["structuredContent"], both["content"]
	}
}

// problem reads a refusal as HTTP and the command line have it.
func (a *answer) problem(data []byte) {
	e, err := wire.ParseProblem(data)
	if err != nil {
		a.unheard = fmt.Sprintf("status %d and no problem: %s", a.status, clip(data))
		return
	}
	var p struct {
		Request string `json:"request_id"`
	}
	if json.Unmarshal(data, &p) != nil {
		p.Request = ""
	}
	a.refusal(e, e.Message, p.Request)
}

// callCommand calls a capability on the command line.
func (s Server) callCommand(ctx context.Context, name, arguments string, dry bool) answer {
	words := []string{"call", name, "-o", "json", "--yes", "--json", "-"}
	if dry {
		words = append(words, "--dry-run")
	}
	var out, errw bytes.Buffer
	a := answer{way: asCommand, status: s.Run(ctx, words, strings.NewReader(arguments), &out, &errw)}
	if a.status == 0 {
		a.raw = out.Bytes()
		a.body(bytes.TrimSpace(a.raw))
		return a
	}
	a.raw = errw.Bytes()
	lines := strings.Split(strings.TrimSpace(errw.String()), "\n")
	a.problem([]byte(lines[len(lines)-1]))
	return a
}

func clip(data []byte) string {
	const most = 300
	if len(data) > most {
		return string(data[:most]) + "..."
	}
	return string(data)
}
