package audit

import (
	"testing"
	"testing/synctest"
)

func TestQueueWakesItsWriterOnceForManyRows(t *testing.T) {
	q := newQueue()
	begun, hurry := 0, 0
	for range batchRows + 10 {
		if !q.put(&noted{}) {
			t.Fatal("there is no room")
		}
		select {
		case <-q.begun:
			begun++
		case <-q.hurry:
			hurry++
		default:
		}
	}
	if begun != 1 || hurry != 1 {
		t.Errorf("the writer is woken %d times, and told to hurry %d times", begun, hurry)
	}
	q.done(q.take())
	if !q.put(&noted{}) || len(q.begun) != 1 {
		t.Error("the first row after a batch does not wake the writer")
	}
}

func TestFullQueue(t *testing.T) {
	full := func() *Log {
		l := &Log{queue: newQueue(), stop: make(chan struct{})}
		for range waiting {
			l.note(&noted{})
		}
		return l
	}
	for name, c := range map[string]struct {
		then func(*Log)
		lost int64
	}{
		"room comes":   {func(l *Log) { l.queue.take() }, 0},
		"no room":      {func(*Log) {}, 1},
		"the log ends": {func(l *Log) { close(l.stop) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := full()
				done := make(chan struct{})
				go func() {
					defer close(done)
					l.note(&noted{requestID: "late"})
				}()
				synctest.Wait()
				c.then(l)
				<-done
				if got := l.lost.Load(); got != c.lost {
					t.Errorf("%d rows are lost, want %d", got, c.lost)
				}
				rows := l.queue.take()
				if there := len(rows) == 1 && rows[0].requestID == "late"; there != (c.lost == 0) {
					t.Errorf("%d rows wait", len(rows))
				}
			})
		})
	}
}

func TestQueueKeepsNoMoreThanItNeeds(t *testing.T) {
	q := newQueue()
	put := func(n int) {
		for range n {
			q.put(&noted{requestID: "r"})
		}
		q.done(q.take())
	}
	put(waiting)
	if cap(q.spare) < waiting {
		t.Errorf("room for %d rows is kept after %d", cap(q.spare), waiting)
	}
	for _, n := range q.spare[:waiting] {
		if n != (noted{}) {
			t.Fatalf("a row that is written is kept: %+v", n)
		}
	}
	put(1) // fills what no batch had yet
	put(1)
	if cap(q.spare) > waiting/4 {
		t.Errorf("room for %d rows is kept after 1", cap(q.spare))
	}
}
