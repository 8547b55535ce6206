package bridge

import (
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// TestWhatAnotherConfigurationTakes changes one field at a time.
func TestWhatAnotherConfigurationTakes(t *testing.T) {
	hint := func(h capabilities.Hint) *capabilities.Hint { return &h }
	child := Server{
		Name: "s", Command: "c", Args: []string{"a", "b"}, Env: map[string]string{"K": "v", "L": "w"}, Annotations: map[string]Override{"t": {ReadOnly: hint(capabilities.Yes)}},
		Secrets: map[string]string{"S": "x"}, Allow: []string{"t"},
	}
	remote := Server{Name: "s", URL: "https://h/mcp", Headers: map[string]string{"A": "b"}}
	for _, c := range []struct {
		name               string
		of                 Server
		change             func(s *Server)
		restarts, presents bool
	}{
		{"nothing", child, func(*Server) {}, false, false},
		{"nothing of a remote one", remote, func(*Server) {}, false, false},
		{"what is the default", child, func(s *Server) {
			s.Transport, s.ToolPrefix, s.CallTimeout, s.StartupTimeout, s.Drift = TransportStdio, "s__", capabilities.DefaultTimeout, time.Minute, DriftMark
			s.Headers, s.Deny = map[string]string{}, []string{}
		}, false, false},
		{"an equal override", child, func(s *Server) { s.Annotations = map[string]Override{"t": {ReadOnly: hint(capabilities.Yes)}} }, false, false},
		{"the command", child, func(s *Server) { s.Command = "d" }, true, false},
		{"an argument", child, func(s *Server) { s.Args = []string{"a", "c"} }, true, false},
		{"where arguments are parted", child, func(s *Server) { s.Args = []string{"ab"} }, true, false},
		{"a variable", child, func(s *Server) { s.Env = map[string]string{"K": "v", "L": "x"} }, true, false},
		{"a variable less", child, func(s *Server) { s.Env = map[string]string{"K": "v"} }, true, false},
		{"the directory", child, func(s *Server) { s.Cwd = "/" }, true, false},
		{"the url", remote, func(s *Server) { s.URL = "https://h/other" }, true, false},
		{"a header", remote, func(s *Server) { s.Headers = map[string]string{"A": "c"} }, true, false},
		{"the transport", remote, func(s *Server) { s.Transport = TransportSSE }, true, false},
		{"what does not resolve", child, func(s *Server) { s.Unresolved = []string{"x"} }, true, false},
		{"the prefix", child, func(s *Server) { s.ToolPrefix = "x-" }, false, true},
		{"an override", child, func(s *Server) { s.Annotations = map[string]Override{"t": {ReadOnly: hint(capabilities.No)}} }, false, true},
		{"no override", child, func(s *Server) { s.Annotations = nil }, false, true},
		{"every tool", child, func(s *Server) { s.Allow = nil }, false, true},
		{"no tool", child, func(s *Server) { s.Allow = []string{} }, false, true},
		{"a tool less", child, func(s *Server) { s.Deny = []string{"t"} }, false, true},
		{"the time of calls", child, func(s *Server) { s.CallTimeout = time.Second }, false, true},
		{"the time of starts", child, func(s *Server) { s.StartupTimeout = time.Second }, false, true},
		{"what becomes of drift", child, func(s *Server) { s.Drift = DriftHold }, false, true},
		{"a secret", child, func(s *Server) { s.Secrets = nil }, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			next := c.of
			c.change(&next)
			a, err := newSpec(c.of, "1", "")
			if err != nil {
				t.Fatal(err)
			}
			b, err := newSpec(next, "1", "")
			if err != nil {
				t.Fatal(err)
			}
			if a.restarts(b) != c.restarts || b.restarts(a) != c.restarts {
				t.Errorf("restarts: %v and back %v, want %v", a.restarts(b), b.restarts(a), c.restarts)
			}
			if a.presents(b) != c.presents || b.presents(a) != c.presents {
				t.Errorf("presents: %v and back %v, want %v", a.presents(b), b.presents(a), c.presents)
			}
		})
	}
}

func TestLaunchFactsHoldNoSecret(t *testing.T) {
	sp, err := newSpec(Server{
		Name: "s", URL: "https://user:pa55word-x@host:1/mcp?api_key=key_0123456789#tok", Headers: map[string]string{"Authorization": "Bearer hdr_0123456789"},
	}, "1", "")
	if err != nil {
		t.Fatal(err)
	}
	if f := sp.launchFacts(); f.URL != "https://host:1/mcp" || len(f.Headers) != 1 || f.Headers[0] != "Authorization" {
		t.Errorf("facts %+v", f)
	}
	sp, err = newSpec(Server{Name: "s", Command: "c", Args: []string{"--token", "lit_0123456789", "a\x1b[2J"}, Env: map[string]string{"TOKEN": "lit_0123456789"}}, "1", "")
	if err != nil {
		t.Fatal(err)
	}
	if f := sp.launchFacts(); f.Args[1] != "[hidden]" || f.Args[2] != `a\u001b[2J` || f.Env[0] != "TOKEN" {
		t.Errorf("facts %+v", f)
	}

	// A variable in the path, and what is known to be shown otherwise.
	keyed := Server{Name: "s", URL: "https://host/key_0123456789/mcp", Secrets: map[string]string{"KEY": "key_0123456789"}}
	if sp, err = newSpec(keyed, "1", ""); err != nil {
		t.Fatal(err)
	}
	if f := sp.launchFacts(); f.URL != "https://host/[hidden]/mcp" {
		t.Errorf("facts %+v", f)
	}
	keyed.ShownURL = "https://host/${KEY}/mcp"
	if sp, err = newSpec(keyed, "1", ""); err != nil {
		t.Fatal(err)
	}
	if f := sp.launchFacts(); f.URL != keyed.ShownURL {
		t.Errorf("facts %+v", f)
	}
	if sp, err = newSpec(Server{Name: "s", Command: "c", Args: []string{"--pin=1234567"}, ShownArgs: []string{"--pin=(set)"}}, "1", ""); err != nil {
		t.Fatal(err)
	}
	if f := sp.launchFacts(); len(f.Args) != 1 || f.Args[0] != "--pin=(set)" {
		t.Errorf("facts %+v", f)
	}

	// One that stands where a long text is cut.
	long := strings.Repeat("x", maxLaunchText-8) + "lit_0123456789"
	if sp, err = newSpec(Server{Name: "s", Command: "c", Args: []string{long}, Env: map[string]string{"TOKEN": "lit_0123456789"}}, "1", ""); err != nil {
		t.Fatal(err)
	}
	if f := sp.launchFacts(); strings.Contains(f.Args[0], "lit_") {
		t.Errorf("the first bytes of a secret are left: %s", f.Args[0][maxLaunchText-20:])
	}
}
