package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Reader answers questions about one state of the store. It is for the goroutine
// that got it, and for as long as the function that got it runs.
type Reader struct {
	ctx     context.Context //nolint:containedctx // the call's, or the batch's: a reader lives within one call
	session *session
	rights  Rights
	now     time.Time
	db      *DB
	over    atomic.Bool // the function that got it has returned
	failed  error       // the first error of the engine
}

// Now answers the time of the call, in UTC, cut to milliseconds. It stays the same.
func (r *Reader) Now() time.Time { return r.now }

// Get scans one row into dst: a scalar, or a struct whose fields carry db tags. No
// row is [sql.ErrNoRows].
func (r *Reader) Get(dst any, query string, args ...any) error {
	if err := r.permitted(reads, query, args); err != nil {
		return err
	}
	return r.noted(r.session.get(r.ctx, r.rights, dst, query, args...), query)
}

// Select scans every row into dst, a pointer to a slice of scalars or of structs.
func (r *Reader) Select(dst any, query string, args ...any) error {
	if err := r.permitted(reads, query, args); err != nil {
		return err
	}
	return r.noted(r.session.list(r.ctx, r.rights, dst, query, args...), query)
}

// permitted judges a statement of a pack.
func (r *Reader) permitted(v verb, query string, args []any) error {
	if r.over.Load() {
		return errOver
	}
	if err := r.db.guard.allow(r.rights, query, v); err != nil {
		if r.failed == nil {
			r.failed = err
		}
		return err
	}
	if seen := r.db.o.Seen; seen != nil {
		seen(query, args)
	}
	return nil
}

// own runs a statement of the store for a pack and scans every row.
func (r *Reader) own(dst any, query string, args ...any) error {
	if r.over.Load() {
		return errOver
	}
	return r.noted(r.session.list(r.ctx, Keeping, dst, query, args...), query)
}

// noted keeps the first failure of the engine and says which statement it was of.
func (r *Reader) noted(err error, query string) error {
	if err == nil || errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if r.failed == nil {
		r.failed = err
	}
	return fmt.Errorf("running %q: %w", oneLine(query), err)
}

// Blob answers the bytes that [Tx.PutBlob] kept under the digest. One that is not
// there is [sql.ErrNoRows].
func (r *Reader) Blob(digest string) ([]byte, error) {
	var chunks [][]byte
	const query = `SELECT data FROM blobs WHERE digest = ? ORDER BY chunk`
	if err := r.own(&chunks, query, digest); err != nil {
		return nil, err
	}
	if len(chunks) == 0 {
		return nil, sql.ErrNoRows
	}
	var all []byte
	for _, c := range chunks {
		all = append(all, c...)
	}
	return all, nil
}

// Tx is the one write of a call. What it did is undone when the function that got it
// answers an error.
type Tx struct {
	Reader
	op       Op
	author   Author
	pack     string // whose write it is
	changes  []Change
	docs     []docChange
	affected int64
}

// Author is whom a write is attributed to.
type Author struct {
	// ID is the seat or the person that wrote, or "token:<id>" of a credential that is
	// bound to neither.
	ID string
	// Kind is "human" or "operator".
	Kind string
	// Operator is the credential that was used: the id of a token, or whoever acts in the
	// position of a seat. It is empty where the author used the owner's own.
	Operator string
	// For is the person that the author acted for; "" is nobody.
	For string
}

// Who answers whom the write is attributed to.
func (t *Tx) Who() Author { return t.author }

// Exec runs a statement that writes, and answers how many rows it wrote.
func (t *Tx) Exec(query string, args ...any) (affected int64, err error) {
	if err := t.permitted(writes, query, args); err != nil {
		return 0, err
	}
	n, err := t.session.exec(t.ctx, t.rights, query, args...)
	t.affected += n
	return n, t.noted(err, query)
}

// Change is one row of the log.
type Change struct {
	// Kind and ID name what changed, Scope what it belongs to: a project's key.
	Kind, ID, Scope string
	// Version is the object's own, after the change; 0 for what has none.
	Version int64
	// Body describes the change, as JSON. It does not quote what people wrote.
	Body any
}

// Change appends to the log. Every write that changes rows says what changed.
func (t *Tx) Change(c Change) error {
	if c.Kind == "" || c.ID == "" {
		return fmt.Errorf("a change names the kind and the id of what changed, this one is of %q %q", c.Kind, c.ID)
	}
	t.changes = append(t.changes, c)
	return nil
}

// Doc is what a search finds.
type Doc struct {
	// Kind and ID name it, Scope is what it belongs to.
	Kind, ID, Scope string
	Title, Body     string
}

// Index puts a document into the search, or replaces it there.
func (t *Tx) Index(d Doc) error {
	if t.over.Load() {
		return errOver
	}
	t.affected++
	t.docs = append(t.docs, docChange{d, false})
	return nil
}

// docChange is a document that is put into the search, or taken out of it, when the
// transaction ends: an index that has something to write writes it at every savepoint,
// and there is one for every write of a commit.
type docChange struct {
	Doc
	gone bool
}

// apply runs the statement of the change.
func (d docChange) apply(ctx context.Context, s *session) error {
	if d.gone {
		return s.keep(ctx, `DELETE FROM search_docs WHERE kind = ? AND id = ?`, d.Kind, d.ID)
	}
	query, args := s.engine.Index(d.Doc)
	return s.keep(ctx, query, args...)
}

// Search is for reads: what a write indexes is found when it has ended.
func (t *Tx) Search(Query) (Found, error) {
	err := fmt.Errorf("%s searches within a write: read what it needs by its keys", t.op.Capability)
	return Found{}, t.noted(err, "a search")
}

// Unindex takes a document out of the search. A write that only appends may not.
func (t *Tx) Unindex(kind, id string) error {
	if t.over.Load() {
		return errOver
	}
	if err := t.removes("a document of the search"); err != nil {
		return err
	}
	t.affected++
	t.docs = append(t.docs, docChange{Doc{Kind: kind, ID: id}, true})
	return nil
}

// remove runs a statement of the store that takes something away for a pack.
func (t *Tx) remove(query string, args ...any) error {
	if err := t.removes(query); err != nil {
		return err
	}
	return t.keep(query, args...)
}

// removes answers the error of a write that takes something away and may not.
func (t *Tx) removes(what string) error {
	if t.rights < Changing {
		return t.noted(fmt.Errorf("%s removes something, and declares that it only adds", t.op.Capability), what)
	}
	return nil
}

// keep runs a statement of the store for a pack.
func (t *Tx) keep(query string, args ...any) error {
	if t.over.Load() {
		return errOver
	}
	n, err := t.session.exec(t.ctx, Keeping, query, args...)
	t.affected += n
	return t.noted(err, query)
}

// chunkSize is the most bytes of one row of a blob.
const chunkSize = 256 << 10

// PutBlob keeps bytes for the pack and answers their digest, under which [Reader.Blob] answers
// them. The same bytes are kept once.
func (t *Tx) PutBlob(data []byte) (digest string, err error) {
	sum := sha256.Sum256(data)
	digest = hex.EncodeToString(sum[:])
	const query = `INSERT INTO blobs (digest, chunk, data) VALUES (?, ?, ?) ON CONFLICT (digest, chunk) DO NOTHING`
	for i := 0; i == 0 || len(data) > 0; i++ {
		chunk := data[:min(len(data), chunkSize)]
		data = data[len(chunk):]
		if chunk == nil {
			chunk = []byte{}
		}
		if err := t.keep(query, digest, i, chunk); err != nil {
			return "", err
		}
	}
	return digest, t.keep(`INSERT INTO blob_keepers (digest, keeper) VALUES (?, ?) ON CONFLICT (digest, keeper) DO NOTHING`, digest, t.pack)
}

// DropBlob says that nothing of the pack names bytes any more: they are removed unless
// another pack keeps them. A write that only appends may not.
func (t *Tx) DropBlob(digest string) error {
	if err := t.remove(`DELETE FROM blob_keepers WHERE digest = ? AND keeper = ?`, digest, t.pack); err != nil {
		return err
	}
	return t.remove(`DELETE FROM blobs WHERE digest = ? AND NOT EXISTS (SELECT 1 FROM blob_keepers WHERE digest = ?)`, digest, digest)
}

// logged writes the changes into the log and answers the number of the last.
func (t *Tx) logged(stream string, head int64) (int64, error) {
	const query = `INSERT INTO changes (stream, seq, kind, entity_id, scope, version, principal, author_kind, operator, acting_for, capability, op_key, at_ms, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	for _, c := range t.changes {
		body := []byte("{}")
		if c.Body != nil {
			var err error
			if body, err = json.Marshal(c.Body); err != nil {
				return head, fmt.Errorf("writing a change of %s %s: %w", c.Kind, c.ID, err)
			}
		}
		head++
		err := t.session.keep(t.ctx, query, stream, head, c.Kind, c.ID, c.Scope, c.Version, t.author.ID, t.author.Kind, t.author.Operator, t.author.For,
			t.op.Capability, t.op.Key, t.now.UnixMilli(), string(body))
		if err := t.noted(err, query); err != nil {
			return head, err
		}
	}
	return head, nil
}
