package audit

// Sweep removes old rows now.
func Sweep(l *Log) { l.sweep() }
