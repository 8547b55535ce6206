package faults_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// launched is what a server says of its start.
type launched struct {
	Argv     []string
	Cwd      string
	EnvNames []string
	Fault    map[string]string
	TTY      []bool
}

func TestLaunch(t *testing.T) {
	t.Setenv("FAULTS_PLANTED", "a secret of somebody else")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("DOCKER_HOST", "unix:///nowhere")
	words := []string{`a b`, `C:\Program Files\x`, `a"b`, `$(id)`, `$HOME`, `'`, `*`, ``, `--list`, "\u00e9"}
	dir := t.TempDir()
	const script = "env-echo.mjs"
	launch := func(name string, more entry) entry {
		e := entry{"name": name, "command": "node", "args": append([]string{scriptPath(script)}, words...)}
		maps.Copy(e, more)
		return e
	}
	p := start(t,
		launch("plain", nil),
		launch("told", entry{"cwd": dir, "env": map[string]string{
			"FAULT_TOKEN": "${FAULT_TOKEN}", "FAULT_IN": "Bearer ${FAULT_TOKEN}!", "FAULT_PRICE": "$$5 ${FAULT_TOKEN}", "FAULT_EMPTY": "",
		}}),
		launch("unset", entry{"env": map[string]string{"FAULT_X": "Bearer ${NO_SUCH}"}}),
		entry{"name": "nowhere", "command": "no-such-command-here"},
		entry{"name": "no-directory", "command": "node", "cwd": dir + "/missing"},
	)
	for _, name := range []string{"plain", "told"} {
		p.await(t, name, func(s system.Server) bool { return s.State == system.Running })
	}
	read := func(name string) (l launched) {
		if err := json.Unmarshal([]byte(p.call(t, name+"__launch", `{}`).text(t)), &l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	plain := read("plain")
	if d := cmp.Diff(words, plain.Argv); d != "" {
		t.Errorf("arguments (-configured +arrived):\n%s", d)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if plain.Cwd != here || slices.Contains(plain.TTY, true) {
		t.Errorf("started in %s, terminals %v", plain.Cwd, plain.TTY)
	}
	allowed := []string{
		"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TERM", "TZ", "LANG", "LANGUAGE", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", markVariable,
		"HOLOTYPE_CHILD", // made for each child, to tell its processes by
	}
	for _, name := range plain.EnvNames {
		if !slices.Contains(allowed, name) && !strings.HasPrefix(name, "LC_") && !strings.HasPrefix(name, "XDG_") && !strings.HasSuffix(strings.ToUpper(name), "_PROXY") {
			t.Errorf("the child inherited %s", name)
		}
	}
	if !slices.Contains(plain.EnvNames, "XDG_CONFIG_HOME") {
		t.Error("the child does not know where its user keeps things")
	}
	told := read("told")
	// What comes back is masked; what arrived is told by its shape.
	if d := cmp.Diff(map[string]string{"FAULT_TOKEN": "[hidden]", "FAULT_IN": "Bearer [hidden]!", "FAULT_PRICE": "$5 [hidden]", "FAULT_EMPTY": ""}, told.Fault); d != "" || told.Cwd != dir {
		t.Errorf("started in %s with (-want +got):\n%s", told.Cwd, d)
	}
	row := p.await(t, "unset", func(s system.Server) bool { return s.State == system.Waiting })
	if !strings.Contains(row.Reason, "FAULT_X") || !strings.Contains(row.Reason, "NO_SUCH is not set") {
		t.Errorf("the reason is %q", row.Reason)
	}
	for name, reason := range map[string]string{"nowhere": `"no-such-command-here" is not in the PATH searched`, "no-directory": dir + "/missing is no directory"} {
		row := p.await(t, name, func(s system.Server) bool { return s.State == system.Failing })
		if !strings.Contains(row.Reason, reason) || len(p.log.of(name, "")) != 1 {
			t.Errorf("the reason is %q, and the log says %+v", row.Reason, p.log.of(name, ""))
		}
	}
	if a := p.call(t, "plain__kids", `{}`); !strings.HasPrefix(a.text(t), "child ") {
		t.Errorf("starting a process of its own answers %s", a.raw)
	}
	if p.log.holds(secret) || p.log.holds("a secret of somebody else") {
		t.Error("a secret stands in the log")
	}
	p.serves(t)
}
