package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
)

// measureMCP compares calls of one tool over both transports.
func measureMCP(ctx context.Context, p *plan) (_ *table, err error) {
	t := newTable("A projected MCP tool against the SDK's own",
		"The same hand-written client calls the product (`serve`, `mcp`) and a server of the Go SDK with its generic validating `mcp.AddTool`, the same schemas and, "+
			"over HTTP, the same bearer check. One call at a time over streamable HTTP in a session of the handshake era; 16 in flight over stdio. CPU is the serving process's own.",
		"tool", "CPU", "SDK", "ratio of CPU", "of time", "goal", "")
	const goal = 1.0
	lines := []struct {
		name string
		dial func(context.Context, *plan) (*duel, error)
	}{{"streamable HTTP", webDuel}, {"stdio", pipeDuel}}
	for _, line := range lines {
		d, err := line.dial(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line.name, err)
		}
		for _, c := range []struct {
			name, tool, arguments string
			calls                 int
		}{{"1 field", "take_note", noteArguments, 2000}, {"15 fields", "file", ticketArguments, 1000}} {
			r, err := d.compare(p, toolCall(c.tool, c.arguments), p.count(c.calls))
			if err != nil {
				return nil, errors.Join(fmt.Errorf("%s over %s: %w", c.name, line.name, err), d.end())
			}
			cpu := r.ratio(cpuTime)
			t.row(c.name+", "+line.name, nanos(middle(r.ours, cpuTime)), nanos(middle(r.theirs, cpuTime)), cpu.text(), r.ratio(wallTime).text(), atMost(goal), met(cpu.mid <= goal))
		}
		if err := d.end(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// duel is a connection to each of two servers.
type duel struct {
	ours, theirs       caller
	oursPID, theirsPID int
	processes          []*process
}

func (d *duel) end() (err error) {
	for _, c := range []caller{d.ours, d.theirs} {
		if c != nil {
			err = errors.Join(err, c.Close())
		}
	}
	stopAll(&err, d.processes...)
	return err
}

// compare makes the same tools/call on both sides, having seen that both answer the
// same.
func (d *duel) compare(p *plan, params string, calls int) (*comparison, error) {
	var answers [2]any
	for i, c := range []caller{d.ours, d.theirs} {
		answer, err := c.exchange("tools/call", params, 1)
		if err != nil {
			return nil, err
		}
		if answers[i], err = outcome(answer); err != nil {
			return nil, err
		}
	}
	if !reflect.DeepEqual(answers[0], answers[1]) {
		return nil, fmt.Errorf("the sides answer differently: %v and %v", answers[0], answers[1])
	}
	calling := func(c caller) func(int) error {
		return func(n int) error {
			_, err := c.exchange("tools/call", params, n)
			return err
		}
	}
	return compare(p.rounds, calls, there(d.oursPID, calling(d.ours)), there(d.theirsPID, calling(d.theirs)))
}

// outcome reads what a tool answered: the structured value, or the content.
func outcome(answer []byte) (any, error) {
	var m struct {
		Result struct {
			Structured any `json:"structuredContent"`
			Content    any `json:"content"`
		} `json:"result"`
	}
	if err := json.NewDecoder(bytes.NewReader(answer)).Decode(&m); err != nil {
		return nil, err
	}
	if m.Result.Structured != nil {
		return m.Result.Structured, nil
	}
	return m.Result.Content, nil
}

func webDuel(ctx context.Context, p *plan) (_ *duel, err error) {
	d := &duel{}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.end())
		}
	}()
	data := filepath.Join(p.dir, "served")
	ours, url, err := d.serve(ctx, p.self, "child", "product", data, "serve", "--data", data, "--listen", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	token, err := ownerToken(data)
	if err != nil {
		return nil, err
	}
	theirs, theirURL, err := d.serve(ctx, p.self, "child", "sdk", "http", token)
	if err != nil {
		return nil, err
	}
	return d, d.dial(ctx, ours, url+"/operator/mcp", theirs, theirURL, token)
}

// serve starts a program that serves HTTP and answers where.
func (d *duel) serve(ctx context.Context, program string, args ...string) (pid int, url string, err error) {
	one, err := start(ctx, program, args...)
	if err != nil {
		return 0, "", err
	}
	if url, err = one.url(); err != nil {
		return 0, "", err
	}
	d.processes = append(d.processes, one)
	return one.pid(), url, nil
}

func (d *duel) dial(ctx context.Context, ours int, url string, theirs int, theirURL, token string) error {
	d.oursPID, d.theirsPID = ours, theirs
	w, err := dialWeb(ctx, url, token)
	if err != nil {
		return fmt.Errorf("connecting to the product: %w", err)
	}
	d.ours = w
	if w, err = dialWeb(ctx, theirURL, token); err != nil {
		return fmt.Errorf("connecting to the other side: %w", err)
	}
	d.theirs = w
	return nil
}

func pipeDuel(ctx context.Context, p *plan) (_ *duel, err error) {
	d := &duel{}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.end())
		}
	}()
	data := filepath.Join(p.dir, "piped")
	dial := func(args ...string) (*pipe, int, error) {
		one, err := start(ctx, p.self, args...)
		if err != nil {
			return nil, 0, err
		}
		d.processes = append(d.processes, one)
		c, err := dialPipe(one.in, one.out)
		return c, one.pid(), err
	}
	ours, pid, err := dial("child", "product", data, "mcp", "--data", data)
	if err != nil {
		return nil, err
	}
	d.ours, d.oursPID = ours, pid
	theirs, pid, err := dial("child", "sdk", "stdio")
	if err != nil {
		return nil, err
	}
	d.theirs, d.theirsPID = theirs, pid
	return d, nil
}
