package bridge

import (
	"slices"
	"strings"
	"syscall"
	"time"
)

// stop ends the server and keeps how it took that. Nothing is left of it then.
func (p *prober) stop(l *link) {
	c := l.child
	if c == nil {
		l.shut()
		return
	}
	below := descendants(processes(), c.proc.Pid)
	how := StopInput
	select {
	case <-c.leaderGone:
		how = StopItself
	default:
	}
	began := time.Now()
	c.closeStdin()
	if !within(c.leaderGone, c.spec.grace) {
		how = StopTerm
		c.signal(syscall.SIGTERM)
		if !within(c.leaderGone, c.spec.grace) {
			how = StopKill
			c.signal(syscall.SIGKILL)
			<-c.leaderGone
		}
	}
	after := time.Since(began)
	l.shut()
	left := p.leftovers()
	for _, one := range afterAMoment(func(all []process) []process {
		// Those of the group were killed with it, and are about to be gone.
		return slices.DeleteFunc(survivors(below, all), func(one process) bool { return one.group == c.proc.Pid })
	}) {
		_ = syscall.Kill(one.pid, syscall.SIGKILL) // it may have ended just now
		left = append(left, one.name)
	}
	slices.Sort(left)
	p.seen.Stop = &Stop{How: how, After: after, Left: left}
}

// onLeft keeps what is alive in the child's group, or carries its mark, after its
// process is gone.
func (p *prober) onLeft(group int, mark string) {
	left := afterAMoment(func(all []process) []process {
		return slices.DeleteFunc(all, func(one process) bool {
			return one.pid == group || one.ended || one.group != group && !carries(one.pid, mark)
		})
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = nil
	for _, one := range left {
		p.left = append(p.left, one.name)
	}
}

// afterAMoment answers the processes that are picked from the table and still are
// after a moment: what is on its way out does not count.
func afterAMoment(pick func([]process) []process) []process {
	const moment, pause = 250 * time.Millisecond, 10 * time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		if found := pick(processes()); len(found) == 0 || waited >= moment {
			return found
		}
		time.Sleep(pause)
	}
}

func (p *prober) leftovers() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.left)
}

// A process is one line of the system's table.
type process struct {
	pid, parent, group int
	name               string // printable
	started            string // tells it from a later one with the same number
	ended              bool   // not yet reaped
}

// descendants answers the processes below one, however deep.
func descendants(all []process, root int) []process {
	below := map[int]bool{root: true}
	var found []process
	for grew := true; grew; {
		grew = false
		for _, one := range all {
			if below[one.parent] && !below[one.pid] {
				below[one.pid], grew = true, true
				found = append(found, one)
			}
		}
	}
	return found
}

// survivors answers those of before that are alive now.
func survivors(before, now []process) []process {
	var alive []process
	for _, one := range now {
		same := func(b process) bool { return b.pid == one.pid && b.started == one.started }
		if !one.ended && slices.ContainsFunc(before, same) {
			alive = append(alive, one)
		}
	}
	return alive
}

func processName(raw string) string {
	return bounded(printable([]byte(strings.TrimSpace(raw))), 64)
}
