package telemetry_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/metrics"
	"github.com/seed-89b9419b/holotype/internal/telemetry"
)

// BenchmarkObserver measures what a call costs that is counted, and one that is sent to a
// collector too, the work behind the call included.
func BenchmarkObserver(b *testing.B) {
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer collector.Close()
	for _, bc := range []struct {
		name string
		sent bool
	}{{"counted", false}, {"counted and sent", true}} {
		b.Run(bc.name, func(b *testing.B) {
			o := &telemetry.Observer{Counts: metrics.NewCounts(), Now: time.Now}
			ctx, cancel := context.WithCancel(b.Context())
			done := make(chan struct{})
			if close(done); bc.sent {
				o.Exporter = telemetry.New(telemetry.Options{Endpoint: collector.URL, Service: "bench", Version: "1", Log: slog.New(slog.DiscardHandler), Now: time.Now})
				done = make(chan struct{})
				go func() { defer close(done); o.Exporter.Run(ctx) }()
			}
			call := o.Interceptor().Wrap(func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil })
			inv := &capabilities.Invocation{Call: capabilities.Call{Surface: capabilities.MCP, RequestID: "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, Capability: capabilityOf(b)}
			b.ReportAllocs()
			var before, after syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
				b.Fatal(err)
			}
			n := 0
			for b.Loop() {
				n++
				inv.Trace = capabilities.Trace{}
				if _, err := call(ctx, inv); err != nil {
					b.Fatal(err)
				}
				if bc.sent && n%512 == 0 { // as fast as calls can come, no collector keeps up
					time.Sleep(time.Millisecond)
				}
			}
			cancel()
			<-done
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
				b.Fatal(err)
			}
			spent := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
			b.ReportMetric(float64(spent)/float64(n), "cpu-ns/op")
			if bc.sent {
				lost, _ := o.Exporter.Lost()
				b.ReportMetric(float64(lost)/float64(n), "lost/op")
			}
		})
	}
}
