package audit

import (
	"context"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/internal/broadcast"
)

const (
	// waiting is the most rows that wait to be written. A call waits for room when they
	// are all taken, at most roomTime; its row is then counted as lost.
	waiting  = 8192
	roomTime = time.Second
	// batchRows and batchTime bound how many rows, and how long, wait for one commit.
	batchRows = 1024
	batchTime = 200 * time.Millisecond
)

// noted is one call as it waits to be written.
type noted struct {
	kind                        *kind
	requestID, opKey, actingFor string
	refused                     *refused // nil for a call
	at                          int64    // in milliseconds
	duration                    int64    // in microseconds
	argumentBytes, resultBytes  int64
}

// queue holds the rows that wait to be written, in the order in which their calls ended.
// Its writer is woken once for many rows: to wake it for each one costs a call more than
// all the rest of its row.
type queue struct {
	begun chan struct{} // holds one when rows came where there were none
	hurry chan struct{} // holds one when the writer should not wait for more

	mu      sync.Mutex
	rows    []noted
	spare   []noted // emptied, to be filled again
	came    int64   // how many rows came so far
	settled int64   // how many of those are written, or lost
	room    broadcast.Broadcast
	moved   broadcast.Broadcast // settled grew
}

func newQueue() queue {
	return queue{begun: make(chan struct{}, 1), hurry: make(chan struct{}, 1)}
}

// put adds a row and reports whether there was room.
func (q *queue) put(n *noted) bool {
	q.mu.Lock()
	count := len(q.rows) + 1
	if count > waiting {
		q.mu.Unlock()
		return false
	}
	q.rows = append(q.rows, *n)
	q.came++
	q.mu.Unlock()
	switch count {
	case 1:
		signal(q.begun)
	case batchRows:
		signal(q.hurry)
	}
	return true
}

// signal leaves one in a channel for one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take answers the rows that wait, which the writer gives back with done.
func (q *queue) take() []noted {
	q.mu.Lock()
	rows := q.rows
	q.rows, q.spare = q.spare, nil
	q.mu.Unlock()
	q.room.Wake()
	return rows
}

// done notes that rows are written or lost. What is far larger than it needed to be is
// not kept.
func (q *queue) done(rows []noted) {
	n := len(rows)
	clear(rows)
	q.mu.Lock()
	q.settled += int64(n)
	if n >= cap(rows)/4 {
		q.spare = rows[:0]
	}
	q.mu.Unlock()
	q.moved.Wake()
}

func (l *Log) lose(rows int64) {
	l.lost.Add(rows)
	l.ever.Add(rows)
}

// Lost answers how many rows could not be written since the audit was opened.
func (l *Log) Lost() int64 { return l.ever.Load() }

// Waiting answers how many rows are not written yet.
func (l *Log) Waiting() int64 {
	l.queue.mu.Lock()
	defer l.queue.mu.Unlock()
	return l.queue.came - l.queue.settled
}

// note queues a row, and waits a while where there is no room.
func (l *Log) note(n *noted) {
	if !l.queue.put(n) && !l.noteLate(*n) {
		l.lose(1)
	}
}

func (l *Log) noteLate(n noted) bool {
	timer := time.NewTimer(roomTime)
	defer timer.Stop()
	for {
		next := l.queue.room.Next()
		if l.queue.put(&n) {
			return true
		}
		select {
		case <-next:
		case <-timer.C:
			return false
		case <-l.stop:
			return false
		}
	}
}

// flushed waits until every row that was noted before is written, or lost.
func (l *Log) flushed(ctx context.Context) error {
	q := &l.queue
	q.mu.Lock()
	wanted := q.came
	q.mu.Unlock()
	for {
		next := q.moved.Next()
		q.mu.Lock()
		there := q.settled >= wanted
		q.mu.Unlock()
		if there {
			return nil
		}
		signal(q.hurry)
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		case <-l.stop:
			return errClosed
		}
	}
}
