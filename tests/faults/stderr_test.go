package faults_test

import (
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities/system"
)

func TestStderr(t *testing.T) {
	t.Parallel()
	ok := []call{{says: "ok"}}
	runScript(t, "stderr.mjs", []fault{
		{mode: "flood-start", calls: ok},
		{mode: "flood-call", calls: ok},
		{mode: "flood-nonl", calls: ok},
		{mode: "flood-forever", calls: ok},
		{mode: "binary", calls: ok, more: logged("\ufffd")},
		{mode: "secret", entry: entry{"env": map[string]string{"FAULT_TOKEN": "${FAULT_TOKEN}"}}, calls: ok, more: func(t *testing.T, p *product, name string) {
			logged("using token [hidden]")(t, p, name)
			if p.log.holds(secret) {
				t.Error("the token stands in the log")
			}
		}},
		{mode: "ansi", calls: ok, more: logged(`\u001b[2J`)},
		{mode: "exit-why", state: system.Failing, reason: "exited with status 1 before the handshake was done; its standard error says: Error: FAULT_TOKEN is not set. See the manual.", stderr: "FAULT_TOKEN is not set"},
	})
}

// logged looks for a line of standard error in the log.
func logged(part string) func(*testing.T, *product, string) {
	return func(t *testing.T, p *product, name string) {
		t.Helper()
		for _, one := range p.log.of(name, "server_stderr") {
			if one.Level == "DEBUG" && strings.Contains(one.Line, part) {
				return
			}
		}
		t.Errorf("no line of standard error in the log says %q", part)
	}
}
