package holotype

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// reloadOn has the configuration read anew, for a cause that is logged with what came
// of it.
func (e *engine) reloadOn(ctx context.Context, cause string) {
	r, err := configuration{e, e.settings}.Reload(ctx, false)
	if err != nil {
		e.log.ErrorContext(ctx, "config_reload_failed", "cause", cause, "error", err.Error())
		return
	}
	e.log.InfoContext(ctx, "config_reloaded", "cause", cause, "added", r.Added, "removed", r.Removed, "changed", r.Changed,
		"retried", r.Retried, "unchanged", r.Unchanged)
	for _, n := range r.Notices {
		e.log.WarnContext(ctx, "config_notice", "notice", n)
	}
}

// follow reloads whenever a file of the configuration was changed, until ctx is done.
func (e *engine) follow(ctx context.Context) {
	if len(e.settings.watched()) == 0 {
		return
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	e.settings.watch(ctx.Done(), tick.C, func() { e.reloadOn(ctx, "a file was changed") })
}

// hangUps are the SIGHUPs of this process, until stop is called. Without that, one would
// end it.
func hangUps() (hup <-chan os.Signal, stop func()) {
	all := make(chan os.Signal, 1)
	signal.Notify(all, syscall.SIGHUP)
	return all, func() { signal.Stop(all) }
}

// obey reloads on every SIGHUP, until ctx is done.
func (e *engine) obey(ctx context.Context, hup <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hup:
			e.reloadOn(ctx, "SIGHUP")
		}
	}
}
