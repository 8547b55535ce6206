package tracker

import (
	"encoding/json"
	"fmt"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// EndedAfter reports whether the work item with an id is at its end, or was at any time
// after a position of the log: done or cancelled, folded into another one, in the trash,
// or removed for good. An item that was opened again since has ended all the same. The
// error wraps [store.ErrForeignPosition] for a position of another database.
func EndedAfter(r *store.Reader, id string, after store.Position) (bool, error) {
	it, err := findItem(r, id)
	if err != nil || it == nil || it.trashed() || it.Status.Ended() {
		return err == nil, err
	}
	for {
		page, err := r.Changes(store.ChangesQuery{Kind: kindItem, ID: it.ID, After: after, Limit: store.MostChanges})
		if err != nil {
			return false, err
		}
		for _, l := range page {
			var e event
			if err := json.Unmarshal(l.Body, &e); err != nil {
				return false, fmt.Errorf("reading the change %s of the work item %s: %w", l.Position, id, err)
			}
			if e.ends() {
				return true, nil
			}
			after = l.Position
		}
		if len(page) < store.MostChanges {
			return false, nil
		}
	}
}

// ends reports whether a work item is at its end after what the event describes.
func (e event) ends() bool {
	return e.Status.Ended() || e.Action == merged || e.Action == removed || e.Action == purged
}

// Ended reports whether nothing is left to be done of a work item.
func (s Status) Ended() bool { return s == Done || s == Cancelled }
