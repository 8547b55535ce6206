package faults_test

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// maxGrowth is how much the heap may grow over one fault at a time. A message is
// at most 16 MiB; reading, handing on and collecting it takes some copies.
const maxGrowth = 144 << 20

// bounded fails when the heap grows over the limit while f runs.
func bounded(t *testing.T, f func()) {
	t.Helper()
	runtime.GC()
	base := heap()
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		most := base
		for {
			select {
			case <-tick.C:
				most = max(most, heap())
			case <-stop:
				peak <- most
				return
			}
		}
	}()
	f()
	close(stop)
	grown := <-peak - base
	t.Logf("the heap grew by %d MiB", grown>>20)
	if grown > maxGrowth {
		t.Errorf("the heap grew by %d MiB, at most %d are allowed", grown>>20, maxGrowth>>20)
	}
}

// heap answers the bytes of the heap that are in use or not yet collected.
func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// Not parallel: it looks at the heap of the whole process.
func TestStdoutLong(t *testing.T) {
	faults := []fault{
		{mode: "call", calls: []call{{says: "aaaaaaaaaaaaaaaa"}}, more: fiveMiB},
		{mode: "list", tools: -1, more: skips("big", "at most 262144 are taken")},
		{
			mode:  "endless",
			calls: []call{{code: capabilities.TooLarge, says: "more than 16777216 bytes", maybe: true}},
			more:  exits("wrote a line of more than 16777216 bytes that did not end within 5s", 1),
		},
		{mode: "banner", calls: []call{{says: "aaaaaaaaaa"}}, junk: 1},
	}
	covers(t, modesOf(t, "stdout-long.mjs"), faults)
	for _, f := range faults {
		t.Run(f.mode, func(t *testing.T) {
			bounded(t, func() { f.test(t, start(t, f.command("stdout-long.mjs"))) })
		})
	}
}

// fiveMiB fails unless a long answer arrives whole.
func fiveMiB(t *testing.T, p *product, name string) {
	t.Helper()
	if a := p.call(t, name+"__echo", `{}`); len(a.text(t)) != 5<<20 {
		t.Errorf("%d bytes arrived", len(a.text(t)))
	}
}

// skips fails unless exactly one thing of a server is left out, with one reason.
func skips(tool, reason string) func(*testing.T, *product, string) {
	return func(t *testing.T, p *product, name string) {
		t.Helper()
		skipped(t, p, name, map[string]string{tool: reason})
	}
}
