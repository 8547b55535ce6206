package holotype

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/metrics"
	"github.com/seed-89b9419b/holotype/internal/telemetry"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// watched is what is counted of a running engine, and what is sent of it.
type watched struct {
	began    time.Time
	counts   *metrics.Counts     // nil where nothing is counted
	exporter *telemetry.Exporter // nil where nothing is sent
}

// countTime bounds what a database is asked for the metrics.
const countTime = 2 * time.Second

// watch prepares to count, and to send, as the configuration says.
func (e *engine) watch(c *config.Config) {
	e.watched.began = e.now()
	if c.Metrics != config.MetricsOff {
		e.watched.counts = metrics.NewCounts()
	}
	t := c.Telemetry
	if t.Endpoint == "" {
		return
	}
	o := telemetry.Options{
		Endpoint: t.Endpoint, Headers: t.Headers, OneIn: t.OneIn, Service: cmp.Or(t.Service, e.name), Version: e.version, Instance: e.mark,
		Resource: t.Resource, Began: e.watched.began, Log: e.log, Now: e.now,
	}
	if e.watched.counts != nil {
		o.Collect, o.Operations = e.collect, e.watched.counts.Operations
	}
	e.watched.exporter = telemetry.New(o)
}

// observer answers what is told of every call, nil where nobody wants to know.
func (w *watched) observer(now func() time.Time) *telemetry.Observer {
	if w.counts == nil && w.exporter == nil {
		return nil
	}
	return &telemetry.Observer{Counts: w.counts, Exporter: w.exporter, Now: now}
}

// observed answers interceptors with what is told of every call before them.
func (e *engine) observed(own []capabilities.Interceptor) []capabilities.Interceptor {
	o := e.watched.observer(e.now)
	if o == nil {
		return own
	}
	return slices.Insert(slices.Clone(own), 0, o.Interceptor())
}

// sending answers what the bridge tells of its calls, nil where nobody wants to know.
func (e *engine) sending() func(*capabilities.Invocation, bridge.Recipient) (capabilities.Trace, func(error)) {
	o := e.watched.observer(e.now)
	if o == nil {
		return nil
	}
	return func(inv *capabilities.Invocation, to bridge.Recipient) (capabilities.Trace, func(error)) {
		return o.Sending(inv, telemetry.Sent{Server: to.Server, Seat: to.Seat, Tool: to.Tool, Transport: to.Transport, Version: to.Version})
	}
}

// unknown is told of a call of a name in no view.
func (e *engine) unknown(call capabilities.Call, refusal *capabilities.Error) {
	if e.watched.counts != nil {
		e.watched.counts.Unknown(call.Surface)
	}
	e.kept.unknown(call, refusal)
}

// turnedAway is told of a request that is refused before it is a call.
func (e *engine) turnedAway(r httpapi.Refusal) {
	if e.watched.counts != nil {
		e.watched.counts.Refused(r.Reason)
	}
	e.kept.refused(r)
}

// metrics answers what serves the metrics, nil where nothing is counted.
func (e *engine) metrics() func(context.Context) (string, []byte) {
	if e.watched.counts == nil {
		return nil
	}
	if e.settings.current().Metrics != config.MetricsPublic {
		return func(ctx context.Context) (string, []byte) { return metrics.ContentType, e.collect(ctx).Text() }
	}
	last := &counted{}
	return func(ctx context.Context) (string, []byte) { return metrics.ContentType, last.text(ctx, e) }
}

// counted is what strangers were told last: they do not have the store asked more often
// than once in a while.
type counted struct {
	mu    sync.Mutex
	at    time.Time
	known []byte
}

// countedFor is how long it stands.
const countedFor = time.Second

func (c *counted) text(ctx context.Context, e *engine) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := e.now(); c.known == nil || now.Sub(c.at) >= countedFor || now.Before(c.at) {
		c.known, c.at = e.collect(context.WithoutCancel(ctx)).Text(), now
	}
	return c.known
}

// collect answers the values of now.
func (e *engine) collect(ctx context.Context) *metrics.Set {
	s := &metrics.Set{}
	s.Put(metrics.BuildInfo, 1, e.name, e.version)
	e.watched.counts.Put(s)
	for status, n := range e.http.Answers() {
		s.Put(metrics.HTTPAnswers, float64(n), strconv.Itoa(status))
	}
	for _, t := range e.mcp.SurfaceFacts().Transports {
		s.Put(metrics.Sessions, float64(t.Sessions), t.Name)
	}
	loads := e.bridge.Loads()
	e.countCapabilities(s, loads)
	countServers(s, loads)
	e.countKept(ctx, s)
	s.Put(metrics.ConfigInForce, one(e.settings.fault.Load() == nil))
	if e.watched.exporter != nil {
		spans, requests := e.watched.exporter.Lost()
		s.Put(metrics.SpansDropped, float64(spans))
		s.Put(metrics.ExportsFailed, float64(requests))
	}
	metrics.PutProcess(s, e.watched.began)
	return s
}

// one is 1 for yes and 0 for no.
func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func (e *engine) countCapabilities(s *metrics.Set, loads []bridge.Load) {
	bridged := 0
	for i := range loads {
		bridged += loads[i].Tools
	}
	s.Put(metrics.Capabilities, float64(e.registry.Len()), "builtin")
	s.Put(metrics.Capabilities, float64(bridged), "bridged")
}

// countServers adds how the bridged servers are.
func countServers(s *metrics.Set, loads []bridge.Load) {
	type load struct {
		states                            map[system.State]int
		restarts, tools, running, waiting int
	}
	all := map[string]*load{}
	for _, l := range loads {
		of := all[l.Server]
		if of == nil {
			of = &load{states: map[system.State]int{}}
			all[l.Server] = of
		}
		of.states[stateWord(l.State)]++
		of.restarts += l.Restarts
		of.tools = max(of.tools, l.Tools) // the instances have the same, mostly
		of.running += l.Running
		of.waiting += l.Waiting
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		of := all[name]
		for _, state := range []system.State{system.Running, system.Starting, system.Failing, system.Waiting, system.Stopped, system.NotReported} {
			s.Put(metrics.ServerInstances, float64(of.states[state]), name, string(state))
		}
		s.Put(metrics.ServerRestarts, float64(of.restarts), name)
		s.Put(metrics.ServerTools, float64(of.tools), name)
		s.Put(metrics.ServerCallsRunning, float64(of.running), name)
		s.Put(metrics.ServerCallsWaiting, float64(of.waiting), name)
	}
}

// countKept adds how the store and what stands beside it are.
func (e *engine) countKept(ctx context.Context, s *metrics.Set) {
	if e.kept.store != nil {
		s.Put(metrics.StoreReady, one(e.kept.ready() == nil), e.kept.store.Engine())
		ctx, cancel := context.WithTimeout(ctx, countTime)
		defer cancel()
		if n, err := e.waiting(ctx); err == nil { // else the store says it itself
			s.Put(metrics.ApprovalsWaiting, float64(n))
		}
	}
	for _, f := range e.kept.files {
		if info, err := os.Stat(f.Path); err == nil {
			s.Put(metrics.StoreBytes, float64(info.Size()), f.Holds)
		}
	}
	if e.kept.audit != nil {
		s.Put(metrics.AuditRowsWaiting, float64(e.kept.audit.Waiting()))
		s.Put(metrics.AuditRowsLost, float64(e.kept.audit.Lost()))
	}
}
