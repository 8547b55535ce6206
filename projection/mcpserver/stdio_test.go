package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

// pipe is one raw client on a pair of pipes.
type pipe struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	done  chan error
}

func (f *fixture) pipe(ctx context.Context) *pipe {
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	p := &pipe{t: f.t.(*testing.T), in: in, lines: make(chan string, 64), done: make(chan error, 1)}
	go func() {
		p.done <- f.server.ServeStdio(ctx, toServer, fromServer, f.people["owner"])
		fromServer.Close()
	}()
	go func() {
		defer close(p.lines)
		for s := bufio.NewReader(out); ; {
			line, err := s.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- line
		}
	}()
	f.t.Cleanup(func() { in.Close() })
	return p
}

// write sends text as it is.
func (p *pipe) write(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text); err != nil {
		p.t.Fatal(err)
	}
}

// ask sends a line and answers the next one.
func (p *pipe) ask(line string) string {
	p.t.Helper()
	p.write(line + "\n")
	return strings.TrimSuffix(receive(p.t, p.lines, line[:min(len(line), 80)]), "\n")
}

func (p *pipe) start() {
	p.t.Helper()
	if got := p.ask(initialize); !strings.Contains(got, `"protocolVersion":"2025-11-25"`) {
		p.t.Fatalf("initialize got %s", got)
	}
	p.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
}

func TestLinesThatAreNoMessage(t *testing.T) {
	f := newFixture(t)
	p := f.pipe(t.Context())
	for _, started := range []bool{false, true} {
		if started {
			p.start()
		}
		for _, tc := range []struct{ name, line, want string }{
			{"junk", "Server listening on port 80", `{"id":null,"code":-32700}`},
			{"half a message", `{"jsonrpc":"2.0","id":1,`, `{"id":null,"code":-32700}`},
			{"two messages on a line", `{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"id":null,"code":-32700}`},
			{"a byte order mark", "\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"id":null,"code":-32700}`},
			{"a number", `7`, `{"id":null,"code":-32600}`},
			{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"id":null,"code":-32600}`},
			{"an empty batch", `[]`, `{"id":null,"code":-32600}`},
			{"no version", `{"id":3,"method":"ping"}`, `{"id":3,"code":-32600}`},
			{"an id that is a truth value", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, `{"id":null,"code":-32600}`},
			{"a method that is a number", `{"jsonrpc":"2.0","id":4,"method":7}`, `{"id":4,"code":-32600}`},
			{"a duplicate member", `{"jsonrpc":"2.0","id":5,"method":"ping","method":"tools/list"}`, `{"id":5,"code":-32600}`},
			{"an unknown method", `{"jsonrpc":"2.0","id":6,"method":"nope"}`, `{"id":6,"code":-32601}`},
		} {
			if !started && tc.name == "an unknown method" {
				continue
			}
			var got struct {
				ID    json.RawMessage
				Error struct{ Code int }
			}
			line := p.ask(tc.line)
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatalf("%s: %s: %v", tc.name, line, err)
			}
			if s := fmt.Sprintf(`{"id":%s,"code":%d}`, got.ID, got.Error.Code); s != tc.want {
				t.Errorf("%s (started %t): got %s, want %s", tc.name, started, line, tc.want)
			}
		}
	}
	p.write("\n \r\n\t\n") // no lines at all
	if got := p.ask(`{"jsonrpc":"2.0","id":"z","method":"ping"}` + "\r"); got != `{"jsonrpc":"2.0","id":"z","result":{}}` {
		t.Errorf("ping got %s", got)
	}
	p.in.Close()
	if err := receive(t, p.done, "the end"); err != nil {
		t.Errorf("serving ended with %v", err)
	}
}

func TestACallBeforeTheHandshake(t *testing.T) {
	p := newFixture(t).pipe(t.Context())
	got := value(t, []byte(p.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))
	if failed, _ := got["error"].(map[string]any); failed == nil || fmt.Sprint(failed["code"]) != "-32600" {
		t.Errorf("got %v", got)
	}
}

func TestALineOverTheLimit(t *testing.T) {
	p := newFixture(t).pipe(t.Context())
	p.start()
	big := strings.Repeat(`x{[\"`, mcpserver.MaxBody/5)
	args := `"params":{"id":77,"name":"echo","arguments":{"text":"` + big + `"}}`
	for name, line := range map[string]string{
		"the id before": `{"jsonrpc":"2.0","id":"a","method":"tools/call",` + args + `}`,
		"the id after":  `{"method":"tools/call",` + args + `,"jsonrpc":"2.0" , "id" : "a" }`,
	} {
		got := value(t, []byte(p.ask(line)))
		res, _ := got["result"].(map[string]any)
		if got["id"] != "a" || res == nil || res["isError"] != true {
			t.Errorf("%s: got %v", name, got)
			continue
		}
		if e := res["_meta"].(map[string]any)["holotype/error"].(map[string]any); e["code"] != "too_large" {
			t.Errorf("%s: refused as %v", name, e)
		}
	}
	got := value(t, []byte(p.ask(`{"jsonrpc":"2.0","id":"b","method":"ping","params":{"x":"`+big+`"}}`)))
	if failed, _ := got["error"].(map[string]any); got["id"] != "b" || failed == nil || fmt.Sprint(failed["code"]) != "-32600" {
		t.Errorf("another method: got %v", got)
	}
	got = value(t, []byte(p.ask(strings.Repeat("junk ", mcpserver.MaxBody/4))))
	if got["id"] != nil || got["error"] == nil {
		t.Errorf("junk: got %v", got)
	}
	if got := p.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("the next line got %s", got)
	}
}

// TestBothLanesGiveTheSameAnswerOverStdio sends the corpus to a server with the fast
// lane and to one without, in both eras.
func TestBothLanesGiveTheSameAnswerOverStdio(t *testing.T) {
	pipes := map[string]*pipe{}
	for name, adjust := range map[string][]func(*mcpserver.Options){"fast": nil, "library": {library}} {
		f := newFixture(t, adjust...)
		f.bridge("other", bridged(t, "other__x"))
		p := f.pipe(t.Context())
		p.start()
		body, _ := modern("1", "tools/list", "", "", "")
		p.ask(body)
		pipes[name] = p
	}
	for _, tc := range corpus {
		for _, era := range []string{"legacy", "modern"} {
			if era == "modern" && (tc.params == "null" || tc.params == "none") {
				continue
			}
			t.Run(era+"/"+tc.name, func(t *testing.T) {
				body, _ := modern(`"id-1"`, tc.method, tc.tool, tc.params, tc.meta)
				if era == "legacy" {
					body = handshake(tc.method, tc.params, tc.meta)
				}
				ask := func(p *pipe) (all []any) {
					line := value(t, []byte(p.ask(strings.ReplaceAll(body, "\n", " "))))
					for ; line["id"] == nil; line = value(t, []byte(receive(t, p.lines, tc.name))) {
						all = append(all, line)
					}
					return append(all, line)
				}
				if diff := cmp.Diff(ask(pipes["library"]), ask(pipes["fast"])); diff != "" {
					t.Errorf("the answer differs (-library +fast):\n%s", diff)
				}
			})
		}
	}
}

func TestStdioIdsAndBigIntegers(t *testing.T) {
	p := newFixture(t).pipe(t.Context())
	p.start()
	got := p.ask(`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x","big":9007199254740993}}}`)
	want := `{"jsonrpc":"2.0","id":9007199254740993,"result":{"content":[{"type":"text","text":"{\"said\":\"x\",\"big\":9007199254740993}"}],"structuredContent":{"said":"x","big":9007199254740993}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestALineIsOneLine(t *testing.T) {
	for _, adjust := range [][]func(*mcpserver.Options){nil, {library}} {
		f := newFixture(t, adjust...)
		f.bridge("other", bridged(t, "other__x")) // answers JSON over two lines
		p := f.pipe(t.Context())
		p.start()
		got := value(t, []byte(p.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other__x"}}`)))
		if res, _ := got["result"].(map[string]any); fmt.Sprint(res["structuredContent"]) != "map[n:9007199254740993]" {
			t.Errorf("got %v", got)
		}
	}
}

func TestACancelledCallIsNotAnswered(t *testing.T) {
	f := newFixture(t)
	p := f.pipe(t.Context())
	p.start()
	p.write(waiting + "\n")
	receive(t, f.deps.started, "the call")
	if got := value(t, []byte(p.ask(waiting))); got["error"] == nil {
		t.Errorf("an id that is in use: got %v", got)
	}
	p.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}` + "\n")
	receive(t, f.deps.ended, "the cancellation")
	if got := p.ask(`{"jsonrpc":"2.0","id":6,"method":"ping"}`); got != `{"jsonrpc":"2.0","id":6,"result":{}}` {
		t.Errorf("the next line is %s", got)
	}
}

func TestWhoClosesStillGetsAnswers(t *testing.T) {
	for _, adjust := range [][]func(*mcpserver.Options){nil, {library}} {
		f := newFixture(t, adjust...)
		script := initialize + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
		for i := range 20 {
			script += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}`+"\n", i+1)
		}
		script += `{"jsonrpc":"2.0","id":21,"method":"tools/list"}` // no end of line
		out := &syncBuffer{}
		if err := f.server.ServeStdio(t.Context(), strings.NewReader(script), out, f.people["owner"]); err != nil {
			t.Fatal(err)
		}
		results := 0
		for line := range strings.Lines(out.String()) {
			if value(t, []byte(line))["result"] != nil {
				results++
			}
		}
		if results != 22 {
			t.Errorf("%d of 22 calls were answered", results)
		}
	}
}

func TestStdioEndsWithItsContext(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	p := f.pipe(ctx)
	p.start()
	p.write(waiting + "\n")
	receive(t, f.deps.started, "the call")
	cancel()
	receive(t, f.deps.ended, "the cancellation")
	if err := receive(t, p.done, "the end"); !errors.Is(err, context.Canceled) {
		t.Errorf("serving ended with %v", err)
	}
}

func TestSocketsAreCountedAsSuch(t *testing.T) {
	f := newFixture(t)
	ours, theirs := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- f.server.ServeStdio(t.Context(), ours, ours, f.people["owner"]) }()
	if _, err := io.WriteString(theirs, initialize+"\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(theirs).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, tr := range f.server.SurfaceFacts().Transports {
		got[tr.Name] = tr.Sessions
	}
	if diff := cmp.Diff(map[string]int{"streamable_http": 0, "stdio": 0, "unix_socket": 1}, got); diff != "" {
		t.Errorf("sessions (-want +got):\n%s", diff)
	}
	theirs.Close()
	if err := receive(t, done, "the end"); err != nil {
		t.Errorf("serving ended with %v", err)
	}
}

func TestAClientThatDoesNotReadDelaysNobody(t *testing.T) {
	f := newFixture(t)
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.server.ServeStdio(ctx, toServer, fromServer, f.people["owner"]) }()
	if _, err := io.WriteString(in, initialize+"\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // and nothing more
		t.Fatal(err)
	}
	p := f.pipe(t.Context())
	p.start()
	for i := range 3 {
		f.bridge("other", bridged(t, fmt.Sprintf("other__t%d", i)))
		if got := receive(t, p.lines, "the notification"); !strings.Contains(got, "notifications/tools/list_changed") {
			t.Errorf("got %s", got)
		}
	}
	out.Close()
	cancel()
	receive(t, done, "the end")
}

// A call goes on, and ends, whatever its client reads. What the client reads later is in
// order, and is not more than is kept for it.
func TestAClientThatDoesNotReadHoldsNoCall(t *testing.T) {
	for name, lane := range map[string][]func(*mcpserver.Options){"our lane": nil, "the library's": {library}} {
		t.Run(name, func(t *testing.T) {
			const reports, size = 1000, 4 << 10
			f := newFixture(t, lane...)
			ended := make(chan struct{})
			f.bridge("other", bridged(t, "other__talks", func(s *capabilities.BridgedSpec) {
				s.Handler = func(_ context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
					defer close(ended)
					for i := range reports {
						inv.Progress(capabilities.Progress{Value: float64(i + 1), Message: strings.Repeat("x", size)})
					}
					return &capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock("done")}}, nil
				}
			}))
			toServer, in := io.Pipe()
			out, fromServer := io.Pipe()
			t.Cleanup(func() { out.Close() }) // so that a call that is held ends with the test
			done := make(chan error, 1)
			go func() {
				done <- f.server.ServeStdio(t.Context(), toServer, fromServer, f.people["owner"])
				fromServer.Close()
			}()
			write := func(line string) {
				if _, err := io.WriteString(in, line+"\n"); err != nil {
					t.Fatal(err)
				}
			}
			write(initialize)
			lines := bufio.NewReaderSize(out, 16)
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			write(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"other__talks","arguments":{},"_meta":{"progressToken":"p"}}}`)
			receive(t, ended, "the end of a call whose client does not read")
			in.Close()
			told, last, bytes := 0, 0.0, 0
			for {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatalf("the answer does not come: %v", err)
				}
				var m struct {
					ID     int
					Params struct{ Progress float64 }
				}
				if err := json.Unmarshal([]byte(line), &m); err != nil {
					t.Fatal(err)
				}
				if m.ID == 7 {
					break
				}
				if m.Params.Progress <= last {
					t.Errorf("progress %v comes after %v", m.Params.Progress, last)
				}
				told, last, bytes = told+1, m.Params.Progress, bytes+len(line)
			}
			if told == 0 || told == reports || bytes > 2<<20+4*size {
				t.Errorf("the client reads %d reports of %d, %d bytes", told, reports, bytes)
			}
			receive(t, done, "the end of the session")
		})
	}
}
