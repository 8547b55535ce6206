package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// measureBridge compares calls that pass through to a server behind.
func measureBridge(ctx context.Context, p *plan) (_ *table, err error) {
	const tools, goal = 10, 3.0
	d := &duel{}
	defer func() { err = errors.Join(err, d.end()) }()
	ours, url, token, err := d.gateway(ctx, p, tools)
	if err != nil {
		return nil, err
	}
	theirs, theirURL, err := d.serve(ctx, p.self, "child", "bridge", token, fmt.Sprint(tools))
	if err != nil {
		return nil, err
	}
	if err := d.dial(ctx, ours, url, theirs, theirURL, token); err != nil {
		return nil, err
	}
	if _, err := complete(d.ours, tools); err != nil {
		return nil, err
	}
	t := newTable("A bridged call",
		"tools/call through `holotype serve` to a server behind it over stdio, against a plain bridge: the Go SDK's client behind the Go SDK's server, tool by tool. "+
			"Both have their own copy of the same hand-written server behind them, whose CPU is not counted. Streamable HTTP in a session, the same client.",
		"argument", "CPU a call", "plain bridge", "times cheaper", "goal", "", "time a call", "plain bridge", "ratio of time")
	for _, c := range []struct{ size, connections, calls int }{{100, 1, 800}, {100, 16, 1600}, {100 << 10, 1, 50}, {100 << 10, 16, 96}} {
		r, err := passing(ctx, p, d, url, theirURL, token, c.size, c.connections, p.count(c.calls))
		if err != nil {
			return nil, fmt.Errorf("%d bytes, %d connections: %w", c.size, c.connections, err)
		}
		cpu := r.ratio(cpuTime)
		cheaper, ok := "-", "-"
		if cpu.mid > 0 {
			cheaper = fmt.Sprintf("**%.1f** (%.1f to %.1f)", 1/cpu.mid, 1/cpu.high, 1/cpu.low)
			ok = met(1/cpu.mid >= goal)
		}
		name := fmt.Sprintf("%d B", c.size)
		if c.size >= 1<<10 {
			name = fmt.Sprintf("%d KiB", c.size>>10)
		}
		t.row(fmt.Sprintf("%s, %d at a time", name, c.connections), nanos(middle(r.ours, cpuTime)), nanos(middle(r.theirs, cpuTime)), cheaper, fmt.Sprintf(">= %.0f", goal), ok,
			nanos(middle(r.ours, wallTime)), nanos(middle(r.theirs, wallTime)), r.ratio(wallTime).text())
	}
	return t, nil
}

// passing compares calls of echo with a text of size bytes over some connections.
func passing(ctx context.Context, p *plan, d *duel, url, theirURL, token string, size, connections, calls int) (*comparison, error) {
	ours, end, err := echoing(ctx, d.oursPID, url, token, "up__echo", size, connections)
	if err != nil {
		return nil, err
	}
	theirs, theirEnd, err := echoing(ctx, d.theirsPID, theirURL, token, "echo", size, connections)
	if err != nil {
		return nil, errors.Join(err, end())
	}
	r, err := compare(p.rounds, calls, ours, theirs)
	return r, errors.Join(err, end(), theirEnd())
}

// echoing answers a side that calls echo, having seen that it echoes.
func echoing(ctx context.Context, pid int, url, token, tool string, size, connections int) (_ side, end func() error, err error) {
	const line = "The quick brown fox jumps over the \"lazy\" dog; 0123456789 abcdefghij\n"
	text := strings.Repeat(line, size/len(line)+1)[:size]
	arguments, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		return nil, nil, err
	}
	open, end, err := dialWebs(ctx, url, token, connections)
	if err != nil {
		return nil, nil, err
	}
	params := toolCall(tool, string(arguments))
	answer, err := open[0].exchange("tools/call", params, 1)
	if err == nil {
		err = echoed(answer, text)
	}
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return there(pid, func(n int) error { return spread(open, params, n) }), end, nil
}

// dialWebs opens sessions, which end closes. With an error none is open.
func dialWebs(ctx context.Context, url, token string, n int) (open []*web, end func() error, err error) {
	end = func() (err error) {
		for _, w := range open {
			err = errors.Join(err, w.Close())
		}
		return err
	}
	for range n {
		w, err := dialWeb(ctx, url, token)
		if err != nil {
			return nil, nil, errors.Join(err, end())
		}
		open = append(open, w)
	}
	return open, end, nil
}

// spread makes n calls, the same number on every connection.
func spread(open []*web, params string, n int) error {
	failed := make([]error, len(open))
	var all sync.WaitGroup
	for i, w := range open {
		all.Go(func() {
			_, failed[i] = w.exchange("tools/call", params, max(n/len(open), 1))
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

// echoed fails unless an answer is one block of the text.
func echoed(answer []byte, text string) error {
	var m struct {
		Result struct {
			Content []struct{ Text string } `json:"content"`
		} `json:"result"`
	}
	if err := json.NewDecoder(bytes.NewReader(answer)).Decode(&m); err != nil {
		return err
	}
	if len(m.Result.Content) != 1 || m.Result.Content[0].Text != text {
		return fmt.Errorf("the answer is not the argument: %.300s", answer)
	}
	return nil
}
