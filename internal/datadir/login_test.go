package datadir_test

import (
	"fmt"
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

func TestSession(t *testing.T) {
	now := newClock().at
	key := datadir.NewSessionKey("holo_a")
	value := key.Sign(now.Add(time.Hour))
	if !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(value) {
		t.Errorf("%q is not the value of a cookie", value)
	}
	for name, c := range map[string]struct {
		key  datadir.SessionKey
		in   string
		at   time.Time
		want bool
	}{
		"fresh":                 {key, value, now, true},
		"after a restart":       {datadir.NewSessionKey("holo_a"), value, now, true},
		"just in time":          {key, value, now.Add(time.Hour - time.Second), true},
		"expired":               {key, value, now.Add(time.Hour), false},
		"another token":         {datadir.NewSessionKey("holo_b"), value, now, false},
		"empty":                 {key, "", now, false},
		"no signature":          {key, value[:strings.LastIndexByte(value, '.')], now, false},
		"an empty signature":    {key, value[:strings.LastIndexByte(value, '.')+1], now, false},
		"a space behind":        {key, value + " ", now, false},
		"a line break in it":    {key, value[:len(value)-5] + "\n" + value[len(value)-5:], now, false},
		"an expiry put in":      {key, strings.Replace(value, "v1.", "v1.9", 1), now, false},
		"signed with no expiry": {key, key.Sign(time.Time{}), now, false},
	} {
		if got := c.key.Verify(c.in, c.at); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	// No other value of the same length that differs in one character is good.
	for i := range value {
		for _, r := range "A0.-_z9" {
			if other := value[:i] + string(r) + value[i+1:]; other != value && key.Verify(other, now) {
				t.Errorf("%q is as good as %q", other, value)
			}
		}
	}
}

func TestSessionKeyDoesNotPrintItself(t *testing.T) {
	key := datadir.NewSessionKey("holo_a")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(verb, key); got != "session key" {
			t.Errorf("%s prints %q", verb, got)
		}
	}
}

func FuzzSessionVerify(f *testing.F) {
	now := newClock().at
	key := datadir.NewSessionKey("holo_a")
	good := key.Sign(now.Add(time.Hour))
	for _, s := range []string{good, "", ".", "..", "v1.1.", good + "="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if key.Verify(value, now) && value != good {
			t.Errorf("%q is good, and was never signed", value)
		}
	})
}
