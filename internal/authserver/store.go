package authserver

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/internal/store"
)

const (
	selectClient = `SELECT name, redirects FROM oauth_clients WHERE id = ? AND expires_ms > ?`

	countClients = `SELECT count(*) FROM oauth_clients`

	insertClient = `INSERT INTO oauth_clients (id, name, redirects, created_ms, consented_ms, expires_ms) VALUES (?, ?, ?, ?, NULL, ?)`

	keepClient = `UPDATE oauth_clients SET consented_ms = ?, expires_ms = ? WHERE id = ?`

	deleteOldClients = `DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)`

	// deleteWaiting makes room: the oldest client that nobody consented to expires first.
	deleteWaiting = `DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients WHERE consented_ms IS NULL ORDER BY expires_ms LIMIT ?)`

	insertCode = `INSERT INTO oauth_codes (hash, client, name, redirect, challenge, resource, scopes, seat, expires_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

	selectCode = `SELECT client, name, redirect, challenge, resource, scopes, seat, expires_ms, used_ms, again_ms, token FROM oauth_codes WHERE hash = ?`

	useCode = `UPDATE oauth_codes SET used_ms = ? WHERE hash = ?`

	useCodeAgain = `UPDATE oauth_codes SET again_ms = ? WHERE hash = ?`

	spendCode = `UPDATE oauth_codes SET token = ? WHERE hash = ?`

	deleteOldCodes = `DELETE FROM oauth_codes WHERE hash IN (SELECT hash FROM oauth_codes WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)`

	insertBearer = `INSERT INTO oauth_bearers (hash, kind, token, client, resource, scopes, expires_ms, used_ms) VALUES (?, ?, ?, ?, ?, ?, ?, NULL)`

	selectBearer = `SELECT kind, token, client, resource, scopes, expires_ms, used_ms FROM oauth_bearers WHERE hash = ?`

	countBearers = `SELECT count(*) FROM oauth_bearers WHERE client = ?`

	useBearer = `UPDATE oauth_bearers SET used_ms = ? WHERE hash = ?`

	deleteOldBearers = `DELETE FROM oauth_bearers WHERE hash IN (SELECT hash FROM oauth_bearers WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)`
)

// sweepAtOnce is how many old rows one write takes away.
const sweepAtOnce = 100

// codeKept is how long a code is known after it expired: when it comes again, what was made
// from it is revoked.
const codeKept = 24 * time.Hour

// code is a row of oauth_codes.
type code struct {
	Client    string         `db:"client"`
	Name      string         `db:"name"`
	Redirect  string         `db:"redirect"`
	Challenge string         `db:"challenge"`
	Resource  string         `db:"resource"`
	Scopes    string         `db:"scopes"`
	Seat      string         `db:"seat"`
	ExpiresMS int64          `db:"expires_ms"`
	UsedMS    sql.NullInt64  `db:"used_ms"`
	AgainMS   sql.NullInt64  `db:"again_ms"`
	Token     sql.NullString `db:"token"`
}

// The kinds of bearers.
const (
	kindAccess  = "access"
	kindRefresh = "refresh"
)

// bearer is a row of oauth_bearers.
type bearer struct {
	Kind      string        `db:"kind"`
	Token     string        `db:"token"`
	Client    string        `db:"client"`
	Resource  string        `db:"resource"`
	Scopes    string        `db:"scopes"`
	ExpiresMS int64         `db:"expires_ms"`
	UsedMS    sql.NullInt64 `db:"used_ms"`
}

func (s *Server) clientRow(ctx context.Context, id string) (*client, error) {
	var row struct {
		Name      string `db:"name"`
		Redirects string `db:"redirects"`
	}
	err := store.Read(ctx, s.o.Store, func(r *store.Reader) error { return r.Get(&row, selectClient, id, s.o.Now().UnixMilli()) })
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errUnregistered
	}
	if err != nil {
		return nil, err
	}
	c := &client{id: id, name: row.Name}
	if err := json.Unmarshal([]byte(row.Redirects), &c.redirects); err != nil {
		return nil, fmt.Errorf("reading the addresses of the client %s: %w", id, err)
	}
	return c, nil
}

// enrol keeps a client that registers itself. Where there are too many, those go first that
// nobody consented to.
func (s *Server) enrol(ctx context.Context, c *client) error {
	redirects, err := json.Marshal(c.redirects)
	if err != nil {
		return fmt.Errorf("writing the addresses of a client: %w", err)
	}
	now := s.o.Now()
	return store.Beside(ctx, s.o.Store, owner, func(tx *store.Tx) error {
		if _, err := tx.Exec(deleteOldClients, now.UnixMilli(), sweepAtOnce); err != nil {
			return err
		}
		var n int64
		if err := tx.Get(&n, countClients); err != nil {
			return err
		}
		if n >= mostClients {
			if _, err := tx.Exec(deleteWaiting, n-mostClients+1); err != nil {
				return err
			}
		}
		_, err := tx.Exec(insertClient, c.id, c.name, string(redirects), now.UnixMilli(), now.Add(clientWaits).UnixMilli())
		return err
	})
}

// keepCode keeps a code that the owner gave, and the client for longer.
func (s *Server) keepCode(ctx context.Context, secret string, c *code) error {
	now := s.o.Now()
	return store.Beside(ctx, s.o.Store, owner, func(tx *store.Tx) error {
		if _, err := tx.Exec(deleteOldCodes, now.Add(-codeKept).UnixMilli(), sweepAtOnce); err != nil {
			return err
		}
		if _, err := tx.Exec(keepClient, now.UnixMilli(), now.Add(clientHolds).UnixMilli(), c.Client); err != nil {
			return err
		}
		_, err := tx.Exec(insertCode, hashOf(secret), c.Client, c.Name, c.Redirect, c.Challenge, c.Resource, c.Scopes, c.Seat, c.ExpiresMS)
		return err
	})
}

// knows answers [sql.ErrNoRows] for a code that is none.
func (s *Server) knows(ctx context.Context, secret string) error {
	return store.Read(ctx, s.o.Store, func(r *store.Reader) error {
		var c code
		return r.Get(&c, selectCode, hashOf(secret))
	})
}

// takeCode takes a code, whatever comes of it: of two who have one, one gets something.
// again answers the token that was made from it before, or "" where there is none yet.
func (s *Server) takeCode(ctx context.Context, secret string) (c code, again bool, err error) {
	now := s.o.Now().UnixMilli()
	err = store.Beside(ctx, s.o.Store, owner, func(tx *store.Tx) error {
		c, again = code{}, false
		if err := tx.Get(&c, selectCode, hashOf(secret)); err != nil {
			return err
		}
		query := useCode
		if again = c.UsedMS.Valid; again {
			query = useCodeAgain
		}
		if c.AgainMS.Valid {
			return nil
		}
		_, err := tx.Exec(query, now, hashOf(secret))
		return err
	})
	return c, again, err
}

// errTwice is why nothing is given: the code was presented once more meanwhile.
var errTwice = errors.New("the code was presented twice")

// pair are the secrets that a client gets at once.
type pair struct{ access, refresh string }

// give keeps what a client gets for an API token. from is the code that it was made from,
// spent the refresh token that it is given for; one of them is "".
func (s *Server) give(ctx context.Context, p pair, b bearer, from, spent string) error {
	now := s.o.Now()
	return store.Beside(ctx, s.o.Store, owner, func(tx *store.Tx) error {
		if _, err := tx.Exec(deleteOldBearers, now.UnixMilli(), sweepAtOnce); err != nil {
			return err
		}
		if from != "" {
			var c code
			if err := tx.Get(&c, selectCode, hashOf(from)); err != nil {
				return err
			}
			if c.AgainMS.Valid {
				return errTwice
			}
			if _, err := tx.Exec(spendCode, b.Token, hashOf(from)); err != nil {
				return err
			}
		}
		if spent != "" {
			var old bearer
			if err := tx.Get(&old, selectBearer, hashOf(spent)); err != nil {
				return err
			}
			if old.UsedMS.Valid {
				return errTwice
			}
			if _, err := tx.Exec(useBearer, now.UnixMilli(), hashOf(spent)); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(insertBearer, hashOf(p.access), kindAccess, b.Token, b.Client, b.Resource, b.Scopes, now.Add(accessHolds).UnixMilli()); err != nil {
			return err
		}
		if _, err := tx.Exec(keepClient, now.UnixMilli(), now.Add(clientHolds).UnixMilli(), b.Client); err != nil {
			return err
		}
		_, err := tx.Exec(insertBearer, hashOf(p.refresh), kindRefresh, b.Token, b.Client, b.Resource, b.Scopes, now.Add(refreshHolds).UnixMilli())
		return err
	})
}

// letIn reports whether a client got something here lately: the owner knows it then.
func (s *Server) letIn(ctx context.Context, client string) bool {
	var n int64
	err := store.Read(ctx, s.o.Store, func(r *store.Reader) error { return r.Get(&n, countBearers, client) })
	return err == nil && n > 0
}

// bearerRow answers what a secret stands for; no row is [sql.ErrNoRows].
func (s *Server) bearerRow(ctx context.Context, hash string) (*bearer, error) {
	b := &bearer{}
	err := store.Read(ctx, s.o.Store, func(r *store.Reader) error { return r.Get(b, selectBearer, hash) })
	return b, err
}
