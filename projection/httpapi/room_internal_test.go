package httpapi

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Whoever sends most leaves room for others, and so do two of them; what is given back goes
// to who waited longest and may have it.
func TestRoomIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom()
		takes := func(of string, times int) {
			for range times {
				go func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					_ = r.take(ctx, of, capabilities.MaxArguments) // those that wait to the end are looked at below
				}()
				synctest.Wait()
			}
		}
		holds := func(when string, want map[string]int64) {
			t.Helper()
			synctest.Wait()
			r.mu.Lock()
			defer r.mu.Unlock()
			got, free := map[string]int64{}, int64(roomBytes)
			for of, bytes := range r.held {
				got[of] = bytes / capabilities.MaxArguments
				free -= bytes
			}
			if !maps.Equal(got, want) || free != r.free || free < 0 {
				t.Errorf("%s: %v are in, want %v; %d of %d bytes are free", when, got, want, r.free, free)
			}
		}
		takes("ann", 9)
		holds("one alone", map[string]int64{"ann": 4})
		takes("bob", 9)
		holds("two", map[string]int64{"ann": 4, "bob": 1})
		for i := range 5 {
			takes(fmt.Sprint(i), 1)
		}
		holds("five more, of whom three find room", map[string]int64{"ann": 4, "bob": 1, "0": 1, "1": 1, "2": 1})
		r.release("ann", capabilities.MaxArguments)
		holds("one given back goes to the first who holds none", map[string]int64{"ann": 3, "bob": 1, "0": 1, "1": 1, "2": 1, "3": 1})
		for _, of := range []string{"0", "1", "2", "bob"} {
			r.release(of, capabilities.MaxArguments)
		}
		holds("more given back", map[string]int64{"ann": 3, "bob": 1, "3": 1, "4": 1})
		r.release("ann", 3*capabilities.MaxArguments)
		holds("who waits and holds none comes in", map[string]int64{"ann": 1, "bob": 1, "3": 1, "4": 1})
		for _, of := range []string{"3", "4"} {
			r.release(of, capabilities.MaxArguments)
		}
		holds("and more while half is free", map[string]int64{"ann": 3, "bob": 1})
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		r.mu.Lock()
		if n := r.waiting.Len(); n != 0 {
			t.Errorf("%d wait whose time is over", n)
		}
		r.mu.Unlock()
		r.release("ann", 3*capabilities.MaxArguments)
		r.release("bob", capabilities.MaxArguments)
		holds("in the end", map[string]int64{})
	})
}
