package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// inspectTools is how long the list is that is inspected.
const inspectTools = 1000

// measureInspect measures `holotype inspect` from end to end, against a plain client that
// starts the same server, lists it, and waits until it has ended.
func measureInspect(ctx context.Context, p *plan) (*table, error) {
	const goal = 200 * time.Millisecond
	t := newTable("holotype inspect",
		fmt.Sprintf("From the spawn of `holotype inspect` to its end, on a stdio server of %d tools, against a plain client that starts the same server, shakes hands, walks the list, "+
			"closes the server's input and waits for its end. What is added is the difference of the two within a round: median, with the quartiles.", inspectTools),
		"report", "inspect", "the server's own time", "added", "goal", "")
	for _, format := range []string{"table", "json", "markdown"} {
		c, err := compare(p.rounds, 1, spawning(func() error { return inspectOnce(ctx, p, format) }), spawning(func() error { return listOnce(ctx, p) }))
		if err != nil {
			return nil, err
		}
		var ours, theirs, added []float64
		for i := range c.ours {
			ours, theirs = append(ours, wallTime(c.ours[i])), append(theirs, wallTime(c.theirs[i]))
			added = append(added, ours[i]-theirs[i])
		}
		t.row(format, spreadOf(ours), spreadOf(theirs), spreadOf(added), "< "+nanos(float64(goal)), met(median(added) < float64(goal)))
	}
	return t, nil
}

// spawning measures by the clock alone.
func spawning(once func() error) side {
	return func(n int) (usage, error) {
		begin := time.Now()
		for range n {
			if err := once(); err != nil {
				return usage{}, err
			}
		}
		return usage{calls: n, wall: time.Since(begin)}, nil
	}
}

func inspectOnce(ctx context.Context, p *plan, format string) error {
	one, err := start(ctx, p.binary, "inspect", "-o", format, "--", p.self, "child", "fake", strconv.Itoa(inspectTools))
	if err != nil {
		return err
	}
	return one.ended()
}

func listOnce(ctx context.Context, p *plan) error {
	one, err := start(ctx, p.self, "child", "fake", strconv.Itoa(inspectTools))
	if err != nil {
		return err
	}
	c, err := dialPipe(one.in, one.out)
	if err == nil {
		err = walk(c, func([]byte) {})
	}
	return errors.Join(err, one.in.Close(), one.ended())
}
