package httpapi

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// pace is how slowly a body may come in.
type pace struct {
	// every is how long a body may take to come in whole; it gets as long again for
	// every bytes that have come meanwhile.
	every time.Duration
	bytes int64
	// after is how long, and wanted how much, is read on of a body that was answered
	// before it had come in.
	after  time.Duration
	wanted int64
}

func usualPace() pace {
	return pace{every: 30 * time.Second, bytes: 256 << 10, after: 5 * time.Second, wanted: 32 << 20}
}

var errTooSlow = errors.New("the body did not come in within the time limit")

// tooSlow is the answer to a body that never comes in (RFC 9110 section 15.5.9).
func tooSlow(err error) *fault {
	return &fault{capabilities.Refuse(capabilities.Timeout,
		"the body did not come in within the time limit, and nothing was done: send it again, all of it at once").Because(err), http.StatusRequestTimeout}
}

// intake is the body of a request as it comes in. Nobody keeps a
// connection by announcing more than is sent: reading ends with errTooSlow when the
// pace is not kept, and a body that nobody reads is not waited for.
//
// A deadline of the connection is set only when reading has to end, and then for
// good: one left behind would end the watch for a caller that leaves, and with it the
// call, or the next request on the connection.
type intake struct {
	body io.ReadCloser
	size int64 // -1 where it was not announced
	// http1 says that the connection carries one request after the other; later
	// versions leave a body without losing the answer.
	http1 bool
	w     http.ResponseWriter
	pace  *pace

	mu    sync.Mutex
	timer *time.Timer // runs from the first read until the body is whole
	came  int64
	mark  int64 // what had come when the timer began
	whole bool
	slow  bool
}

// takeIn puts the body of a request within bounds, until [exchange.leaveBody].
func (x *exchange) takeIn(r *http.Request) {
	x.intake = &intake{body: r.Body, size: r.ContentLength, http1: r.ProtoMajor == 1, w: x.ResponseWriter, pace: &x.s.pace}
	r.Body = x.intake
}

// Read reads the body.
func (in *intake) Read(p []byte) (int, error) {
	in.mu.Lock()
	switch {
	case in.slow:
		in.mu.Unlock()
		return 0, errTooSlow
	case in.timer == nil && !in.whole:
		in.timer = time.AfterFunc(in.pace.every, in.judge)
	}
	in.mu.Unlock()
	n, err := in.body.Read(p)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.came += int64(n)
	switch {
	case in.slow:
		// Even where the last byte came just then: the caller may count as gone already.
		return 0, errTooSlow
	case errors.Is(err, io.EOF), in.size >= 0 && in.came >= in.size:
		in.whole = true
		in.stop()
	case err != nil:
		in.stop()
	}
	return n, err
}

// Close does nothing: the server closes what it opened, and would read on.
func (in *intake) Close() error { return nil }

func (in *intake) stop() {
	if in.timer != nil {
		in.timer.Stop()
	}
}

// judge ends the reading unless the pace was kept.
func (in *intake) judge() {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case in.whole:
	case in.came-in.mark >= in.pace.bytes:
		in.mark = in.came
		in.timer.Reset(in.pace.every)
	default:
		in.slow = true
		in.end()
	}
}

// end ends a read that waits, and all that follow, whatever the clock says. Where a
// program has put a writer around ours that hides the connection, nothing can.
func (in *intake) end() {
	_ = http.NewResponseController(in.w).SetReadDeadline(time.Unix(1, 0))
}

// unread reports whether some of the body has not been read.
func (in *intake) unread() bool {
	if in == nil {
		return false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return !in.whole
}

// leaveBody gives the body back to the server, which goes by its type. The answer has
// been written. What it
// did not need of the body is read for a while: a client that sends all of it before
// it reads would find its connection reset and never see the answer. One that asks
// first (Expect: 100-continue) is not made to send.
func (x *exchange) leaveBody(r *http.Request) {
	x.vacate()
	in := x.intake
	r.Body = in.body
	in.mu.Lock()
	in.stop()
	whole, slow := in.whole, in.slow
	in.mu.Unlock()
	if whole || !in.http1 {
		return
	}
	conn := http.NewResponseController(in.w)
	if conn.SetReadDeadline(time.Unix(1, 0)) != nil {
		return // no connection, or one whose reads cannot be bounded
	}
	if slow || r.Header.Get("Expect") != "" || conn.Flush() != nil || conn.SetReadDeadline(time.Time{}) != nil {
		return
	}
	bound := time.AfterFunc(in.pace.after, in.end)
	_, _ = io.CopyN(io.Discard, in.body, in.pace.wanted) // the answer stands either way
	bound.Stop()
	in.end() // or the server would wait for the rest
}
