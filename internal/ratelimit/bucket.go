// Package ratelimit bounds how often somebody may do something, by a token bucket for
// each: calls by principal, and refused credentials by the address that they come from.
package ratelimit

import (
	"sync"
	"time"
)

// Rate is how fast a bucket fills, and how much it holds. The zero value is no bound.
type Rate struct {
	PerMinute int
	Burst     int // at least 1 where PerMinute is above 0
}

// bucket is how much is left for one.
type bucket struct {
	rate Rate // as of the last time
	left float64
	at   time.Time // when that was left
}

// fill brings a bucket up to now by the rate that counts now, whatever counted meanwhile:
// it holds no more than the burst. A clock that was set back fills nothing.
func (b *bucket) fill(r Rate, now time.Time) {
	if passed := now.Sub(b.at); passed > 0 {
		b.left += passed.Minutes() * float64(r.PerMinute)
	}
	b.rate, b.at = r, now
	b.left = min(b.left, float64(r.Burst))
}

// wait answers how long it takes until there is one whole; 0 is now.
func (b *bucket) wait() time.Duration {
	if b.left >= 1 {
		return 0
	}
	return max(time.Duration((1-b.left)/float64(b.rate.PerMinute)*float64(time.Minute)), time.Millisecond)
}

// Buckets are those of everybody who has used some of theirs lately. At most a stated
// number is kept, those that have filled up again are let go of, and whoever comes while
// there is no room shares one bucket with all others that do. They are safe for
// concurrent use.
type Buckets[K comparable] struct {
	most int

	mu     sync.Mutex
	all    map[K]*bucket
	shared bucket
	swept  time.Time
}

// sweepEvery is how often it is looked for buckets to let go of while there is no room.
const sweepEvery = time.Second

// NewBuckets answers buckets of which at most so many are kept.
func NewBuckets[K comparable](most int) *Buckets[K] {
	return &Buckets[K]{most: most, all: map[K]*bucket{}}
}

// of answers the bucket of a key, filled up to now; nil is a new one, which is full. mu
// is held.
func (b *Buckets[K]) of(k K, r Rate, now time.Time) *bucket {
	one := b.all[k]
	if one == nil {
		if len(b.all) >= b.most && now.Sub(b.swept).Abs() >= sweepEvery {
			b.sweep(now)
		}
		if len(b.all) < b.most {
			return nil
		}
		if one = &b.shared; one.rate == (Rate{}) {
			*one = bucket{r, float64(r.Burst), now}
		}
	}
	one.fill(r, now)
	return one
}

// sweep lets go of the buckets that are full.
func (b *Buckets[K]) sweep(now time.Time) {
	b.swept = now
	for k, one := range b.all {
		if one.fill(one.rate, now); one.left >= float64(one.rate.Burst) {
			delete(b.all, k)
		}
	}
}

// Take takes one out of the bucket of k, and answers 0, or how long it takes until there
// is one.
func (b *Buckets[K]) Take(k K, r Rate, now time.Time) (wait time.Duration) {
	if r.PerMinute <= 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	one := b.of(k, r, now)
	if one == nil {
		one = &bucket{r, float64(r.Burst), now}
		b.all[k] = one
	}
	if wait = one.wait(); wait == 0 {
		one.left--
	}
	return wait
}

// Look answers as [Buckets.Take] does, and takes nothing. A key that is not known takes no
// room.
func (b *Buckets[K]) Look(k K, r Rate, now time.Time) (wait time.Duration) {
	if r.PerMinute <= 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if one := b.of(k, r, now); one != nil {
		return one.wait()
	}
	return 0
}

// Len answers how many are kept.
func (b *Buckets[K]) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.all)
}
