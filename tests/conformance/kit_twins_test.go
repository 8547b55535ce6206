package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/conformance"
	"github.com/seed-89b9419b/holotype/tests/sweep"
)

// A kitTwin is the honest program with one thing wrong, and the rule that finds it.
type kitTwin struct {
	name  string
	rule  string // "" where nothing is wrong
	flaws flaws
	wire  func(http.Handler) http.Handler // what is wrong on the wire
	shell func(runs) runs                 // and on the command line
}

type runs = func(ctx context.Context, words []string, in io.Reader, out, errw io.Writer) int

// said changes the text of answers to requests for a path.
func saidOf(path, old, replacement string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, path) {
				next.ServeHTTP(w, r)
				return
			}
			got := httptest.NewRecorder()
			next.ServeHTTP(got, r)
			maps.Copy(w.Header(), got.Header())
			w.Header().Del("Content-Length")
			w.WriteHeader(got.Code)
			_, _ = w.Write(bytes.ReplaceAll(got.Body.Bytes(), []byte(old), []byte(replacement)))
		})
	}
}

// heard changes the text of requests to a path.
func heardBy(path, old, replacement string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, path) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					w.WriteHeader(http.StatusBadRequest)
					return
				}
				body = bytes.ReplaceAll(body, []byte(old), []byte(replacement))
				r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
				r.Header.Set("Content-Length", strconv.Itoa(len(body)))
			}
			next.ServeHTTP(w, r)
		})
	}
}

// exits changes an exit status.
func exits(was, is int) func(runs) runs {
	return func(next runs) runs {
		return func(ctx context.Context, words []string, in io.Reader, out, errw io.Writer) int {
			if status := next(ctx, words, in, out, errw); status != was {
				return status
			}
			return is
		}
	}
}

const (
	kitMCP = "/operator/mcp"
	secret = "canary-0123456789abcdef"
)

func kitTwins() []kitTwin {
	return []kitTwin{
		{name: "nothing is wrong"},
		{name: "a hint is turned round", rule: conformance.Hints, wire: saidOf(kitMCP, `"title":"Add note","readOnlyHint":false`, `"title":"Add note","readOnlyHint":true`)},
		{name: "a hint is left out", rule: conformance.Hints, wire: saidOf(kitMCP, `"title":"Add note","readOnlyHint":false`, `"title":"Add note"`)},
		{name: "the document has another effect", rule: conformance.Hints, wire: saidOf("/openapi.json", `"change":"append"`, `"change":"read"`)},
		{name: "a tool is not listed over MCP", rule: conformance.Listed, wire: saidOf(kitMCP, `{"name":"look_around"`, `{"name":"look_away"`)},
		{name: "an example does not do what it says", rule: conformance.Examples, flaws: flaws{unlike: true}},
		{name: "HTTP has words of its own", rule: conformance.Refusals, wire: saidOf("/api/v1/notes", `there is no note`, `no note`)},
		{name: "MCP names another keyword", rule: conformance.Refusals, wire: saidOf(kitMCP, `"keyword":"required"`, `"keyword":"missing"`)},
		{name: "the command line has another exit status", rule: conformance.Refusals, shell: exits(3, 5)},
		{name: "a refusal has structured content", rule: conformance.Unstructured, wire: saidOf(kitMCP, `"isError":true`, `"structuredContent":{},"isError":true`)},
		{name: "a field that is not declared is dropped", rule: conformance.Closed, wire: heardBy("/api/v1/", `,"conformance_unknown":true`, ``)},
		{name: "the second of two keys is dropped", rule: conformance.Closed, wire: heardBy(kitMCP, `"conformance_unknown":1,"conformance_unknown":1`, `"text":"a"`)},
		{name: "a code is answered that is not declared", rule: conformance.Codes, flaws: flaws{undeclared: true}},
		{name: "an answer follows from what was called before", rule: conformance.Determinism, flaws: flaws{counts: true}},
		{name: "an answer follows from the process", rule: conformance.Determinism, flaws: flaws{starts: true}},
		{name: "a read writes", rule: conformance.Effects, flaws: flaws{writes: true}},
		{name: "a dry run writes", rule: conformance.Effects, flaws: flaws{changesWhenTried: true}},
		{name: "the list publishes another output", rule: conformance.Schemas, wire: saidOf(kitMCP, `"count":{"type":"integer"`, `"count":{"type":"string"`)},
		{name: "the document publishes another output", rule: conformance.Schemas, wire: saidOf("/openapi.json", `"description":"How many there are."`, `"not":{},"description":"How many there are."`)},
		{name: "a bridged tool gets a hint", rule: conformance.Relay, wire: saidOf(kitMCP, `{"idempotentHint":true}`, `{"idempotentHint":true,"openWorldHint":false}`)},
		{name: "a big number is rounded", rule: conformance.Relay, wire: saidOf(kitMCP, `9007199254740993`, `9007199254740992`)},
		{name: "a failure is a result", rule: conformance.Relay, wire: saidOf(kitMCP, `"structuredContent":{"why":"fire"},"isError":true`, `"structuredContent":{"why":"fire"},"isError":false`)},
		{name: "an answer has a secret", rule: conformance.Secrets, flaws: flaws{leaks: true}},
	}
}

// whole reports whether every rule is held against a twin. Looking for secrets takes longer
// than all others together.
func (w kitTwin) whole() bool {
	return w.rule == "" || w.rule == conformance.Secrets || os.Getenv(soakVariable) != ""
}

// target serves the program of a twin.
func (w kitTwin) target(t *testing.T) conformance.Target {
	t.Helper()
	pack := newDesk(w.flaws)
	starts := int64(0)
	target := conformance.Of(t, func() holotype.Options {
		starts++
		return holotype.Options{
			Name: "twin", NativePacks: []string{}, NoStore: true, Log: slog.New(slog.DiscardHandler),
			Packs: []capabilities.Bound{pack.Bind(&desk{secret: secret, start: starts})},
		}
	})
	if w.whole() {
		target.Canaries = []sweep.Canary{{Name: "the secret of the desk", Value: secret}}
	}
	spoil := func(s conformance.Server) conformance.Server {
		if w.wire != nil {
			s.Handler = w.wire(s.Handler)
		}
		if w.shell != nil {
			s.Run = w.shell(s.Run)
		}
		return s
	}
	again := target.Again
	target.Server = spoil(target.Server)
	target.Again = func(ctx context.Context) (conformance.Server, error) {
		s, err := again(ctx)
		return spoil(s), err
	}
	return target
}

// Every check fails where it should and nowhere else: of a program with one thing wrong
// exactly one rule says so, and every rule has such a program.
func TestEveryRuleHasATwin(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range kitTwins() {
		seen[w.rule] = true
		t.Run(w.name, func(t *testing.T) {
			report, err := conformance.Check(t.Context(), w.target(t))
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			if w.rule != "" {
				want = append(want, w.rule)
			}
			for _, f := range report.Findings {
				if !slices.Contains(got, f.Rule) {
					got = append(got, f.Rule)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rules that do not hold (-want +got):\n%s\n%v", diff, report.Findings)
			}
			for _, rule := range conformance.Rules() {
				if report.Judged[rule.ID] == 0 && (w.whole() || rule.ID != conformance.Secrets) {
					t.Errorf("%s was held against nothing: %s", rule.ID, report.Left[rule.ID])
				}
			}
		})
	}
	for _, rule := range conformance.Rules() {
		if !seen[rule.ID] {
			t.Errorf("the rule %s has no twin: nobody knows that it finds anything", rule.ID)
		}
	}
}

// The page of the kit has every rule with its sentence, and the places that rules name are
// there.
func TestRulesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.ReplaceAll(string(page), "`", "")
	for _, rule := range conformance.Rules() {
		if row := "| " + rule.ID + " | " + strings.ToUpper(rule.Says[:1]) + rule.Says[1:] + ". |"; !strings.Contains(plain, row) {
			t.Errorf("docs/conformance.md has no row %s", row)
		}
		if _, err := os.Stat("../../docs/" + rule.Place); err != nil {
			t.Errorf("the place of %s: %v", rule.ID, err)
		}
	}
}

// A check of nothing is an error, and a report of a program that is only listed says what
// was left out.
func TestCheckSaysWhatItLeavesOut(t *testing.T) {
	if _, err := conformance.Check(t.Context(), conformance.Target{}); err == nil {
		t.Error("nothing was checked, and nobody says so")
	}
	target := kitTwin{}.target(t)
	web := httptest.NewServer(target.Handler) // as a server of another process
	t.Cleanup(web.Close)
	target.Handler, target.URL = nil, web.URL
	target.Upstream, target.Canaries, target.Again, target.Run, target.Writes = "", nil, nil, nil, false
	report, err := conformance.Check(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) > 0 || report.Left[conformance.Relay] == "" || report.Left[conformance.Secrets] == "" || report.Left[conformance.Determinism] == "" {
		t.Errorf("left out %v, found %v", report.Left, report.Findings)
	}
	if text, err := json.Marshal(report); err != nil || !strings.Contains(report.String(), "nothing is bridged") {
		t.Errorf("%s, %v\n%s", text, err, report)
	}
}
