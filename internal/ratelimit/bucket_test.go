package ratelimit_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/internal/ratelimit"
)

func TestABucketLetsInItsBurstAndThenItsRate(t *testing.T) {
	b := ratelimit.NewBuckets[string](10)
	now := time.Unix(1_000_000, 0)
	rate := ratelimit.Rate{PerMinute: 60, Burst: 3}
	for i := range 3 {
		if wait := b.Take("a", rate, now); wait != 0 {
			t.Fatalf("the %dth of a burst of 3 is to wait %s", i+1, wait)
		}
	}
	if wait := b.Take("a", rate, now); wait != time.Second {
		t.Errorf("the fourth is to wait %s, want 1s", wait)
	}
	if wait := b.Look("b", rate, now); wait != 0 {
		t.Errorf("another is to wait %s", wait)
	}
	now = now.Add(time.Second)
	if first, second := b.Take("a", rate, now), b.Take("a", rate, now); first != 0 || second != time.Second {
		t.Errorf("after the wait: %s and %s, want one let in", first, second)
	}
	if wait := b.Take("a", rate, now.Add(-time.Hour)); wait == 0 {
		t.Error("a clock that was set back fills a bucket")
	}
	now = now.Add(time.Hour)
	for i := range 3 {
		if wait := b.Take("a", rate, now); wait != 0 {
			t.Fatalf("after an hour the %dth is to wait %s", i+1, wait)
		}
	}
	if wait := b.Take("a", rate, now); wait == 0 {
		t.Error("a bucket holds more than its burst")
	}
	if wait := b.Take("a", ratelimit.Rate{}, now); wait != 0 {
		t.Errorf("without a bound it is to wait %s", wait)
	}
}

func TestLookingTakesNothing(t *testing.T) {
	b := ratelimit.NewBuckets[int](10)
	now, rate := time.Unix(1_000_000, 0), ratelimit.Rate{PerMinute: 1, Burst: 1}
	for range 5 {
		if wait := b.Look(1, rate, now); wait != 0 {
			t.Fatalf("it is to wait %s", wait)
		}
	}
	if b.Len() != 0 {
		t.Error("looking makes a bucket")
	}
	if wait := b.Take(1, rate, now); wait != 0 {
		t.Errorf("it is to wait %s", wait)
	}
	if wait := b.Look(1, rate, now); wait != time.Minute {
		t.Errorf("it is to wait %s, want a minute", wait)
	}
}

// A new rate counts at once, for what is left as well.
func TestANewRateCountsAtOnce(t *testing.T) {
	b := ratelimit.NewBuckets[int](10)
	now := time.Unix(1_000_000, 0)
	b.Take(1, ratelimit.Rate{PerMinute: 600, Burst: 100}, now)
	slow := ratelimit.Rate{PerMinute: 1, Burst: 1}
	if first, second := b.Take(1, slow, now), b.Take(1, slow, now); first != 0 || second != time.Minute {
		t.Errorf("under the lower rate: %s and %s, want one let in", first, second)
	}
}

// Whoever comes with ever more keys takes no more memory, and no more than one bucket
// once there is no room; who had a bucket keeps it, and those that are full are let go.
func TestBucketsAreBounded(t *testing.T) {
	const most = 100
	b := ratelimit.NewBuckets[string](most)
	now, rate := time.Unix(1_000_000, 0), ratelimit.Rate{PerMinute: 60, Burst: 2}
	b.Take("mine", rate, now)
	let := 0
	for i := range 10_000 {
		if b.Take(strconv.Itoa(i), rate, now) == 0 {
			let++
		}
	}
	if b.Len() != most || let != most-1+rate.Burst {
		t.Errorf("%d are kept and %d were let in, want %d and %d", b.Len(), let, most, most-1+rate.Burst)
	}
	if wait := b.Take("mine", rate, now); wait != 0 {
		t.Errorf("who was there before is to wait %s", wait)
	}
	now = now.Add(time.Minute)
	if wait := b.Take("new", rate, now); wait != 0 || b.Len() != 1 {
		t.Errorf("a minute later who comes is to wait %s, and %d are kept; want one", wait, b.Len())
	}
}
