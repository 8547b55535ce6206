package holotype_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

type deps struct{ word string }

var pack = capabilities.NewPack[deps](capabilities.PackInfo{Name: "echo", Title: "Echo", Summary: "Say words."})

type sayInput struct {
	Word string `json:"word,omitempty" jsonschema:"maxLength=10" jsonschema_description:"A word."`
}

type sayOutput struct {
	Word string `json:"word" jsonschema_description:"The word."`
}

var busy = pack.Code("busy", capabilities.Conflict, "somebody speaks", "wait")

var say = capabilities.Declare(pack, capabilities.Spec{
	Name: "say", Title: "Say", Summary: "Say a word.", Effect: capabilities.Read(capabilities.Local), Route: "GET /words",
	Refuses: capabilities.Codes{busy},
	Examples: []capabilities.Example{
		{Name: "a word", In: `{"word":"hello"}`},
		{Name: "too long", In: `{"word":"12345678901"}`, Refuses: capabilities.Invalid},
		{Name: "busy", In: `{"word":"busy"}`, Refuses: busy},
	},
}, func(_ context.Context, d deps, in sayInput) (sayOutput, error) {
	switch in.Word {
	case "busy":
		return sayOutput{}, &capabilities.Error{Code: busy, Message: "somebody speaks", RetryAfter: 1e9}
	case "":
		return sayOutput{d.word}, nil
	}
	return sayOutput(in), nil
})

// quiet completes options for a test: in memory, without the machine's environment.
func quiet(o holotype.Options) holotype.Options {
	if o.Data == "" {
		o.Data = holotype.InMemory
	}
	if o.Packs == nil {
		o.Packs = []capabilities.Bound{pack.Bind(deps{"silence"})}
	}
	if o.Lookup == nil {
		o.Lookup = func(string) (string, bool) { return "", false }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func serve(t *testing.T, o holotype.Options) *holotype.Server {
	t.Helper()
	s := holotype.New(quiet(o))
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestOptionsThatAreWrong(t *testing.T) {
	for name, c := range map[string]struct {
		options holotype.Options
		want    string
	}{
		"a name with a slash":    {holotype.Options{Name: "../x"}, `the option Name is "../x"`},
		"a path without a slash": {holotype.Options{BasePath: "tools"}, `the base path "tools" is not of the form`},
		"a path with an end":     {holotype.Options{BasePath: "/tools/"}, `the base path "/tools/"`},
		"a path to escape":       {holotype.Options{BasePath: "/my tools"}, `the base path "/my tools"`},
		"the root by a slash":    {holotype.Options{BasePath: "/"}, `the base path "/"`},
		"a path with dots":       {holotype.Options{BasePath: "/a/../b"}, `the base path "/a/../b"`},
		"no such native pack":    {holotype.Options{NativePacks: []string{"weather"}}, `names "weather", and the native packs are ["system" "tracker"]`},
		"a native pack twice":    {holotype.Options{NativePacks: []string{"system", "system"}}, `names "system" twice`},
		"no pack":                {holotype.Options{Packs: []capabilities.Bound{nil}}, "the option Packs holds nil at 0"},
		"no interceptor":         {holotype.Options{Interceptors: []capabilities.Interceptor{{Name: "x"}}}, `without Wrap at 0 ("x")`},
		"a host that is none":    {holotype.Options{Hosts: []string{"https://shelf.example"}}, `host "https://shelf.example"`},
		"an origin that is none": {holotype.Options{Origins: []string{"shelf.example"}}, `origin "shelf.example"`},
		"a pack twice":           {holotype.Options{Packs: []capabilities.Bound{pack.Bind(deps{}), pack.Bind(deps{})}}, "two packs have this name"},
		"no dependencies": {
			holotype.Options{Packs: []capabilities.Bound{pack.BindLater(func() (deps, error) { return deps{}, errors.New("no such database") })}},
			"the dependencies of the pack could not be opened: no such database",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.options)
			_, err := s.Handler()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Handler answers %v, want %q", err, c.want)
			}
			if _, again := s.Client(nil).Tools(t.Context()); again == nil || again.Error() != err.Error() {
				t.Errorf("a client says something else: %v", again)
			}
		})
	}
}

func TestGeneratorsOpenNoDependencies(t *testing.T) {
	opened := 0
	s := serve(t, holotype.Options{Name: "x", Packs: []capabilities.Bound{pack.BindLater(func() (deps, error) {
		opened++
		return deps{"late"}, nil
	})}})
	if _, err := s.Generate(); err != nil || opened != 0 {
		t.Errorf("generating opened %d dependencies, %v", opened, err)
	}
	for range 2 {
		out, err := say.Call(t.Context(), s, capabilities.OwnerPrincipal(), sayInput{})
		if err != nil || out.Word != "late" || opened != 1 {
			t.Errorf("opened %d times, said %+v, %v", opened, out, err)
		}
		if err := s.Close(); err != nil { // the next use starts anew, with the same dependencies
			t.Fatal(err)
		}
	}
}

func TestNativePacksAreChosen(t *testing.T) {
	for name, c := range map[string]struct {
		native []string
		want   bool
	}{"all": {nil, true}, "named": {holotype.NativePacks(), true}, "none": {[]string{}, false}} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, holotype.Options{NativePacks: c.native})
			tools, err := s.Client(capabilities.OwnerPrincipal()).Tools(t.Context())
			native := slices.ContainsFunc(tools, func(x holotype.Tool) bool { return x.Name == system.ListTools.Name() })
			if err != nil || native != c.want || !native && len(tools) != 1 {
				t.Errorf("%d tools, list_tools among them: %v, want %v; %v", len(tools), native, c.want, err)
			}
			set, err := s.Generate()
			if err != nil {
				t.Fatal(err)
			}
			if _, has := set.Files["docs/reference/packs/system.md"]; has != c.want {
				t.Errorf("the reference has the system pack: %v", has)
			}
		})
	}
}

// Two programs of one user do not meet in one data directory.
func TestDataIsTheProgramsOwn(t *testing.T) {
	home := t.TempDir()
	o := quiet(holotype.Options{Name: "echo-program"})
	o.Data = ""
	o.Lookup = func(name string) (string, bool) {
		return map[string]string{"XDG_DATA_HOME": home}[name], name == "XDG_DATA_HOME"
	}
	s := holotype.New(o)
	token, err := s.OwnerToken()
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(filepath.Join(home, "echo-program", "owner.token")); err != nil || string(kept) != token {
		t.Errorf("the file holds another token than the server: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestInMemoryTouchesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	o := quiet(holotype.Options{})
	o.Lookup = func(name string) (string, bool) {
		t.Errorf("the environment is asked for %s", name)
		return "", false
	}
	one, two := holotype.New(o), holotype.New(o)
	first, err := one.OwnerToken()
	if err != nil {
		t.Fatal(err)
	}
	second, err := two.OwnerToken() // at the same time
	if err != nil || first == second {
		t.Errorf("two servers have one token: %v", err)
	}
	if err := errors.Join(one.Close(), two.Close(), two.Close()); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
		t.Errorf("left %v, %v", files, err)
	}
}

func TestAuthenticate(t *testing.T) {
	reader := &capabilities.Principal{ID: "r", Kind: capabilities.Person, Scopes: []string{"echo:read"}}
	s := serve(t, holotype.Options{Authenticate: func(r *http.Request) (*capabilities.Principal, error) {
		switch r.Header.Get("X-Account") {
		case "reader":
			return reader, nil
		case "broken":
			return nil, errors.New("the accounts are on fire")
		case "locked":
			return nil, capabilities.Refuse(capabilities.Forbidden, "this account is locked")
		}
		return nil, nil
	}})
	handler, err := s.Handler()
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.OwnerToken()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		account, token string
		status         int
	}{
		{"reader", "", 200}, {"", token, 200}, {"reader", token, 200}, {"", "", 401}, {"", "guess", 401}, {"locked", token, 403}, {"broken", token, 500},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/api/v1/words", nil)
		r.Header.Set("X-Account", c.account)
		if c.token != "" {
			r.Header.Set("Authorization", "Bearer "+c.token)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != c.status || strings.Contains(w.Body.String(), "fire") {
			t.Errorf("account %q with a token %t: %d, want %d: %s", c.account, c.token != "", w.Code, c.status, w.Body)
		}
	}
}

// auth: none trusts who is on this machine, wherever the handler is mounted.
func TestAuthNoneIsForTheLoopback(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holotype.yaml")
	if err := os.WriteFile(path, []byte("auth: none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	handler, err := serve(t, holotype.Options{Config: path}).Handler()
	if err != nil {
		t.Fatal(err)
	}
	for from, status := range map[string]int{"127.0.0.1:5": 200, "[::1]:5": 200, "[::ffff:127.0.0.1]:5": 200, "192.0.2.1:5": 401, "": 401} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/api/v1/words", nil)
		r.RemoteAddr = from
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("from %q: %d, want %d", from, w.Code, status)
		}
	}
}

func TestClientReadsRefusals(t *testing.T) {
	s := serve(t, holotype.Options{})
	owner := s.Client(capabilities.OwnerPrincipal())
	_, err := owner.Call(t.Context(), "say", json.RawMessage(`{"word":"busy"}`))
	e, ok := capabilities.AsError(err)
	if !ok || e.Code != busy || e.Info().Status != http.StatusConflict || e.RetryAfter != 1e9 || e.Message != "somebody speaks" {
		t.Errorf("got %#v", err)
	}
	_, err = owner.Call(t.Context(), "say", json.RawMessage(`{"word":1,"loud":true}`))
	if e, ok = capabilities.AsError(err); !ok {
		t.Fatalf("got %v", err)
	}
	_, err = s.Invoke(t.Context(), capabilities.Call{Name: "say", Arguments: []byte(`{"word":1,"loud":true}`), Principal: capabilities.OwnerPrincipal()})
	direct, ok := capabilities.AsError(err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff(direct.Violations, e.Violations); diff != "" || len(e.Violations) != 2 {
		t.Errorf("the wire changes the violations:\n%s", diff)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := owner.Call(stopped, "say", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was stopped before it began: %v", err)
	}
	if res, err := owner.Call(t.Context(), "say", json.RawMessage("{\n\"word\": \"a<b\"\n}")); err != nil || string(res.Structured) != `{"word":"a<b"}` || len(res.Blocks) != 1 {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestExamplesThatLie(t *testing.T) {
	liars := capabilities.NewPack[deps](capabilities.PackInfo{Name: "liars", Title: "Liars", Summary: "Lie."})
	refuse := func(code capabilities.Code) func(context.Context, deps, sayInput) (sayOutput, error) {
		return func(context.Context, deps, sayInput) (sayOutput, error) {
			return sayOutput{}, capabilities.Refuse(code, "no")
		}
	}
	spec := func(name string, ex capabilities.Example) capabilities.Spec {
		return capabilities.Spec{
			Name: name, Title: name, Summary: "Lie.", Effect: capabilities.Read(capabilities.Local), Route: "GET /" + name,
			Refuses: capabilities.Codes{capabilities.NotFound}, Examples: []capabilities.Example{ex},
		}
	}
	capabilities.Declare(liars, spec("refused", capabilities.Example{Name: "fine", In: `{}`}), refuse(capabilities.NotFound))
	capabilities.Declare(liars, spec("other", capabilities.Example{Name: "absent", In: `{}`, Refuses: capabilities.NotFound}), refuse(capabilities.Invalid))
	capabilities.Declare(liars, spec("answers", capabilities.Example{Name: "absent", In: `{}`, Refuses: capabilities.NotFound}),
		func(context.Context, deps, sayInput) (sayOutput, error) { return sayOutput{"yes"}, nil })

	if err := serve(t, holotype.Options{}).RunExamples(t.Context(), capabilities.OwnerPrincipal()); err != nil {
		t.Errorf("examples that are true: %v", err)
	}
	err := serve(t, holotype.Options{Packs: []capabilities.Bound{liars.Bind(deps{})}}).RunExamples(t.Context(), capabilities.OwnerPrincipal())
	for _, want := range []string{
		`example "fine" of refused: it is refused with not_found`, `example "absent" of other: it is refused with invalid`,
		`example "absent" of answers: it is answered`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing from: %v", want, err)
		}
	}
}
