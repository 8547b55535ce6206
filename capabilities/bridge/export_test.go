package bridge

import (
	"strings"
	"time"
)

// Hurry shortens what a test would have to wait for.
func Hurry(o *Options) {
	if o.tuning.probe == 0 {
		o.tuning.probe = probeTime(o.Servers...)
	}
	o.tuning.grace = 300 * time.Millisecond
	o.tuning.debounce = 5 * time.Millisecond
	o.tuning.line = lineTime(o.Servers...)
}

// After puts f in the place of time.After for restarts.
func After(o *Options, f func(time.Duration) <-chan time.Time) { o.tuning.after = f }

// Drain shortens how long calls may run on when their server is to be stopped.
func Drain(o *Options, d time.Duration) { o.tuning.drain = d }

// ProbeTime is how long server/discover may stay unanswered.
func ProbeTime(o *Options, d time.Duration) { o.tuning.probe = d }

// probeTime is short for a fake that will not answer server/discover. Of the others
// it is long: on a busy machine an answer takes its time, and a short wait would make
// a server of the new era one of the old.
func probeTime(servers ...Server) time.Duration {
	for _, s := range servers {
		if mode := s.Env["FAKE_MODE"]; strings.Contains(mode, "silent") || strings.Contains(mode, "late") || strings.Contains(mode, "hang") {
			return 300 * time.Millisecond
		}
	}
	return 10 * time.Second
}

// lineTime is short for a fake whose line does not end. Of the others it is long: a
// busy machine takes its time to write the end of a long line.
func lineTime(servers ...Server) time.Duration {
	for _, s := range servers {
		if strings.Contains(s.Env["FAKE_MODE"], "never-ends") {
			return 300 * time.Millisecond
		}
	}
	return 10 * time.Second
}

// HurryProbe is [Hurry] for a probe of a server.
func HurryProbe(o *ProbeOptions, s Server) {
	o.tuning.probe = probeTime(s)
	o.tuning.grace = time.Second // a busy machine takes its time to end a process
}
