package storetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/store/postgres"
)

// shared is the one server of the tests of this process, which ends with it. Nothing of
// it is durable.
var shared = sync.OnceValues(func() (*Server, error) {
	return newServer("fsync=off", "full_page_writes=off", "synchronous_commit=on")
})

// databases numbers those of this process.
var databases atomic.Int64

// Postgres answers the URL of a new database on PostgreSQL, which is dropped when the
// test ends. Where PostgreSQL is not installed the test is skipped, and fails in CI.
func Postgres(t testing.TB) string {
	t.Helper()
	s, err := shared()
	need(t, err)
	return s.Database(t)
}

// PostgresEngine answers an engine on a new database.
func PostgresEngine(t testing.TB) *postgres.Engine {
	t.Helper()
	return EngineAt(t, Postgres(t))
}

// EngineAt answers the engine of a URL.
func EngineAt(t testing.TB, url string) *postgres.Engine {
	t.Helper()
	e, err := postgres.New(url)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// need ends a test that has no server.
func need(t testing.TB, err error) {
	t.Helper()
	ci, _ := config.Env(nil)("CI")
	switch {
	case err == nil:
	case ci == "true":
		t.Fatalf("the store on PostgreSQL is not tested: %v", err)
	default:
		t.Skipf("THE STORE ON POSTGRESQL IS NOT TESTED: %v", err)
	}
}

// Database answers the URL of a new database, which is dropped when the test ends.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test%d", databases.Add(1))
	Exec(t, s.URL("postgres"), "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
	t.Cleanup(func() {
		if s.running() {
			Exec(t, s.URL("postgres"), "DROP DATABASE "+name+" WITH (FORCE)")
		}
	})
	return s.URL(name)
}

// execTime bounds what a test asks a server for itself.
const execTime = time.Minute

// Exec runs statements on a connection of its own and answers the rows of the last.
func Exec(t testing.TB, url, query string) [][]string {
	t.Helper()
	rows, err := run(url, query)
	if err != nil {
		t.Fatalf("running %q: %v", query, err)
	}
	return rows
}

func run(url, query string) (rows [][]string, err error) {
	// A cleanup runs after the context of its test.
	ctx, cancel := context.WithTimeout(context.Background(), execTime)
	defer cancel()
	conn, err := pgconn.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	all, err := conn.Exec(ctx, query).ReadAll()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	for _, values := range all[len(all)-1].Rows {
		var row []string
		for _, v := range values {
			row = append(row, string(v))
		}
		rows = append(rows, row)
	}
	return rows, nil
}
