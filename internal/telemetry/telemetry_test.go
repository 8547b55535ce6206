package telemetry_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/metrics"
	"github.com/seed-89b9419b/holotype/internal/telemetry"
)

// receiver is a collector on the loopback.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	traces  [][]byte
	metrics [][]byte
	headers []http.Header
	refuse  []int // what the next requests are answered
	came    chan struct{}
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{came: make(chan struct{}, 100)}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.came <- struct{}{} }()
	r.headers = append(r.headers, req.Header)
	if len(r.refuse) > 0 {
		status := r.refuse[0]
		r.refuse = r.refuse[1:]
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		return
	}
	switch req.URL.Path {
	case "/otlp/v1/traces":
		r.traces = append(r.traces, body)
	case "/otlp/v1/metrics":
		r.metrics = append(r.metrics, body)
	default:
		http.NotFound(w, req)
	}
}

func (r *receiver) spans(t *testing.T) (all []sentSpan, resource map[string]string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, body := range r.traces {
		some, of := spansOf(t, body)
		all, resource = append(all, some...), of
	}
	return all, resource
}

// exporting answers an observer whose spans go to a receiver.
func exporting(r *receiver, change func(*telemetry.Options)) *telemetry.Observer {
	o := telemetry.Options{
		Endpoint: r.URL + "/otlp", Headers: map[string]string{"Authorization": "Bearer secret"}, Service: "shop", Version: "1.2", Instance: "one",
		Resource: map[string]string{"deployment.environment.name": "test"}, Log: slog.New(slog.DiscardHandler), Now: time.Now, Began: time.Now(), Pause: time.Millisecond,
	}
	if change != nil {
		change(&o)
	}
	return &telemetry.Observer{Counts: metrics.NewCounts(), Exporter: telemetry.New(o), Now: time.Now}
}

// call makes a call through an observer, served by handler. How it ends is what is observed.
func call(o *telemetry.Observer, inv *capabilities.Invocation, handler capabilities.Handler) {
	_, _ = o.Interceptor().Wrap(handler)(context.Background(), inv)
}

func ends(err error) capabilities.Handler {
	return func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, err }
}

const (
	trace = "0af7651916cd43dd8448eb211c80319c"
	span  = "b7ad6b7169203331"
)

// TestATraceGoesOnThroughTheServer sends a call with a trace over MCP, which the server
// sends on to a bridged one.
func TestATraceGoesOnThroughTheServer(t *testing.T) {
	r := receive(t)
	o := exporting(r, nil)
	look := capabilityOf(t)
	inv := &capabilities.Invocation{Capability: look, Call: capabilities.Call{
		Surface: capabilities.MCP, RequestID: "req", Arguments: []byte(`{"secret":"argument"}`), Principal: &capabilities.Principal{ID: "ada", Kind: capabilities.Operator},
		Trace: capabilities.ParseTrace("00-"+trace+"-"+span+"-01", "vendor=1"),
	}}
	var passed capabilities.Trace
	call(o, inv, func(_ context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
		next, ended := o.Sending(inv, telemetry.Sent{Server: "up", Seat: "desk", Tool: "raw name", Transport: "stdio", Version: "2025-11-25"})
		passed = next
		ended(nil)
		return &capabilities.Result{Structured: []byte(`{"secret":"result"}`)}, nil
	})
	o.Exporter.Flush(t.Context())
	all, resource := r.spans(t)
	if len(all) != 2 {
		t.Fatalf("%d spans came", len(all))
	}
	inner, outer := all[0], all[1]
	if outer.trace != trace || inner.trace != trace || outer.parent != span || inner.parent != outer.id || outer.state != "vendor=1" {
		t.Errorf("the spans do not hang together: %+v", all)
	}
	if got, want := passed.Parent(), "00-"+trace+"-"+inner.id+"-01"; got != want || passed.State != "vendor=1" {
		t.Errorf("the server is sent %q, %q, want %q", got, passed.State, want)
	}
	if outer.name != "tools/call look" || inner.name != "tools/call raw name" || outer.kind != 2 || inner.kind != 3 || outer.status != 0 {
		t.Errorf("%+v", all)
	}
	want := map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "raw name", "mcp.protocol.version": "2025-11-25",
		"network.transport": "pipe", "holotype.server": "up", "holotype.seat": "desk", "holotype.outcome": "ok", "holotype.request.id": "req",
	}
	if diff := cmp.Diff(want, inner.attributes); diff != "" {
		t.Errorf("of the server (-want +got)\n%s", diff)
	}
	want = map[string]string{
		"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "holotype.capability": "look",
		"holotype.source": "shop", "holotype.surface": "mcp", "holotype.outcome": "ok", "holotype.request.id": "req",
	}
	if diff := cmp.Diff(want, outer.attributes); diff != "" {
		t.Errorf("of the call (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"service.name": "shop", "service.version": "1.2", "service.instance.id": "one", "deployment.environment.name": "test"}, resource); diff != "" {
		t.Error(diff)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, body := range r.traces {
		for _, kept := range []string{"secret", "ada", "argument"} {
			if strings.Contains(string(body), kept) {
				t.Errorf("%q is sent", kept)
			}
		}
	}
	if h := r.headers[0]; h.Get("Authorization") != "Bearer secret" || h.Get("Content-Type") != "application/x-protobuf" {
		t.Errorf("headers %v", h)
	}
}

func TestASpanSaysHowACallEnded(t *testing.T) {
	refused := capabilities.Refuse(capabilities.Forbidden, "no")
	for _, tc := range []struct {
		name    string
		surface capabilities.Surface
		handler capabilities.Handler
		span    string
		kind    uint64
		status  uint64
		has     map[string]string
	}{
		{"over HTTP", capabilities.HTTP, ends(nil), "GET /api/v1/look", 2, 0, map[string]string{"http.route": "/api/v1/look", "http.request.method": "GET", "holotype.outcome": "ok"}},
		{"refused over HTTP", capabilities.HTTP, ends(refused), "GET /api/v1/look", 2, 2, map[string]string{"error.type": "forbidden", "holotype.outcome": "forbidden"}},
		{"refused over MCP", capabilities.MCP, ends(refused), "tools/call look", 2, 2, map[string]string{"error.type": "tool_error", "holotype.outcome": "forbidden"}},
		{"on the command line", capabilities.CLI, ends(nil), "call look", 1, 0, map[string]string{"holotype.surface": "cli"}},
		{"given up by its caller", capabilities.MCP, ends(capabilities.Refuse(capabilities.Timeout, "late").Because(context.Canceled)), "tools/call look", 2, 0, map[string]string{"holotype.outcome": "cancelled"}},
		{"a failure of ours", capabilities.MCP, ends(errors.New("oops")), "tools/call look", 2, 2, map[string]string{"holotype.outcome": "internal_error"}},
		{"a panic", capabilities.MCP, func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { panic("oops") }, "tools/call look", 2, 2, map[string]string{"holotype.outcome": "internal_error"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := receive(t)
			o := exporting(r, nil)
			func() {
				defer func() { _ = recover() }()
				call(o, &capabilities.Invocation{Capability: capabilityOf(t), Call: capabilities.Call{Surface: tc.surface}}, tc.handler)
			}()
			o.Exporter.Flush(t.Context())
			all, _ := r.spans(t)
			if len(all) != 1 || all[0].name != tc.span || all[0].kind != tc.kind || all[0].status != tc.status {
				t.Fatalf("%+v", all)
			}
			for key, value := range tc.has {
				if all[0].attributes[key] != value {
					t.Errorf("%s is %q, want %q", key, all[0].attributes[key], value)
				}
			}
			if _, failed := all[0].attributes["error.type"]; failed != (tc.status == 2) {
				t.Errorf("attributes %v", all[0].attributes)
			}
			if ops := o.Counts.Operations(); tc.surface == capabilities.MCP && (len(ops) != 1 || ops[0].Outcome != tc.has["holotype.outcome"] && tc.has["holotype.outcome"] != "") {
				t.Errorf("%+v", ops)
			}
		})
	}
}

// TestOthersDecideWhetherTheirTracesAreRecorded sends calls of traces that are recorded and
// that are not, and some that begin here.
func TestOthersDecideWhetherTheirTracesAreRecorded(t *testing.T) {
	r := receive(t)
	o := exporting(r, func(o *telemetry.Options) { o.OneIn = 4 })
	look := capabilityOf(t)
	send := func(parent string) capabilities.Trace {
		inv := &capabilities.Invocation{Capability: look, Call: capabilities.Call{Surface: capabilities.MCP, Trace: capabilities.ParseTrace(parent, "")}}
		call(o, inv, ends(nil))
		return inv.Trace
	}
	sampled, not := send("00-"+trace+"-"+span+"-01"), send("00-"+trace+"-"+span+"-00")
	if !sampled.Sampled || not.Sampled || sampled.Span == not.Span {
		t.Errorf("%+v, %+v", sampled, not)
	}
	const own = 4000
	for range own {
		send("")
	}
	o.Exporter.Flush(t.Context())
	all, _ := r.spans(t)
	if n := len(all) - 1; n < own/4-200 || n > own/4+200 { // seven times the spread of chance
		t.Errorf("of %d traces %d are recorded", own, n)
	}
	ids := map[string]bool{}
	for _, s := range all {
		ids[s.trace+s.id] = true
	}
	if len(ids) != len(all) || len(all) == 0 || all[0].trace != trace {
		t.Errorf("%d spans, %d ids", len(all), len(ids))
	}
}

func TestMetricsAreSentUnderTheirNames(t *testing.T) {
	r := receive(t)
	counts := metrics.NewCounts()
	o := exporting(r, func(o *telemetry.Options) {
		o.Collect = func(context.Context) *metrics.Set {
			s := &metrics.Set{}
			counts.Put(s)
			return s
		}
		o.Operations = counts.Operations
	})
	o.Counts = counts
	inv := &capabilities.Invocation{Capability: capabilityOf(t), Call: capabilities.Call{Surface: capabilities.MCP}}
	call(o, inv, func(_ context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
		_, ended := o.Sending(inv, telemetry.Sent{Server: "up"})
		err := capabilities.Refuse(capabilities.UpstreamError, "no")
		ended(err)
		return nil, err
	})
	o.Exporter.Flush(t.Context())
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.metrics) != 1 {
		t.Fatalf("%d requests came", len(r.metrics))
	}
	all := metricsOf(t, r.metrics[0])
	for name, want := range map[string]map[string]string{
		"holotype_calls_total":                  {"capability": "look", "source": "shop", "effect": "read", "reach": "shared", "surface": "mcp", "outcome": "upstream_error"},
		"holotype_call_duration_seconds":        {"capability": "look", "source": "shop", "surface": "mcp"},
		"holotype_server_call_duration_seconds": {"server": "up", "outcome": "upstream_error"},
		"mcp.server.operation.duration":         {"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "error.type": "tool_error", "holotype.outcome": "upstream_error"},
		"mcp.client.operation.duration":         {"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "holotype.server": "up", "error.type": "tool_error"},
	} {
		points := all[name]
		if len(points) != 1 {
			t.Errorf("%s has %d points; there are %v", name, len(points), slices.Sorted(maps.Keys(all)))
			continue
		}
		if diff := cmp.Diff(want, points[0].attributes); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		if strings.Contains(name, "duration") != (points[0].count == 1) {
			t.Errorf("%s: %+v", name, points[0])
		}
	}
	if all["holotype_calls_total"][0].value != 1 {
		t.Errorf("%+v", all["holotype_calls_total"])
	}
}

// TestACollectorThatFailsCostsNoCall sends to collectors that refuse, redirect or are away.
func TestACollectorThatFailsCostsNoCall(t *testing.T) {
	for _, tc := range []struct {
		name     string
		answers  []int
		lost     uint64
		requests int
	}{
		{"it is busy for a moment", []int{503, 429}, 0, 3},
		{"it is busy on and on", []int{503, 503, 503, 503, 503}, 1, 5},
		{"it does not take it at all", []int{400}, 1, 1},
		{"it has moved, and the credential is for one place", []int{307}, 1, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := receive(t)
			r.refuse = tc.answers
			o := exporting(r, func(o *telemetry.Options) { o.Every = time.Millisecond })
			call(o, &capabilities.Invocation{Capability: capabilityOf(t), Call: capabilities.Call{Surface: capabilities.MCP}}, ends(nil))
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); o.Exporter.Run(ctx) }()
			for range tc.requests {
				<-r.came
			}
			cancel()
			<-done
			all, _ := r.spans(t)
			lost, failed := o.Exporter.Lost()
			if lost != tc.lost || uint64(len(all)) != 1-tc.lost || failed != uint64(len(tc.answers)) {
				t.Errorf("%d spans came, %d are lost, %d requests failed", len(all), lost, failed)
			}
			if o.Exporter.Failing() != (tc.lost > 0) {
				t.Errorf("failing is %t", o.Exporter.Failing())
			}
			if len(r.headers) != tc.requests {
				t.Errorf("%d requests came", len(r.headers))
			}
		})
	}
}

func TestWhatHasNoRoomIsCounted(t *testing.T) {
	r := receive(t)
	o := exporting(r, nil)
	inv := &capabilities.Invocation{Capability: capabilityOf(t), Call: capabilities.Call{Surface: capabilities.MCP}}
	const calls = 10_000
	for range calls {
		inv.Trace = capabilities.Trace{}
		call(o, inv, ends(nil))
	}
	lost, _ := o.Exporter.Lost()
	if lost == 0 || lost >= calls {
		t.Fatalf("%d of %d are lost", lost, calls)
	}
	o.Exporter.Flush(t.Context())
	all, _ := r.spans(t)
	if uint64(len(all)) != calls-lost {
		t.Errorf("%d came and %d are lost, of %d", len(all), lost, calls)
	}
}

// TestASilentCollectorHoldsUpAStopOnce has a collector fall silent while a server stops that
// has some batches to send: it waits for one of them, and the others are not lost.
func TestASilentCollectorHoldsUpAStopOnce(t *testing.T) {
	r := receive(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var asked atomic.Int32
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if asked.Add(1) > 1 {
			r.ServeHTTP(w, req)
			return
		}
		cancel()
		_, _ = io.Copy(io.Discard, req.Body)
		<-req.Context().Done()
	}))
	defer silent.Close()
	o := exporting(r, func(o *telemetry.Options) { o.Endpoint = silent.URL + "/otlp" })
	inv := &capabilities.Invocation{Capability: capabilityOf(t), Call: capabilities.Call{Surface: capabilities.MCP}}
	const calls = 3000
	for range calls {
		inv.Trace = capabilities.Trace{}
		call(o, inv, ends(nil))
	}
	o.Exporter.Flush(ctx)
	if n := asked.Load(); n != 1 {
		t.Errorf("the collector was asked %d times", n)
	}
	o.Exporter.Flush(t.Context())
	all, _ := r.spans(t)
	if lost, _ := o.Exporter.Lost(); uint64(len(all))+lost != calls || lost == 0 || lost == calls {
		t.Errorf("%d came and %d are lost, of %d", len(all), lost, calls)
	}
}

// said is called when something is written.
type said func()

func (s said) Write(b []byte) (int, error) { s(); return len(b), nil }

// TestABusyCollectorGetsABatchWhenTheServerStops has a server stop while a batch waits for
// its next try.
func TestABusyCollectorGetsABatchWhenTheServerStops(t *testing.T) {
	r := receive(t)
	r.refuse = []int{503}
	ctx, cancel := context.WithCancel(t.Context())
	o := exporting(r, func(o *telemetry.Options) {
		o.Every, o.Pause, o.Log = time.Millisecond, time.Hour, slog.New(slog.NewTextHandler(said(cancel), nil))
	})
	call(o, &capabilities.Invocation{Capability: capabilityOf(t), Call: capabilities.Call{Surface: capabilities.MCP}}, ends(nil))
	o.Exporter.Run(ctx)
	o.Exporter.Flush(t.Context())
	all, _ := r.spans(t)
	if lost, failed := o.Exporter.Lost(); len(all) != 1 || lost != 0 || failed != 1 {
		t.Errorf("%d spans came, %d are lost, %d requests failed", len(all), lost, failed)
	}
}

// TestWhatIsSaidOfTheServerIsTaken says things of it that it says itself, and one that is no
// text, which would have all that is sent refused.
func TestWhatIsSaidOfTheServerIsTaken(t *testing.T) {
	r := receive(t)
	o := exporting(r, func(o *telemetry.Options) {
		o.Resource = map[string]string{"service.version": "7", "service.instance.id": "pod", "odd": "a\xffb"}
	})
	call(o, &capabilities.Invocation{Capability: capabilityOf(t), Call: capabilities.Call{Surface: capabilities.MCP}}, ends(nil))
	o.Exporter.Flush(t.Context())
	_, resource := r.spans(t)
	if diff := cmp.Diff(map[string]string{"service.name": "shop", "service.version": "7", "service.instance.id": "pod", "odd": "a\uFFFDb"}, resource); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestTheLogSaysOnceThatACollectorIsAway has a collector go and come back.
func TestTheLogSaysOnceThatACollectorIsAway(t *testing.T) {
	r := receive(t)
	var log strings.Builder
	o := exporting(r, func(o *telemetry.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	inv := &capabilities.Invocation{Capability: capabilityOf(t), Call: capabilities.Call{Surface: capabilities.MCP}}
	r.refuse = []int{500, 500, 500}
	for range 5 {
		call(o, inv, ends(nil))
		o.Exporter.Flush(t.Context())
	}
	if n := strings.Count(log.String(), "telemetry_failing"); n != 1 {
		t.Errorf("it is said %d times: %s", n, log.String())
	}
	if !strings.Contains(log.String(), "msg=telemetry_recovered spans_lost=3") || strings.Contains(log.String(), "secret") {
		t.Error(log.String())
	}
}
