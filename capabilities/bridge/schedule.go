package bridge

import "time"

const (
	longEnough  = 5 * time.Minute // a server that was up this long starts afresh
	firstDelay  = 15 * time.Second
	maxDelay    = 5 * time.Minute
	delayJitter = 0.2
)

// A schedule says when a server that went down is started again: at once after
// its first death and after one that had been up for long, else after a delay that
// doubles. A start that fails is never repeated at once.
type schedule struct {
	deaths int           // since it was last up for long
	delay  time.Duration // the last one, before jitter
}

// next answers how long to wait. up is how long the server was ready, 0 when it
// never was; chance is in [0, 1).
func (s *schedule) next(up time.Duration, chance float64) time.Duration {
	if up >= longEnough {
		*s = schedule{}
	}
	if up > 0 {
		if s.deaths++; s.deaths == 1 && s.delay == 0 {
			return 0
		}
	}
	switch {
	case s.delay == 0:
		s.delay = firstDelay
	default:
		s.delay = min(2*s.delay, maxDelay)
	}
	return jittered(s.delay, chance)
}

// slowest answers the longest wait there is.
func (s *schedule) slowest(chance float64) time.Duration {
	s.delay = maxDelay
	return jittered(s.delay, chance)
}

func jittered(d time.Duration, chance float64) time.Duration {
	return time.Duration(float64(d) * (1 + delayJitter*(2*chance-1)))
}
