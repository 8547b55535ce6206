package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func TestAnOptionalKeyIsLeftOutWhole(t *testing.T) {
	type outcome struct {
		Values     map[string]string
		Unresolved []string
	}
	const seats = "seats: [{id: s, mcp_env: {a: {KEY: \"${SEAT}\"}}}]\n"
	for name, c := range map[string]struct {
		in   string
		env  map[string]string
		want outcome
	}{
		"not set":                    {"- {name: a, command: x, env: {KEY: \"${X}\", B: b}, optional_keys: [KEY]}\n", nil, outcome{Values: map[string]string{"B": "b"}}},
		"empty":                      {"- {name: a, command: x, env: {KEY: \"${X}\"}, optional_keys: [KEY]}\n", map[string]string{"X": ""}, outcome{Values: map[string]string{}}},
		"set":                        {"- {name: a, command: x, env: {KEY: \"${X}\"}, optional_keys: [KEY]}\n", map[string]string{"X": "x"}, outcome{Values: map[string]string{"KEY": "x"}}},
		"half of it":                 {"- {name: a, command: x, env: {KEY: \"${X}:${Y}\"}, optional_keys: [KEY]}\n", map[string]string{"X": "x"}, outcome{Values: map[string]string{}}},
		"another key is needed":      {"- {name: a, command: x, env: {KEY: \"${X}\", B: \"${X}\"}, optional_keys: [KEY]}\n", nil, outcome{map[string]string{}, []string{"env.B: the variable X is not set" + remedy("X")}}},
		"another case of a header":   {"- {name: a, url: http://h, headers: {X-Key: \"${X}\", B: b}, optional_keys: [x-KEY]}\n", nil, outcome{Values: map[string]string{"B": "b"}}},
		"another case of a variable": {"- {name: a, command: x, env: {key: \"${X}\", KEY: \"${Y}\"}, optional_keys: [KEY]}\n", nil, outcome{map[string]string{}, []string{"env.key: the variable X is not set" + remedy("X")}}},
		// The seat's value replaces the entry's before it is resolved: left out, it does not hand back whom the entry names.
		"a seat's":               {"- {name: a, command: x, shared: false, env: {KEY: of-the-entry}, optional_keys: [KEY]}\n" + seats, nil, outcome{Values: map[string]string{}}},
		"a seat's, not optional": {"- {name: a, command: x, shared: false, env: {B: \"${Y}\"}, optional_keys: [B]}\n" + seats, nil, outcome{map[string]string{}, []string{"seats[0].mcp_env.a.KEY: the variable SEAT is not set" + remedy("SEAT")}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustLoad(t, "mcp_servers:\n"+c.in, c.env).Instances()[0]
			values := s.Env
			if s.URL != "" {
				values = s.Headers
			}
			if diff := cmp.Diff(c.want, outcome{values, s.Unresolved}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// One that leaves nothing out is most likely misspelt, and the key that was meant would hold the server back.
func TestAnOptionalKeyThatLeavesNothingOut(t *testing.T) {
	for name, c := range map[string]struct{ in, says string }{
		"no such key":               {"{name: a, command: x, env: {B: \"${X}\"}, optional_keys: [KEY]}", "nothing under env has this key"},
		"no such header":            {"{name: a, url: http://h, optional_keys: [KEY]}", "nothing under headers has this key"},
		"nothing to resolve":        {"{name: a, command: x, env: {KEY: literal}, optional_keys: [KEY]}", "no value of KEY holds a variable"},
		"only a doubled dollar":     {"{name: a, command: x, env: {KEY: \"$${X}\"}, optional_keys: [KEY]}", "no value of KEY holds a variable"},
		"a variable's name":         {"{name: a, command: x, env: {B: \"${KEY}\"}, optional_keys: [KEY]}", "KEY is the name of a variable; name the key that holds it: B"},
		"the url":                   {"{name: a, url: \"http://${HOST}\", optional_keys: [url]}", "the url cannot be left out"},
		"a variable of the url":     {"{name: a, url: \"http://${HOST}\", optional_keys: [HOST]}", "the url cannot be left out"},
		"another case of a key":     {"{name: a, command: x, env: {key: \"${X}\"}, optional_keys: [KEY]}", "nothing under env has this key"},
		"the key of another server": {"{name: a, command: x, optional_keys: [KEY]}\n- {name: b, command: x, env: {KEY: \"${X}\"}}", "nothing under env has this key"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := load(t, "mcp_servers:\n- "+c.in+"\n", nil)
			got := faults(t, err)
			if cfg != nil || len(got) != 1 {
				t.Fatalf("got %v, want one fault and no config", err)
			}
			if f := got[0]; f.Line != 2 || f.Path != "mcp_servers[0].optional_keys[0]" || !strings.Contains(f.Message, c.says) {
				t.Errorf("got %v, want line 2, mcp_servers[0].optional_keys[0], saying %q", f, c.says)
			}
		})
	}
	_, err := load(t, "mcp_servers: [{name: a, url: http://h, headers: {A: \"${X}\"}, optional_keys: [A, a]}]\n", nil)
	if got := faults(t, err); len(got) != 1 || got[0].Path != "mcp_servers[0].optional_keys[1]" || !strings.Contains(got[0].Message, "A is the same header") {
		t.Errorf("two spellings of a header: got %v", err)
	}
	// In a client's own file it costs that server alone.
	c, err := loadClient(t, `{"mcpServers": {"a": {"command": "x", "optional_keys": ["KEY"]}, "b": {"command": "y"}}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]int{}
	for _, s := range c.Instances() {
		held[s.Name] = len(s.Unresolved)
	}
	if want := map[string]int{"a": 1, "b": 0}; !maps.Equal(held, want) {
		t.Errorf("reasons to hold back: %v, want %v", held, want)
	}
}

// A unit's block counts, whether or not a seat is there for it yet.
func TestAnOptionalKeyOfAUnit(t *testing.T) {
	c := mustLoad(t, `
units: [{id: u, mcp_env: {a: {KEY: "${X}"}}}]
mcp_servers: [{name: a, command: x, shared: false, optional_keys: [KEY]}]
`, nil)
	if len(c.Instances()) != 0 {
		t.Errorf("instances: %v, want none", c.Instances())
	}
}

func TestEmptyStringsAndWrittenOutCredentialsAreNoticed(t *testing.T) {
	c := mustLoad(t, `
seats: [{id: s, mcp_env: {t: {SECRET: hunter2}}}]
mcp_servers:
- {name: t, command: x, shared: false, env: {A: "", API_KEY: hunter2, OPENAI-KEY: "${X}", TOKEN_FILE: /run/t, MAX_TOKENS: 500, USE_TOKEN: true, PLAIN: hunter2}}
- {name: w, url: "http://h", headers: {Authorization: "Bearer hunter2"}}
`, nil)
	var got []string
	for _, n := range c.Notices {
		got = append(got, n.Text)
		if strings.Contains(n.String(), "hunter2") {
			t.Errorf("a notice quotes a value: %v", n)
		}
	}
	want := []string{
		`mcp_env for the server "t": seats[0].mcp_env.t.SECRET looks like a credential and is written out; put it in a variable and write ${NAME}`,
		`server "t": env.A is an empty string`,
		`server "t": env.API_KEY looks like a credential and is written out; put it in a variable and write ${NAME}`,
		`server "w": headers.Authorization looks like a credential and is written out; put it in a variable and write ${NAME}`,
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if c, err := loadClient(t, `{"mcpServers": {"a": {"command": "x", "env": {"TOKEN": "hunter2"}}}}`, nil); err != nil || len(c.Notices) != 0 {
		t.Errorf("a client's own file: %v, %v, want no notice: it is how that client wants it", c.Notices, err)
	}
}

func TestDrift(t *testing.T) {
	c := mustLoad(t, "mcp_servers: [{name: a, command: x}, {name: b, command: x, drift: hold}, {name: c, command: x, drift: warn}]\n", nil)
	var got []config.Drift
	for _, s := range c.Instances() {
		got = append(got, s.Drift)
	}
	if want := []config.Drift{config.DriftWarn, config.DriftHold, config.DriftWarn}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSecretsThatAreTooShortToBeMaskedAreNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "holotype.yaml")
	text := `seats: [{id: s, mcp_env: {t: {B: "${SHORT_PIN}"}}}, {id: u, mcp_env: {t: {B: "${SHORT_PIN}"}}}]
mcp_servers:
- {name: a, command: x, env: {A: "${SHORT_PIN} ${LONG_PIN}", B: "${SHORT_PIN}", C: "${API_KEY} ${REGION}", D: "${GONE_TOKEN}"}}
- {name: t, command: x, shared: false}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	of := func(values map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) {
			v, ok := values[name]
			return v, ok
		}
	}
	c, err := config.Load(config.Options{
		Path:    path,
		Secrets: of(map[string]string{"SHORT_PIN": "4711", "LONG_PIN": "12345678"}),
		Lookup:  of(map[string]string{"API_KEY": "abc", "REGION": "eu", "SHORT_PIN": "not asked for"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range c.Notices {
		got = append(got, strings.TrimPrefix(n.String(), path+":"))
		if strings.Contains(n.Text, "4711") || strings.Contains(n.Text, "abc") {
			t.Errorf("%s: it quotes a value", n)
		}
	}
	const words = " has fewer than 8 bytes, and so short a one is not masked in results, logs and status; use a longer one"
	want := []string{
		`3: server "a": env.A: the value of ${SHORT_PIN}` + words,
		`3: server "a": env.C: the value of ${API_KEY}` + words,
		`4: server "t": seats[0].mcp_env.t.B: the value of ${SHORT_PIN}` + words,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
