package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
)

const (
	// changesEach is how many rows of the log an item has.
	changesEach = 10
	// rareMatches is how many items a rare word stands in.
	rareMatches = 200
	// people are those whom items are given to; of so many items one is given to nobody.
	people = 50
)

// filled is a database with rows that no capability wrote.
type filled struct {
	items       int
	ids         []string
	itemBytes   int64 // its size once the items were there, with one change each
	changeBytes int64 // its size once all changes were
}

// fill makes a database of so many items at path. It inserts what capabilities would
// have left, in large transactions that are not synchronous.
func fill(ctx context.Context, path string, items int) (_ *filled, err error) {
	t, err := openTracked(ctx, path, 64)
	if err != nil {
		return nil, err
	}
	if err := t.close(); err != nil {
		return nil, err
	}
	e, err := sqlite.New(path)
	if err != nil {
		return nil, err
	}
	db, err := e.Open(ctx, store.Writer, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, pragma := range []string{`PRAGMA synchronous = OFF`, `PRAGMA cache_size = -400000`} {
		if _, err := db.ExecContext(ctx, pragma); err != nil {
			return nil, err
		}
	}
	f := &filled{items: items}
	begun := time.Now().Add(-time.Duration(items) * time.Minute)
	if err := inserted(ctx, db, items, func(insert inserter, i int) error {
		return f.item(insert, i, begun.Add(time.Duration(i)*time.Minute))
	}); err != nil {
		return nil, err
	}
	if f.itemBytes, err = bytesOf(ctx, db); err != nil {
		return nil, err
	}
	// In turns over all items: what happened to one is spread over the log.
	if err := inserted(ctx, db, items*(changesEach-1), func(insert inserter, i int) error {
		return f.change(insert, i%items, int64(i/items)+2, int64(items+i+2))
	}); err != nil {
		return nil, err
	}
	if _, err := db.ExecContext(ctx, `UPDATE log_head SET seq = ? WHERE stream = 'main'`, items*changesEach+1); err != nil {
		return nil, err
	}
	f.changeBytes, err = bytesOf(ctx, db)
	return f, err
}

// bytesOf answers the size of a database, without its log.
func bytesOf(ctx context.Context, db *sql.DB) (n int64, err error) {
	return n, db.QueryRowContext(ctx, `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`).Scan(&n)
}

// inserter runs one of the statements of fillStatements.
type inserter func(statement int, args ...any) error

const (
	fillItem = iota
	fillKey
	fillDoc
	fillChange
	fillOperation
	fillItemLabel
	fillLabel
)

func fillStatements() []string {
	return []string{
		fillItem: `INSERT INTO tracker_items (id, seq, project, num, version, title, status, priority, assignee, parent_id, created_ms, created_by, updated_ms, updated_by, text_version, text_ms, text_by, checks, checklist, description)
			VALUES (?, ?, 'WEB', ?, 10, ?, ?, ?, ?, ?, ?, 'owner', ?, 'owner', 1, ?, 'owner', 0, '[]', ?)`,
		fillKey: `INSERT INTO tracker_item_keys (project, num, item_id, seq) VALUES ('WEB', ?, ?, ?)`,
		fillDoc: `INSERT INTO search_docs (kind, id, scope, title, body) VALUES ('work_item', ?, 'WEB', ?, ?)`,
		fillChange: `INSERT INTO changes (stream, seq, kind, entity_id, scope, version, principal, author_kind, operator, capability, op_key, at_ms, body)
			VALUES ('main', ?, 'work_item', ?, 'WEB', ?, 'owner', 'human', '', ?, ?, ?, ?)`,
		fillOperation: `INSERT INTO operations (principal, op_key, capability, digest, state, stream, seq, result, minted_ms, created_ms)
			VALUES ('owner', ?, 'create_work_item', ?, 'applied', 'main', ?, ?, ?, ?)`,
		fillItemLabel: `INSERT INTO tracker_item_labels (label_id, seq, item_id) VALUES ('lb_bug', ?, ?)`,
		fillLabel:     `INSERT INTO tracker_labels (id, project, folded, name, colour, version, created_ms, created_by) VALUES ('lb_bug', 'WEB', 'bug', 'bug', '', 1, ?, 'owner')`,
	}
}

// inserted calls one n times, many times a transaction.
func inserted(ctx context.Context, db *sql.DB, n int, one func(insert inserter, i int) error) error {
	const atOnce = 20_000
	for from := 0; from < n; from += atOnce {
		if err := within(ctx, db, func(insert inserter) error {
			for i := from; i < min(from+atOnce, n); i++ {
				if err := one(insert, i); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// within runs fn in a transaction.
func within(ctx context.Context, db *sql.DB, fn func(inserter) error) (err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	var prepared []*sql.Stmt
	for _, text := range fillStatements() {
		stmt, err := tx.PrepareContext(ctx, text) //nolint:sqlclosecheck // it ends with the transaction
		if err != nil {
			return err
		}
		prepared = append(prepared, stmt)
	}
	free := context.WithoutCancel(ctx) // of one that can end every insert is watched
	if err := fn(func(statement int, args ...any) error {
		_, err := prepared[statement].ExecContext(free, args...)
		return err
	}); err != nil {
		return err
	}
	return tx.Commit()
}

// item inserts an item and what its creation left.
func (f *filled) item(insert inserter, i int, at time.Time) (err error) {
	n, ms, id := i+1, at.UnixMilli(), store.NewID("wi", at)
	f.ids = append(f.ids, id)
	var priority, assignee, parent any
	if i%5 == 0 {
		priority = i/5%4 + 1
	}
	if i%people != 0 {
		assignee = fmt.Sprintf("person-%d", i%people)
	}
	if i%1000 > 0 && i%1000 <= 20 {
		parent = f.ids[i-i%1000]
	}
	statuses := []string{"triage", "todo", "in_progress", "in_review", "done", "cancelled"}
	title, text := fmt.Sprintf("Login loops, report %d of %s", n, f.rare(i)), description
	if i%10 == 0 {
		text += " Every tenth is urgent."
	}
	key, body := fmt.Sprintf("fill-%d", n), fmt.Sprintf(`{"action":"created","key":"WEB-%d","status":"todo"}`, n)
	receipt := fmt.Sprintf(`{"outcome":"applied","position":"00000000.main.%d","op_id":%q,"key":"WEB-%d","id":%q,"version":1,"status":"todo","assignee":{"id":"kim","why":"named_in_call"}}`, n+1, key, n, id)
	digest := fmt.Sprintf("%064x", capabilities.Digest("create_work_item", []byte(title)))
	if i == 0 {
		err = insert(fillLabel, ms)
	}
	if i%20 == 0 {
		err = errors.Join(err, insert(fillItemLabel, n, id))
	}
	return errors.Join(err,
		insert(fillItem, id, n, n, title, statuses[i/7%len(statuses)], priority, assignee, parent, ms, ms, ms, text),
		insert(fillKey, n, id, n),
		insert(fillDoc, id, title, text),
		insert(fillChange, n+1, id, 1, "create_work_item", key, ms, body),
		insert(fillOperation, key, digest, n+1, receipt, ms, ms),
	)
}

// rare answers a word that stands in few items.
func (f *filled) rare(i int) string { return fmt.Sprintf("case%d", i%max(f.items/rareMatches, 1)) }

// change inserts a later change of an item.
func (f *filled) change(insert inserter, i int, version, seq int64) error {
	body := fmt.Sprintf(`{"action":"updated","key":"WEB-%d","fields":["status"],"status":"in_progress"}`, i+1)
	return insert(fillChange, seq, f.ids[i], version, "update_work_item", fmt.Sprintf("op_fill_%d", seq), time.Now().UnixMilli(), body)
}
