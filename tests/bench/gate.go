package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/gate"
)

// The sizes of the section gate.
const (
	listedTools    = 1_000
	listers        = 100
	announcedTools = 10_000
	announcedTo    = 100
)

// measureGate measures what rules cost: a call, a list, and a change of them.
func measureGate(ctx context.Context, p *plan) (*table, error) {
	t := newTable("The gate",
		fmt.Sprintf("A decision is made in this process, with rules for everybody, a seat and a token, and with %d grants. The lists are of `holotype serve` in front of a stdio server: a walk "+
			"by each of %d tokens in turn against as many walks by one. A change of the rules is announced when the last of %d MCP sessions has `notifications/tools/list_changed` on its "+
			"stream, counted from the request that reads the configuration again.", decidedGrants, listers, announcedTo),
		"what", "figure", "beside it", "ratio", "goal")
	if err := decisions(p, t); err != nil {
		return nil, err
	}
	if err := listsOfMany(ctx, p, t); err != nil {
		return nil, fmt.Errorf("the lists of %d principals: %w", listers, err)
	}
	if err := announcements(ctx, p, t); err != nil {
		return nil, fmt.Errorf("announcing a change of the rules: %w", err)
	}
	return t, nil
}

// decidedGrants is how many grants there are while decisions are measured.
const decidedGrants = 1_000

const decidedRules = `
gate: {deny: [nothing_*, another], approve: [{effects: [destructive]}]}
seats: [{id: desk, scopes: ["*"], gate: {allow: ["nothing_*", "effect_*", "e*", "t*", "f*", "l*"], no_open_world: false}}]
principals: [{id: "token:tok_1", gate: {deny: ["drop_*"], refuse: [refused]}}]
`

// decisions measures decisions that let a call pass, and one that refuses.
func decisions(p *plan, t *table) error {
	file := filepath.Join(p.dir, "decided.yaml")
	if err := os.WriteFile(file, []byte(decidedRules), 0o600); err != nil {
		return err
	}
	c, err := config.Load(config.Options{Path: file})
	if err != nil {
		return err
	}
	var bound []*capabilities.Capability
	reg, err := capabilities.Assemble(packs()...)
	if err != nil {
		return err
	}
	for one := range reg.All() {
		bound = append(bound, one)
	}
	var grants []gate.Grant
	for i := range decidedGrants {
		grants = append(grants, gate.Grant{Kind: capabilities.Seat, ID: "desk" + strconv.Itoa(i), Capability: bound[i%len(bound)].Name(), Until: time.Now().Add(time.Hour)})
	}
	none, g := gate.New(capabilities.Scopes{}, nil), gate.New(capabilities.Scopes{}, gate.Compile(c))
	g.PutGrants(gate.CompileGrants(grants, time.Now))
	who := &capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Scopes: []string{"*"}, Credential: "tok_1"}
	outside := &capabilities.Principal{ID: "tok_2", Kind: capabilities.Operator, Scopes: []string{"*"}, Credential: "tok_2"}
	for _, one := range []struct {
		what   string
		gate   *gate.Gate
		caller *capabilities.Principal
	}{
		{"a decision without rules", none, outside}, {"a decision by three blocks of rules", g, who},
	} {
		var passing []*capabilities.Capability
		for _, c := range bound {
			if one.gate.Decide(one.caller, c) == nil {
				passing = append(passing, c)
			}
		}
		if len(passing) < len(bound)/2 {
			return fmt.Errorf("%s lets %d of %d pass: a refusal writes a sentence, which is not measured here", one.what, len(passing), len(bound))
		}
		i := 0
		decide := here(func() error {
			i++
			one.gate.Decide(one.caller, passing[i%len(passing)])
			return nil
		}, func() error { return nil })
		var rounds []usage
		for range p.rounds {
			u, err := decide(p.count(200_000))
			if err != nil {
				return err
			}
			rounds = append(rounds, u)
		}
		t.row(one.what, nanos(middle(rounds, cpuTime)), fmt.Sprintf("%.2f allocations", middle(rounds, heapCount)), "", "<= 2 µs, 0 allocations")
	}
	return nil
}

// listsOfMany compares the walks of many principals with those of one.
func listsOfMany(ctx context.Context, p *plan, t *table) (err error) {
	d := &duel{}
	defer func() { err = errors.Join(err, d.end()) }()
	pid, url, owner, err := d.gateway(ctx, p, listedTools)
	if err != nil {
		return err
	}
	first, err := dialWeb(ctx, url, owner)
	if err != nil {
		return err
	}
	d.ours = first
	if _, err := complete(first, listedTools); err != nil {
		return err
	}
	many := make([]*web, listers)
	for i := range many {
		token, err := newToken(first, i)
		if err != nil {
			return err
		}
		if many[i], err = dialWeb(ctx, url, token); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, many[i].Close()) }()
	}
	walks := func(of []*web) side {
		return there(pid, func(n int) error {
			for i := range n {
				if err := walk(of[i%len(of)], func([]byte) {}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	c, err := compare(p.rounds, p.count(4*listers), walks(many), walks(many[:1]))
	if err != nil {
		return err
	}
	t.row(fmt.Sprintf("tools/list of %d tools, %d principals in turn", listedTools, listers), nanos(middle(c.ours, cpuTime))+" CPU", nanos(middle(c.theirs, cpuTime))+" CPU", c.ratio(cpuTime).text(), "<= 1.2")
	return nil
}

// newToken makes an API token as the owner.
func newToken(owner *web, i int) (string, error) {
	answer, err := owner.exchange("tools/call", toolCall("create_token", fmt.Sprintf(`{"name":"lister %d","scopes":["*"]}`, i)), 1)
	if err != nil {
		return "", err
	}
	var m struct {
		Result struct {
			StructuredContent struct{ Token string }
		}
	}
	if err := json.Unmarshal(answer, &m); err != nil || m.Result.StructuredContent.Token == "" {
		return "", fmt.Errorf("no token in %.300s", answer)
	}
	return m.Result.StructuredContent.Token, nil
}

// announcements measures how long it takes until every session knows of a change.
func announcements(ctx context.Context, p *plan, t *table) (err error) {
	d := &duel{}
	defer func() { err = errors.Join(err, d.end()) }()
	data := filepath.Join(p.dir, "announced")
	servers, err := clientConfig(p, data+".json", announcedTools)
	if err != nil {
		return err
	}
	rules := data + ".yaml"
	if err := os.WriteFile(rules, []byte("gate: {deny: [list_calls]}\n"), 0o600); err != nil {
		return err
	}
	_, url, err := d.serve(ctx, p.binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--mcp-config", servers, "--config", rules)
	if err != nil {
		return err
	}
	token, err := ownerToken(data)
	if err != nil {
		return err
	}
	owner, err := dialWeb(ctx, url+"/operator/mcp", token)
	if err != nil {
		return err
	}
	d.ours = owner
	if _, err := complete(owner, announcedTools); err != nil {
		return err
	}
	told := make([]*bufio.Reader, announcedTo)
	for i := range told {
		w, err := dialWeb(ctx, url+"/operator/mcp", token)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, w.Close()) }()
		if told[i], err = w.stream(); err != nil {
			return err
		}
	}
	var times []float64
	for i := range min(p.rounds, 7) {
		text := "gate: {deny: [list_calls]}\n"
		if i%2 == 0 {
			text = "gate: {deny: [list_calls, list_tokens]}\n"
		}
		if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
			return err
		}
		begin := time.Now()
		var all errgroup.Group
		for _, one := range told {
			all.Go(func() error { return changed(one) })
		}
		if err := reread(ctx, url, token); err != nil {
			return err
		}
		if err := all.Wait(); err != nil {
			return err
		}
		times = append(times, float64(time.Since(begin)))
	}
	low, high := quartiles(times)
	t.row(fmt.Sprintf("a change of the rules over %d tools, until %d sessions know", announcedTools, announcedTo), nanos(median(times)), fmt.Sprintf("%s to %s", nanos(low), nanos(high)), "", "< 1 s")
	return nil
}

// reread makes the server read its configuration again.
func reread(ctx context.Context, url, token string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/v1/config/reload", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("reading the configuration again answered %s", resp.Status)
	}
	return errors.Join(err, resp.Body.Close())
}

// stream opens the stream of the session on its connection, which is used for nothing
// else afterwards.
func (w *web) stream() (*bufio.Reader, error) {
	if _, err := fmt.Fprintf(w.conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\nMcp-Protocol-Version: 2025-06-18\r\nMcp-Session-Id: %s\r\n\r\n",
		w.path, w.host, w.token, w.session); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(w.in, nil) //nolint:bodyclose // it ends with the connection
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the stream answered %s", resp.Status)
	}
	return bufio.NewReader(resp.Body), nil
}

// changed reads a stream up to the next word that the list has changed.
func changed(stream *bufio.Reader) error {
	for {
		line, err := stream.ReadString('\n')
		if err != nil {
			return err
		}
		if strings.Contains(line, "notifications/tools/list_changed") {
			return nil
		}
	}
}
