package approval

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// waiting is a call that is held.
type waiting struct {
	desk  *Desk
	call  *capabilities.Running
	most  time.Duration // that it may be held
	limit time.Duration // that it is held, from begun
	begun time.Time
	first time.Time   // when it was held first
	timer *time.Timer // nil until it is held
	ticks *time.Ticker

	asks    capabilities.Asker // nil where the client is not to be asked
	asked   *asked             // nil until it is
	decided bool
}

// wait holds a call until its request may have changed. It answers false when the call is
// not to be held any longer: its time, or the caller's, is over.
func (w *waiting) wait(ctx context.Context, o *open, changed <-chan struct{}) bool {
	page := w.page(o)
	if w.most <= 0 && page == "" {
		return false
	}
	if w.timer == nil {
		if !w.desk.hold(w.call.Principal.Key(), 1) {
			return false
		}
		w.timer, w.ticks, w.first = time.NewTimer(w.restart(o)), time.NewTicker(tick), time.Now()
		if page != "" {
			w.ask(ctx, o, page)
		}
	}
	if w.limit <= 0 {
		return false
	}
	for {
		w.report(o)
		answer := w.asked.pending()
		if answer != nil {
			changed = nil // see ask
		}
		select {
		case a := <-answer:
			return w.heard(o, a)
		case <-ctx.Done():
			return false
		case <-w.desk.resting:
			return false
		case <-w.timer.C:
			w.limit = 0
			return answer == nil // looks once more: the decision may be the last moment's
		case <-changed:
			return true
		case <-w.ticks.C:
			if w.desk.o.Shared && answer == nil {
				w.report(o)
				return true
			}
		}
	}
}

// restart answers how long the call is held from now on. Beyond its time nobody can decide on
// the request.
func (w *waiting) restart(o *open) time.Duration {
	w.begun, w.limit = time.Now(), w.most
	if w.most <= 0 {
		w.limit = AskedWait
	}
	w.limit = min(w.limit, at(o.ExpiresMS).Sub(w.desk.o.Now()))
	return w.limit
}

// progressUnit makes the reports of a call that is held smaller than any that the call
// makes itself when it runs: a client drops those that do not grow.
const progressUnit = 1e-6

// report says to the caller that it waits.
func (w *waiting) report(o *open) {
	left := max(0, w.limit-time.Since(w.begun))
	w.call.Report(capabilities.Progress{
		Value:   progressUnit * time.Since(w.first).Seconds(),
		Message: fmt.Sprintf("waits %d s more for approval %s", int(left.Seconds()), o.ID),
	})
}

// stop ends the wait, if there was one.
func (w *waiting) stop() {
	if w.timer != nil {
		w.timer.Stop()
		w.ticks.Stop()
		w.asked.end(w.asks, w.decided)
		w.desk.hold(w.call.Principal.Key(), -1)
	}
}

// hold counts a call that is held, or one that is not any more; it answers false for one
// more than a principal may have.
func (d *Desk) hold(key string, n int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n > 0 && d.held[key] >= MostPending {
		return false
	}
	if d.held[key] += n; d.held[key] == 0 {
		delete(d.held, key)
	}
	return true
}

// still answers the refusal of a call that was held and may not be made any more: rules,
// credentials and what a server says of its tool count at once, and a person takes their
// time.
func (w *waiting) still(ctx context.Context, inv *capabilities.Invocation, now *capabilities.Capability) error {
	if w.timer == nil {
		return nil
	}
	p, c := inv.Principal, inv.Capability
	if inv.Admit != nil { // the server may have said something else of it meanwhile
		if e := inv.Admit(now); e != nil {
			return e
		}
	}
	rule, served := (*capabilities.Rule)(nil), false
	if w.desk.o.Find != nil {
		_, rule, served = w.desk.o.Find(p, c.Name())
	}
	if !served { // what is not there any more says so itself
		rule = w.desk.o.Rules.Decide(p, c)
	}
	if rule != nil {
		return capabilities.Refuse(capabilities.Forbidden, "%s", rule.Message)
	}
	if w.desk.o.Still == nil {
		return nil
	}
	return w.desk.o.Still(ctx, p)
}
