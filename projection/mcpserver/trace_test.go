package mcpserver_test

import (
	"context"
	"sync"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

// traces keeps the traces of the calls that come to a door.
type traces struct {
	capabilities.Invoker
	mu   sync.Mutex
	came []capabilities.Trace
}

func (d *traces) Invoke(ctx context.Context, call capabilities.Call) (*capabilities.Result, error) {
	d.mu.Lock()
	d.came = append(d.came, call.Trace)
	d.mu.Unlock()
	return d.Invoker.Invoke(ctx, call)
}

func (d *traces) last(t *testing.T) capabilities.Trace {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.came) == 0 {
		t.Fatal("no call came")
	}
	return d.came[len(d.came)-1]
}

// TestATraceComesInMetaOrHeaders sends calls that say which trace they are a part of, in
// both eras, both lanes and over both transports. What the call itself says goes before the
// headers of its request.
func TestATraceComesInMetaOrHeaders(t *testing.T) {
	const inMeta, inHeader = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
	for _, tc := range []struct {
		name, meta string
		headers    []string
		want       capabilities.Trace
	}{
		{"none", "", nil, capabilities.Trace{}},
		{"in the call", `"traceparent":"` + inMeta + `","tracestate":"a=b"`, nil, capabilities.ParseTrace(inMeta, "a=b")},
		{"in the headers", "", []string{"Traceparent: " + inHeader, "Tracestate: c=d"}, capabilities.ParseTrace(inHeader, "c=d")},
		{"in both", `"traceparent":"` + inMeta + `"`, []string{"Traceparent: " + inHeader, "Tracestate: c=d"}, capabilities.ParseTrace(inMeta, "")},
		{"one that is none", `"traceparent":"nonsense"`, nil, capabilities.Trace{}},
		{"a number", `"traceparent":7`, nil, capabilities.Trace{}},
		{"two headers", "", []string{"Traceparent: " + inHeader, "+Traceparent: " + inHeader}, capabilities.Trace{}},
	} {
		for lane, adjust := range map[string]func(*mcpserver.Options){"fast": func(*mcpserver.Options) {}, "the library's": library} {
			t.Run(tc.name+", "+lane, func(t *testing.T) {
				door := &traces{}
				f := newFixture(t, adjust, func(o *mcpserver.Options) { door.Invoker, o.Door = o.Door, door })
				url := f.http().URL
				const params = `"name":"echo","arguments":{"text":"x"}`
				session := open(t, url)
				if e := send(t, "POST", url, handshake("tools/call", params, tc.meta), append(tc.headers, session)...); e.status != 200 {
					t.Fatalf("status %d: %s", e.status, e.messages)
				}
				if got := door.last(t); got != tc.want {
					t.Errorf("in a session: got %q, %q", got.Parent(), got.State)
				}
				learn(t, url)
				body, headers := modern("1", "tools/call", "echo", params, tc.meta)
				if e := send(t, "POST", url, body, append(headers, tc.headers...)...); e.status != 200 {
					t.Fatalf("status %d: %s", e.status, e.messages)
				}
				if got := door.last(t); got != tc.want {
					t.Errorf("without a session: got %q, %q", got.Parent(), got.State)
				}
				if len(tc.headers) > 0 {
					return
				}
				p := f.pipe(t.Context())
				p.start()
				p.ask(handshake("tools/call", params, tc.meta))
				if got := door.last(t); got != tc.want {
					t.Errorf("over stdio: got %q, %q", got.Parent(), got.State)
				}
			})
		}
	}
}
