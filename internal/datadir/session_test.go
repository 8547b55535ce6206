package datadir_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/internal/datadir"
)

// sessionsOf are the sessions of a directory as a process reads them that has just started.
func sessionsOf(t *testing.T, d *datadir.Dir, token string, c *clock) *datadir.Sessions {
	t.Helper()
	s, err := d.Sessions(token, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func startSession(t *testing.T, s *datadir.Sessions, expires time.Time) string {
	t.Helper()
	value, err := s.Start(expires)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestSessionIsGoodUntilItEnds(t *testing.T) {
	c := newClock()
	dir := open(t, t.TempDir())
	for name, again := range map[string]func(*datadir.Sessions) *datadir.Sessions{
		"in memory":       func(s *datadir.Sessions) *datadir.Sessions { return s },
		"after a restart": func(*datadir.Sessions) *datadir.Sessions { return sessionsOf(t, dir, "holo_a", c) },
	} {
		t.Run(name, func(t *testing.T) {
			s := datadir.NewSessions("holo_a", c.now)
			if name != "in memory" {
				s = sessionsOf(t, dir, "holo_a", c)
			}
			short, long, other := startSession(t, s, c.at.Add(time.Hour)), startSession(t, s, c.at.Add(48*time.Hour)), startSession(t, s, c.at.Add(48*time.Hour))
			if !regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`).MatchString(short) || short == long {
				t.Errorf("values %q and %q", short, long)
			}
			check := func(when string, values map[string]bool) {
				t.Helper()
				s = again(s)
				for value, want := range values {
					if got := s.Verify(value); got != want {
						t.Errorf("%s: %q is good: %v, want %v", when, value, got, want)
					}
				}
			}
			check("at first", map[string]bool{
				short: true, long: true, other: true, "": false, short[:42]: false, short + "A": false, strings.ToUpper(short): false, " " + short: false,
			})
			if err := s.End(other); err != nil {
				t.Fatal(err)
			}
			check("one has ended", map[string]bool{short: true, long: true, other: false})
			for _, nobody := range []string{other, "", "never started"} {
				if err := s.End(nobody); err != nil {
					t.Errorf("ending %q: %v", nobody, err)
				}
			}
			check("nobody has ended", map[string]bool{short: true, long: true, other: false})
			c.at = c.at.Add(time.Hour - time.Second)
			check("just in time", map[string]bool{short: true})
			c.at = c.at.Add(time.Second)
			check("expired", map[string]bool{short: false, long: true})
		})
	}
}

func TestANewTokenEndsAllSessions(t *testing.T) {
	c, dir := newClock(), open(t, t.TempDir())
	old := sessionsOf(t, dir, "holo_a", c)
	value := startSession(t, old, c.at.Add(time.Hour))
	changed := sessionsOf(t, dir, "holo_b", c)
	if changed.Verify(value) {
		t.Error("a session of the token before is good")
	}
	if old.Mark() == changed.Mark() || old.Mark() != sessionsOf(t, dir, "holo_a", c).Mark() || !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(old.Mark()) {
		t.Errorf("marks %q and %q", old.Mark(), changed.Mark())
	}
}

func TestSessionsAreBounded(t *testing.T) {
	c, dir := newClock(), open(t, t.TempDir())
	s := sessionsOf(t, dir, "holo_a", c)
	gone := startSession(t, s, c.at.Add(time.Minute))
	var values []string
	for range 256 {
		values = append(values, startSession(t, s, c.at.Add(time.Hour)))
	}
	for name, s := range map[string]*datadir.Sessions{"kept": s, "read again": sessionsOf(t, dir, "holo_a", c)} {
		if s.Verify(gone) {
			t.Errorf("%s: the oldest of 257 is good", name)
		}
		for i, value := range values {
			if !s.Verify(value) {
				t.Fatalf("%s: number %d of the last 256 is not good", name, i)
			}
		}
	}
	c.at = c.at.Add(time.Hour)
	last := startSession(t, s, c.at.Add(time.Hour))
	content, err := os.ReadFile(filepath.Join(dir.Path(), "sessions"))
	if err != nil || strings.Count(string(content), "\n") != 1 {
		t.Errorf("expired ones are kept: %v, %d bytes", err, len(content))
	}
	if strings.Contains(string(content), last) {
		t.Error("the file signs its reader in")
	}
	if info, err := os.Stat(filepath.Join(dir.Path(), "sessions")); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestSessionsFileOfAnotherShape(t *testing.T) {
	for name, c := range map[string]struct {
		put  func(path string) error
		fail bool
	}{
		"empty": {func(path string) error { return os.WriteFile(path, nil, 0o600) }, false},
		"no sessions": {func(path string) error {
			return os.WriteFile(path, []byte("a\n\x00 1\n"+strings.Repeat("zz", 32)+" 9\n"), 0o600)
		}, false},
		"cut":             {func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("ab", 32)), 0o600) }, false},
		"a folder":        {func(path string) error { return os.Mkdir(path, 0o700) }, true},
		"a symbolic link": {func(path string) error { return os.Symlink("elsewhere", path) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			clock, dir := newClock(), open(t, t.TempDir())
			path := filepath.Join(dir.Path(), "sessions")
			if err := c.put(path); err != nil {
				t.Fatal(err)
			}
			s, err := dir.Sessions("holo_a", clock.now)
			if c.fail {
				if err == nil || !strings.Contains(err.Error(), path) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.Verify("") || !s.Verify(startSession(t, s, clock.at.Add(time.Hour))) {
				t.Error("what stands in the file is in the way")
			}
		})
	}
}

func TestSessionsThatCannotBeKept(t *testing.T) {
	c, dir := newClock(), open(t, filepath.Join(t.TempDir(), "data"))
	s := sessionsOf(t, dir, "holo_a", c)
	value := startSession(t, s, c.at.Add(time.Hour))
	if err := os.RemoveAll(dir.Path()); err != nil {
		t.Fatal(err)
	}
	if another, err := s.Start(c.at.Add(time.Hour)); err == nil || another != "" {
		t.Errorf("started %q, %v", another, err)
	}
	if err := s.End(value); err == nil {
		t.Error("an end that is not kept is no error")
	}
	if s.Verify(value) {
		t.Error("it goes on in this process")
	}
}

func TestSessionsDoNotPrintTheirKey(t *testing.T) {
	s := datadir.NewSessions("holo_a", newClock().now)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(verb, s); got != "sessions" {
			t.Errorf("%s prints %q", verb, got)
		}
	}
}

func TestSessionsOfManyAtOnce(t *testing.T) {
	c, dir := newClock(), open(t, t.TempDir())
	s := sessionsOf(t, dir, "holo_a", c)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 4 {
				ended, kept := startSession(t, s, c.at.Add(time.Hour)), startSession(t, s, c.at.Add(time.Hour))
				if err := s.End(ended); err != nil || s.Verify(ended) || !s.Verify(kept) {
					t.Errorf("%v, ended %v, kept %v", err, s.Verify(ended), s.Verify(kept))
				}
			}
		})
	}
	wg.Wait()
	content, err := os.ReadFile(filepath.Join(dir.Path(), "sessions"))
	if err != nil || strings.Count(string(content), "\n") != 32 {
		t.Errorf("%v, %d sessions are kept, want 32", err, strings.Count(string(content), "\n"))
	}
}

func FuzzSessionVerify(f *testing.F) {
	c := newClock()
	s := datadir.NewSessions("holo_a", c.now)
	good, err := s.Start(c.at.Add(time.Hour))
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{good, "", ".", good + "=", good[1:]} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if s.Verify(value) && value != good {
			t.Errorf("%q is good, and was never started", value)
		}
	})
}
