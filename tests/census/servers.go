package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// servers.json names the servers. "{dir}" in an argument or a variable is a directory of its own.
//
//go:embed servers.json
var list []byte

// A server is one package of npm whose program speaks MCP over stdio.
type server struct {
	Package string `json:"package"`
	Version string `json:"version"`
	// Integrity is what npm must have found of the package, as in a lock file.
	Integrity string            `json:"integrity"`
	Bin       string            `json:"bin"` // which of its programs; "" for the one that is named like it, or the only one
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	Files     map[string]string `json:"files"` // in that directory, before it starts
	// Call is a tool that changes nothing and answers the same each time; nil where none is known.
	Call *call `json:"call"`
	// Offline is what it says instead of starting without an account and the network; ""
	// when it starts.
	Offline string `json:"offline"`
}

// A call is a call of one tool.
type call struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

func servers() ([]server, error) {
	var all []server
	if err := json.Unmarshal(list, &all); err != nil {
		return nil, fmt.Errorf("reading servers.json: %w", err)
	}
	return all, nil
}

// asOf is the day whose newest versions the servers' dependencies are: the same on
// every machine.
const asOf = "2026-11-29"

// install installs a server into a folder of its own under cache, unless it is there,
// and answers that folder. No script of a package is run.
func (s server) install(ctx context.Context, cache string) (string, error) {
	dir := filepath.Join(cache, strings.NewReplacer("/", "_", "@", "_").Replace(s.Package)+"-"+s.Version)
	if _, err := os.Stat(lockOf(dir)); err == nil {
		return dir, s.same(dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--before="+asOf, s.Package+"@"+s.Version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("installing it: %w\n%s", err, out)
	}
	return dir, s.same(dir)
}

// lockOf is the file that npm leaves under root when it is done.
func lockOf(root string) string { return filepath.Join(root, "node_modules", ".package-lock.json") }

// same answers an error unless the package that npm installed under root is, by its
// hash, the one that servers.json names.
func (s server) same(root string) error {
	data, err := os.ReadFile(lockOf(root))
	if err != nil {
		return err
	}
	var lock struct {
		Packages map[string]struct {
			Integrity string `json:"integrity"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return fmt.Errorf("reading %s: %w", lockOf(root), err)
	}
	if got := lock.Packages["node_modules/"+s.Package].Integrity; got != s.Integrity {
		return fmt.Errorf("the package that is installed is %q, and servers.json names %q", got, s.Integrity)
	}
	return nil
}

// command is how a server that is installed under root is started, in a
// directory of its own.
func (s server) command(root, dir string) ([]string, error) {
	root, err := filepath.Abs(filepath.Join(root, "node_modules", filepath.FromSlash(s.Package)))
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return nil, err
	}
	var about struct {
		Version string          `json:"version"`
		Bin     json.RawMessage `json:"bin"`
	}
	if err := json.Unmarshal(data, &about); err != nil {
		return nil, err
	}
	if about.Version != s.Version {
		return nil, fmt.Errorf("version %s is installed", about.Version)
	}
	program, err := s.program(about.Bin)
	if err != nil {
		return nil, err
	}
	command := []string{"node", filepath.Join(root, program)}
	for _, arg := range s.Args {
		command = append(command, strings.ReplaceAll(arg, "{dir}", dir))
	}
	return command, nil
}

// program chooses from the programs of a package: one path, or paths by their names.
func (s server) program(bin json.RawMessage) (string, error) {
	var one string
	if json.Unmarshal(bin, &one) == nil {
		return one, nil
	}
	var all map[string]string
	if err := json.Unmarshal(bin, &all); err != nil {
		return "", fmt.Errorf("reading its programs: %w", err)
	}
	name := s.Bin
	if name == "" {
		name = s.Package[strings.LastIndexByte(s.Package, '/')+1:]
	}
	if path, ok := all[name]; ok {
		return path, nil
	}
	if len(all) != 1 || s.Bin != "" {
		return "", fmt.Errorf("it has no program %s among %d", name, len(all))
	}
	for _, path := range all {
		one = path
	}
	return one, nil
}

// cutOff is what stands before a command that must not reach the network; empty where
// the system cannot do that.
func cutOff(ctx context.Context) []string {
	cut := []string{"unshare", "--map-root-user", "--net"}
	if err := exec.CommandContext(ctx, cut[0], append(cut[1:], "true")...).Run(); err != nil {
		return nil
	}
	return cut
}

// launch is a server that is ready to be started: how, with which variables, and the
// mark that each process of it carries in its environment.
type launch struct {
	command []string
	env     map[string]string
	mark    string
	limit   time.Duration // for its start and its list
	call    *call
}

// How long a server may take to start and to list: one that should, and one that is
// known not to start.
const (
	startTime    = 90 * time.Second
	hopelessTime = 15 * time.Second
)

// markVariable marks every process of one launch; what they start inherits it.
const markVariable = "HOLOTYPE_CENSUS_MARK"

// launch prepares a server that is installed under root, with a home of its own.
func (s server) launch(root, dir string, cut []string) (*launch, error) {
	home, work := filepath.Join(dir, "home"), filepath.Join(dir, "work")
	if err := errors.Join(os.MkdirAll(home, 0o755), os.MkdirAll(work, 0o755)); err != nil {
		return nil, err
	}
	for name, text := range s.Files {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	command, err := s.command(root, work)
	if err != nil {
		return nil, err
	}
	l := &launch{command: append(append([]string(nil), cut...), command...), mark: dir, limit: startTime, call: s.Call}
	if s.Offline != "" {
		l.limit = hopelessTime
	}
	l.env = map[string]string{"HOME": home, markVariable: l.mark}
	for name, value := range s.Env {
		l.env[name] = strings.ReplaceAll(value, "{dir}", work)
	}
	return l, nil
}
