package mcpserver

import (
	"testing"
	"time"
)

// What waits for clients is bounded by its bytes too, whatever addresses a caller comes by.
func TestCallsThatWaitForClientsAreBoundedInBytes(t *testing.T) {
	r := newRounds(time.Now)
	one := func(owner string, size int) (stateID, bool) {
		_, id, ok := r.keep(&round{owner: owner, size: size})
		return id, ok
	}
	var ids []stateID
	for n := 0; ; n++ {
		id, ok := one("a", 4<<20)
		if !ok {
			break
		}
		if ids = append(ids, id); n > maxOwnKept>>22 {
			t.Fatalf("%d calls of 4 MiB wait", n)
		}
	}
	if len(ids) != maxOwnKept>>22 {
		t.Errorf("%d calls of 4 MiB wait, want %d", len(ids), maxOwnKept>>22)
	}
	if _, ok := one("b", 4<<20); !ok {
		t.Error("one caller keeps another out")
	}
	if r.take(ids[0]) == nil {
		t.Fatal("a call that waits is not there")
	}
	if _, ok := one("a", 4<<20); !ok {
		t.Error("what has come back counts on")
	}
	for _, owner := range []string{"c", "d", "e", "f"} {
		for range 5 {
			one(owner, 4<<20)
		}
	}
	if r.all.bytes > maxKept {
		t.Errorf("%d bytes wait in all", r.all.bytes)
	}
}
