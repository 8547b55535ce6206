package config_test

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/config"
)

const office = `
people:
  - {id: ada, name: Ada L., accounts: {github: ada-l}, withheld: true}
units:
  - {id: works}
  - id: web
    name: The web
    parent: works
    lead: web.lead
    project: WEB
    space: notes
    mcp_env:
      tracker: {TRACKER_URL: "${URL}", SHARED: of-the-unit, BOTH: of-the-unit}
      remote: {Authorization: "Bearer ${WEB}"}
seats:
  - {id: web.lead, unit: web, holder: ada, scopes: ["*"]}
  - id: builder
    name: Builder
    unit: web
    scopes: [tracker:write, "*:read"]
    mcp_env: {tracker: {TOKEN: "${BUILDER}", BOTH: of-the-seat}}
  - {id: tester, unit: web}
  - {id: guest, mcp_env: {remote: {authorization: "Bearer ${GUEST}"}, bare: {}}}
mcp_servers:
  - {name: all, command: x}
  - {name: tracker, command: y, shared: false, env: {TOKEN: "${NOBODY}", BASE: base, BOTH: of-the-entry}}
  - {name: remote, url: "https://h/mcp", shared: false, headers: {Authorization: none, X-Base: "1"}}
  - {name: bare, command: z, shared: false}
  - {name: idle, command: w, shared: false}
`

// instance is what differs between the instances of a server.
type instance struct {
	Name, Seat   string
	Shared       bool
	Env, Headers map[string]string
	Secrets      map[string]string
	Unresolved   []string
}

func instancesOf(servers []config.Server) []instance {
	var out []instance
	for _, s := range servers {
		out = append(out, instance{s.Name, s.Seat, s.Shared, s.Env, s.Headers, s.Secrets, s.Unresolved})
	}
	return out
}

func TestInstances(t *testing.T) {
	c := mustLoad(t, office, map[string]string{"URL": "https://t", "WEB": "w", "BUILDER": "b", "GUEST": "g"})
	want := []instance{
		{Name: "all", Shared: true},
		{
			Name: "tracker", Seat: "builder", Secrets: map[string]string{"BUILDER": "b", "URL": "https://t"},
			Env: map[string]string{"TOKEN": "b", "BASE": "base", "BOTH": "of-the-seat", "TRACKER_URL": "https://t", "SHARED": "of-the-unit"},
		},
		{
			Name: "tracker", Seat: "tester", Secrets: map[string]string{"URL": "https://t"},
			Env:        map[string]string{"BASE": "base", "BOTH": "of-the-unit", "TRACKER_URL": "https://t", "SHARED": "of-the-unit"},
			Unresolved: []string{"env.TOKEN: the variable NOBODY is not set" + remedy("NOBODY")},
		},
		{Name: "remote", Seat: "builder", Headers: map[string]string{"Authorization": "Bearer w", "X-Base": "1"}, Secrets: map[string]string{"WEB": "w"}},
		{Name: "remote", Seat: "tester", Headers: map[string]string{"Authorization": "Bearer w", "X-Base": "1"}, Secrets: map[string]string{"WEB": "w"}},
		// One header in any case: the seat's spelling is sent alone.
		{Name: "remote", Seat: "guest", Headers: map[string]string{"authorization": "Bearer g", "X-Base": "1"}, Secrets: map[string]string{"GUEST": "g"}},
		{Name: "bare", Seat: "guest"},
	}
	if diff := cmp.Diff(want, instancesOf(c.Instances())); diff != "" {
		t.Errorf("instances (-want +got)\n%s", diff)
	}

	templates := []config.Template{
		{Name: "tracker", Seats: []string{"builder", "tester"}},
		{Name: "remote", Seats: []string{"builder", "tester", "guest"}},
		{Name: "bare", Seats: []string{"guest"}},
		{Name: "idle", NotStarted: "shared is false, and no seat declares mcp_env for it; declare it for a seat or its unit, or remove shared: false"},
	}
	if diff := cmp.Diff(templates, c.Templates()); diff != "" {
		t.Errorf("templates (-want +got)\n%s", diff)
	}
	// A template itself must never be started as somebody.
	for _, s := range c.Servers {
		if !s.Shared && len(s.Unresolved) != 1 {
			t.Errorf("the template %s: reasons not to start it: %q", s.Name, s.Unresolved)
		}
	}

	people := []config.Person{{ID: "ada", Name: "Ada L.", Accounts: map[string]string{"github": "ada-l"}, Withheld: true, Line: 3}}
	units := []config.Unit{{ID: "works", Name: "works", Line: 5}, {ID: "web", Name: "The web", Parent: "works", Lead: "web.lead", Project: "WEB", Space: "notes", Line: 6}}
	seats := []config.Seat{
		{ID: "web.lead", Name: "web.lead", Unit: "web", Holder: "ada", Scopes: []string{"*"}, Line: 16},
		{ID: "builder", Name: "Builder", Unit: "web", Scopes: []string{"tracker:write", "*:read"}, Line: 17},
		{ID: "tester", Name: "tester", Unit: "web", Line: 22},
		{ID: "guest", Name: "guest", Line: 23},
	}
	if diff := cmp.Diff([]any{people, units, seats}, []any{c.People, c.Units, c.Seats}); diff != "" {
		t.Errorf("people, units and seats (-want +got)\n%s", diff)
	}
}

// A unit's block is for its own seats that nobody holds, and for nobody below or above.
func TestOnlyDirectSeatsInherit(t *testing.T) {
	c := mustLoad(t, `
people: [{id: p}]
units:
  - {id: top, mcp_env: {t: {A: "1"}}}
  - {id: below, parent: top}
seats:
  - {id: in-top, unit: top}
  - {id: in-below, unit: below}
  - {id: held, unit: top, holder: p}
  - {id: alone}
mcp_servers: [{name: t, command: x, shared: false}]
`, nil)
	if got := c.Templates()[0].Seats; !slices.Equal(got, []string{"in-top"}) {
		t.Errorf("seats with a child: %q, want in-top alone", got)
	}
}

func TestVariables(t *testing.T) {
	secrets := variables(map[string]string{"BUILDER": "from-the-secrets", "URL": "u"})
	c, err := config.Load(config.Options{
		Path: write(t, "c.yaml", office), Secrets: secrets, Program: "other",
		Lookup: variables(map[string]string{"BUILDER": "from-the-environment", "WEB": "w", "GUEST": ""}),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Variable{
		{Name: "BUILDER", Source: config.SourceSecrets, Resolved: true, Uses: []config.Use{{Server: "tracker", Seat: "builder", Field: "seats[1].mcp_env.tracker.TOKEN"}}},
		{Name: "GUEST", Source: config.SourceEnvironment, Uses: []config.Use{{Server: "remote", Seat: "guest", Field: "seats[3].mcp_env.remote.authorization"}}},
		{Name: "NOBODY", Uses: []config.Use{{Server: "tracker", Seat: "tester", Field: "env.TOKEN"}}},
		{Name: "URL", Source: config.SourceSecrets, Resolved: true, Uses: []config.Use{
			{Server: "tracker", Seat: "builder", Field: "units[1].mcp_env.tracker.TRACKER_URL"}, {Server: "tracker", Seat: "tester", Field: "units[1].mcp_env.tracker.TRACKER_URL"},
		}},
		{Name: "WEB", Source: config.SourceEnvironment, Resolved: true, Uses: []config.Use{
			{Server: "remote", Seat: "builder", Field: "units[1].mcp_env.remote.Authorization"}, {Server: "remote", Seat: "tester", Field: "units[1].mcp_env.remote.Authorization"},
		}},
	}
	if diff := cmp.Diff(want, c.Variables()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var said []string
	for _, s := range c.Instances() {
		if s.Env["TOKEN"] != "" && s.Env["TOKEN"] != "from-the-secrets" {
			t.Errorf("TOKEN = %q, want what the secrets say", s.Env["TOKEN"])
		}
		said = append(said, s.Unresolved...)
	}
	for _, part := range []string{"the variable NOBODY is not set; run `other secrets set NOBODY`, or set it in the environment", "the variable GUEST is empty; run `other secrets set GUEST`"} {
		if !strings.Contains(strings.Join(said, "\n"), part) {
			t.Errorf("nothing says %q: %q", part, said)
		}
	}
}

// What people, units, seats and servers say of each other is judged before anything is started, and every fault has its place.
func TestFaultsOfSeats(t *testing.T) {
	servers := "mcp_servers:\n- {name: own, command: x, shared: false}\n- {name: all, command: x}\n- {name: web, url: http://h, shared: false}\n"
	for name, c := range map[string]struct {
		in, path, says string
		line           int
	}{
		"mcp_env on a person":                 {"people:\n- id: a\n  mcp_env:\n    own: {T: x}\n", "people[0].mcp_env", "a person carries no credentials", 3},
		"mcp_env on a seat that is held":      {"people: [{id: a}]\nseats:\n- id: s\n  holder: a\n  mcp_env: {own: {}}\n", "seats[0].mcp_env", "held by a person", 5},
		"rules of a seat that are none":       {"seats:\n- {id: s, gate: {alow: [a]}}\n", "seats[0].gate.alow", "did you mean allow?", 2},
		"a person called as the owner is":     {"people:\n- {id: owner}\n", "people[0].id", "choose another id", 2},
		"a seat called as this server is":     {"seats:\n- name: s\n  id: system\n", "seats[0].id", "choose another id", 3},
		"no id":                               {"seats:\n- {name: s}\n", "seats[0]", "id is missing", 2},
		"an id that is none":                  {"units:\n- {id: The unit}\n", "units[0].id", "lower-case", 2},
		"a seat twice":                        {"seats:\n- {id: s}\n- {id: s}\n", "seats[1].id", "declared on line 2 already", 3},
		"a person twice":                      {"people:\n- {id: s}\n- {id: s}\n", "people[1].id", "declared on line 2 already", 3},
		"a unit twice":                        {"units:\n- {id: s}\n- {id: s}\n", "units[1].id", "declared on line 2 already", 3},
		"no such unit":                        {"units: [{id: works}]\nseats:\n- id: s\n  unit: work\n", "seats[0].unit", `there is no unit "work"; did you mean works?`, 4},
		"no unit at all":                      {"seats:\n- {id: s, unit: u}\n", "seats[0].unit", `there is no unit "u": none is declared`, 2},
		"no such holder":                      {"people: [{id: bob}]\nseats:\n- {id: s, holder: ada}\n", "seats[0].holder", `there is no person "ada"; known here: bob`, 3},
		"no such parent":                      {"units:\n- {id: u, parent: top}\n", "units[0].parent", `there is no unit "top"`, 2},
		"no such lead":                        {"units:\n- {id: u, lead: s}\n", "units[0].lead", `there is no seat "s"`, 2},
		"its own parent":                      {"units:\n- {id: u, parent: u}\n", "units[0].parent", "(u > u)", 2},
		"parents in a ring":                   {"units:\n- {id: x, parent: b}\n- {id: c, parent: b}\n- {id: b, parent: a}\n- {id: a, parent: c}\n", "units[1].parent", "(c > b > a > c)", 3},
		"no such server":                      {"seats:\n- id: s\n  mcp_env:\n    owm: {}\n", "seats[0].mcp_env.owm", `there is no server "owm"; did you mean own?`, 4},
		"a shared server":                     {"seats:\n- id: s\n  mcp_env:\n    all: {}\n", "seats[0].mcp_env.all", "is shared: one child serves everybody", 4},
		"a shared server, for a unit":         {"units:\n- {id: u, mcp_env: {all: {}}}\n", "units[0].mcp_env.all", "is shared", 2},
		"a block that says nothing":           {"seats:\n- {id: s, mcp_env: {own: }}\n", "seats[0].mcp_env.own", "must be an object, not nothing", 2},
		"a variable's look-alike":             {"seats:\n- {id: s, mcp_env: {own: {T: $TOKEN}}}\n", "seats[0].mcp_env.own.T", "write ${NAME}", 2},
		"the same, of a unit without seats":   {"units:\n- {id: u, mcp_env: {own: {T: \"${env:TOKEN}\"}}}\n", "units[0].mcp_env.own.T", "write ${TOKEN}", 2},
		"a default":                           {"seats:\n- {id: s, mcp_env: {own: {T: \"${TOKEN:-x}\"}}}\n", "seats[0].mcp_env.own.T", "takes no default", 2},
		"a variable of another system":        {"seats:\n- {id: s, mcp_env: {own: {T: \"%TOKEN%\"}}}\n", "seats[0].mcp_env.own.T", "%NAME%", 2},
		"a header that is none":               {"seats:\n- {id: s, mcp_env: {web: {\"a b\": x}}}\n", `seats[0].mcp_env.web["a b"]`, "name of an HTTP header", 2},
		"a header of ours":                    {"seats:\n- {id: s, mcp_env: {web: {Host: x}}}\n", "seats[0].mcp_env.web.Host", "cannot be configured", 2},
		"a header with a line break":          {"seats:\n- {id: s, mcp_env: {web: {A: \"b\\r\\nC: d\"}}}\n", "seats[0].mcp_env.web.A", "line break", 2},
		"two spellings of a header":           {"seats:\n- {id: s, mcp_env: {web: {a: x, A: y}}}\n", "seats[0].mcp_env.web.A", "a is the same header", 2},
		"two spellings, of a unit and a seat": {"units: [{id: u, mcp_env: {web: {X-a: x}}}]\nseats:\n- {id: s, unit: u, mcp_env: {web: {x-A: y}}}\n", "seats[0].mcp_env.web.x-A", "X-a of the seat's unit is the same header", 3},
		"a scope without a verb":              {"seats:\n- {id: s, scopes: [system]}\n", "seats[0].scopes[0]", "must be a scope", 2},
		"a scope with a pattern":              {"seats:\n- {id: s, scopes: [\"*:read\", \"*:*\"]}\n", "seats[0].scopes[1]", "write *", 2},
		"a scope twice":                       {"seats:\n- {id: s, scopes: [admin, admin]}\n", "seats[0].scopes[1]", "in the list already", 2},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := load(t, c.in+servers, nil)
			got := faults(t, err)
			if cfg != nil || len(got) != 1 {
				t.Fatalf("got %v, want one fault and no config", err)
			}
			if f := got[0]; f.Line != c.line || f.Path != c.path || !strings.Contains(f.Message, c.says) || filepath.Base(f.File) != "holotype.yaml" {
				t.Errorf("got %v, want line %d, path %q, saying %q", f, c.line, c.path, c.says)
			}
		})
	}
}

// What one value does wrong is said once, however many instances it is in.
func TestAFaultOfATemplateIsSaidOnce(t *testing.T) {
	_, err := load(t, `
units: [{id: u, mcp_env: {t: {A: $X}}}]
seats: [{id: a, unit: u}, {id: b, unit: u}]
mcp_servers: [{name: t, command: x, shared: false, env: {B: $Y}}]
`, nil)
	if got := faults(t, err); len(got) != 2 || got[0].Line != 2 || got[1].Line != 4 {
		t.Errorf("got %v, want a fault on line 2 and one on line 4", err)
	}
}

// A unit's block counts for each of its seats, so that a small file can ask for more than it looks.
func TestWhatSeatsAskForIsBounded(t *testing.T) {
	for name, c := range map[string]struct{ seats, servers, values int }{"children": {200, 60, 1}, "values": {500, 1, 300}} {
		var in strings.Builder
		in.WriteString("units: [{id: u, mcp_env: {")
		for i := range c.servers {
			in.WriteString("s" + strconv.Itoa(i) + ": {")
			for k := range c.values {
				in.WriteString("K" + strconv.Itoa(k) + ": v, ")
			}
			in.WriteString("}, ")
		}
		in.WriteString("}}]\nmcp_servers: [")
		for i := range c.servers {
			in.WriteString("{name: s" + strconv.Itoa(i) + ", command: x, shared: false}, ")
		}
		in.WriteString("]\nseats:\n")
		for i := range c.seats {
			in.WriteString("- {id: s" + strconv.Itoa(i) + ", unit: u}\n")
		}
		_, err := load(t, in.String(), nil)
		if got := faults(t, err); len(got) != 1 || !strings.Contains(got[0].Message, "ask for more than") {
			t.Errorf("%s: got %v, want one fault", name, err)
		}
	}
}

func TestWhatNoPackUsesIsNoticedOnce(t *testing.T) {
	c := mustLoad(t, `people:
- {id: a, withheld: false}
- {id: b, accounts: {forge: b}, withheld: true}
- {id: c, accounts: {forge: c}}
units:
- {id: u, project: P}
- {id: v, project: Q, space: S}
`, nil)
	var got []string
	for _, n := range c.Notices {
		got = append(got, strings.TrimPrefix(n.String(), c.File+":"))
	}
	const words = " is checked, and not used by any pack yet"
	want := []string{"3: people[1].accounts" + words, "3: people[1].withheld" + words, "6: units[0].project" + words, "7: units[1].space" + words}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
