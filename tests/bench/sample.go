package main

import (
	"runtime"
	"slices"
	"time"
)

// usage is what a number of calls took.
type usage struct {
	calls         int
	wall, cpu     time.Duration // cpu is 0 where it cannot be read
	bytes, allocs uint64        // of the heap; 0 where another process was measured
}

// a figure is one number per call of a usage.
type figure func(usage) float64

func wallTime(u usage) float64  { return float64(u.wall) / float64(u.calls) }
func cpuTime(u usage) float64   { return float64(u.cpu) / float64(u.calls) }
func heapBytes(u usage) float64 { return float64(u.bytes) / float64(u.calls) }
func heapCount(u usage) float64 { return float64(u.allocs) / float64(u.calls) }

// side is one side of a comparison: it makes n calls and answers what they took.
type side func(n int) (usage, error)

// comparison holds the rounds of two sides.
type comparison struct{ ours, theirs []usage }

// compare measures both sides in turns. Whoever goes first changes with the round.
func compare(rounds, calls int, ours, theirs side) (*comparison, error) {
	for _, s := range []side{ours, theirs} { // what is built on first use is built
		if _, err := s(max(calls/10, 1)); err != nil {
			return nil, err
		}
	}
	c := &comparison{}
	for i := range rounds {
		turns := []struct {
			side
			into *[]usage
		}{{ours, &c.ours}, {theirs, &c.theirs}}
		if i%2 == 1 {
			slices.Reverse(turns)
		}
		for _, t := range turns {
			u, err := t.side(calls)
			if err != nil {
				return nil, err
			}
			*t.into = append(*t.into, u)
		}
	}
	return c, nil
}

// middle answers the median of a figure over rounds.
func middle(rounds []usage, f figure) float64 {
	all := make([]float64, len(rounds))
	for i, u := range rounds {
		all[i] = f(u)
	}
	return median(all)
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	n := len(all)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return all[n/2]
	}
	return (all[n/2-1] + all[n/2]) / 2
}

// ratio is the median of the rounds' ratios, with the quartiles. It is 0 where the
// figure could not be read.
type ratio struct{ mid, low, high float64 }

func (c *comparison) ratio(f figure) ratio {
	var all []float64
	for i := range c.ours {
		theirs := f(c.theirs[i])
		if theirs == 0 {
			return ratio{}
		}
		all = append(all, f(c.ours[i])/theirs)
	}
	low, high := quartiles(all)
	return ratio{mid: median(all), low: low, high: high}
}

// quartiles answers the bounds of the middle half.
func quartiles(all []float64) (low, high float64) {
	if len(all) == 0 {
		return 0, 0
	}
	all = slices.Sorted(slices.Values(all))
	n := len(all)
	return all[n/4], all[n-1-n/4]
}

// here measures calls that this process makes on one goroutine, and then what ends what
// they left to be done behind them. The heap is collected first, so that no side pays for
// what the other left.
func here(call, end func() error) side {
	return func(n int) (usage, error) {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		cpu, start := ownCPU(), time.Now()
		for range n {
			if err := call(); err != nil {
				return usage{}, err
			}
		}
		if err := end(); err != nil {
			return usage{}, err
		}
		u := usage{calls: n, wall: time.Since(start), cpu: ownCPU() - cpu}
		runtime.ReadMemStats(&after)
		u.bytes, u.allocs = after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
		return u, nil
	}
}

// there measures calls that another process serves: the clock is ours, the time of
// the processor that process's own.
func there(pid int, calls func(n int) error) side {
	return func(n int) (usage, error) {
		cpu, start := processCPU(pid), time.Now()
		if err := calls(n); err != nil {
			return usage{}, err
		}
		return usage{calls: n, wall: time.Since(start), cpu: processCPU(pid) - cpu}, nil
	}
}
