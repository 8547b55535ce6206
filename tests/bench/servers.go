package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
)

// The fleet that is bridged at once.
const (
	fleetServers = 100
	fleetTools   = 50 // of each server
	fleetRounds  = 5  // at most: a round takes seconds
	fleetSlow    = 3 * time.Second
)

// measureServers measures what many servers cost: at the start, in memory, and when the
// configuration is read again.
func measureServers(ctx context.Context, p *plan) (*table, error) {
	t := newTable("Many servers at once",
		fmt.Sprintf("`holotype serve` in front of %d stdio servers of %d tools each, all on the same two cores. Beside it: the same without a server, and the same servers "+
			"started all at once by a plain client that shakes hands and lists, until the slowest has answered. Medians, with the quartiles; %d rounds at most.",
			fleetServers, fleetTools, fleetRounds),
		"what", "with the servers", "beside it", "", "ratio", "goal", "")
	f := &fleet{plan: p, dir: filepath.Join(p.dir, "fleet")}
	for _, slow := range []time.Duration{0, fleetSlow} {
		if err := f.starts(ctx, t, slow); err != nil {
			return nil, err
		}
	}
	if err := f.keeps(ctx, t); err != nil {
		return nil, err
	}
	return t, nil
}

// fleet is many servers.
type fleet struct {
	*plan
	dir string
}

// command starts server i; the first takes its time to shake hands.
func (f *fleet) command(i int, slow time.Duration) []string {
	if i > 0 {
		slow = 0
	}
	return []string{f.self, "child", "fake", strconv.Itoa(fleetTools), slow.String(), filepath.Join(f.dir, "heard-"+strconv.Itoa(i))}
}

// serve starts the product on a data directory that a start before has made, in front
// of so many servers, and answers it when it is ready.
func (f *fleet) serve(ctx context.Context, servers int, slow time.Duration) (one *process, url string, ready time.Duration, err error) {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return nil, "", 0, err
	}
	entries := []any{}
	for i := range servers {
		command := f.command(i, slow)
		entries = append(entries, map[string]any{"name": "s" + strconv.Itoa(i), "command": command[0], "args": command[1:]})
	}
	text, err := json.Marshal(map[string]any{"mcp_servers": entries}) // JSON is YAML
	if err != nil {
		return nil, "", 0, err
	}
	config := filepath.Join(f.dir, fmt.Sprintf("config-%d.yaml", servers))
	if err := os.WriteFile(config, text, 0o600); err != nil {
		return nil, "", 0, err
	}
	begin := time.Now()
	if one, err = start(ctx, f.binary, "serve", "--data", filepath.Join(f.dir, "data"), "--config", config, "--listen", "127.0.0.1:0"); err != nil {
		return nil, "", 0, err
	}
	if url, err = one.url(); err != nil {
		return nil, "", 0, err
	}
	if err := answers(ctx, url+"/readyz"); err != nil {
		return nil, "", 0, errors.Join(err, one.stop())
	}
	return one, url, time.Since(begin), nil
}

// listed connects and lists until every tool of the fleet is there.
func (f *fleet) listed(ctx context.Context, url string) (err error) {
	token, err := ownerToken(filepath.Join(f.dir, "data"))
	if err != nil {
		return err
	}
	w, err := dialWeb(ctx, url+"/operator/mcp", token)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	// A list of thousands of tools is work that the servers' starts would wait for.
	const between = 50 * time.Millisecond
	for begin := time.Now(); time.Since(begin) < startTime; time.Sleep(between) {
		have := 0
		if err := walk(w, func(page []byte) {
			have += bytes.Count(page, []byte(`__collection_`)) + bytes.Count(page, []byte(`__echo"`))
		}); err != nil {
			if have > 0 {
				continue // the list grew between two pages
			}
			return err
		}
		if have >= fleetServers*fleetTools {
			return nil
		}
	}
	return fmt.Errorf("the tools of %d servers did not come within %s", fleetServers, startTime)
}

// plain starts the fleet without the product, all at once, and answers when the slowest
// server has shaken hands and listed.
func (f *fleet) plain(ctx context.Context, slow time.Duration) (time.Duration, error) {
	begin := time.Now()
	all := make([]*process, fleetServers)
	var group errgroup.Group
	for i := range all {
		group.Go(func() (err error) {
			command := f.command(i, slow)
			if all[i], err = start(ctx, command[0], command[1:]...); err != nil {
				return err
			}
			one, err := dialPipe(all[i].in, all[i].out)
			if err != nil {
				return err
			}
			return walk(one, func([]byte) {})
		})
	}
	err := group.Wait()
	took := time.Since(begin)
	for _, one := range all {
		if one != nil {
			err = errors.Join(err, one.stop())
		}
	}
	return took, err
}

// starts adds the rows of the start.
func (f *fleet) starts(ctx context.Context, t *table, slow time.Duration) error {
	var ready, alone, listed, plain []float64
	for i := range min(f.rounds, fleetRounds) + 1 {
		none, _, first, err := f.serve(ctx, 0, 0)
		if err != nil {
			return err
		}
		if err := none.stop(); err != nil {
			return err
		}
		took, err := f.plain(ctx, slow)
		if err != nil {
			return err
		}
		begin := time.Now()
		one, url, until, err := f.serve(ctx, fleetServers, slow)
		if err != nil {
			return err
		}
		err = f.listed(ctx, url)
		whole := time.Since(begin)
		if err = errors.Join(err, one.stop()); err != nil {
			return err
		}
		if i == 0 {
			continue // it made the data directory
		}
		ready, alone, listed, plain = append(ready, float64(until)), append(alone, float64(first)), append(listed, float64(whole)), append(plain, float64(took))
	}
	after := ""
	if slow > 0 {
		after = fmt.Sprintf(", one server takes %s to shake hands", slow)
	}
	f.row(t, "to /readyz"+after, ready, alone, "without a server", 0)
	f.row(t, "to the whole tools/list"+after, listed, plain, "the slowest server, without the product", 1.1)
	return nil
}

// row writes two measured times of the same rounds.
func (f *fleet) row(t *table, what string, ours, theirs []float64, beside string, goal float64) {
	c := &comparison{}
	for i := range ours {
		c.ours = append(c.ours, usage{calls: 1, wall: time.Duration(ours[i])})
		c.theirs = append(c.theirs, usage{calls: 1, wall: time.Duration(theirs[i])})
	}
	limit, ok := "", ""
	if r := c.ratio(wallTime); goal > 0 {
		limit, ok = atMost(goal), met(r.mid <= goal)
	}
	t.row(what, spreadOf(ours), spreadOf(theirs), beside, c.ratio(wallTime).text(), limit, ok)
}

// keeps adds the rows of what runs: its memory, and a reload that finds nothing changed.
func (f *fleet) keeps(ctx context.Context, t *table) (err error) {
	none, url, _, err := f.serve(ctx, 0, 0)
	if err != nil {
		return err
	}
	idle, err := f.settled(ctx, none, url, false)
	if err = errors.Join(err, none.stop()); err != nil {
		return err
	}
	one, url, _, err := f.serve(ctx, fleetServers, 0)
	if err != nil {
		return err
	}
	defer stopAll(&err, one)
	now, err := f.settled(ctx, one, url, true)
	if err != nil {
		return err
	}
	const goal = 3.5 * (1 << 20)
	each := float64(now-idle) / (fleetServers * fleetTools / 1000)
	t.row("resident memory for 1,000 bridged tools", "**"+mebibytes(each)+"**", mebibytes(float64(idle)), "the whole process, without a server", "", "<= "+mebibytes(goal), met(each <= goal))

	before, err := f.heard()
	if err != nil {
		return err
	}
	var took []float64
	for range max(f.rounds, 1) {
		begin := time.Now()
		if err := f.reload(ctx, url); err != nil {
			return err
		}
		took = append(took, float64(time.Since(begin)))
	}
	if err := pause(ctx); err != nil { // what a reload starts may come after its answer
		return err
	}
	after, err := f.heard()
	if err != nil {
		return err
	}
	t.row("a reload with nothing changed", spreadOf(took), strconv.Itoa(after-before), fmt.Sprintf("messages at the %d servers, of %d reloads", fleetServers, len(took)), "", "0", met(after == before))
	return nil
}

// settled answers the resident memory some time after the last list.
func (f *fleet) settled(ctx context.Context, one *process, url string, list bool) (int64, error) {
	if list {
		if err := f.listed(ctx, url); err != nil {
			return 0, err
		}
	}
	if err := pause(ctx); err != nil {
		return 0, err
	}
	now, _ := processMemory(one.pid())
	return now, nil
}

// heard counts the messages that the servers were sent, ever.
func (f *fleet) heard() (n int, err error) {
	files, err := filepath.Glob(filepath.Join(f.dir, "heard-*"))
	if err == nil && len(files) != fleetServers {
		err = fmt.Errorf("%d of %d servers were heard of", len(files), fleetServers)
	}
	for _, file := range files {
		about, statErr := os.Stat(file)
		if err = errors.Join(err, statErr); err != nil {
			break
		}
		n += int(about.Size())
	}
	return n, err
}

// reload has the configuration read again, and fails unless every server is unchanged.
func (f *fleet) reload(ctx context.Context, url string) error {
	token, err := ownerToken(filepath.Join(f.dir, "data"))
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/v1/config/reload", bytes.NewReader([]byte("{}")))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return err
	}
	var report struct {
		Unchanged int `json:"unchanged"`
	}
	if err := json.Unmarshal(body, &report); err != nil || answer.StatusCode != http.StatusOK || report.Unchanged != fleetServers {
		return fmt.Errorf("a reload answered %s: %.300s", answer.Status, body)
	}
	return nil
}
