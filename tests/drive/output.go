package drive

import (
	"regexp"
	"sync"
	"time"
)

// awaitTime is how long a program may take to write what a test waits for.
const awaitTime = time.Minute

// Output is what a program wrote so far, for whoever waits for a part of it. It is
// safe for concurrent use. Make one with [NewOutput].
type Output struct {
	mu    sync.Mutex
	news  chan struct{} // closed with every write
	data  []byte
	ended bool
}

// NewOutput answers an empty output.
func NewOutput() *Output { return &Output{news: make(chan struct{})} }

// Write keeps what was written and tells whoever waits.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.data = append(o.data, b...)
	close(o.news)
	o.news = make(chan struct{})
	return len(b), nil
}

// End says that nothing more will be written.
func (o *Output) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	close(o.news)
	o.news = make(chan struct{})
}

// Text answers everything that was written.
func (o *Output) Text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.data)
}

// Await reports whether the pattern comes, before the end and within a minute.
func (o *Output) Await(pattern *regexp.Regexp) bool {
	limit := time.NewTimer(awaitTime)
	defer limit.Stop()
	for {
		o.mu.Lock()
		found, ended, news := pattern.Match(o.data), o.ended, o.news
		o.mu.Unlock()
		if found || ended {
			return found
		}
		select {
		case <-news:
		case <-limit.C:
			return false
		}
	}
}
