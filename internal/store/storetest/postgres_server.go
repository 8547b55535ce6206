package storetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a PostgreSQL server of the tests' own. It listens on a socket in its folder
// and nowhere else, and it ends with this process, whatever ends that: a shell holds it,
// and is held by a pipe.
type Server struct {
	bin      string
	dir      string // all that it leaves
	settings []string
	as       *syscall.Credential // whom it runs as, where this is root
	shell    *exec.Cmd
	hold     io.WriteCloser
}

// holder runs a server until its input ends, and then stops it at once, as a crash
// does. It removes the folder unless it is told to keep it.
const holder = `dir=$1; shift
"$@" >>"$dir/log" 2>&1 </dev/null &
server=$!
echo "$server"
read -r word || word=gone
kill -QUIT "$server" 2>/dev/null
wait "$server"
[ "$word" = keep ] || rm -rf "$dir"`

// startTime bounds how long a server takes to start, on a slow machine that does much
// else.
const startTime = 2 * time.Minute

// NewServer starts a server of the test's own, with settings of the form name=value. It
// is stopped when the test ends.
func NewServer(t testing.TB, settings ...string) *Server {
	t.Helper()
	s, err := newServer(settings...)
	need(t, err)
	s.endWith(t)
	return s
}

// endWith removes the server when the test ends.
func (s *Server) endWith(t testing.TB) {
	t.Cleanup(func() { s.Discard(t) })
}

// Discard ends the server and removes all that it leaves.
func (s *Server) Discard(t testing.TB) {
	t.Helper()
	s.Crash(t)
	if err := os.RemoveAll(s.dir); err != nil {
		t.Error(err)
	}
}

func newServer(settings ...string) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, settings: settings}
	return s, s.make("initdb", "-D", "data", "-U", "holotype", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
}

// make makes the folder of the server, lets a program of it make the files in there,
// and starts it.
func (s *Server) make(program string, args ...string) (err error) {
	// A socket's path is short, so that this stands where it is short.
	if s.dir, err = os.MkdirTemp("/tmp", "holotype-pg-"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(s.dir))
		}
	}()
	if err := s.own(); err != nil {
		return err
	}
	if out, err := s.command(filepath.Join(s.bin, program), args...).CombinedOutput(); err != nil {
		return fmt.Errorf("making a cluster: %w: %s", err, out)
	}
	return s.start()
}

// programs answers the folder of the newest server that is installed.
func programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))) // what is no number is the oldest
		return n
	}
	if len(found) > 0 {
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", fmt.Errorf("no PostgreSQL server is installed (apt-get install postgresql): %w", err)
	}
	return filepath.Dir(path), nil
}

// own gives the folder to whom the server runs as: it refuses to run as root.
func (s *Server) own() error {
	if os.Geteuid() != 0 {
		return nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		if who, err = user.Lookup("nobody"); err != nil {
			return fmt.Errorf("the server does not run as root, and there is nobody else: %w", err)
		}
	}
	uid, err := strconv.ParseUint(who.Uid, 10, 32)
	if err != nil {
		return err
	}
	gid, err := strconv.ParseUint(who.Gid, 10, 32)
	if err != nil {
		return err
	}
	s.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(s.dir, int(uid), int(gid))
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	// A signal to the group of the tests is not one to the server.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.as}
	return cmd
}

// start starts the server and waits until it serves.
func (s *Server) start() error {
	args := []string{
		"-c", holder, "sh", s.dir, filepath.Join(s.bin, "postgres"), "-D", s.data(), "-k", s.dir,
		"-c", "listen_addresses=", "-c", "max_connections=200", "-c", "shared_buffers=32MB",
	}
	for _, one := range s.settings {
		args = append(args, "-c", one)
	}
	s.shell = s.command("/bin/sh", args...)
	hold, err := s.shell.StdinPipe()
	if err != nil {
		return err
	}
	out, err := s.shell.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.shell.Start(); err != nil {
		return err
	}
	s.hold = hold
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return fmt.Errorf("starting the server: %w", err)
	}
	every := time.NewTicker(20 * time.Millisecond)
	defer every.Stop()
	for deadline := time.Now().Add(startTime); ; <-every.C {
		_, err := run(s.URL("postgres"), "SELECT 1")
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(s.dir, "log")) // it only says more
			return fmt.Errorf("the server does not start: %w: %s", err, log)
		}
	}
}

// URL answers that of a database of the server.
func (s *Server) URL(database string) string {
	return "postgres:///" + database + "?" + url.Values{"host": {s.dir}, "user": {"holotype"}, "sslmode": {"disable"}}.Encode()
}

func (s *Server) running() bool { return s.hold != nil }

// Crash stops the server at once: what it did not write is lost, as where it is killed.
func (s *Server) Crash(t testing.TB) {
	t.Helper()
	if !s.running() {
		return
	}
	hold := s.hold
	s.hold = nil
	if _, err := io.WriteString(hold, "keep\n"); err != nil {
		t.Error(err)
	}
	if err := hold.Close(); err != nil {
		t.Error(err)
	}
	if err := s.shell.Wait(); err != nil && !strings.Contains(err.Error(), "exit status") {
		t.Error(err)
	}
}

// Restart starts a server that crashed.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
}
