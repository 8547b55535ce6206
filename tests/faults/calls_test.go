package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// besideEachOther fails unless calls run at once and every answer reaches its caller.
func besideEachOther(t *testing.T, p *product, name string) {
	t.Helper()
	const n = 8
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			a, err := p.try(t.Context(), name+"__work", fmt.Sprintf(`{"ms":300,"tag":"t%d"}`, i))
			if want := fmt.Sprintf("done t%d", i); err != nil || a.text(t) != want {
				t.Errorf("call %d answers %v %s", i, err, a.raw)
			}
		})
	}
	running.Wait()
	if s := sawOf(t, p, name); s.MaxParallel < 2 || s.Calls != n+1 {
		t.Errorf("%d calls, at most %d at once", s.Calls, s.MaxParallel)
	}
}

// dropped is a server that forgets every call but one: the others run into the limit,
// and none is sent twice.
func dropped(t *testing.T, p *product, name string) {
	t.Helper()
	var running sync.WaitGroup
	var mu sync.Mutex
	codes := map[capabilities.Code]int{}
	for range 3 {
		running.Go(func() {
			a, err := p.try(t.Context(), name+"__work", `{"ms":500}`)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			codes[a.Meta.Error.Code]++
		})
	}
	running.Wait()
	if codes[""] == 0 || codes[""]+codes[capabilities.Timeout] != 3 {
		t.Errorf("three calls at once answer %v", codes)
	}
	s := sawOf(t, p, name)
	calls := 0
	for _, line := range s.Lines {
		if strings.Contains(line, `"work"`) {
			calls++
		}
	}
	if calls != 4 || len(s.Cancels) != codes[capabilities.Timeout] {
		t.Errorf("%d calls arrived for 4, and %d were taken back", calls, len(s.Cancels))
	}
}

// takenBack is a caller that goes away: the server is told, under its own id, and its
// late answer reaches nobody.
func takenBack(t *testing.T, p *product, name string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		_, err := p.try(ctx, name+"__work", `{"ms":700,"tag":"mine"}`)
		gone <- err
	}()
	until(t, "the call arrives", func() bool { return strings.Contains(strings.Join(sawOf(t, p, name).Lines, " "), "mine") })
	cancel()
	if err := <-gone; err == nil {
		t.Fatal("the caller did not go away")
	}
	until(t, "the call is taken back", func() bool { return len(sawOf(t, p, name).Cancels) == 1 })
	s := sawOf(t, p, name)
	for _, line := range s.Lines {
		var m struct{ ID json.RawMessage }
		if strings.Contains(line, "mine") && (json.Unmarshal([]byte(line), &m) != nil || string(m.ID) != string(s.Cancels[0])) {
			t.Errorf("%s was taken back as %s", line, s.Cancels[0])
		}
	}
	if a := p.call(t, name+"__work", `{"ms":1500,"tag":"next"}`); a.text(t) != "done next" {
		t.Errorf("the next call answers %s", a.raw)
	}
}

// until polls for something that has to come.
func until(t *testing.T, what string, come func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !come() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// progressOf calls with a token and answers the values that came under it.
func progressOf(t *testing.T, p *product, name string) []float64 {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s__work","arguments":{"ms":100},"_meta":{"progressToken":"mine","io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":"faults","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, name, modern)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+"/operator/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Authorization": "Bearer " + p.token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": modern, "Mcp-Method": "tools/call", "Mcp-Name": name + "__work",
	} {
		req.Header.Set(key, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	answered := false
	for line := range strings.Lines(string(data)) {
		event, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			event = line
		}
		var m struct {
			Method string
			Result json.RawMessage
			Params struct {
				Token    string `json:"progressToken"`
				Progress float64
			}
		}
		if json.Unmarshal([]byte(event), &m) != nil {
			continue
		}
		switch {
		case m.Result != nil:
			answered = true
		case answered:
			t.Errorf("after the answer came %s", event)
		case m.Method != "notifications/progress" || m.Params.Token != "mine":
			t.Errorf("beside the answer came %s", event)
		default:
			values = append(values, m.Params.Progress)
		}
	}
	if !answered {
		t.Fatalf("no answer in %.500s", data)
	}
	return values
}

// progress fails unless exactly these values reach the caller who asked.
func progress(want string) func(*testing.T, *product, string) {
	return func(t *testing.T, p *product, name string) {
		t.Helper()
		if got := strings.Trim(fmt.Sprint(progressOf(t, p, name)), "[]"); got != want {
			t.Errorf("progress %q, want %q", got, want)
		}
	}
}

// growing fails unless the values of a storm grow and not all of it is handed on.
func growing(t *testing.T, p *product, name string) {
	t.Helper()
	values := progressOf(t, p, name)
	if len(values) == 0 || len(values) > 5000 {
		t.Errorf("%d values of 5,000", len(values))
	}
	for i, v := range values[1:] {
		if v <= values[i] {
			t.Fatalf("%v after %v", v, values[i])
		}
	}
}
