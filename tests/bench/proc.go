package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// ownCPU is the time of the processor that this process has used.
func ownCPU() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// processCPU is the same of another process, without its children. It reads what
// Linux counts per thread, in nanoseconds; elsewhere it is 0.
func processCPU(pid int) time.Duration {
	tasks, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "schedstat"))
	if err != nil {
		return 0
	}
	var sum int64
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
		}
		first, _, _ := bytes.Cut(text, []byte(" "))
		if n, err := strconv.ParseInt(string(first), 10, 64); err == nil {
			sum += n
		}
	}
	return time.Duration(sum)
}

// processMemory is the resident memory of a process in bytes, now and at its
// highest; 0 where there is no /proc.
func processMemory(pid int) (now, peak int64) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, 0
	}
	for line := range bytes.Lines(text) {
		f := bytes.Fields(line)
		if len(f) < 2 {
			continue
		}
		kib, err := strconv.ParseInt(string(f[1]), 10, 64)
		if err != nil {
			continue
		}
		switch string(f[0]) {
		case "VmRSS:":
			now = kib << 10
		case "VmHWM:":
			peak = kib << 10
		}
	}
	return now, peak
}
