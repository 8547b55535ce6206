package metrics

import (
	"sync"
	"sync/atomic"
	"time"
)

// cell counts how long things took.
type cell struct {
	counts [len(bounds) + 1]atomic.Uint64
	micros atomic.Uint64
}

func (c *cell) add(took time.Duration) {
	took = max(took, 0) // a clock may be set back
	seconds := took.Seconds()
	i := 0
	for i < len(bounds) && seconds > bounds[i] { // most are of the first few
		i++
	}
	c.counts[i].Add(1)
	c.micros.Add(uint64(took.Microseconds()))
}

func (c *cell) times() *Times {
	t := &Times{Counts: make([]uint64, len(c.counts)), Seconds: float64(c.micros.Load()) / 1e6}
	for i := range c.counts {
		t.Counts[i] = c.counts[i].Load()
	}
	return t
}

func (t *Times) add(more *Times) {
	for i, n := range more.Counts {
		t.Counts[i] += n
	}
	t.Seconds += more.Seconds
}

// gather adds times, which are the caller's no more, to those of a key.
func gather[K comparable](all map[K]*Times, key K, t *Times) {
	if so := all[key]; so != nil {
		so.add(t)
		return
	}
	all[key] = t
}

// cells finds the cell of a set of labels by a key that is cheaper to have.
type cells[K, L comparable] struct {
	mu     *sync.RWMutex
	byKey  map[K]*cell
	labels map[L]*cell
}

func newCells[K, L comparable]() cells[K, L] {
	return cells[K, L]{mu: &sync.RWMutex{}, byKey: map[K]*cell{}, labels: map[L]*cell{}}
}

// known answers the cell of a key that was met before, or nil.
func (t *cells[K, L]) known(k K) *cell {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.byKey[k]
}

// meet answers the cell of a key and its labels, or of what stands for all labels beyond
// the bound.
func (t *cells[K, L]) meet(k K, l, beyond L) *cell {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.labels[l]
	if c == nil && len(t.labels) >= maxCells {
		l = beyond
		c = t.labels[l]
	}
	if c == nil {
		c = &cell{}
		t.labels[l] = c
	}
	if len(t.byKey) >= maxKnown { // keys that nobody has any more keep what they name
		clear(t.byKey)
	}
	t.byKey[k] = c
	return c
}

func (t *cells[K, L]) each(f func(L, *Times)) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for l, c := range t.labels {
		f(l, c.times())
	}
}
