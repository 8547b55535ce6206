package storetest

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Standby starts a copy of the server that follows it, and lets every commit of the
// server wait for it from now on. It is stopped when the test ends.
func (s *Server) Standby(t testing.TB) *Server {
	t.Helper()
	to := &Server{bin: s.bin, settings: slices.Clone(s.settings)}
	source := url.Values{"host": {s.dir}, "user": {"holotype"}}.Encode()
	if err := to.make("pg_basebackup", "-D", "data", "-R", "-X", "stream", "-c", "fast", "--no-sync", "-d", "postgres:///?"+source); err != nil {
		t.Fatal(err)
	}
	to.endWith(t)
	s.await(t, "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'")
	Exec(t, s.URL("postgres"), "ALTER SYSTEM SET synchronous_standby_names = '*'")
	Exec(t, s.URL("postgres"), "SELECT pg_reload_conf()")
	s.await(t, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
	return to
}

// Promote makes a standby the server that takes writes, which wait for no other.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	// The copy of a server that was one itself waits for standbys as that did; the last
	// line counts.
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.auto.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("synchronous_standby_names = ''\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	Exec(t, s.URL("postgres"), "SELECT pg_reload_conf()")
	Exec(t, s.URL("postgres"), "SELECT pg_promote(false)")
	s.await(t, "SELECT 1 WHERE NOT pg_is_in_recovery()")
}

// At answers the URL of the same database on other servers, of which the one is meant
// that takes writes.
func At(t testing.TB, at string, servers ...*Server) string {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	hosts := make([]string, 0, len(servers))
	for _, s := range servers {
		hosts = append(hosts, s.dir)
	}
	q := u.Query()
	q.Set("host", strings.Join(hosts, ","))
	q.Set("target_session_attrs", "read-write")
	u.RawQuery = q.Encode()
	return u.String()
}

// await waits until a statement has a row.
func (s *Server) await(t testing.TB, query string) {
	t.Helper()
	every := time.NewTicker(20 * time.Millisecond)
	defer every.Stop()
	for deadline := time.Now().Add(startTime); len(Exec(t, s.URL("postgres"), query)) == 0; <-every.C {
		if time.Now().After(deadline) {
			t.Fatalf("the server has no answer to %q", query)
		}
	}
}
