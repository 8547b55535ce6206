package holotype

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// listsVariable says how many lists are asked for.
const listsVariable = "HOLOTYPE_LISTS"

// lister is a caller, what has to be in each of its lists and what must be in none.
type lister struct {
	who             *capabilities.Principal
	always, nowhere []string
}

// Lists are kept, by what their callers may see: whoever lists gets its own, while others
// list at the same time and rules and servers change all the while.
func TestNobodyGetsTheListOfSomebodyElse(t *testing.T) {
	total := 240
	if n, err := strconv.Atoi(os.Getenv(listsVariable)); err == nil {
		total = n
	}
	listers := map[string]lister{
		"ada": {
			&capabilities.Principal{ID: "ada", Kind: capabilities.Person, Scopes: []string{"*"}},
			[]string{`"effect_destroy_shared"`, `of everybody`},
			[]string{`"effect_read_shared"`, `of the desk`, `"create_token"`},
		},
		"desk": {
			&capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Scopes: []string{"*"}},
			[]string{`"effect_read_shared"`, `of the desk`},
			[]string{`"effect_destroy_shared"`, `of everybody`, `"create_token"`},
		},
		"owner": {
			capabilities.OwnerPrincipal(),
			[]string{`"effect_read_shared"`, `"effect_destroy_shared"`, `of everybody`, `"create_token"`},
			[]string{`of the desk`},
		},
		"a token": {
			&capabilities.Principal{ID: "tok_1", Kind: capabilities.Operator, Credential: "tok_1", Scopes: []string{"fixture:read"}},
			[]string{`"effect_read_shared"`},
			[]string{`"effect_destroy_shared"`, `of everybody`, `of the desk`, `"create_token"`},
		},
	}
	s := New(Options{
		Data: InMemory, Packs: []capabilities.Bound{fixture.Pack.Bind(fixture.Deps{})}, NativePacks: []string{"system"},
		Lookup: func(string) (string, bool) { return "", false }, Log: slog.New(slog.DiscardHandler),
		Authenticate: func(r *http.Request) (*capabilities.Principal, error) {
			own := *listers[r.Header.Get("Lister")].who
			return &own, nil
		},
	})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	handler, err := s.Handler()
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.started()
	if err != nil {
		t.Fatal(err)
	}
	var rules []*config.Config
	for _, note := range []string{"nobody", "either"} {
		file := t.TempDir() + "/rules.yaml"
		text := "people: [{id: ada}]\nprincipals: [{id: \"person:ada\", gate: {deny: [\"effect_read_*\", " + note + "]}}]\n" +
			"seats: [{id: desk, gate: {deny: [\"effect_destroy_*\", " + note + "]}}]\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.Options{Path: file})
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, c)
	}
	change := func(i int) {
		e.rule(rules[i%2])
		for seat, whose := range map[string]string{"": "of everybody", "desk": "of the desk"} {
			c, err := capabilities.NewBridged(capabilities.BridgedSpec{
				Name: "far__tool", Tool: "tool", Server: "far", Summary: fmt.Sprintf("A tool %s, %d.", whose, i), Input: []byte(`{"type":"object"}`),
				Hints:   capabilities.HintFacts{ReadOnly: capabilities.HintFact{Value: capabilities.Yes}},
				Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
			})
			if err != nil {
				t.Error(err)
				return
			}
			e.live.Replace(seat, "far", []*capabilities.Capability{c})
		}
	}
	change(0)

	const together = 8
	done := make(chan struct{})
	var changing, listing sync.WaitGroup
	changing.Go(func() {
		for i := 1; ; i++ {
			select {
			case <-done:
				return
			default:
				change(i)
			}
		}
	})
	for worker := range together {
		listing.Go(func() {
			names := []string{"ada", "desk", "owner", "a token"}
			for i := range total / together {
				name := names[(worker+i)%len(names)]
				listedRight(t, handler, name, listers[name], (worker+i)%3 == 0 && i%8 == 0)
			}
		})
	}
	listing.Wait()
	close(done)
	changing.Wait()
}

// listedRight asks for a list over MCP, or for the rows of the catalogue.
func listedRight(t *testing.T, handler http.Handler, name string, l lister, rows bool) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/operator/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+onWire+`}}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", "tools/list")
	if rows {
		r = httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/openapi.json", nil)
	}
	r.Header.Set("Lister", name)
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, r)
	if rec.Code != http.StatusOK || !json.Valid(rec.Body.Bytes()) && !bytes.Contains(rec.Body.Bytes(), []byte("data: ")) {
		t.Errorf("%s: %d %.200s", name, rec.Code, rec.Body.Bytes())
		return
	}
	for _, want := range l.always {
		if !bytes.Contains(rec.Body.Bytes(), []byte(want)) {
			t.Errorf("the list of %s has no %s", name, want)
		}
	}
	for _, foreign := range l.nowhere {
		if bytes.Contains(rec.Body.Bytes(), []byte(foreign)) {
			t.Errorf("the list of %s has %s", name, foreign)
		}
	}
}
