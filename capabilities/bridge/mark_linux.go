package bridge

import (
	"bytes"
	"io"
	"os"
	"strconv"
)

// maxEnviron bounds what is read of a process's environment.
const maxEnviron = 1 << 20

// carriers answers the processes whose environment has the variable, as "NAME=value",
// without this one. They are those that proc(5) shows us.
func carriers(variable string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid != os.Getpid() && carries(pid, variable) {
			all = append(all, pid)
		}
	}
	return all
}

// carries reports whether a process was started with the variable. One that has ended
// was not.
func carries(pid int, variable string) bool {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	env, err := io.ReadAll(io.LimitReader(f, maxEnviron))
	_ = f.Close() // it was only read
	if err != nil {
		return false
	}
	for one := range bytes.SplitSeq(env, []byte{0}) {
		if string(one) == variable {
			return true
		}
	}
	return false
}
