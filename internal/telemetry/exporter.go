package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-89b9419b/holotype/internal/metrics"
)

// Options configure an [Exporter]. Endpoint, Log and Now are required.
type Options struct {
	// Endpoint is the url that /v1/traces and /v1/metrics stand below.
	Endpoint string
	// Headers go with every request. They may be secret.
	Headers map[string]string
	// OneIn is how many traces that begin here one is recorded of; 0 and 1 record all.
	OneIn int
	// Service, Version and Instance are who this is, and Resource what else is said of it, by
	// name: an attribute that stands there counts in place of ours.
	Service, Version, Instance string
	Resource                   map[string]string

	// Collect answers the metrics of now, and Operations the calls over MCP; nil sends spans
	// alone.
	Collect    func(context.Context) *metrics.Set
	Operations func() []metrics.Operation

	Began time.Time
	Log   *slog.Logger
	Now   func() time.Time

	// Every is how often spans that are no whole batch are sent, MetricsEvery how often
	// metrics are, and Pause how long the first pause after a failure is; 0 is the usual.
	Every, MetricsEvery, Pause time.Duration
}

// The usual times, as the SDKs of OpenTelemetry have them where they have any.
const (
	usualEvery   = 5 * time.Second
	usualMetrics = time.Minute
	usualPause   = time.Second
	maxPause     = 30 * time.Second
	requestTime  = 10 * time.Second
	lastTime     = 500 * time.Millisecond // of a request when the server stops
	// tries is how often a batch is sent that a collector may yet take.
	tries = 5
)

// Exporter sends spans and metrics. Make one with [New]; it is safe for concurrent use.
type Exporter struct {
	o       Options
	waiting waiting
	client  *http.Client
	failed  atomic.Uint64

	encoding  sync.Mutex // guards what follows
	templates map[template][]byte
	spanBytes int // of the last ones, on average

	noting  sync.Mutex // guards what follows
	failing bool
	told    uint64 // how many lost spans were said
}

// New answers an exporter that sends nothing until it runs.
func New(o Options) *Exporter {
	put := func(d *time.Duration, usual time.Duration) {
		if *d == 0 {
			*d = usual
		}
	}
	put(&o.Every, usualEvery)
	put(&o.MetricsEvery, usualMetrics)
	put(&o.Pause, usualPause)
	return &Exporter{o: o, templates: map[template][]byte{}, spanBytes: 512, waiting: waiting{full: make(chan struct{}, 1)}, client: &http.Client{
		Timeout:       requestTime,
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 2, IdleConnTimeout: 2 * usualMetrics},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the headers are for one place
	}}
}

// Run sends spans and metrics until ctx is done. What waits then is for [Exporter.Flush].
func (e *Exporter) Run(ctx context.Context) {
	spans, values := time.NewTicker(e.o.Every), time.NewTicker(e.o.MetricsEvery)
	defer spans.Stop()
	defer values.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.waiting.full:
			e.sendSpans(ctx, tries)
		case <-spans.C:
			e.sendSpans(ctx, tries)
		case <-values.C:
			e.sendMetrics(ctx)
		}
	}
}

// Flush sends what waits, once: a server that stops does not wait for a collector that is
// away. It answers when that is done, or ctx is.
func (e *Exporter) Flush(ctx context.Context) {
	e.sendSpans(ctx, 1)
	e.sendMetrics(ctx)
	e.client.CloseIdleConnections()
}

// Lost answers how many spans nobody took, and how many requests failed.
func (e *Exporter) Lost() (spans, requests uint64) { return e.waiting.lost(), e.failed.Load() }

// Failing reports whether the last request failed.
func (e *Exporter) Failing() bool {
	e.noting.Lock()
	defer e.noting.Unlock()
	return e.failing
}

// sendSpans sends the spans that wait, a batch at a time, until ctx is done: a collector that
// is silent then has the last moment of one request, and not of each.
func (e *Exporter) sendSpans(ctx context.Context, tries int) {
	all := e.waiting.take()
	lost, from := 0, 0
	for ; from < len(all) && ctx.Err() == nil; from += batchSpans {
		batch := all[from:min(from+batchSpans, len(all))]
		err := e.send(ctx, "/v1/traces", e.traces(batch), tries)
		if errors.Is(err, errEnded) {
			break
		}
		if err != nil {
			lost += len(batch)
		}
	}
	e.waiting.done(all, min(from, len(all)), lost)
}

func (e *Exporter) sendMetrics(ctx context.Context) {
	if e.o.Collect == nil {
		return
	}
	// A failure is said where it is found; the next ones have all that these have.
	_ = e.send(ctx, "/v1/metrics", e.metrics(e.o.Collect(ctx), e.o.Operations()), 1)
}

// refusedError is an answer that is no success.
type refusedError struct {
	status int
	wait   time.Duration // that it asks for
}

func (r *refusedError) Error() string { return fmt.Sprintf("the collector answered %d", r.status) }

// passing reports whether the same request may be taken later, as OTLP has it.
func (r *refusedError) passing() bool {
	switch r.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// errEnded says that a body was not taken, and that its next try is another's to make.
var errEnded = errors.New("it ended before the next try")

// send posts a body, again and again where it may yet be taken, until ctx is done.
func (e *Exporter) send(ctx context.Context, path string, body []byte, tries int) error {
	pause := e.o.Pause
	for {
		err := e.post(ctx, path, body)
		e.note(err)
		if err == nil {
			return nil
		}
		tries--
		refused, answered := errors.AsType[*refusedError](err)
		if tries <= 0 || !answered && ctx.Err() != nil || answered && !refused.passing() {
			return err
		}
		wait := pause
		if answered {
			wait = min(max(wait, refused.wait), maxPause)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return errEnded
		}
		pause = min(2*pause, maxPause)
	}
}

// post sends one request. One that is under way when ctx ends has a while to be answered: a
// collector may have what it sent already.
func (e *Exporter) post(ctx context.Context, path string, body []byte) error {
	ctx, cancel := lasting(ctx, lastTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.o.Endpoint+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", "holotype/"+e.o.Version)
	for name, value := range e.o.Headers {
		r.Header.Set(name, value)
	}
	resp, err := e.client.Do(r)
	if err != nil {
		return err
	}
	// The rest is read so that the connection is used again; what it says decides nothing.
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	err = errors.Join(err, resp.Body.Close())
	if resp.StatusCode/100 != 2 {
		refused := &refusedError{status: resp.StatusCode}
		if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 {
			refused.wait = min(time.Duration(n)*time.Second, maxPause)
		}
		return refused
	}
	return err
}

// lasting answers a context that ends some time after another one.
func lasting(ctx context.Context, more time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		late := time.NewTimer(more)
		defer late.Stop()
		select {
		case <-late.C:
			cancel()
		case <-longer.Done():
		}
	})
	return longer, func() {
		stop()
		cancel()
	}
}

// note says once that a collector is away, and once that it is back and what it lacks. The
// url is left out of an error: it may hold a credential.
func (e *Exporter) note(err error) {
	e.noting.Lock()
	defer e.noting.Unlock()
	if err != nil {
		e.failed.Add(1)
		if !e.failing && !errors.Is(err, context.Canceled) {
			e.failing = true
			e.o.Log.Warn("telemetry_failing", "error", reasonOf(err))
		}
		return
	}
	if e.failing {
		e.failing = false
		lost := e.waiting.lost()
		e.o.Log.Info("telemetry_recovered", "spans_lost", lost-e.told)
		e.told = lost
	}
}
