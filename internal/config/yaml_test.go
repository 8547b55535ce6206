package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// canary is the value of every variable that is set; it must come out in the values of servers alone.
const canary = "canary-7f3a"

func fuzzLookup(name string) (string, bool) {
	switch {
	case strings.HasPrefix(name, "U"):
		return "", false
	case strings.HasPrefix(name, "E"):
		return "", true
	}
	return canary, true
}

// FuzzYAML: any YAML gives a configuration or a fault, within bounds. What runs can be reached or is held back, acts for one seat that nobody
// holds or for none, and no value of a variable gets into what is said or shown.
func FuzzYAML(f *testing.F) {
	for _, s := range []string{
		"a: 1", "- a", "&a [*a]", "a: &b {c: 1}\nd: *b\n", "? [x]\n: y", "mcp_servers:\n- {name: a, command: x, env: {A: \"${B}\"}}\n",
		"mcp_servers:\n  a: {url: http://h, type: sse, tools: [x]}\n", "!!binary x", "<<: {a: 1}", "a: |\n  x\n", "---\n---\n", "mcp_servers: {a: {command: x, disabled: true}}",
		"mcp_servers: [{name: a, command: x, shared: false, env: {A: \"${B}\"}, optional_keys: [A], drift: hold}]\nseats: [{id: s, mcp_env: {a: {A: \"${UX}\"}}, scopes: [admin]}]\n",
		"mcp_servers: [{name: a, url: \"http://${B}/${B}\", shared: false, headers: {A: \"Bearer ${B}\"}, optional_keys: [a]}]\nunits: [{id: u, lead: s, mcp_env: {a: {A: \"${EX}\"}}}, {id: v, parent: u}]\nseats: [{id: s, unit: u}]\n",
		"people: [{id: p, accounts: {a: b}, withheld: true, mcp_env: {}}]\nseats: [{id: s, holder: p, mcp_env: {a: {}}, gate: {}}, {id: s}]\nunits: [{id: a, parent: b}, {id: b, parent: a}]\n",
		"mcp_servers: {a: {command: x, envFile: e, args: [\"${B}\", \"--token=t\"], cwd: c, tool_annotations: {t: {read_only: unknown}}, allow: [t], deny: []}}\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if strings.Contains(string(data), canary) {
			return
		}
		l := newLoading(Options{Path: "f", Lookup: fuzzLookup})
		l.own.dir = "/"
		root := parseYAML(l.own, data)
		l.takeOwn(root)
		if root != nil && len(l.own.faults) == 0 && root.kind != kindObject && root.kind != kindNull {
			t.Errorf("%q passes", data)
		}
		c, err := l.finish()
		if (c == nil) == (err == nil) {
			t.Fatalf("%q: configuration %v, error %v", data, c, err)
		}
		if err != nil {
			said(t, data, err.Error())
			for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
				if fault, ok := errors.AsType[Fault](e); !ok || fault.Message == "" || fault.Line < 0 {
					t.Errorf("%q: a fault without words or place: %#v", data, e)
				}
			}
			return
		}
		runs := map[[2]string]bool{}
		for _, s := range c.Instances() {
			sound(t, data, c, s)
			if runs[[2]string{s.Name, s.Seat}] {
				t.Errorf("%q: two instances of %q for the seat %q", data, s.Name, s.Seat)
			}
			runs[[2]string{s.Name, s.Seat}] = true
		}
		for _, n := range c.Notices {
			said(t, data, n.String())
		}
		said(t, data, fmt.Sprint(c.Show(), c.Variables(), c.Templates()))
		for _, dec := range c.declared {
			readsBack(t, data, dec)
		}
	})
}

func said(t *testing.T, data []byte, what string) {
	if strings.Contains(what, canary) {
		t.Errorf("%q: a value is shown: %s", data, what)
	}
}

func sound(t *testing.T, data []byte, c *Config, s Server) {
	if s.Command != "" && s.URL != "" || s.Command == "" && s.URL == "" && len(s.Unresolved) == 0 {
		t.Errorf("%q gives a server that cannot be reached and is not held back: %+v", data, s)
	}
	if s.Shared != (s.Seat == "") {
		t.Errorf("%q: shared %v and for the seat %q", data, s.Shared, s.Seat)
	}
	for _, seat := range c.Seats {
		if seat.ID == s.Seat && seat.Holder != "" {
			t.Errorf("%q: a child for the seat %q, which is held", data, s.Seat)
		}
	}
	said(t, data, strings.Join(s.Unresolved, "\n")+string(s.Entry)+string(s.MaskedEntry))
}

// readsBack: what an entry is written as is that entry.
func readsBack(t *testing.T, data []byte, dec declaration) {
	if dec.disabled || dec.held != nil || dec.optional != nil || dec.cwd != "" && !strings.HasPrefix(dec.cwd, "/") {
		return // what stands elsewhere is not in the entry
	}
	want := describe(dec)
	c, err := Load(Options{Stored: []StoredEntry{{want.Name, want.Entry, 1}}, Lookup: fuzzLookup})
	if err != nil {
		t.Errorf("%q: the entry %s is refused: %v", data, want.Entry, err)
		return
	}
	ignored := cmpopts.IgnoreFields(Server{}, "File", "Line", "Origin")
	if diff := cmp.Diff(want, describe(c.declared[0]), ignored); diff != "" {
		t.Errorf("%q: the entry %s is another one (-want +got)\n%s", data, want.Entry, diff)
	}
}
