package faults_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// seated is two seats of one template beside a server that everybody shares, and a seat
// without a credential.
const seated = `mcp_servers:
  - {name: common, command: node, args: [%[1]q], env: {FAULTS_MARK: %[2]q, FAULT_COMMON: "${COMMON_TOKEN}"}}
  - {name: own, command: node, args: [%[1]q], shared: false, optional_keys: [FAULT_EXTRA], env: {FAULTS_MARK: %[2]q, FAULT_A: entry, FAULT_B: entry, FAULT_C: entry}}
units:
  - {id: unit, mcp_env: {own: {FAULT_B: unit, FAULT_C: unit, FAULT_EXTRA: "${NOBODY_SET_IT}"}}}
seats:
  - {id: ann, unit: unit, mcp_env: {own: {FAULT_C: ann, FAULT_TOKEN: "${ANN_TOKEN}"}}}
  - {id: bob, unit: unit, mcp_env: {own: {FAULT_TOKEN: "Bearer ${BOB_TOKEN}"}}}
  - {id: eve}
`

// planted are secrets, by the variable that holds each.
var planted = map[string]string{
	"COMMON_TOKEN": "common-4f9a1c-secret", "ANN_TOKEN": "ann-77d0e2-secret", "BOB_TOKEN": "bob-19c3b8-secret",
	"FAULTS_PLANTED": "bystander-5e8d41-secret",
}

// TestEverySeatHasAChildOfItsOwn holds for the whole product: its children, what each
// seat sees over a session of its own, and what no child is told.
func TestEverySeatHasAChildOfItsOwn(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("the environment of another process stands in /proc alone")
	}
	for name, value := range planted {
		t.Setenv(name, value)
	}
	dir, mark := t.TempDir(), fmt.Sprintf("%s.%d.", t.Name(), os.Getpid())
	config := filepath.Join(dir, "holotype.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, seated, scriptPath("env-echo.mjs"), mark), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { noneLeft(t, mark) })
	p := &product{log: &records{}, mark: mark}
	p.server = holotype.New(holotype.Options{
		Config: config, Data: filepath.Join(dir, "data"), Log: slog.New(slog.NewJSONHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if _, err := p.server.Handler(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.server.Close(); err != nil {
			t.Error(err)
		}
	})
	own := p.await(t, "own", func(s system.Server) bool { return s.State == system.Running })
	p.await(t, "common", func(s system.Server) bool { return s.State == system.Running })
	var seats []string
	for _, one := range own.Instances {
		seats = append(seats, one.Seat)
	}
	if d := cmp.Diff([]string{"ann", "bob"}, seats); d != "" || own.Shared {
		t.Errorf("instances of the template (-want +got):\n%s", d)
	}

	// What each child is told: the layers, key by key, and nothing of anybody else.
	children := map[string]map[string]string{} // by the value that only one child has
	for _, env := range environments(t, mark) {
		who := "common"
		switch token := env["FAULT_TOKEN"]; {
		case token == planted["ANN_TOKEN"]:
			who = "ann"
		case token == "Bearer "+planted["BOB_TOKEN"]:
			who = "bob"
		}
		if children[who] != nil {
			t.Errorf("two children of %s", who)
		}
		children[who] = env
	}
	for who, want := range map[string]map[string]string{
		"common": {"FAULT_COMMON": planted["COMMON_TOKEN"]},
		"ann":    {"FAULT_A": "entry", "FAULT_B": "unit", "FAULT_C": "ann", "FAULT_TOKEN": planted["ANN_TOKEN"]},
		"bob":    {"FAULT_A": "entry", "FAULT_B": "unit", "FAULT_C": "unit", "FAULT_TOKEN": "Bearer " + planted["BOB_TOKEN"]},
	} {
		got := maps.Clone(children[who])
		maps.DeleteFunc(got, func(name, _ string) bool { return !strings.HasPrefix(name, "FAULT_") })
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("the environment of %s (-want +got):\n%s", who, d)
		}
	}
	holders := map[string]int{}
	for pid, env := range descendants(t) {
		for name, value := range planted {
			if bytes.Contains(env, []byte(value)) {
				holders[name]++
			}
			if bytes.Contains(env, []byte(name+"=")) {
				t.Errorf("process %d is told of %s", pid, name)
			}
		}
	}
	if d := cmp.Diff(map[string]int{"COMMON_TOKEN": 1, "ANN_TOKEN": 1, "BOB_TOKEN": 1}, holders); d != "" {
		t.Errorf("how many processes know a secret (-want +got):\n%s", d)
	}

	// What each seat sees: its own child's tools beside those of everybody.
	for seat, sees := range map[string]bool{"": false, "ann": true, "bob": true, "eve": false} {
		who := capabilities.OwnerPrincipal()
		who.Seat = seat
		tools, err := p.server.Client(who).Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var here []string
		for _, tool := range tools {
			here = append(here, tool.Name)
		}
		there := p.overMCP(t, filepath.Join(dir, "data"), seat)
		if d := cmp.Diff(here, there.tools); d != "" {
			t.Errorf("seat %q sees other tools in its session (-in process +mcp --seat):\n%s", seat, d)
		}
		if slices.Contains(here, "own__launch") != sees || !slices.Contains(here, "common__launch") || !slices.Contains(here, "list_tools") {
			t.Errorf("seat %q sees %q", seat, here)
		}
		if c := children[seat]; sees && there.launched["FAULT_C"] != c["FAULT_C"] {
			t.Errorf("seat %q is served by the child of somebody else: %q", seat, there.launched)
		}
		if !sees && there.launched != nil {
			t.Errorf("seat %q calls a child of somebody else: %q", seat, there.launched)
		}
	}
	for name, value := range planted {
		if p.log.holds(value) {
			t.Errorf("the log holds %s", name)
		}
	}
	var errs bytes.Buffer
	if exit := p.server.Command().Run(t.Context(), []string{"mcp", "--seat", "nobody", "--data", filepath.Join(dir, "data")}, strings.NewReader(""), io.Discard, &errs); exit != 3 || !strings.Contains(errs.String(), "ann, bob, eve") {
		t.Errorf("a seat that nobody declared: exit %d, %s", exit, errs.String())
	}
}

// A sight is what a session sees.
type sight struct {
	tools    []string
	launched map[string]string // what the tool of the seat's own child says of it; nil when there is none
}

// overMCP opens a session of a seat as a client does that starts the command.
func (p *product) overMCP(t *testing.T, data, seat string) (s sight) {
	t.Helper()
	in, say := io.Pipe()
	hear, out := io.Pipe()
	ended := make(chan int, 1)
	args := []string{"mcp", "--data", data}
	if seat != "" {
		args = append(args, "--seat", seat)
	}
	var errs bytes.Buffer
	go func() {
		ended <- p.server.Command().Run(t.Context(), args, in, out, &errs)
		_ = out.Close() // never fails
	}()
	lines := bufio.NewReader(hear)
	ask := func(id int, method, params string) json.RawMessage {
		if _, err := fmt.Fprintf(say, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
			t.Fatal(err)
		}
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				t.Fatalf("%s of seat %q: %v: %s", method, seat, err, errs.String())
			}
			var m struct {
				ID     int
				Result json.RawMessage
			}
			if err := json.Unmarshal(line, &m); err != nil {
				t.Fatal(err)
			}
			if m.ID == id {
				return m.Result
			}
		}
	}
	ask(1, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"seat","version":"1"}}`)
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(ask(2, "tools/list", `{}`), &list); err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		s.tools = append(s.tools, tool.Name)
	}
	if result := ask(3, "tools/call", `{"name":"own__launch","arguments":{}}`); result != nil {
		var a answer
		var l launched
		if err := json.Unmarshal(result, &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(a.text(t)), &l); err != nil {
			t.Fatal(err)
		}
		s.launched = l.Fault
		for name, value := range planted {
			if bytes.Contains(result, []byte(value)) {
				t.Errorf("a result shows %s", name)
			}
		}
	}
	if err := say.Close(); err != nil {
		t.Fatal(err)
	}
	if exit := <-ended; exit != 0 {
		t.Errorf("the session of seat %q ended with %d: %s", seat, exit, errs.String())
	}
	return s
}

// environments answers the environment of every process with a mark.
func environments(t *testing.T, mark string) []map[string]string {
	t.Helper()
	var all []map[string]string
	for _, raw := range descendants(t) {
		env := map[string]string{}
		for one := range strings.SplitSeq(string(raw), "\x00") {
			if name, value, ok := strings.Cut(one, "="); ok {
				env[name] = value
			}
		}
		if env[markVariable] == mark {
			all = append(all, env)
		}
	}
	return all
}

// descendants answers the environment of every process that this one started, and of
// every one that they did.
func descendants(t *testing.T) map[int][]byte {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	parents := map[int]int{}
	for _, file := range files {
		stat, err := os.ReadFile(file) // of one that just ended nothing can be read
		at := bytes.LastIndexByte(stat, ')')
		if err != nil || at < 0 {
			continue
		}
		fields := strings.Fields(string(stat[at+1:]))
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		if parents[pid], err = strconv.Atoi(fields[1]); err != nil { // proc(5): state, then the parent
			t.Fatal(err)
		}
	}
	all := map[int][]byte{}
	for pid := range parents {
		for up := parents[pid]; up > 1; up = parents[up] {
			if up != os.Getpid() {
				continue
			}
			if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)); err == nil {
				all[pid] = env
			}
			break
		}
	}
	return all
}
