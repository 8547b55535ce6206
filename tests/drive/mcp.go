package drive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
)

// The newest protocol version of each era.
const (
	Legacy = "2025-11-25" // with a handshake and sessions
	Modern = "2026-07-28" // without
)

// Speaker is one client of the protocol.
type Speaker struct {
	// Name says which: the version and the transport.
	Name string
	// send sends one request and answers the status, which is 0 on standard streams,
	// and the message or problem that came back.
	send func(t *testing.T, id int, method, tool, params string) (status int, data []byte)
	// describe answers the _meta object of a request; "" for none.
	describe func(id int) string
	id       int
}

// Speakers answers a client of every era on every transport. The strangers of the
// modern era describe themselves anew with every request, so that nothing the
// server learned of a client applies.
func (r *Running) Speakers(t *testing.T) []*Speaker {
	t.Helper()
	strange := func(id int) string { return describes(fmt.Sprintf("drive-%d", id)) }
	return append(r.OverHTTP(t), []*Speaker{
		{Name: "mcp " + Modern + " over http, strangers", send: r.modernHTTP, describe: strange},
		{Name: "mcp " + Legacy + " over stdio", send: r.Stdio(t).Shake(t).exchange, describe: none},
		{Name: "mcp " + Modern + " over stdio", send: r.Stdio(t).exchange, describe: known},
		{Name: "mcp " + Modern + " over stdio, strangers", send: r.Stdio(t).exchange, describe: strange},
	}...)
}

// OverHTTP answers a client of every era over HTTP.
func (r *Running) OverHTTP(t *testing.T) []*Speaker {
	t.Helper()
	return []*Speaker{
		{Name: "mcp " + Legacy + " over http", send: r.legacyHTTP(t), describe: none},
		{Name: "mcp " + Modern + " over http", send: r.modernHTTP, describe: known},
	}
}

func none(int) string { return "" }

func known(int) string { return describes("drive") }

// Call calls a tool. The arguments are text of any kind; "" leaves them out.
func (s *Speaker) Call(t *testing.T, tool, arguments string) (status int, data []byte) {
	t.Helper()
	s.id++
	return s.send(t, s.id, "tools/call", tool, callParams(tool, arguments, s.describe(s.id)))
}

// Rehearse is Call as a dry run.
func (s *Speaker) Rehearse(t *testing.T, tool, arguments string) (status int, data []byte) {
	t.Helper()
	return s.With(t, `"holotype/dry_run":true`, tool, arguments)
}

// With is Call with members in the _meta object of the request.
func (s *Speaker) With(t *testing.T, members, tool, arguments string) (status int, data []byte) {
	t.Helper()
	s.id++
	meta := `{` + members
	if own := s.describe(s.id); own != "" {
		meta += "," + own[1:]
	} else {
		meta += "}"
	}
	return s.send(t, s.id, "tools/call", tool, callParams(tool, arguments, meta))
}

// List answers the tools of a whole tools/list, each as it stood on the wire.
func (s *Speaker) List(t *testing.T) []json.RawMessage {
	t.Helper()
	s.id++
	params := "{}"
	if meta := s.describe(s.id); meta != "" {
		params = `{"_meta":` + meta + `}`
	}
	_, data := s.send(t, s.id, "tools/list", "", params)
	var m struct {
		Result struct {
			Tools []json.RawMessage `json:"tools"`
			Next  string            `json:"nextCursor"`
		} `json:"result"`
	}
	if err := json.Unmarshal(data, &m); err != nil || m.Result.Tools == nil || m.Result.Next != "" {
		t.Fatalf("%s: no list of one page: %v %.300s", s.Name, err, data)
	}
	return m.Result.Tools
}

// request writes one JSON-RPC request around the parameters, byte for byte.
func request(id int, method, params string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func callParams(name, arguments, meta string) string {
	quoted, err := json.Marshal(name)
	if err != nil { // a string cannot fail
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

const handshake = `{"protocolVersion":"` + Legacy + `","capabilities":{},"clientInfo":{"name":"drive","version":"1"}}`

// describes is the _meta object of a request of the modern era.
func describes(client string) string {
	return `{"io.modelcontextprotocol/protocolVersion":"` + Modern + `","io.modelcontextprotocol/clientInfo":{"name":"` + client +
		`","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
}

// legacyHTTP opens a session.
func (r *Running) legacyHTTP(t *testing.T) func(*testing.T, int, string, string, string) (int, []byte) {
	t.Helper()
	header := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	resp, data := r.HTTP(t, http.MethodPost, "/operator/mcp", header, request(0, "initialize", handshake))
	header["Mcp-Session-Id"], header["Mcp-Protocol-Version"] = resp.Header.Get("Mcp-Session-Id"), Legacy
	if header["Mcp-Session-Id"] == "" {
		t.Fatalf("initialize opened no session: %s", data)
	}
	r.HTTP(t, http.MethodPost, "/operator/mcp", header, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return func(t *testing.T, id int, method, _, params string) (int, []byte) {
		resp, data := r.HTTP(t, http.MethodPost, "/operator/mcp", header, request(id, method, params))
		return resp.StatusCode, message(resp, data)
	}
}

func (r *Running) modernHTTP(t *testing.T, id int, method, tool, params string) (int, []byte) {
	header := map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": Modern, "Mcp-Method": method,
	}
	if tool != "" {
		header["Mcp-Name"] = tool
	}
	resp, data := r.HTTP(t, http.MethodPost, "/operator/mcp", header, request(id, method, params))
	return resp.StatusCode, message(resp, data)
}

// message answers the last message of an answer, which came as JSON or as events.
func message(resp Head, data []byte) []byte {
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return data
	}
	var last []byte
	for line := range bytes.Lines(data) {
		if event, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			last = bytes.TrimSpace(event)
		}
	}
	return last
}

// Session is one client on the standard streams.
type Session struct {
	in   io.Writer
	out  *bufio.Reader
	news bool // a notification came before the last answer, which may be older
}

// Stdio starts a session over standard streams. The end of the test closes it.
func (r *Running) Stdio(t *testing.T) *Session {
	t.Helper()
	return r.stdio(t)
}

// pipes starts a session with a server in this process.
func pipes(t *testing.T, server *holotype.Server) *Session {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- server.ServeStdio(t.Context(), fromClient, toClient)
		_ = toClient.Close() // it always answers nil
	}()
	t.Cleanup(func() {
		// A client that goes closes both ends; neither ever answers an error.
		_ = toServer.Close()
		_ = fromServer.Close()
		if err := <-done; err != nil && t.Context().Err() == nil {
			t.Errorf("the session ended with %v", err)
		}
	})
	return &Session{in: toServer, out: bufio.NewReader(fromServer)}
}

// Shake makes it a session of the handshake era.
func (s *Session) Shake(t *testing.T) *Session {
	t.Helper()
	s.exchange(t, 0, "initialize", "", handshake)
	s.Write(t, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return s
}

// Write sends one line.
func (s *Session) Write(t *testing.T, line []byte) {
	t.Helper()
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}

// Read answers the next line.
func (s *Session) Read(t *testing.T) []byte {
	t.Helper()
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// exchange sends a request and reads up to its answer, over notifications.
func (s *Session) exchange(t *testing.T, id int, method, _, params string) (int, []byte) {
	t.Helper()
	s.Write(t, request(id, method, params))
	for s.news = false; ; s.news = true {
		line := s.Read(t)
		if !bytes.Contains(line, []byte(`"method":"notifications/`)) {
			return 0, line
		}
	}
}

// Settled reads lists until one fits, one for every notification that the list has
// changed: no server is asked again before it has news.
func (s *Session) Settled(t *testing.T, fits func(tools []json.RawMessage) bool) {
	t.Helper()
	for id := 1; ; id++ {
		_, data := s.exchange(t, id, "tools/list", "", "{}")
		var m struct {
			Result struct {
				Tools []json.RawMessage `json:"tools"`
			} `json:"result"`
		}
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		if fits(m.Result.Tools) {
			return
		}
		if !s.news {
			s.Read(t)
		}
	}
}
