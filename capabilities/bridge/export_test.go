package bridge

import "time"

// Hurry shortens what a test would have to wait for.
func Hurry(o *Options) {
	if o.tuning.probe == 0 {
		o.tuning.probe = 300 * time.Millisecond
	}
	o.tuning.grace = 300 * time.Millisecond
	o.tuning.debounce = 5 * time.Millisecond
}

// After puts f in the place of time.After for restarts.
func After(o *Options, f func(time.Duration) <-chan time.Time) { o.tuning.after = f }

// HurryProbe is [Hurry] for a probe.
func HurryProbe(o *ProbeOptions) {
	o.tuning.probe = 300 * time.Millisecond
	o.tuning.grace = time.Second // a busy machine takes its time to end a process
}
