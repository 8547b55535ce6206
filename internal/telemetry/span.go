package telemetry

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	// maxWaiting is the most spans that wait to be sent.
	maxWaiting = 8192
	// batchSpans is how many of them are sent at once.
	batchSpans = 1024
)

// span is a part of a trace that has ended.
type span struct {
	trace      capabilities.Trace // whose Span is this one
	parent     [8]byte            // zero where the trace begins here
	start, end int64              // in nanoseconds since 1970
	c          *capabilities.Capability
	outcome    string
	requestID  string
	surface    capabilities.Surface
	// What only a call that was sent to a bridged server has.
	sent *Sent
}

// Sent says whom a call was sent to.
type Sent struct {
	Server, Seat, Tool string
	Transport          string // "stdio", "http" or "sse"
	Version            string // of the protocol
}

// begin answers the trace that a call goes on in from here, and the span it came from: its
// own where it has none. Of a trace that others began they decide whether it is recorded.
func (e *Exporter) begin(t capabilities.Trace) (next capabilities.Trace, parent [8]byte) {
	if t.IsZero() {
		binary.BigEndian.PutUint64(t.ID[:8], rand.Uint64()|1) // which is never all zero
		binary.BigEndian.PutUint64(t.ID[8:], rand.Uint64())
		t.Sampled = e.samples(&t)
	} else {
		parent = t.Span
	}
	binary.BigEndian.PutUint64(t.Span[:], rand.Uint64()|1)
	return t, parent
}

// samples decides by the id alone, so that others that decide by the same share agree.
func (e *Exporter) samples(t *capabilities.Trace) bool {
	return e.o.OneIn <= 1 || binary.BigEndian.Uint64(t.ID[8:])%uint64(e.o.OneIn) == 0
}

// waiting are the spans that wait to be sent.
type waiting struct {
	full chan struct{} // holds one when there is a batch

	mu      sync.Mutex
	spans   []span
	spare   []span // emptied, to be filled again
	dropped uint64
}

// put adds a span, or counts it where there is no room.
func (w *waiting) put(s *span) {
	w.mu.Lock()
	n := len(w.spans)
	if n >= maxWaiting {
		w.dropped++
		w.mu.Unlock()
		return
	}
	w.spans = append(w.spans, *s)
	w.mu.Unlock()
	if (n+1)%batchSpans == 0 {
		select {
		case w.full <- struct{}{}:
		default:
		}
	}
}

// take answers all spans that wait, which are given back with [waiting.done].
func (w *waiting) take() []span {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.spans
	w.spans, w.spare = w.spare, nil
	return all
}

// done takes spans back: those up to sent are gone, some of which nobody took, and the others
// wait again.
func (w *waiting) done(all []span, sent, lost int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dropped += uint64(lost)
	if sent < len(all) {
		w.spans = slices.Concat(all[sent:], w.spans)
		if n := len(w.spans); n > maxWaiting {
			w.spans, w.dropped = w.spans[:maxWaiting], w.dropped+uint64(n-maxWaiting)
		}
	}
	clear(all)
	w.spare = all[:0]
}

func (w *waiting) lost() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dropped
}
