package bridge

import (
	"os"
	"syscall"
	"time"
)

// markName is the variable that tells the processes of one child, and those that they
// start, from all others: a process that moves to a session of its own leaves the
// child's group and its parent, not its environment.
const markName = "HOLOTYPE_CHILD"

// carrierGrace is how long a process that left its group may take to end when asked.
const carrierGrace = 500 * time.Millisecond

// EndLeftovers ends the processes whose environment has a variable with that value, as
// "NAME=value", and answers how many there were. It is for what the children of a
// process that was killed outright left behind, told by a variable that all of them
// were given. This process and those above it are spared, whatever they carry. Where
// the system does not tell the environment of a process, which macOS does not, it ends
// none.
func EndLeftovers(variable string) int {
	spared := map[int]bool{}
	parents := map[int]int{}
	for _, one := range processes() {
		parents[one.pid] = one.parent
	}
	for pid := os.Getpid(); pid > 0 && !spared[pid]; pid = parents[pid] {
		spared[pid] = true
	}
	return endCarriers(variable, spared)
}

// endCarriers ends the processes that carry a variable and are not spared: they are
// asked to, and killed when they do not.
func endCarriers(variable string, spared map[int]bool) int {
	const pause = 10 * time.Millisecond
	seen := map[int]bool{}
	for waited := time.Duration(0); waited < 2*carrierGrace; waited += pause {
		found := 0
		for _, pid := range carriers(variable) {
			if spared[pid] {
				continue
			}
			found++
			switch {
			case waited >= carrierGrace:
				signalCarrier(pid, variable, syscall.SIGKILL)
			case !seen[pid]:
				signalCarrier(pid, variable, syscall.SIGTERM)
			}
			seen[pid] = true
		}
		if found == 0 {
			break
		}
		time.Sleep(pause)
	}
	return len(seen)
}

// signalCarrier signals a process if it is still the one that carries the variable:
// its number may belong to another one by now. The handle is of the very process that
// is looked at then.
func signalCarrier(pid int, variable string, sig syscall.Signal) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	if carries(pid, variable) {
		_ = p.Signal(sig) // it may have ended just now
	}
	_ = p.Release()
}
