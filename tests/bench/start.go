package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// measureStart times starts from outside.
func measureStart(ctx context.Context, p *plan) (*table, error) {
	t := newTable("From the start to the first answer",
		"From the spawn of `holotype serve` to its first answered `/readyz` and to its first complete tools/list, over the whole handshake; beside it a net/http server that answers one word. "+
			"A first start makes the data directory, the token and the keys; a further start finds them. Medians, with the quartiles.",
		"start", "to /readyz", "goal", "", "CPU until then", "to the whole tools/list")
	for _, c := range []struct {
		name  string
		fresh bool
		tools int // bridged; 0 for no bridged server
		goal  time.Duration
	}{
		{"first, no bridged server", true, 0, 0},
		{"further, no bridged server", false, 0, 300 * time.Millisecond},
		{"further, 10 bridged tools", false, 10, 300 * time.Millisecond},
		{"further, 10,000 bridged tools", false, 10_000, 300 * time.Millisecond},
	} {
		var answered, used, listed []float64
		for i := range p.rounds + 1 {
			s, err := startOnce(ctx, p, c.fresh, c.tools, i)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			if i == 0 && !c.fresh {
				continue // it made the data directory
			}
			answered, used, listed = append(answered, float64(s.ready)), append(used, float64(s.cpu)), append(listed, float64(s.listed))
		}
		goal, ok := "", ""
		if c.goal > 0 {
			goal, ok = "<= "+nanos(float64(c.goal)), met(median(answered) <= float64(c.goal))
		}
		t.row(c.name, spreadOf(answered), goal, ok, nanos(median(used)), spreadOf(listed))
	}
	var hello []float64
	for range p.rounds {
		begin := time.Now()
		one, err := start(ctx, p.hello)
		if err != nil {
			return nil, err
		}
		url, err := one.url()
		if err != nil {
			return nil, err
		}
		err = answers(ctx, url)
		hello = append(hello, float64(time.Since(begin)))
		if err = errors.Join(err, one.stop()); err != nil {
			return nil, err
		}
	}
	t.row("net/http alone", spreadOf(hello), "", "", "", "")
	return t, nil
}

// started is how long one start took.
type started struct{ ready, listed, cpu time.Duration }

func startOnce(ctx context.Context, p *plan, fresh bool, tools, i int) (s started, err error) {
	data := filepath.Join(p.dir, "start-"+strconv.Itoa(tools))
	if fresh {
		data += "-fresh-" + strconv.Itoa(i)
	}
	args := []string{"serve", "--data", data, "--listen", "127.0.0.1:0"}
	if tools > 0 {
		config, err := clientConfig(p, data+".json", tools)
		if err != nil {
			return s, err
		}
		args = append(args, "--mcp-config", config)
	}
	begin := time.Now()
	one, err := start(ctx, p.binary, args...)
	if err != nil {
		return s, err
	}
	url, err := one.url()
	if err != nil {
		return s, err
	}
	defer stopAll(&err, one)
	if err := answers(ctx, url+"/readyz"); err != nil {
		return s, err
	}
	s.ready, s.cpu = time.Since(begin), processCPU(one.pid())
	token, err := ownerToken(data)
	if err != nil {
		return s, err
	}
	w, err := dialWeb(ctx, url+"/operator/mcp", token)
	if err != nil {
		return s, err
	}
	defer w.Close()
	if _, err := complete(w, tools); err != nil {
		return s, err
	}
	s.listed = time.Since(begin)
	if fresh {
		return s, os.RemoveAll(data)
	}
	return s, nil
}

// answers asks until the answer is 200.
func answers(ctx context.Context, url string) error {
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(r)
		if err == nil {
			err = fmt.Errorf("%s answered %s", url, res.Status)
			_ = res.Body.Close() // it is read only for its status
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		if time.Since(begin) > startTime {
			return err
		}
	}
}

// spreadOf writes a median with its quartiles.
func spreadOf(all []float64) string {
	low, high := quartiles(all)
	return fmt.Sprintf("**%s** (%s to %s)", nanos(median(all)), nanos(low), nanos(high))
}
