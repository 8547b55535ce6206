package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// measureList compares whole walks of tools/list.
func measureList(ctx context.Context, p *plan) (*table, error) {
	t := newTable("tools/list",
		"A walk over every page of `holotype serve` in front of a stdio server of that many tools, against an HTTP handler that writes the same bytes from memory "+
			"(and does nothing else) and against the Go SDK's server holding the same tools. One session over streamable HTTP, the same client. CPU is the serving process's own.",
		"tools", "bytes", "pages", "CPU", "copy", "ratio of CPU", "of time", "SDK", "ratio of CPU", "of time", "time of a walk")
	for _, c := range []struct{ tools, walks int }{{10, 300}, {100, 200}, {1_000, 60}, {10_000, 8}} {
		if err := listOf(ctx, p, t, c.tools, p.count(c.walks)); err != nil {
			return nil, fmt.Errorf("%d tools: %w", c.tools, err)
		}
	}
	t.notes = append(t.notes, "The product lists its own tools beside the bridged ones. The ratios to the copy have no goal beyond \"near 1\"; the SDK's server is the baseline.")
	return t, nil
}

func listOf(ctx context.Context, p *plan, t *table, tools, walks int) (err error) {
	d := &duel{}
	defer func() { err = errors.Join(err, d.end()) }()
	pid, url, token, err := d.gateway(ctx, p, tools)
	if err != nil {
		return err
	}
	ours, err := dialWeb(ctx, url, token)
	if err != nil {
		return err
	}
	d.ours, d.oursPID = ours, pid
	pages, err := complete(ours, tools)
	if err != nil {
		return err
	}
	args, size := []string{"child", "copy", token}, 0
	for i, page := range pages {
		file := filepath.Join(p.dir, fmt.Sprintf("page-%d-%d", tools, i))
		if err := os.WriteFile(file, page, 0o600); err != nil {
			return err
		}
		args, size = append(args, file), size+len(page)
	}
	copyPID, copyURL, err := d.serve(ctx, p.self, args...)
	if err != nil {
		return err
	}
	sdkPID, sdkURL, err := d.serve(ctx, p.self, "child", "sdklist", token, strconv.Itoa(tools))
	if err != nil {
		return err
	}
	us := walking(pid, func() (*web, error) { return dialWeb(ctx, url, token) })
	// The copy answers everything with a page: there is no handshake to make.
	fromMemory := walking(copyPID, func() (*web, error) {
		w, err := dial(ctx, copyURL, token)
		if err == nil {
			w.unchecked = true
		}
		return w, err
	})
	toCopy, err := compare(p.rounds, walks, us, fromMemory)
	if err != nil {
		return err
	}
	toSDK, err := compare(p.rounds, walks, us, walking(sdkPID, func() (*web, error) { return dialWeb(ctx, sdkURL, token) }))
	if err != nil {
		return err
	}
	t.row(strconv.Itoa(tools), strconv.Itoa(size), strconv.Itoa(len(pages)),
		nanos(middle(toCopy.ours, cpuTime)), nanos(middle(toCopy.theirs, cpuTime)), toCopy.ratio(cpuTime).text(), toCopy.ratio(wallTime).text(),
		nanos(middle(toSDK.theirs, cpuTime)), toSDK.ratio(cpuTime).text(), toSDK.ratio(wallTime).text(), nanos(middle(toCopy.ours, wallTime)))
	return nil
}

// walking walks over a connection of its own: how the system sizes the buffers of
// one weighs more, for large answers, than what is compared.
func walking(pid int, dial func() (*web, error)) side {
	return func(n int) (u usage, err error) {
		w, err := dial()
		if err != nil {
			return usage{}, err
		}
		defer func() { err = errors.Join(err, w.Close()) }()
		walks := func(n int) error {
			for range n {
				if err := walk(w, func([]byte) {}); err != nil {
					return err
				}
			}
			return nil
		}
		if err := walks(1); err != nil {
			return usage{}, err
		}
		return there(pid, walks)(n)
	}
}

// gateway starts the product in front of the fake server.
func (d *duel) gateway(ctx context.Context, p *plan, tools int) (pid int, url, token string, err error) {
	data := filepath.Join(p.dir, "gateway-"+strconv.Itoa(tools))
	config, err := clientConfig(p, data+".json", tools)
	if err != nil {
		return 0, "", "", err
	}
	if pid, url, err = d.serve(ctx, p.binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--mcp-config", config); err != nil {
		return 0, "", "", err
	}
	token, err = ownerToken(data)
	return pid, url + "/operator/mcp", token, err
}

// clientConfig writes a client's configuration that names the fake server.
func clientConfig(p *plan, path string, tools int) (string, error) {
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"up": map[string]any{"command": p.self, "args": []string{"child", "fake", strconv.Itoa(tools)}},
	}})
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(path, text, 0o600)
}

// startTime is how long the bridged tools may take to come.
const startTime = 30 * time.Second

// complete lists until every bridged tool is there.
func complete(c caller, tools int) (pages [][]byte, err error) {
	for begin := time.Now(); time.Since(begin) < startTime; time.Sleep(time.Millisecond) {
		pages = nil
		have := 0
		err := walk(c, func(page []byte) {
			pages = append(pages, bytes.Clone(page))
			have += bytes.Count(page, []byte(`"name":"up__`))
		})
		if err != nil {
			return nil, err
		}
		if have >= tools {
			return pages, nil
		}
	}
	return nil, fmt.Errorf("the bridged server's %d tools did not come within %s", tools, startTime)
}
