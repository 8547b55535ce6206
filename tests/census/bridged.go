package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// bridged is what the product makes of a server.
type bridged struct {
	lists   map[string][]tool          // to a client of each version, under the names that it gives them
	answers map[string]json.RawMessage // to a client of each version, to the call of the entry
	rows    map[string]row             // of the catalogue, by the same names
	skipped []string
	prefix  string
	stop    time.Duration // from SIGTERM to the end
}

// row is what the catalogue says of a tool.
type row struct {
	Name  string `json:"name"`
	Hints map[string]struct {
		Value string `json:"value"`
	} `json:"hints"`
	Repaired []string `json:"repaired"`
}

// alias is the name that every server is bridged under.
const alias = "up"

// quitTime is how long the product may take to end, its servers included.
const quitTime = 12 * time.Second

// bridge serves with a server behind the product, in a directory, lists it, and ends the
// product.
func (l *launch) bridge(ctx context.Context, program, dir string) (*bridged, error) {
	config, err := json.Marshal(map[string]any{"mcp_servers": []any{ // JSON is YAML
		map[string]any{"name": alias, "command": l.command[0], "args": l.command[1:], "env": escaped(l.env)},
	}})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "holotype.yaml")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	cmd := exec.CommandContext(ctx, program, "serve", "--listen", "127.0.0.1:0", "--config", file, "--data", data)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it ends its server first
	cmd.WaitDelay = quitTime
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b := &bridged{}
	err = b.read(ctx, out, data, l.call)
	began := time.Now()
	late := time.AfterFunc(quitTime, func() { _ = cmd.Process.Kill() }) // it has ended meanwhile
	defer late.Stop()
	_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended, which Wait says
	_, _ = io.Copy(io.Discard, out)         // up to its end: Wait would close it
	ended := cmd.Wait()
	b.stop = time.Since(began)
	if ended != nil {
		err = errors.Join(err, fmt.Errorf("the product ended with %w after %s", ended, b.stop.Round(time.Millisecond)))
	}
	if err != nil {
		lines := bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n"))
		return nil, fmt.Errorf("bridged: %w; the log ends with\n%s", err, bytes.Join(lines[max(0, len(lines)-3):], []byte("\n")))
	}
	return b, nil
}

// escaped writes variables so that the configuration means them as they are.
func escaped(env map[string]string) map[string]string {
	all := map[string]string{}
	for name, value := range env {
		all[name] = strings.ReplaceAll(value, "$", "$$")
	}
	return all
}

var served = regexp.MustCompile(`serves (http://\S+)`)

// read waits for the product and for its server, and reads what it lists and answers.
func (b *bridged) read(ctx context.Context, out io.Reader, data string, c *call) error {
	url := ""
	for lines := bufio.NewScanner(out); url == ""; {
		if !lines.Scan() {
			return errors.Join(errors.New("the product does not say where it serves"), lines.Err())
		}
		if m := served.FindStringSubmatch(lines.Text()); m != nil {
			url = m[1]
		}
	}
	token, err := os.ReadFile(filepath.Join(data, "owner.token"))
	if err != nil {
		return err
	}
	p := &product{url: url, token: strings.TrimSpace(string(token))}
	if err := b.await(ctx, p); err != nil {
		return err
	}
	if b.rows, err = p.catalogue(ctx); err != nil {
		return err
	}
	b.lists, b.answers = map[string][]tool{}, map[string]json.RawMessage{}
	for _, version := range versions() {
		client, err := p.connect(ctx, version)
		if err != nil {
			return err
		}
		if b.lists[version], err = client.list(ctx, b.prefix); err != nil {
			return err
		}
		if c == nil {
			continue
		}
		name := b.prefix + c.Tool
		if b.answers[version], err = client.ask(ctx, "tools/call", name, fmt.Sprintf(`"name":%q,"arguments":%s,`, name, c.Arguments)); err != nil {
			return err
		}
	}
	return nil
}

// await waits until the product has listed its server, and answers an error once it has
// failed.
func (b *bridged) await(ctx context.Context, p *product) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		body, err := p.get(ctx, "/api/v1/mcp-servers/"+alias)
		if err != nil {
			return err
		}
		var s struct {
			State   string `json:"state"`
			Reason  string `json:"reason"`
			Prefix  string `json:"prefix"`
			Skipped []struct {
				Name   string `json:"name"`
				Reason string `json:"reason"`
			} `json:"skipped"`
		}
		if err := json.Unmarshal(body, &s); err != nil {
			return err
		}
		switch s.State {
		case "running":
			b.prefix = s.Prefix
			for _, one := range s.Skipped {
				b.skipped = append(b.skipped, one.Name+": "+one.Reason)
			}
			return nil
		case "failing", "waiting_for_credentials":
			return fmt.Errorf("the server is %s: %s", s.State, s.Reason)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the server is still %s: %w", s.State, ctx.Err())
		}
	}
}

// product is one that serves.
type product struct{ url, token string }

func (p *product) get(ctx context.Context, path string) ([]byte, error) {
	answer, _, err := p.send(ctx, http.MethodGet, path, nil, nil)
	return answer, err
}

func (p *product) send(ctx context.Context, method, path string, header map[string]string, body []byte) ([]byte, http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, method, p.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, nil, err
	}
	answer, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // it is read
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %.300s", method, path, resp.Status, answer)
	}
	return answer, resp.Header, err
}

// catalogue answers the rows of the server's tools.
func (p *product) catalogue(ctx context.Context) (map[string]row, error) {
	all := map[string]row{}
	path := "/api/v1/tools?limit=1000&source=mcp:" + alias
	for cursor := ""; ; {
		body, err := p.get(ctx, path+cursor)
		if err != nil {
			return nil, err
		}
		var one struct {
			Items []row  `json:"items"`
			Next  string `json:"next_cursor"`
		}
		if err := json.Unmarshal(body, &one); err != nil {
			return nil, err
		}
		for _, r := range one.Items {
			all[r.Name] = r
		}
		if one.Next == "" {
			return all, nil
		}
		cursor = "&cursor=" + one.Next
	}
}
