package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// caller makes MCP requests without a protocol library: the same bytes to either
// side, and as little work of its own as can be.
type caller interface {
	// exchange sends requests of one method and answers when all are answered. A
	// stream has them all in flight; an HTTP connection has one at a time.
	exchange(method, params string, n int) (last []byte, err error)
	io.Closer
}

const handshake = `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`

// connect shakes hands.
func connect(c caller, initialized func() error) error {
	answer, err := c.exchange("initialize", handshake, 1)
	if err != nil {
		return err
	}
	if !bytes.Contains(answer, []byte(`"protocolVersion"`)) {
		return fmt.Errorf("initialize answered %.300s", answer)
	}
	return initialized()
}

// good fails unless an answer is the success of request id.
func good(answer []byte, id int) error {
	ends := string(answer[:min(len(answer), 200)]) + string(answer[max(0, len(answer)-200):])
	switch {
	case !strings.Contains(ends, `"id":`+strconv.Itoa(id)):
		return fmt.Errorf("an answer that is not to %d: %.300s", id, answer)
	case strings.Contains(ends, `"error":`) || strings.Contains(ends, `"isError":true`):
		return fmt.Errorf("refused: %.500s", answer)
	}
	return nil
}

func appendRequest(b []byte, id int, method, params string) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, int64(id), 10)
	b = append(append(b, `,"method":"`...), method...)
	b = append(append(b, `","params":`...), params...)
	return append(b, '}')
}

// web is one connection of streamable HTTP, in a session of the handshake era.
type web struct {
	host, path, token, session string
	conn                       net.Conn
	in                         *bufio.Reader
	id                         int
	unchecked                  bool // answers carry another request's id
	head, body, answer         []byte
}

// dial connects to a URL.
func dial(ctx context.Context, url, token string) (*web, error) {
	host, path, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	return &web{host: host, path: "/" + path, token: token, conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}, nil
}

// dialWeb connects to a URL and shakes hands.
func dialWeb(ctx context.Context, url, token string) (*web, error) {
	w, err := dial(ctx, url, token)
	if err != nil {
		return nil, err
	}
	err = connect(w, func() error {
		_, err := w.post([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		return err
	})
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *web) exchange(method, params string, n int) (last []byte, err error) {
	for range n {
		w.id++
		w.body = appendRequest(w.body[:0], w.id, method, params)
		if last, err = w.post(w.body); err != nil {
			return nil, err
		}
		if err := good(last, w.id); err != nil && !w.unchecked {
			return nil, err
		}
	}
	return last, nil
}

// post sends one message and reads what comes back. The bytes are good until the
// next call.
func (w *web) post(message []byte) ([]byte, error) {
	h := w.head[:0]
	h = fmt.Appendf(h, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-06-18\r\nContent-Length: %d\r\n", w.path, w.host, w.token, len(message))
	if w.session != "" {
		h = fmt.Appendf(h, "Mcp-Session-Id: %s\r\n", w.session)
	}
	w.head = append(append(h, "\r\n"...), message...)
	if _, err := w.conn.Write(w.head); err != nil {
		return nil, err
	}
	r, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	if s := r.Header.Get("Mcp-Session-Id"); s != "" {
		w.session = s
	}
	buf := bytes.NewBuffer(w.answer[:0])
	_, err = buf.ReadFrom(r.Body)
	w.answer = buf.Bytes()
	if err == nil && r.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("HTTP %s: %.300s", r.Status, w.answer)
	}
	if data, ok := bytes.CutPrefix(w.answer, []byte("event: message\ndata: ")); ok {
		return bytes.TrimSpace(data), err
	}
	return w.answer, err
}

// Close ends the connection.
func (w *web) Close() error { return w.conn.Close() }

// pipe is the two streams of a process.
type pipe struct {
	io.Closer
	to   io.Writer
	from *bufio.Reader
	id   int
	out  []byte
}

// inFlight is how many requests a stream has in flight at most.
const inFlight = 16

func dialPipe(to io.WriteCloser, from io.Reader) (*pipe, error) {
	p := &pipe{Closer: to, to: to, from: bufio.NewReaderSize(from, 1<<20)}
	return p, connect(p, func() error {
		_, err := io.WriteString(to, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
		return err
	})
}

func (p *pipe) exchange(method, params string, n int) (last []byte, err error) {
	for n > 0 {
		some := min(n, inFlight)
		n -= some
		first := p.id + 1
		p.out = p.out[:0]
		for range some {
			p.id++
			p.out = append(appendRequest(p.out, p.id, method, params), '\n')
		}
		if _, err := p.to.Write(p.out); err != nil {
			return nil, err
		}
		for range some {
			if last, err = p.from.ReadSlice('\n'); err != nil {
				return nil, err
			}
			if id := idOf(last); id < first || id > p.id {
				return nil, fmt.Errorf("an answer to nothing that was asked: %.300s", last)
			} else if err := good(last, id); err != nil {
				return nil, err
			}
		}
	}
	return last, nil
}

// idOf reads the id, which both sides write near the head or near the tail.
func idOf(answer []byte) int {
	at := bytes.Index(answer[:min(len(answer), 64)], []byte(`"id":`))
	if at < 0 {
		if at = bytes.LastIndex(answer, []byte(`"id":`)); at < 0 {
			return -1
		}
	}
	id := 0
	for _, c := range answer[at+len(`"id":`):] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + int(c-'0')
	}
	return id
}

// toolCall writes the params of tools/call.
func toolCall(name, arguments string) string {
	return fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments)
}

// walk asks for every page of tools/list and shows it to see, which must not keep it.
func walk(c caller, see func(page []byte)) error {
	params := "{}"
	for {
		answer, err := c.exchange("tools/list", params, 1)
		if err != nil {
			return err
		}
		see(answer)
		cursor := cursorOf(answer)
		if cursor == "" {
			return nil
		}
		params = `{"cursor":` + cursor + `}`
	}
}

// cursorOf answers the next page's cursor as JSON, or "". It looks at the last bytes
// and at the first: decoding would be the client's cost, the same for all.
func cursorOf(answer []byte) string {
	for _, part := range [][]byte{answer[max(0, len(answer)-512):], answer[:min(len(answer), 512)]} {
		if _, rest, ok := bytes.Cut(part, []byte(`"nextCursor":`)); ok {
			d := json.NewDecoder(bytes.NewReader(rest))
			var cursor json.RawMessage
			if d.Decode(&cursor) == nil && string(cursor) != `""` {
				return string(cursor)
			}
		}
	}
	return ""
}
