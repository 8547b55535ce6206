package holotype

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/entrytext"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// ownProgram answers the absolute path that this program is started by. The one on the
// PATH is preferred where it is the same file: it outlives an upgrade.
func (s *Server) ownProgram() (string, error) {
	itself, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	if path := s.onPath(s.o.Name); path != "" && sameFile(path, itself) {
		return path, nil
	}
	return itself, nil
}

// onPath answers the absolute path of a program that is named without one; "" is none.
func (s *Server) onPath(name string) string {
	path, _ := s.o.Lookup("PATH")
	for _, dir := range filepath.SplitList(path) {
		whole := filepath.Join(dir, name)
		if info, err := os.Stat(whole); err == nil && filepath.IsAbs(whole) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return whole
		}
	}
	return ""
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// isOurs answers what tells an entry of this program from any other. One with an address is
// ours when it is the one given, or of MCP where the program listens by default.
func (s *Server) isOurs(address string) func(clientconf.Launch) (ours bool, why string) {
	return func(l clientconf.Launch) (bool, string) {
		if l.Address != "" {
			u, err := url.Parse(l.Address)
			own := err == nil && (l.Address == address || u.Host == config.DefaultListen && (strings.HasPrefix(u.Path, "/operator/mcp") || strings.HasPrefix(u.Path, "/seats/")))
			return own, ""
		}
		program := l.Program
		if program != "" && !strings.ContainsRune(program, filepath.Separator) {
			program = s.onPath(program)
		}
		itself, err := os.Executable()
		switch {
		case l.Program == "" || err != nil || len(l.Arguments) == 0 || l.Arguments[0] != "mcp":
			return false, ""
		case program != "" && sameFile(program, itself):
			return true, ""
		case !s.wasOurs(l):
			return false, ""
		case program == "":
			return false, "it starts " + l.Program + ", which is not on the PATH"
		}
		if _, err := os.Stat(program); err != nil {
			return false, "it starts " + l.Program + ", which is not there"
		}
		return false, "it starts " + l.Program + ", which is not the program that runs now"
	}
}

// wasOurs reports an entry that starts a program of this name, wherever it stands.
func (s *Server) wasOurs(l clientconf.Launch) bool {
	return filepath.Base(l.Program) == s.o.Name && len(l.Arguments) > 0 && l.Arguments[0] == "mcp"
}

// changeFile writes the new text of a file, or shows how it would change: the difference,
// and what the copy would be called. No credential that the file holds is shown.
func (s *Server) changeFile(f *clientconf.File, text []byte, dry bool, inv cli.Invocation, said ...entrytext.Value) (done, error) {
	d := done{File: f.Path, DryRun: dry}
	if !dry {
		backup, err := f.Write(s.o.Name, text)
		d.Backup, d.Changed = backup, err == nil
		return d, err
	}
	d.Backup = f.Backup(s.o.Name)
	d.Diff = clientconf.Hide(clientconf.Diff(f.Path, f.Path, f.Text, text), said...)
	if inv.Output == cli.JSON {
		return d, nil
	}
	_, err := fmt.Fprint(inv.Out, cli.EscapeLines(d.Diff))
	if err == nil && d.Backup != "" {
		err = tellLines(inv, "what it is would be copied to "+d.Backup)
	}
	return d, err
}
