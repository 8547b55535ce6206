package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// watchedAtMost is the goal of what is counted and sent, in times of what is not.
const watchedAtMost = 1.05

// batch is how many spans are sent at once: a count of calls is a multiple of it, so that
// nothing is left to be sent while the other side is measured.
const batch = 1024

// behind is how long both sides are measured on after their calls: what is done behind
// them, such as the rows of the audit and the spans, is in their cost.
const behind = 400 * time.Millisecond

// measureTelemetry compares a server that counts every call and sends a span of each to a
// collector with one that does neither.
func measureTelemetry(ctx context.Context, p *plan) (_ *table, err error) {
	d := &duel{}
	defer func() { err = errors.Join(err, d.end()) }()
	c := &collector{}
	receiver := httptest.NewServer(c)
	defer receiver.Close()
	ours, url, token, err := d.watched(ctx, p, "watched", fmt.Sprintf("telemetry: {otlp_endpoint: %q}\n", receiver.URL))
	if err != nil {
		return nil, err
	}
	theirs, theirURL, theirToken, err := d.watched(ctx, p, "unwatched", "metrics: \"off\"\n")
	if err != nil {
		return nil, err
	}
	t := newTable("Metrics and traces",
		"`holotype serve` that counts every call and sends a span of each to a collector of OpenTelemetry, every one of them, against the same server with `metrics: off` and no "+
			"collector. A bridged call has two spans. The CPU of writing and sending the spans is in it, down to the collector's answer. Streamable HTTP in a session, with a store and an audit on both sides.",
		"call", "CPU", "unwatched", "ratio of CPU", "goal", "", "of time")
	for _, call := range []struct {
		name, params string
		spans, at    int
		calls        int
	}{
		{"a capability", toolCall("take_note", noteArguments), 1, 1, 4 * batch},
		{"a capability, 16 at a time", toolCall("take_note", noteArguments), 1, 16, 4 * batch},
		{"a bridged tool", toolCall("up__echo", `{"text":"The quick brown fox jumps over the lazy dog"}`), 2, 1, 2 * batch},
	} {
		ourSide, end, err := c.side(ctx, ours, url, token, call.params, call.at, call.spans)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", call.name, err)
		}
		theirSide, theirEnd, err := c.side(ctx, theirs, theirURL, theirToken, call.params, call.at, 0)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", call.name, err), end())
		}
		r, err := compare(p.rounds, p.count(call.calls), ourSide, theirSide)
		if err = errors.Join(err, end(), theirEnd()); err != nil {
			return nil, fmt.Errorf("%s: %w", call.name, err)
		}
		cpu := r.ratio(cpuTime)
		t.row(call.name, nanos(middle(r.ours, cpuTime)), nanos(middle(r.theirs, cpuTime)), cpu.text(), fmt.Sprintf("<= %.2f", watchedAtMost), met(cpu.mid <= watchedAtMost), r.ratio(wallTime).text())
	}
	return t, nil
}

// watched starts the product with more in its configuration, in front of a server.
func (d *duel) watched(ctx context.Context, p *plan, name, more string) (pid int, url, token string, err error) {
	data := filepath.Join(p.dir, name)
	servers, err := clientConfig(p, data+".json", 1)
	if err != nil {
		return 0, "", "", err
	}
	if err := os.WriteFile(data+".yaml", []byte(more), 0o600); err != nil {
		return 0, "", "", err
	}
	pid, url, err = d.serve(ctx, p.self, "child", "product", data, "serve", "--data", data, "--listen", "127.0.0.1:0", "--mcp-config", servers, "--config", data+".yaml")
	if err != nil {
		return 0, "", "", err
	}
	if token, err = ownerToken(data); err != nil {
		return 0, "", "", err
	}
	url += "/operator/mcp"
	w, err := dialWeb(ctx, url, token)
	if err != nil {
		return 0, "", "", err
	}
	_, err = complete(w, 1)
	return pid, url, token, errors.Join(err, w.Close())
}

// collector takes spans and counts them.
type collector struct{ spans atomic.Int64 }

// ServeHTTP takes whatever is sent.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "no", http.StatusBadRequest)
		return
	}
	c.spans.Add(int64(bytes.Count(body, []byte("holotype.request.id"))))
}

// side answers a side that makes whole batches of calls, with so many spans each, and
// waits until all of them have come.
func (c *collector) side(ctx context.Context, pid int, url, token, params string, connections, spans int) (_ side, end func() error, err error) {
	open, end, err := dialWebs(ctx, url, token, connections)
	if err != nil {
		return nil, nil, err
	}
	calls := func(n int) error {
		before := c.spans.Load()
		if err := spread(open, params, n); err != nil {
			return err
		}
		time.Sleep(behind)
		for begin := time.Now(); c.spans.Load() < before+int64(n*spans); time.Sleep(time.Millisecond) {
			if time.Since(begin) > startTime {
				return fmt.Errorf("of %d spans %d came", n*spans, c.spans.Load()-before)
			}
		}
		return nil
	}
	measured := there(pid, calls)
	return func(n int) (usage, error) { return measured((n + batch - 1) / batch * batch) }, end, nil
}
