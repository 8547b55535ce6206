package datadir_test

import (
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/internal/datadir"
)

// clock is a time that stands still until it is moved.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)} }

func TestOneTimeLinks(t *testing.T) {
	c := newClock()
	links := datadir.NewOneTimeLinks(c.now)
	a, b := links.Mint(), links.Mint()
	if a == b || !regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`).MatchString(a) {
		t.Errorf("minted %q and %q", a, b)
	}
	for _, step := range []struct {
		name  string
		wait  time.Duration
		token string
		want  bool
	}{
		{"none", 0, "", false},
		{"never minted", 0, strings.Repeat("A", 43), false},
		{"a part of one", 0, a[:42], false},
		{"one in another case", 0, strings.ToUpper(a), false},
		{"the second", 0, b, true},
		{"the second again", 0, b, false},
		{"the first, just in time", 10*time.Minute - 1, a, true},
		{"the first again", 0, a, false},
	} {
		c.at = c.at.Add(step.wait)
		if got := links.Redeem(step.token); got != step.want {
			t.Errorf("%s: got %v", step.name, got)
		}
	}
	late := links.Mint()
	c.at = c.at.Add(10 * time.Minute)
	if links.Redeem(late) {
		t.Error("good after ten minutes")
	}
	if waits, used := links.Look(a); waits || used {
		t.Error("known after its ten minutes")
	}
}

func TestOneTimeLinksAreBounded(t *testing.T) {
	links := datadir.NewOneTimeLinks(newClock().now)
	var minted []string
	for range 65 {
		minted = append(minted, links.Mint())
	}
	if links.Redeem(minted[0]) {
		t.Error("the oldest of 65 is still good")
	}
	for i, token := range minted[1:] {
		if !links.Redeem(token) {
			t.Errorf("number %d of the last 64 is not good", i)
		}
	}
}

func TestOneTimeLinkRedeemedByManyAtOnce(t *testing.T) {
	links := datadir.NewOneTimeLinks(newClock().now)
	for range 50 {
		token := links.Mint()
		var good atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if links.Redeem(token) {
					good.Add(1)
				}
			})
		}
		wg.Wait()
		if good.Load() != 1 {
			t.Fatalf("%d redeemed it, want 1", good.Load())
		}
	}
}

func TestLookingAtALinkDoesNotSpendIt(t *testing.T) {
	links := datadir.NewOneTimeLinks(newClock().now)
	token := links.Mint()
	links.Mint()
	type seen struct{ waits, used bool }
	look := func(token string) (s seen) {
		s.waits, s.used = links.Look(token)
		return s
	}
	if got := look("never minted"); got != (seen{}) {
		t.Errorf("one that was never minted: %+v", got)
	}
	for range 2 {
		if got := look(token); got != (seen{waits: true}) {
			t.Errorf("before: %+v", got)
		}
	}
	if !links.Redeem(token) {
		t.Error("looking has spent it")
	}
	if got := look(token); got != (seen{used: true}) {
		t.Errorf("after: %+v", got)
	}
}
