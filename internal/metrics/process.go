package metrics

import (
	"bytes"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"syscall"
	"time"
)

// PutProcess adds what the system and the runtime say of this process, which began at a
// time.
func PutProcess(s *Set, began time.Time) {
	s.Put(StartSeconds, float64(began.UnixMilli())/1000)
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) == nil {
		s.Put(CPUSeconds, time.Duration(used.Utime.Nano()+used.Stime.Nano()).Seconds())
	}
	if pages, ok := residentPages(); ok {
		s.Put(ResidentBytes, float64(pages*int64(os.Getpagesize())))
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		s.Put(OpenFiles, float64(len(open)-1)) // that of the folder itself
	}
	s.Put(GoInfo, 1, runtime.Version())
	for id, name := range map[ID]string{
		Goroutines: "/sched/goroutines:goroutines", HeapBytes: "/memory/classes/heap/objects:bytes",
		GoBytes: "/memory/classes/total:bytes", GCCycles: "/gc/cycles/total:gc-cycles",
	} {
		one := []metrics.Sample{{Name: name}}
		if metrics.Read(one); one[0].Value.Kind() == metrics.KindUint64 {
			s.Put(id, float64(one[0].Value.Uint64()))
		}
	}
}

// residentPages answers the second number of /proc/self/statm.
func residentPages() (int64, bool) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(b)
	if len(fields) < 2 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return n, err == nil
}
