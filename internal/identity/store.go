package identity

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

const (
	columns = `id, name, scopes, seat, person, created_ms, created_by, expires_ms, revoked_ms`

	selectByHash = `SELECT ` + columns + ` FROM identity_tokens WHERE hash = ?`

	selectByID = `SELECT ` + columns + ` FROM identity_tokens WHERE id = ?`

	selectPage = `SELECT ` + columns + ` FROM identity_tokens WHERE id > ? ORDER BY id LIMIT ?`

	insertToken = `INSERT INTO identity_tokens (hash, ` + columns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)`

	revokeToken = `UPDATE identity_tokens SET revoked_ms = ? WHERE id = ? AND revoked_ms IS NULL`
)

// kindToken is the kind of a token in the log.
const kindToken = "token"

// event describes a change of a token.
type event struct {
	Action string `json:"action"`
}

// row is a row of identity_tokens.
type row struct {
	ID        string         `db:"id"`
	Name      string         `db:"name"`
	Scopes    string         `db:"scopes"`
	Seat      sql.NullString `db:"seat"`
	Person    sql.NullString `db:"person"`
	CreatedMS int64          `db:"created_ms"`
	CreatedBy string         `db:"created_by"`
	ExpiresMS sql.NullInt64  `db:"expires_ms"`
	RevokedMS sql.NullInt64  `db:"revoked_ms"`
}

func (r *row) token() (Token, error) {
	t := Token{
		ID: r.ID, Name: r.Name, Seat: r.Seat.String, Person: r.Person.String, CreatedAt: time.UnixMilli(r.CreatedMS).UTC(), CreatedBy: r.CreatedBy,
		ExpiresAt: timeOf(r.ExpiresMS), RevokedAt: timeOf(r.RevokedMS),
	}
	if err := json.Unmarshal([]byte(r.Scopes), &t.Scopes); err != nil {
		return Token{}, fmt.Errorf("reading the scopes of the token %s: %w", r.ID, err)
	}
	return t, nil
}

func timeOf(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64).UTC()
}

// byHash answers the token of a digest; that there is none is a refusal.
func (k *Tokens) byHash(ctx context.Context, sum digest) (t Token, err error) {
	err = store.Read(ctx, k.o.Store, func(r *store.Reader) error {
		found, err := one(r, selectByHash, sum.String())
		if errors.Is(err, sql.ErrNoRows) {
			return errUnknown
		}
		t = found
		return err
	})
	return t, err
}

// Bearer answers whom the token with an id stands for now. The refusal is that of
// [Tokens.Principal], or [capabilities.NotFound] for an id that no token has.
func (k *Tokens) Bearer(ctx context.Context, id string) (*capabilities.Principal, error) {
	t, err := k.byID(ctx, id)
	if err != nil {
		return nil, err
	}
	return (&entry{token: t}).principal(k.o.Now(), k.o.Config())
}

// Over reports whether the token with an id was revoked or has expired, and so is good for
// nothing whatever the configuration becomes; one that there is not is over as well.
func (k *Tokens) Over(ctx context.Context, id string) (bool, error) {
	t, err := k.byID(ctx, id)
	if e, ok := capabilities.AsError(err); ok && e.Code == capabilities.NotFound {
		return true, nil
	}
	return !t.RevokedAt.IsZero() || t.expiredAt(k.o.Now()), err
}

// byID answers the token with an id; that there is none is a refusal.
func (k *Tokens) byID(ctx context.Context, id string) (t Token, err error) {
	err = store.Read(ctx, k.o.Store, func(r *store.Reader) error {
		found, err := one(r, selectByID, id)
		if errors.Is(err, sql.ErrNoRows) {
			return errNoID
		}
		t = found
		return err
	})
	return t, err
}

var errNoID = capabilities.Refuse(capabilities.NotFound, "no token has this id: list_tokens has the ids") // not quoted: it may be a token itself

func one(r *store.Reader, query, by string) (Token, error) {
	var found row
	if err := r.Get(&found, query, by); err != nil {
		return Token{}, err
	}
	return found.token()
}

// List answers at most limit tokens whose ids come after the given one, in the order in
// which they were made. Tokens that are good for nothing any more are among them.
func (k *Tokens) List(ctx context.Context, after string, limit int) (all []Token, err error) {
	err = store.Read(ctx, k.o.Store, func(r *store.Reader) error {
		all = nil
		var rows []row
		if err := r.Select(&rows, selectPage, after, limit); err != nil {
			return err
		}
		for i := range rows {
			t, err := rows[i].token()
			if err != nil {
				return err
			}
			all = append(all, t)
		}
		return nil
	})
	return all, err
}

// Insert keeps a new token within a write, and answers it with what it is called by:
// the one time that the secret is to be had.
func (k *Tokens) Insert(tx *store.Tx, d Draft) (t Token, secret string, err error) {
	ends, err := d.ends(&tx.Reader, tx.Now())
	if err != nil {
		return Token{}, "", err
	}
	secret = mint()
	t = Token{
		ID: store.NewID(idPrefix, tx.Now()), Name: d.Name, Scopes: d.Scopes, Seat: d.Seat, Person: d.Person,
		CreatedAt: tx.Now(), CreatedBy: tx.Who().ID, ExpiresAt: ends,
	}
	scopes, err := capabilities.Encode(d.Scopes)
	if err != nil {
		return Token{}, "", fmt.Errorf("writing the scopes of a token: %w", err)
	}
	if _, err := tx.Exec(insertToken, digestOf(secret).String(), t.ID, t.Name, string(scopes), store.TextIn(t.Seat), store.TextIn(t.Person),
		t.CreatedAt.UnixMilli(), t.CreatedBy, store.TimeIn(t.ExpiresAt)); err != nil {
		return Token{}, "", err
	}
	return t, secret, tx.Change(store.Change{Kind: kindToken, ID: t.ID, Body: event{"created"}})
}

// Revoke revokes a token within a write, where it is not revoked already, and answers it
// as it is then. The refusal is [capabilities.NotFound] for an id that no token has.
// Whoever calls it calls [Tokens.Forget] once the write has ended, however it did.
func (k *Tokens) Revoke(tx *store.Tx, id string) (Token, error) {
	n, err := tx.Exec(revokeToken, tx.Now().UnixMilli(), id)
	if err != nil {
		return Token{}, err
	}
	if n > 0 {
		if err := tx.Change(store.Change{Kind: kindToken, ID: id, Body: event{"revoked"}}); err != nil {
			return Token{}, err
		}
	}
	t, err := one(&tx.Reader, selectByID, id)
	if errors.Is(err, sql.ErrNoRows) {
		return Token{}, errNoID
	}
	return t, err
}

// check looks whether every token can be read.
func check(r *store.Reader) (faults []string, err error) {
	for after := ""; ; {
		var rows []row
		if err := r.Select(&rows, selectPage, after, 256); err != nil {
			return nil, err
		}
		for i := range rows {
			if _, err := rows[i].token(); err != nil {
				faults = append(faults, err.Error())
			}
			after = rows[i].ID
		}
		if len(rows) < 256 {
			return faults, nil
		}
	}
}
