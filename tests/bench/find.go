package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// measureFind compares a search of a long list with a walk over it.
func measureFind(ctx context.Context, p *plan) (*table, error) {
	t := newTable("Discovery",
		"What a client has instead of a list: `tools/list` at the address of discovery, and a `find_tools` of three words there, each against a walk over every page of the whole list, "+
			"of `holotype serve` in front of a stdio server of that many tools. CPU is the serving process's own.",
		"tools", "bytes of the list", "of the four", "of an answer", "CPU of a search", "of a walk", "ratio of CPU", "of time", "CPU of the four", "ratio of CPU")
	for _, c := range []struct{ tools, calls int }{{100, 400}, {1_000, 100}, {10_000, 10}} {
		if err := findOf(ctx, p, t, c.tools, p.count(c.calls)); err != nil {
			return nil, fmt.Errorf("%d tools: %w", c.tools, err)
		}
	}
	return t, nil
}

const search = `{"name":"find_tools","arguments":{"query":"list the tool number"}}`

func findOf(ctx context.Context, p *plan, t *table, tools, calls int) (err error) {
	d := &duel{}
	defer func() { err = errors.Join(err, d.end()) }()
	pid, url, token, err := d.gateway(ctx, p, tools)
	if err != nil {
		return err
	}
	whole, err := dialWeb(ctx, url, token)
	if err != nil {
		return err
	}
	d.ours, d.oursPID = whole, pid
	pages, err := complete(whole, tools)
	if err != nil {
		return err
	}
	list := 0
	for _, page := range pages {
		list += len(page)
	}
	finds, err := dialWeb(ctx, url+"/find", token)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, finds.Close()) }()
	asking := func(method, params string) (side, int, error) {
		answer, err := finds.exchange(method, params, 1)
		return there(pid, func(n int) error {
			_, err := finds.exchange(method, params, n)
			return err
		}), len(answer), err
	}
	searching, found, err := asking("tools/call", search)
	if err != nil {
		return err
	}
	listing, four, err := asking("tools/list", "{}")
	if err != nil {
		return err
	}
	walks := walking(pid, func() (*web, error) { return dialWeb(ctx, url, token) })
	searched, err := compare(p.rounds, calls, searching, walks)
	if err != nil {
		return err
	}
	listed, err := compare(p.rounds, calls, listing, walks)
	if err != nil {
		return err
	}
	t.row(strconv.Itoa(tools), strconv.Itoa(list), strconv.Itoa(four), strconv.Itoa(found),
		nanos(middle(searched.ours, cpuTime)), nanos(middle(searched.theirs, cpuTime)), searched.ratio(cpuTime).text(), searched.ratio(wallTime).text(),
		nanos(middle(listed.ours, cpuTime)), listed.ratio(cpuTime).text())
	return nil
}
