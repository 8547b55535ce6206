package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// settleTime is how long an idle process is left alone before it is looked at.
const settleTime = 3 * time.Second

// measureMemory reads resident memory from outside.
func measureMemory(ctx context.Context, p *plan) (*table, error) {
	t := newTable("Resident memory",
		fmt.Sprintf("Resident pages of the process, the program's own mapped pages included, %s after the last request. No rounds: memory hardly varies.", settleTime),
		"process", "now", "highest", "goal", "")
	for _, m := range []func(context.Context, *plan, *table) error{idleMemory, listMemory, loadMemory, plainMemory} {
		if err := m(ctx, p, t); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// pause waits until a process has settled.
func pause(ctx context.Context) error {
	select {
	case <-time.After(settleTime):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settled waits and adds a row.
func settled(ctx context.Context, t *table, name string, pid int, goal int64) error {
	if err := pause(ctx); err != nil {
		return err
	}
	now, peak := processMemory(pid)
	limit, ok := "", ""
	if goal > 0 {
		limit, ok = "<= "+mebibytes(float64(goal)), met(now <= goal)
	}
	t.row(name, mebibytes(float64(now)), mebibytes(float64(peak)), limit, ok)
	return nil
}

func idleMemory(ctx context.Context, p *plan, t *table) (err error) {
	d := &duel{}
	defer func() { err = errors.Join(err, d.end()) }()
	data := p.dir + "/idle"
	pid, url, err := d.serve(ctx, p.binary, "serve", "--data", data, "--listen", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := answers(ctx, url+"/readyz"); err != nil {
		return err
	}
	if err := settled(ctx, t, "`holotype serve`, idle", pid, 25<<20); err != nil {
		return err
	}
	token, err := ownerToken(data)
	if err != nil {
		return err
	}
	w, err := dialWeb(ctx, url+"/operator/mcp", token)
	if err != nil {
		return err
	}
	d.ours = w
	if _, err := w.exchange("tools/call", toolCall("list_tools", "{}"), p.count(2000)); err != nil {
		return err
	}
	return settled(ctx, t, fmt.Sprintf("the same after %d calls of a builtin", p.count(2000)), pid, 0)
}

const manyTools = 10_000

func listMemory(ctx context.Context, p *plan, t *table) (err error) {
	d := &duel{}
	defer func() { err = errors.Join(err, d.end()) }()
	pid, url, token, err := d.gateway(ctx, p, manyTools)
	if err != nil {
		return err
	}
	w, err := dialWeb(ctx, url, token)
	if err != nil {
		return err
	}
	d.ours = w
	if _, err := complete(w, manyTools); err != nil {
		return err
	}
	return settled(ctx, t, fmt.Sprintf("`holotype serve`, %d bridged tools, listed", manyTools), pid, 60<<20)
}

func loadMemory(ctx context.Context, p *plan, t *table) (err error) {
	const tools, connections = 10, 64
	d := &duel{}
	defer func() { err = errors.Join(err, d.end()) }()
	pid, url, token, err := d.gateway(ctx, p, tools)
	if err != nil {
		return err
	}
	w, err := dialWeb(ctx, url, token)
	if err != nil {
		return err
	}
	d.ours, d.oursPID = w, pid
	if _, err := complete(w, tools); err != nil {
		return err
	}
	one, end, err := echoing(ctx, pid, url, token, "up__echo", 100<<10, connections)
	if err != nil {
		return err
	}
	_, err = one(p.count(2000))
	if err = errors.Join(err, end()); err != nil {
		return err
	}
	return settled(ctx, t, fmt.Sprintf("`holotype serve`, bridged calls of 100 KiB, %d at a time", connections), pid, 0)
}

func plainMemory(ctx context.Context, p *plan, t *table) (err error) {
	d := &duel{}
	defer func() { err = errors.Join(err, d.end()) }()
	pid, url, err := d.serve(ctx, p.self, "child", "bridge", "token", strconv.Itoa(manyTools))
	if err != nil {
		return err
	}
	w, err := dialWeb(ctx, url, "token")
	if err != nil {
		return err
	}
	d.ours = w
	if err := walk(w, func([]byte) {}); err != nil {
		return err
	}
	if err := settled(ctx, t, fmt.Sprintf("a plain bridge on the Go SDK, %d tools, listed", manyTools), pid, 0); err != nil {
		return err
	}
	hello, url, err := d.serve(ctx, p.hello)
	if err != nil {
		return err
	}
	if err := answers(ctx, url); err != nil {
		return err
	}
	return settled(ctx, t, "net/http alone, in a program of its own", hello, 0)
}
