package bridge

import (
	"os"
	"strconv"
	"strings"
)

// processes reads the table of processes from proc(5). Where it is not mounted, or
// hides the processes of others, it answers what there is to see.
func processes() []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it ended meanwhile
		}
		if one, ok := readStat(pid, string(stat)); ok {
			all = append(all, one)
		}
	}
	return all
}

// readStat reads one line of /proc/PID/stat. The name, in parentheses, may hold
// anything; the fields after it are numbered from the third on.
func readStat(pid int, stat string) (process, bool) {
	from, to := strings.Index(stat, "("), strings.LastIndex(stat, ")")
	if from < 0 || to < from {
		return process{}, false
	}
	const state, parent, group, started = 0, 1, 2, 19
	fields := strings.Fields(stat[to+1:])
	if len(fields) <= started {
		return process{}, false
	}
	one := process{
		pid: pid, name: processName(stat[from+1 : to]), started: fields[started],
		ended: fields[state] == "Z" || fields[state] == "X",
	}
	var errParent, errGroup error
	one.parent, errParent = strconv.Atoi(fields[parent])
	one.group, errGroup = strconv.Atoi(fields[group])
	return one, errParent == nil && errGroup == nil
}
