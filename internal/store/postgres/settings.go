package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// setting is one of a session, and what it has to be.
type setting struct {
	name  string
	value string
	// holds judges the value as pg_settings has it; nil is equality.
	holds func(string) bool
	wants string // what it has to be, in words
}

// limit is a setting in milliseconds that the URL may make another, but not none.
func limit(name string, milliseconds int) setting {
	return setting{name: name, value: strconv.Itoa(milliseconds), wants: "1 to 600000 milliseconds", holds: func(v string) bool {
		n, err := strconv.Atoi(v)
		return err == nil && n > 0 && n <= 600_000
	}}
}

const (
	// statementLimit bounds one statement, the wait for the write lock included. It is
	// above what the store itself allows a write.
	statementLimit = 15_000
	// lockLimit bounds the wait for the write lock.
	lockLimit = 10_000
	// idleLimit is after how long the server ends a transaction of a client that is
	// silent: a server that was paused in the middle of a write holds up every other for
	// so long.
	idleLimit = 5_000
)

// settings answers those of a session, in the order in which they are set.
func (c *connector) settings(overTCP bool) []setting {
	all := []setting{
		limit("statement_timeout", statementLimit), limit("lock_timeout", lockLimit), limit("idle_in_transaction_session_timeout", idleLimit),
		{name: "client_encoding", value: "UTF8"},
		{name: "standard_conforming_strings", value: "on"},
		{name: "DateStyle", value: "ISO, YMD"},
		{name: "TimeZone", value: "UTC"},
		{name: "default_transaction_isolation", value: "read committed"},
	}
	durable := setting{name: "synchronous_commit", value: "on", wants: "on or remote_apply", holds: func(v string) bool { return v == "on" || v == "remote_apply" }}
	if c.aside != "" {
		durable = setting{name: "synchronous_commit", value: "off"}
	}
	all = append(all, durable)
	if c.use == store.Readers {
		all = append(all, setting{name: "default_transaction_read_only", value: "on"})
	}
	if overTCP {
		some := func(v string) bool { return v != "0" }
		for name, value := range map[string]string{"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"} {
			all = append(all, setting{name: name, value: value, holds: some, wants: "more than 0"})
		}
	}
	return all
}

// settle sets what durability and isolation stand on, and refuses a connection or a
// database on which it does not hold.
func (c *connector) settle(ctx context.Context, own *conn) error {
	_, local := own.pg.Conn().(*net.UnixConn)
	all := c.settings(!local)
	before, err := settingsOf(ctx, own, all)
	if err != nil {
		return err
	}
	var set []string
	for _, s := range all {
		_, chosen := c.engine.config.RuntimeParams[s.name]
		// A server that waits for more than it has to may go on with that.
		if s.holds != nil && s.holds(before[s.name]) && (chosen || s.name == "synchronous_commit") {
			continue
		}
		set = append(set, fmt.Sprintf("set_config('%s', '%s', false)", s.name, s.value))
	}
	// A server that cannot notice that its client is gone says so, and ends what nobody
	// waits for by the other limits.
	_, _ = ask(ctx, own.pg, "SET client_connection_check_interval = 1000; SELECT 1")
	if len(set) > 0 {
		if _, err := ask(ctx, own.pg, "SELECT "+strings.Join(set, ", ")); err != nil {
			return fmt.Errorf("setting up a session: %w", err)
		}
	}
	after, err := settingsOf(ctx, own, all)
	if err != nil {
		return err
	}
	for _, s := range all {
		got := after[s.name]
		if s.holds == nil && got != s.value || s.holds != nil && !s.holds(got) {
			wants := s.wants
			if wants == "" {
				wants = s.value
			}
			return fmt.Errorf("the setting %s of the session is %q and has to be %s", s.name, got, wants)
		}
	}
	if err := suits(ctx, own); err != nil {
		return err
	}
	return c.enter(ctx, own)
}

// settingsOf answers what the settings of the session are.
func settingsOf(ctx context.Context, own *conn, all []setting) (map[string]string, error) {
	var names []string
	for _, s := range all {
		names = append(names, "'"+s.name+"'")
	}
	rows, err := ask(ctx, own.pg, "SELECT name, setting FROM pg_settings WHERE name IN ("+strings.Join(names, ", ")+")")
	if err != nil {
		return nil, fmt.Errorf("reading the settings of a session: %w", err)
	}
	got := map[string]string{}
	for _, row := range rows {
		got[row[0]] = row[1]
	}
	return got, nil
}

// oldestServer is the first version that has everything the engine uses.
const oldestServer = 140_000

// suits refuses a database whose order of text, or whose characters, are not those of
// the other engine: a list would be in another order there, and pages of it would skip.
func suits(ctx context.Context, own *conn) error {
	rows, err := ask(ctx, own.pg, `SELECT current_setting('server_version_num'), current_setting('server_encoding'), coalesce(current_schema(), '')`)
	if err != nil {
		return fmt.Errorf("looking at the server: %w", err)
	}
	r := rows[0]
	switch version, err := strconv.Atoi(r[0]); {
	case err != nil:
		return fmt.Errorf("the server says that its version is %q", r[0])
	case version < oldestServer:
		return fmt.Errorf("the server is of version %d, and the store needs PostgreSQL %d or newer", version/10_000, oldestServer/10_000)
	case r[1] != "UTF8":
		return fmt.Errorf("the database is in %s: create it with ENCODING 'UTF8' and TEMPLATE template0", r[1])
	case r[2] == "":
		return errors.New("no schema of the search_path exists: create one, or name one in the URL with search_path")
	}
	own.schema = r[2]
	rows, err = ask(ctx, own.pg, `SELECT string_agg(x, '' ORDER BY x) || lower('É') || lower('E')
		FROM unnest(ARRAY['b', 'a', 'B', 'A', '_', '~', '-', ' ', 'é', 'z', '1', '中', '😀', '！']) AS x`)
	if err != nil {
		return fmt.Errorf("looking at the database: %w", err)
	}
	if rows[0][0] != " -1AB_abz~é中！😀Ée" {
		return errors.New("the database sorts text by the rules of a language: create it with LC_COLLATE 'C', LC_CTYPE 'C' and TEMPLATE template0")
	}
	return nil
}

// enter moves the session into the schema of what stands beside the store, which it
// makes when it is missing.
func (c *connector) enter(ctx context.Context, own *conn) error {
	if c.aside == "" {
		return nil
	}
	own.schema += "_" + c.aside
	name := `"` + strings.ReplaceAll(own.schema, `"`, `""`) + `"`
	text := `'` + strings.ReplaceAll(own.schema, `'`, `''`) + `'`
	there := func() (bool, error) {
		rows, err := ask(ctx, own.pg, "SELECT 1 FROM pg_namespace WHERE nspname = "+text)
		return len(rows) > 0, err
	}
	found, err := there()
	if err == nil && !found {
		if _, failed := ask(ctx, own.pg, "CREATE SCHEMA IF NOT EXISTS "+name+"; SELECT 1"); failed != nil {
			// Another connection may have made it in the same moment.
			if found, err = there(); err == nil && !found {
				return fmt.Errorf("making the schema %s: grant CREATE on the database to the user, or create it: %w", own.schema, failed)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("looking for the schema %s: %w", own.schema, err)
	}
	_, err = ask(ctx, own.pg, "SELECT set_config('search_path', quote_ident("+text+"), false)")
	return err
}
