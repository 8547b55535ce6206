package powercut_test

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/sqlite"
	"github.com/seed-89b9419b/holotype/internal/store/storetest/powercut"
)

// rounds answers how many lives end with a cut: one, or as many as STORE_ROUNDS says.
func rounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("STORE_ROUNDS")
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// calls are those of one life, enough for SQLite to write its log into the database once.
const calls = 240

// lives are those of one database, so that it stays small.
const lives = 5

// TestNothingAnsweredIsLostWithThePower: the power is cut at some moment of a life, and
// the store goes on with what is left, also where it was still recovering from the cut
// before. What was answered is there, all else is there once or not at all.
func TestNothingAnsweredIsLostWithThePower(t *testing.T) {
	seed := rand.Uint64()
	chance := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // it has to differ, and no more
	t.Logf("the seed is %d", seed)
	var h *history
	var folder string
	cuts := 0
	for round := range rounds(t) {
		if round%lives == 0 {
			h, folder = newHistory(), t.TempDir()
		}
		r := h.live(t, folder, strconv.Itoa(round), calls, nil)
		end := r.Now()
		checkpoints := r.Synced(fileName)
		if len(checkpoints) < 2 {
			t.Errorf("the log was written into the database %d times, which is too few to say anything", len(checkpoints))
		}
		moments := []int{end, chance.IntN(end), chance.IntN(end)}
		if len(checkpoints) > 0 {
			in := checkpoints[chance.IntN(len(checkpoints))]
			moments = append(moments, in-chance.IntN(min(in, 50))) // while that is done
		}
		for i, at := range moments {
			for _, some := range []*rand.Rand{nil, chance} {
				to := cut(t, r, at, some)
				if n := h.lost(t, to, at); n > 0 {
					t.Errorf("round %d, cut %d at %d of %d, some unsynced bytes kept: %t: %d calls that were answered are lost", round, i, at, end, some != nil, n)
				}
				cuts++
			}
		}
		at := moments[chance.IntN(len(moments))]
		folder = cut(t, r, at, []*rand.Rand{nil, chance}[chance.IntN(2)])
		h.forget(at)
	}
	t.Logf("%d cuts", cuts)
}

// cut answers a folder with what a cut leaves.
func cut(t *testing.T, r *powercut.Recording, at int, some *rand.Rand) string {
	t.Helper()
	to := t.TempDir()
	if err := r.Cut(at, to, some); err != nil {
		t.Fatal(err)
	}
	return to
}

// forget goes back to a moment: what was answered later was not.
func (h *history) forget(at int) {
	for id, a := range h.answered {
		if a.at <= at {
			h.kept = append(h.kept, id)
		} else {
			h.begun[id] = true
		}
		delete(h.answered, id)
	}
}

// careless is an engine that waits for less than it has to.
type careless struct {
	*sqlite.Engine
	synchronous string
}

func (e careless) Open(ctx context.Context, use store.Use, _ int) (*sql.DB, error) {
	pool, err := e.Engine.Open(ctx, use, 1) // the one that is set here
	if err == nil {
		_, err = pool.ExecContext(ctx, "PRAGMA synchronous = "+e.synchronous)
	}
	return pool, err
}

// TestCutsFindWhatIsNotSynced: the same cuts do lose what a store that does not wait
// for the disk has answered, or whose folder is not synced.
func TestCutsFindWhatIsNotSynced(t *testing.T) {
	for _, synchronous := range []string{"OFF", "NORMAL"} {
		t.Run("synchronous "+synchronous, func(t *testing.T) {
			h := newHistory()
			folder := t.TempDir()
			l, err := openLife(t.Context(), folder, nil) // the file is there for certain
			if err != nil {
				t.Fatal(err)
			}
			if err := l.db.Close(); err != nil {
				t.Fatal(err)
			}
			r := h.live(t, folder, "x", 8, func(e *sqlite.Engine) store.Engine { return careless{e, synchronous} })
			at := 0
			for _, a := range h.answered {
				at = max(at, a.at)
			}
			if n := h.lost(t, cut(t, r, at, nil), at); n == 0 {
				t.Error("nothing is lost")
			}
		})
	}
	t.Run("a new file without its name", func(t *testing.T) {
		folder := t.TempDir()
		h := newHistory()
		r := h.live(t, folder, "x", 8, nil)
		if fileIn(cut(t, r, 1, nil)) {
			t.Error("the file has its name before its folder is synced")
		}
		if !fileIn(cut(t, r, r.Now(), nil)) {
			t.Error("the file has no name in the end")
		}
	})
}

func fileIn(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, fileName))
	return err == nil
}

// TestOneRecordingAtATime: a second one would take events of the first.
func TestOneRecordingAtATime(t *testing.T) {
	r, err := powercut.Begin(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := powercut.Begin(t.TempDir()); err == nil {
		t.Error("a second recording begins")
	}
	if err := r.Cut(1, t.TempDir(), nil); err == nil {
		t.Error("a moment that is not there can be cut at")
	}
	if err := r.End(); err != nil {
		t.Error(err)
	}
	if err := r.End(); err == nil {
		t.Error("it ends twice")
	}
}
