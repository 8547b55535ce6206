package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/internal/ledger"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
)

// measureStore compares writes of one capability with one commit a call, and with the
// bare statements.
func measureStore(ctx context.Context, p *plan) (_ *table, err error) {
	t := newTable("Writes",
		"create_work_item with an operation key through the door (ledger, schema, handler, log, search, ledger row), durable when it is answered (SQLite, WAL, synchronous=FULL), by callers that wait for their answer. "+
			"Beside it the same with one commit a call, and a program that does nothing but INSERT the same rows, as many in a commit as there are callers. The ratios are of time: ours over the other's.",
		"callers", "writes a second", "one commit a call", "times faster", "goal", "", "bare inserts a second", "ratio", "goal", "")
	for _, callers := range []int{1, 16, 64} {
		grouped, err := openTracked(ctx, filepath.Join(p.dir, fmt.Sprintf("grouped-%d.db", callers)), 64)
		if err != nil {
			return nil, err
		}
		single, err := openTracked(ctx, filepath.Join(p.dir, fmt.Sprintf("single-%d.db", callers)), 1)
		if err != nil {
			return nil, errors.Join(err, grouped.close())
		}
		bare, err := openBare(ctx, filepath.Join(p.dir, fmt.Sprintf("bare-%d.db", callers)))
		if err != nil {
			return nil, errors.Join(err, grouped.close(), single.close())
		}
		n := p.count(40 * callers)
		if callers == 1 {
			n = p.count(300)
		}
		c, err := compare(p.rounds, n, grouped.writes(ctx, callers), single.writes(ctx, callers))
		if err == nil {
			var b *comparison
			if b, err = compare(p.rounds, n, grouped.writes(ctx, callers), bare.inserts(ctx, callers)); err == nil {
				t.row(storeRow(callers, c, b)...)
			}
		}
		if err := errors.Join(err, grouped.close(), single.close(), bare.close()); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func storeRow(callers int, c, b *comparison) []string {
	const goalFaster, goalBare = 2.0, 1.3
	faster, slower := c.ratio(wallTime), b.ratio(wallTime)
	goal, ok, bareGoal, bareOK := "", "", "", ""
	if callers == 64 {
		goal, ok = fmt.Sprintf(">= %.0f", goalFaster), met(1/faster.mid >= goalFaster)
		bareGoal, bareOK = fmt.Sprintf("<= %.1f", goalBare), met(slower.mid <= goalBare)
	}
	perSecond := func(ns float64) string { return fmt.Sprintf("%.0f", 1e9/ns) }
	return []string{
		fmt.Sprint(callers), perSecond(middle(c.ours, wallTime)), perSecond(middle(c.theirs, wallTime)),
		fmt.Sprintf("**%.1f** (%.1f to %.1f)", 1/faster.mid, 1/faster.high, 1/faster.low), goal, ok,
		perSecond(middle(b.theirs, wallTime)), slower.text(), bareGoal, bareOK,
	}
}

// tracked is a tracker behind a door, on a store of its own.
type tracked struct {
	db   *store.DB
	door *capabilities.Door
	next atomic.Int64
}

func openStore(ctx context.Context, path string, batch int) (*store.DB, error) {
	e, err := sqlite.New(path)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, store.Options{
		Engine: e, Log: slog.New(slog.DiscardHandler), Now: time.Now, Schemas: []store.Schema{tracker.Schema()}, Batch: batch,
	})
}

func openTracked(ctx context.Context, path string, batch int) (*tracked, error) {
	db, err := openStore(ctx, path, batch)
	if err != nil {
		return nil, err
	}
	t, err := behindDoor(db)
	if err != nil {
		return nil, err
	}
	if _, err := tracker.CreateProject.Call(ctx, t.door, capabilities.OwnerPrincipal(), tracker.CreateProjectInput{Key: "WEB", Title: "Web"}); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return t, nil
}

// behindDoor answers the tracker on a store, which it closes where it cannot.
func behindDoor(db *store.DB) (*tracked, error) {
	reg, err := capabilities.Assemble(tracker.Pack.Bind(tracker.Deps{Store: db}))
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	log := slog.New(slog.DiscardHandler)
	return &tracked{db: db, door: capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(), Log: log, Now: time.Now,
		Interceptors: []capabilities.Interceptor{ledger.Interceptor(db, log)},
	})}, nil
}

func (t *tracked) close() error { return t.db.Close() }

// description is as long as that of many a work item.
const description = "The form comes back after the third attempt, and the session cookie is set twice with different paths. It happens in private windows alone, since the last release; the log says nothing. Seen by two customers so far, both behind a proxy that rewrites Set-Cookie. Steps: open a private window, sign in, sign out, sign in again."

func (t *tracked) write(ctx context.Context) error {
	n := t.next.Add(1)
	args := fmt.Appendf(nil, `{"project":"WEB","title":"Login loops, report %d","description":%q,"assignee":"kim"}`, n, description)
	_, err := t.door.Invoke(ctx, capabilities.Call{
		Name: "create_work_item", Arguments: args, Principal: capabilities.OwnerPrincipal(), Surface: capabilities.InProcess,
		Operation: capabilities.Operation{ID: fmt.Sprintf("key-%d", n)},
	})
	return err
}

// writes is a side of some callers, each of which waits for its answers.
func (t *tracked) writes(ctx context.Context, callers int) side {
	return func(n int) (usage, error) {
		failed := make([]error, callers)
		var all sync.WaitGroup
		cpu, start := ownCPU(), time.Now()
		for i := range callers {
			all.Go(func() {
				for range max(n/callers, 1) {
					if failed[i] = t.write(ctx); failed[i] != nil {
						return
					}
				}
			})
		}
		all.Wait()
		return usage{calls: max(n/callers, 1) * callers, wall: time.Since(start), cpu: ownCPU() - cpu}, errors.Join(failed...)
	}
}

// bare inserts the rows of work items into the same tables, and nothing else.
type bare struct {
	db    *sql.DB
	stmts []*sql.Stmt
	next  int64
}

// bareStatements are the rows that one work item leaves.
var bareStatements = []string{
	`INSERT INTO tracker_items (id, seq, project, num, version, title, status, priority, assignee, parent_id, created_ms, created_by, updated_ms, updated_by, text_version, text_ms, text_by, checks, checklist, description)
		VALUES (?, ?, 'WEB', ?, 1, ?, 'todo', NULL, 'kim', NULL, ?, 'owner', ?, 'owner', 1, ?, 'owner', 0, '[]', ?)`,
	`INSERT INTO tracker_item_keys (project, num, item_id, seq) VALUES ('WEB', ?, ?, ?)`,
	`INSERT INTO search_docs (kind, id, scope, title, body) VALUES ('work_item', ?, 'WEB', ?, ?)`,
	`INSERT INTO changes (stream, seq, kind, entity_id, scope, version, principal, author_kind, operator, capability, op_key, at_ms, body)
		VALUES ('main', ?, 'work_item', ?, 'WEB', 1, 'owner', 'human', '', 'create_work_item', ?, ?, ?)`,
	`INSERT INTO operations (principal, op_key, capability, digest, state, stream, seq, result, minted_ms, created_ms)
		VALUES ('owner', ?, 'create_work_item', ?, 'applied', 'main', ?, ?, ?, ?)`,
}

func openBare(ctx context.Context, path string) (*bare, error) {
	db, err := openStore(ctx, path, 1) // makes the tables
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		return nil, err
	}
	e, err := sqlite.New(path)
	if err != nil {
		return nil, err
	}
	b := &bare{}
	if b.db, err = e.Open(ctx, store.Writer, 1); err != nil {
		return nil, err
	}
	for _, text := range bareStatements {
		stmt, err := b.db.PrepareContext(ctx, text) //nolint:sqlclosecheck // close does
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
		b.stmts = append(b.stmts, stmt)
	}
	return b, nil
}

func (b *bare) close() error {
	var all []error
	for _, s := range b.stmts {
		all = append(all, s.Close())
	}
	return errors.Join(append(all, b.db.Close())...)
}

// inserts is a side that commits as many items at once as there are callers.
func (b *bare) inserts(ctx context.Context, callers int) side {
	return func(n int) (usage, error) {
		cpu, start := ownCPU(), time.Now()
		done := 0
		for done < n {
			if err := b.commit(ctx, callers); err != nil {
				return usage{}, err
			}
			done += callers
		}
		return usage{calls: done, wall: time.Since(start), cpu: ownCPU() - cpu}, nil
	}
}

func (b *bare) commit(ctx context.Context, items int) (err error) {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	body, err := json.Marshal(map[string]string{"action": "created", "status": "todo"})
	if err != nil {
		return err
	}
	for range items {
		b.next++
		now := time.Now()
		ms, id, title := now.UnixMilli(), store.NewID("wi", now), fmt.Sprintf("Login loops, report %d", b.next)
		key := fmt.Sprintf("key-%d", b.next)
		digest := fmt.Sprintf("%064x", capabilities.Digest("create_work_item", []byte(title)))
		receipt := fmt.Sprintf(`{"outcome":"applied","position":"00000000.main.%d","op_id":%q,"key":"WEB-%d","id":%q,"version":1,"status":"todo","assignee":{"id":"kim","by":"request"}}`, b.next, key, b.next, id)
		for i, args := range [][]any{
			{id, b.next, b.next, title, ms, ms, ms, description},
			{b.next, id, b.next},
			{id, title, description},
			{b.next, id, key, ms, string(body)},
			{key, digest, b.next, receipt, ms, ms},
		} {
			if _, err := tx.StmtContext(ctx, b.stmts[i]).ExecContext(ctx, args...); err != nil { //nolint:sqlclosecheck // it ends with the transaction
				return err
			}
		}
	}
	return tx.Commit()
}
