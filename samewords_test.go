package holotype

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// anID is an id that this server gave out, or might have.
var anID = regexp.MustCompile(`^[a-z]{2,4}_[0-9a-z]{26}$`)

// malformed are what no id is, but what somebody may send for one.
func malformed() []string {
	return []string{
		"x", "0", "apr_", "_", "-", "APR_00000000000000000000000000", "apr_0000000000000000000000000", "apr_000000000000000000000000000", "apr_uuuuuuuuuuuuuuuuuuuuuuuuuu",
		"req_00000000000000000000000000", "tok_00000000000000000000000000", "grt_00000000000000000000000000", "null", "*", "%", "apr_%", "' OR 1=1 --", "a b", "é", "../owner", "1e9",
	}
}

// sentence answers a refusal without the id that it repeats.
func sentence(e *capabilities.Error, id string) string {
	words := fmt.Sprintf("%s %s %+v %v %t", e.Code, e.Message, e.Violations, e.RetryAfter, e.MaybeApplied)
	words = strings.ReplaceAll(words, strconv.Quote(id), "[id]")
	if anID.MatchString(id) { // a short text stands in any sentence
		words = strings.ReplaceAll(words, id, "[id]")
	}
	return words
}

// To whoever may not see an object, it, one that is not there and an id that is none are
// the same, in whatever capability takes an id. The capabilities are those of the
// registry, and the arguments those of their examples of something that is not there.
func TestForeignMissingAndMalformedAreTheSameWords(t *testing.T) {
	w := &world{file: filepath.Join(t.TempDir(), "rules.json"), down: map[string]bool{}}
	w.s = New(Options{Data: InMemory, Lookup: func(string) (string, bool) { return "", false }, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := w.s.Close(); err != nil {
			t.Error(err)
		}
	})
	var err error
	if w.e, err = w.s.started(); err != nil {
		t.Fatal(err)
	}
	w.rule(t, `{"people":[{"id":"ada"}],"seats":[{"id":"builder"},{"id":"reader","scopes":["tracker:read"],"gate":{"approve":[{"tools":["list_projects"]}]}}]}`)
	seat := func(id string, scopes ...string) *capabilities.Principal {
		return &capabilities.Principal{ID: id, Kind: capabilities.Seat, Seat: id, Scopes: scopes, Credential: "tok_" + id}
	}
	reader := seat("reader", "tracker:read")
	fillWithObjects(t, w, reader)

	all := w.ids(t, capabilities.OwnerPrincipal())
	callers := map[string]*capabilities.Principal{
		"a seat": seat("builder", "*"), "a token": {ID: "tok_other", Kind: capabilities.Operator, Credential: "tok_other", Scopes: []string{"*"}},
		"a person": {ID: "ada", Kind: capabilities.Person, Credential: "tok_ada", Scopes: []string{"*"}}, "nothing": seat("builder"), "the owner": capabilities.OwnerPrincipal(),
	}
	kinds := map[string]int{}
	for name, who := range callers {
		own := w.ids(t, who)
		var foreign []string
		for _, id := range all {
			if !slices.Contains(own, id) {
				foreign = append(foreign, id)
				kinds[id[:strings.IndexByte(id, '_')]]++
			}
		}
		asked := 0
		for c := range w.e.registry.All() {
			for _, e := range c.Examples() {
				if e.Refuses == capabilities.NotFound {
					asked += w.sameWords(t, name, who, c, e.In, foreign)
				}
			}
		}
		if asked < 10 {
			t.Errorf("%s: only %d arguments were tried", name, asked)
		}
	}
	for _, kind := range []string{"apr", "req", "grt", "tok"} {
		if kinds[kind] == 0 {
			t.Errorf("no foreign object is a %s: %v", kind, kinds)
		}
	}
}

// fillWithObjects makes objects that are the owner's, or the reader's, and nobody else's.
func fillWithObjects(t *testing.T, w *world, reader *capabilities.Principal) {
	t.Helper()
	invoke := func(p *capabilities.Principal, name, in string) (*capabilities.Result, *capabilities.Error) {
		res, err := w.e.door.Invoke(t.Context(), capabilities.Call{Name: name, Arguments: []byte(in), Principal: p})
		e, refused := capabilities.AsError(err)
		if err != nil && !refused {
			t.Fatal(err)
		}
		return res, e
	}
	owner := capabilities.OwnerPrincipal()
	if _, e := invoke(owner, "create_token", `{"name":"other","scopes":["*"]}`); e != nil {
		t.Fatal(e)
	}
	if _, e := invoke(reader, "list_projects", `{}`); e == nil || e.Approval == nil {
		t.Fatalf("the call of the reader is answered %v", e)
	}
	for _, decision := range []string{"", "grant"} {
		res, e := invoke(reader, "request_capability", `{"capability":"create_project","why":"it is needed"}`)
		if e != nil {
			t.Fatal(e)
		}
		var asked system.CapabilityRequestReceipt
		if err := json.Unmarshal(res.Structured, &asked); err != nil {
			t.Fatal(err)
		}
		if decision == "" {
			continue
		}
		if _, e := invoke(owner, "decide_capability_request", fmt.Sprintf(`{"id":%q,"decision":%q}`, asked.ID, decision)); e != nil {
			t.Fatal(e)
		}
	}
}

// ids answers the ids of every object that a principal is shown in some list.
func (w *world) ids(t *testing.T, p *capabilities.Principal) (ids []string) {
	t.Helper()
	for _, c := range w.e.views.View(p).Listed {
		if c.Writes() || !strings.HasPrefix(c.Name(), "list_") {
			continue
		}
		res, err := w.e.door.Invoke(t.Context(), capabilities.Call{Name: c.Name(), Principal: p})
		if err != nil {
			continue // it needs arguments
		}
		var v any
		if err := json.Unmarshal(res.Structured, &v); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, idsIn(v)...)
	}
	return ids
}

func idsIn(v any) (ids []string) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			ids = append(ids, idsIn(one)...)
		}
	case map[string]any:
		if id, ok := v["id"].(string); ok && anID.MatchString(id) {
			ids = append(ids, id)
		}
		for _, one := range v {
			ids = append(ids, idsIn(one)...)
		}
	}
	return ids
}

// sameWords sends a call with each id in place of the one that is missing, and answers how
// many arguments there were.
func (w *world) sameWords(t *testing.T, name string, who *capabilities.Principal, c *capabilities.Capability, example string, foreign []string) (asked int) {
	t.Helper()
	var arguments map[string]any
	if err := json.Unmarshal([]byte(example), &arguments); err != nil {
		t.Fatal(err)
	}
	for key, missing := range arguments {
		id, ok := missing.(string)
		if !ok {
			continue
		}
		want := w.refusalOf(t, who, c, arguments, key, id)
		if strings.Contains(w.refusalOf(t, who, c, arguments, key, "apr_zzzzzzzzzzzzzzzzzzzzzzzzzz"), "Pointer:/"+key+" ") {
			continue // it takes no ids
		}
		asked++
		tried := foreign
		if anID.MatchString(id) {
			tried = append(malformed(), foreign...)
		}
		for _, other := range tried {
			if got := w.refusalOf(t, who, c, arguments, key, other); got != want {
				t.Errorf("%s: %s with %s %q is answered\n%s\nand with one that is missing\n%s", name, c.Name(), key, other, got, want)
			}
		}
	}
	return asked
}

func (w *world) refusalOf(t *testing.T, who *capabilities.Principal, c *capabilities.Capability, arguments map[string]any, key, id string) string {
	t.Helper()
	sent := maps.Clone(arguments)
	sent[key] = id
	in, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.e.door.Invoke(context.WithoutCancel(t.Context()), capabilities.Call{Name: c.Name(), Arguments: in, Principal: who})
	e, refused := capabilities.AsError(err)
	if !refused {
		return ""
	}
	return sentence(e, id)
}
