package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// smallStore is how many items the store has that the large one is compared with.
const smallStore = 1_000

// readCase is one kind of read.
type readCase struct {
	what, capability string
	// arguments answers those of the next call on a store.
	arguments func(f *filled, r *rand.Rand) string
	// most is the most time that a p99 may take, and 0 where it has to be within
	// mostGrowth of that in the small store.
	most time.Duration
}

const mostGrowth = 3.0

// fixed answers the same arguments for every call.
func fixed(arguments string) func(*filled, *rand.Rand) string {
	return func(*filled, *rand.Rand) string { return arguments }
}

func readCases() []readCase {
	const list, get, search, common = "list_work_items", "get_work_item", "search_work_items", 50 * time.Millisecond
	return []readCase{
		{"list: a project", list, fixed(`{"project":"WEB"}`), 0},
		{"list: three statuses of a project", list, fixed(`{"project":"WEB","status":["triage","todo","in_progress"]}`), 0},
		{"list: what somebody has to do", list, func(_ *filled, r *rand.Rand) string {
			return fmt.Sprintf(`{"assignee":"person-%d","status":["todo"],"limit":10}`, 1+r.IntN(people-1))
		}, 0},
		{"list: a label", list, fixed(`{"project":"WEB","label":"bug"}`), 0},
		{"list: a priority", list, fixed(`{"priority":"high"}`), 0},
		{"list: given to nobody", list, fixed(`{"unassigned":true,"limit":10}`), 0},
		{"list: the subtasks of an item", list, fixed(`{"parent":"WEB-1"}`), 0},
		{"list: changed since a time in the middle", list, func(f *filled, _ *rand.Rand) string {
			return fmt.Sprintf(`{"updated_since":%q}`, time.Now().Add(-time.Duration(f.items/2)*time.Minute).UTC().Format(time.RFC3339))
		}, 0},
		{"get: an item", get, func(f *filled, r *rand.Rand) string { return fmt.Sprintf(`{"item":"WEB-%d"}`, 1+r.IntN(f.items)) }, 0},
		{fmt.Sprintf("search: a word of %d items", rareMatches), search, func(f *filled, r *rand.Rand) string {
			return fmt.Sprintf(`{"query":%q}`, f.rare(r.IntN(f.items)))
		}, 0},
		{"search: that with a word of all, in a project", search, func(f *filled, r *rand.Rand) string {
			return fmt.Sprintf(`{"query":"session %s","project":"WEB"}`, f.rare(r.IntN(f.items)))
		}, 0},
		{"search: a word of every tenth item", search, fixed(`{"query":"urgent"}`), common},
		{"search: a word of all items", search, fixed(`{"query":"cookie"}`), common},
	}
}

// measureReads compares reads of a large store with those of a small one, and with the
// same beside writers.
func measureReads(ctx context.Context, p *plan) (_ *table, err error) {
	small, err := openFilled(ctx, filepath.Join(p.dir, "small.db"), smallStore)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, small.close()) }()
	began := time.Now()
	large, err := openFilled(ctx, filepath.Join(p.dir, "large.db"), p.items)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, large.close()) }()
	filling := time.Since(began)
	cases := readCases()
	few, many, busy := make([]times, len(cases)), make([]times, len(cases)), make([]times, len(cases))
	for round := range p.rounds {
		for i, c := range cases {
			sides := []func() error{
				func() error { return small.read(ctx, c, p.reads(c), &few[i]) },
				func() error { return large.read(ctx, c, p.reads(c), &many[i]) },
			}
			if round%2 == 1 {
				slices.Reverse(sides)
			}
			for _, measure := range sides {
				if err := measure(); err != nil {
					return nil, err
				}
			}
		}
	}
	if err := large.besideWriters(ctx, func() error {
		for i, c := range cases {
			if err := large.read(ctx, c, p.reads(c)*max(p.rounds/3, 1), &busy[i]); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	t := newTable("Reads",
		fmt.Sprintf("Reads through the door, one at a time, of a store (SQLite) with %d items and of one with %d, each with %d rows of the log an item; all items are in one project. "+
			"They are measured in turns, and the ratio is of the p99 at %d items over that at %d. Beside 16 writers is the same at %d items while 16 callers create items as fast as they are answered.",
			smallStore, p.items, changesEach, p.items, smallStore, p.items),
		"read", fmt.Sprintf("median at %d", smallStore), "p99", fmt.Sprintf("median at %d", p.items), "p99", "ratio of the p99", "goal", "", "median beside 16 writers", "p99")
	for i, c := range cases {
		t.row(readRow(c, few[i], many[i], busy[i])...)
	}
	t.notes = append(t.notes, fmt.Sprintf("The database of %d items has %d bytes an item with its places in the indexes and in the search, its row of the ledger and one of the log; %d bytes with all %d rows of the log. It was filled in %.0f s.",
		p.items, large.itemBytes/int64(p.items), large.changeBytes/int64(p.items), changesEach, filling.Seconds()))
	return t, nil
}

// reads answers how many calls of a kind are made a round.
func (p *plan) reads(c readCase) int {
	if c.most > 0 {
		return p.count(10)
	}
	return p.count(100)
}

func readRow(c readCase, small, large, busy times) []string {
	grown := float64(large.at(99)) / float64(small.at(99))
	goal, ok := fmt.Sprintf("<= %.0f", mostGrowth), met(grown <= mostGrowth)
	if c.most > 0 {
		goal, ok = "p99 <= "+nanos(float64(c.most)), met(large.at(99) <= c.most)
	}
	row := []string{c.what}
	for _, t := range []times{small, large} {
		row = append(row, nanos(float64(t.at(50))), nanos(float64(t.at(99))))
	}
	return append(row, fmt.Sprintf("**%.2f**", grown), goal, ok, nanos(float64(busy.at(50))), nanos(float64(busy.at(99))))
}

// times are how long calls took, each.
type times []time.Duration

// at answers the time within which so many percent of the calls were answered.
func (t times) at(percent int) time.Duration {
	if len(t) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(t))[min(len(t)*percent/100, len(t)-1)]
}

// filledStore is a tracker on a database that was filled.
type filledStore struct {
	*tracked
	*filled
	random *rand.Rand
}

func openFilled(ctx context.Context, path string, items int) (*filledStore, error) {
	f, err := fill(ctx, path, items)
	if err != nil {
		return nil, fmt.Errorf("filling in %d items: %w", items, err)
	}
	db, err := openStore(ctx, path, 64)
	if err != nil {
		return nil, err
	}
	t, err := behindDoor(db)
	if err != nil {
		return nil, err
	}
	return &filledStore{t, f, rand.New(rand.NewPCG(1, uint64(items)))}, nil //nolint:gosec // the same calls in every run
}

// read makes n calls of a kind.
func (s *filledStore) read(ctx context.Context, c readCase, n int, into *times) error {
	runtime.GC() // so that no read pays for what the one before left
	for range n {
		call := capabilities.Call{Name: c.capability, Arguments: []byte(c.arguments(s.filled, s.random)), Principal: capabilities.OwnerPrincipal(), Surface: capabilities.InProcess}
		start := time.Now()
		if _, err := s.door.Invoke(ctx, call); err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
		*into = append(*into, time.Since(start))
	}
	return nil
}

// besideWriters runs fn while 16 callers write.
func (s *filledStore) besideWriters(ctx context.Context, fn func() error) error {
	const writers = 16
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make([]error, writers)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for ctx.Err() == nil && failed[i] == nil {
				failed[i] = s.write(context.WithoutCancel(ctx)) // one that was begun is ended
			}
		})
	}
	err := fn()
	stop()
	all.Wait()
	return errors.Join(err, errors.Join(failed...))
}
