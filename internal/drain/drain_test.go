package drain_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/drain"
)

func idle(g *drain.Group) bool {
	select {
	case <-g.Idle():
		return true
	default:
		return false
	}
}

func TestIdle(t *testing.T) {
	var g drain.Group
	if !idle(&g) {
		t.Error("an empty group is not idle")
	}
	for range 2 {
		if !g.Enter() {
			t.Fatal("an open group refuses")
		}
	}
	first, second := g.Idle(), g.Idle()
	g.Leave()
	if idle(&g) {
		t.Error("idle while one runs")
	}
	g.Leave()
	<-first
	<-second
	if !g.Enter() {
		t.Error("a group that was idle once refuses")
	}
	if idle(&g) {
		t.Error("idle while one runs again")
	}
	g.Leave()
}

func TestClosedGroupsLetNothingBegin(t *testing.T) {
	var g drain.Group
	release := make(chan struct{})
	var ran atomic.Bool
	if !g.Go(func() { <-release; ran.Store(true) }) {
		t.Fatal("an open group refuses")
	}
	g.Close()
	if g.Enter() || g.Go(func() { t.Error("ran after the close") }) {
		t.Error("a closed group takes more")
	}
	close(release)
	g.Wait()
	if !ran.Load() {
		t.Error("Wait returned before the work ended")
	}
}

// TestBeginningWhileWaiting is for the race detector: work may begin at the very
// moment when its end is waited for.
func TestBeginningWhileWaiting(t *testing.T) {
	for range 200 {
		var g drain.Group
		var began, ended atomic.Int32
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if g.Go(func() { ended.Add(1) }) {
					began.Add(1)
				}
			})
		}
		g.Wait()
		done := ended.Load()
		all.Wait()
		if b := began.Load(); b != done {
			t.Fatalf("%d began, %d had ended after Wait", b, done)
		}
	}
}
