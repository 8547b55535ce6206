package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
	"github.com/seed-89b9419b/holotype/tests/drive"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// kinds are the kinds of store that a server is served with: each answers the options of
// one on a new database, or skips the test where there is none to be had.
var kinds = map[string]func(t *testing.T) holotype.Options{
	"sqlite": func(t *testing.T) holotype.Options { return holotype.Options{Data: t.TempDir()} },
	"postgres": func(t *testing.T) holotype.Options {
		file := filepath.Join(t.TempDir(), "holotype.yaml")
		if err := os.WriteFile(file, []byte("store: "+storetest.Postgres(t)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return holotype.Options{Data: t.TempDir(), Config: file}
	},
}

// onEach runs a test with every kind of store.
func onEach(t *testing.T, test func(t *testing.T, open func(t *testing.T) holotype.Options)) {
	t.Helper()
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			kinds[kind](t) // or skip it
			test(t, kinds[kind])
		})
	}
}

// server is one data directory, served by one server after the other.
type server struct {
	t       *testing.T
	options holotype.Options
	clock   *atomic.Int64 // milliseconds
	tools   map[string]inputs.Tool
	running *drive.Running
	ways    []way
	turn    int
}

// way sends one call.
type way struct {
	name string
	send func(name string, args object, key string, dry bool) (answer object, refused *refusal, sentence string)
}

func serve(t *testing.T, options holotype.Options, tools map[string]inputs.Tool) *server {
	t.Helper()
	s := &server{t: t, options: options, clock: &atomic.Int64{}, tools: tools}
	s.clock.Store(time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC).UnixMilli())
	s.options.Now = func() time.Time { return time.UnixMilli(s.clock.Load()) }
	s.start()
	return s
}

func (s *server) start() {
	s.t.Helper()
	s.running = drive.Start(s.t, s.options)
	if len(s.tools) == 0 {
		for _, row := range parse[struct{ Items []inputs.Tool }](s.t, s.running.Get(s.t, "/api/v1/tools?limit=1000")).Items {
			s.tools[row.Name] = parse[inputs.Tool](s.t, s.running.Get(s.t, "/api/v1/tools/"+row.Name))
		}
	}
	s.ways = []way{{"http", s.overHTTP}}
	for _, speaker := range s.running.OverHTTP(s.t) {
		s.ways = append(s.ways, way{speaker.Name, s.overMCP(speaker)})
	}
}

// restart ends the server and starts another one on what it left.
func (s *server) restart() {
	s.t.Helper()
	s.running.Stop(s.t)
	s.start()
}

// next answers the way whose turn it is.
func (s *server) next() way {
	s.turn++
	return s.ways[s.turn%len(s.ways)]
}

func (s *server) overHTTP(name string, args object, key string, dry bool) (object, *refusal, string) {
	s.t.Helper()
	in := inputs.Input{Call: name, In: text2(s.t, args), DryRun: dry}
	request, why := in.HTTP(s.tools[name])
	if why != "" { // MCP has words for everything
		return s.ways[1].send(name, args, key, dry)
	}
	if key != "" {
		request.Header["Idempotency-Key"] = key
	}
	head, data := s.running.HTTP(s.t, request.Method, "/api/v1"+request.Path, request.Header, []byte(request.Body))
	if head.StatusCode == http.StatusOK {
		return parse[object](s.t, data), nil, ""
	}
	return s.problem(data)
}

func (s *server) problem(data []byte) (object, *refusal, string) {
	s.t.Helper()
	p := parse[struct {
		Code, Detail string
		Violations   []struct{ Pointer string }
	}](s.t, data)
	r := &refusal{Code: p.Code}
	if len(p.Violations) > 0 {
		r.Pointer = p.Violations[0].Pointer
	}
	if p.Code == "" {
		s.t.Fatalf("a refusal without a code: %s", data)
	}
	return nil, r, p.Detail
}

func (s *server) overMCP(speaker *drive.Speaker) func(string, object, string, bool) (object, *refusal, string) {
	return func(name string, args object, key string, dry bool) (object, *refusal, string) {
		s.t.Helper()
		raw := text2(s.t, args)
		if key != "" {
			raw = strings.TrimSuffix(raw, "}")
			if raw != "{" {
				raw += ","
			}
			raw += `"op_id":` + text2(s.t, key) + "}"
		}
		call := speaker.Call
		if dry {
			call = speaker.Rehearse
		}
		_, data := call(s.t, name, raw)
		m := parse[struct {
			Result struct {
				Structured object `json:"structuredContent"`
				Content    []struct{ Text string }
				Meta       struct {
					Error json.RawMessage `json:"holotype/error"`
				} `json:"_meta"`
			}
			Error json.RawMessage
		}](s.t, data)
		switch {
		case m.Result.Meta.Error != nil:
			_, refused, _ := s.problem(m.Result.Meta.Error)
			return nil, refused, m.Result.Content[0].Text
		case m.Result.Structured == nil:
			s.t.Fatalf("%s %s: answered %s", name, raw, data)
		}
		return m.Result.Structured, nil, ""
	}
}

// parse decodes JSON into a type.
func parse[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("reading %.500s: %v", data, err)
	}
	return v
}

// text2 writes a value as JSON, as people type it.
func text2(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// plain answers a value as JSON reads it, with the number of every position in its
// place.
func plain(t *testing.T, incarnation string, v any) any {
	t.Helper()
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case object:
			for k, inner := range v {
				v[k] = walk(inner)
			}
			if p, ok := v["position"].(string); ok {
				n, ok := strings.CutPrefix(p, incarnation+".main.")
				if !ok {
					t.Fatalf("the position %q is of another store than %s", p, incarnation)
				}
				var number float64
				if _, err := fmt.Sscan(n, &number); err != nil {
					t.Fatal(err)
				}
				v["position"] = number
			}
			return v
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		}
		return v
	}
	return walk(parse[any](t, []byte(text2(t, v))))
}
