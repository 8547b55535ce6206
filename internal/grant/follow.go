package grant

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

const (
	// reloadTime is how long a look into the store takes at most.
	reloadTime = 5 * time.Second
	// againAfter is when a store that could not be read is read again.
	againAfter = time.Second
	// lookEvery is how often the clock is looked at while a grant expires some day. It may be
	// set, and a machine may sleep: a timer until then would know of neither.
	lookEvery = time.Second
)

// Reload reads the grants of now and puts them in force where they have changed. It goes
// on when ctx is done: whoever wrote may be gone, and what they wrote counts.
func (g *Grants) Reload(ctx context.Context) error {
	_, err := g.reload(ctx)
	return err
}

// reload is Reload, and answers the grants whose work items came to their end.
func (g *Grants) reload(ctx context.Context) (ended []Grant, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reloadTime)
	defer cancel()
	g.mu.Lock()
	defer g.mu.Unlock()
	var living []Grant
	err = store.Read(ctx, g.o.Store, func(r *store.Reader) error {
		living, ended = nil, nil
		all, err := grants(r, selectLiving, g.o.Now().UnixMilli())
		if err != nil {
			return err
		}
		for _, one := range all {
			over := false
			if one.Item.ID != "" {
				if over, err = g.endedSince(r, one.Item.ID, kindGrant, one.ID); err != nil {
					return err
				}
			}
			if over {
				ended = append(ended, one)
			} else {
				living = append(living, one)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !slices.Equal(living, g.inForce) {
		g.inForce = living
		g.o.Put(slices.Clone(living))
		g.changed.Wake()
	}
	return ended, nil
}

// Follow keeps what is in force as the store has it, whoever writes to it, and withdraws
// the grants whose work items come to their end, until ctx is done.
func (g *Grants) Follow(ctx context.Context) {
	for ctx.Err() == nil {
		err := g.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		g.o.Log.WarnContext(ctx, "grants_unread", "error", err.Error())
		pause(ctx, againAfter)
	}
}

func (g *Grants) follow(ctx context.Context) error {
	after := g.o.Store.Head() // before the look, so that nothing is between them
	if err := g.settle(ctx); err != nil {
		return err
	}
	for change, err := range g.o.Store.Tail(ctx, after) {
		if err != nil {
			return err
		}
		if change.Kind != kindGrant && !g.bound(change.ID) {
			continue
		}
		if err := g.settle(ctx); err != nil {
			return err
		}
	}
	return errors.New("the log of changes ended")
}

// bound reports whether a grant in force is bound to a work item.
func (g *Grants) bound(item string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.inForce, func(one Grant) bool { return one.Item.ID == item })
}

// settle reloads, and withdraws for good what has ended with its work item: an item that
// is opened again does not bring it back.
func (g *Grants) settle(ctx context.Context) error {
	ended, err := g.reload(ctx)
	if err != nil || len(ended) == 0 {
		return err
	}
	var gone []Grant
	_, err = store.Write(ctx, g.o.Store, func(tx *store.Tx) (withdrawn, error) {
		gone = nil
		for _, one := range ended {
			mine, err := g.end(tx, one.ID, WorkItemEnded, "")
			if err != nil {
				return withdrawn{}, err
			}
			if mine {
				gone = append(gone, one)
			}
		}
		return withdrawn{}, nil
	})
	if err != nil {
		return err
	}
	for _, one := range gone {
		g.o.Log.InfoContext(ctx, "grant_withdrawn", "grant", one.ID, "cause", string(WorkItemEnded), "work_item", one.Item.ID, "capability", one.Capability, "principal", one.Holder.Key())
	}
	return nil
}

// withdrawn is the receipt of what ends with a work item.
type withdrawn struct{ capabilities.Receipt }

// Expire puts what has expired out of the lists, until ctx is done. Calls are judged by
// the clock, and do not wait for it.
func (g *Grants) Expire(ctx context.Context) {
	for ctx.Err() == nil {
		next := g.changed.Next()
		earliest := g.earliest()
		if earliest.IsZero() {
			select {
			case <-next:
			case <-ctx.Done():
			}
			continue
		}
		if left := earliest.Sub(g.o.Now()); left > 0 {
			pause(ctx, min(left, lookEvery))
			continue
		}
		if err := g.Reload(ctx); err != nil {
			g.o.Log.WarnContext(ctx, "grants_unread", "error", err.Error())
			pause(ctx, againAfter)
		}
	}
}

// earliest answers when the first grant in force expires; the zero time is never.
func (g *Grants) earliest() (first time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, one := range g.inForce {
		if !one.ExpiresAt.IsZero() && (first.IsZero() || one.ExpiresAt.Before(first)) {
			first = one.ExpiresAt
		}
	}
	return first
}

// pause waits for a time, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
