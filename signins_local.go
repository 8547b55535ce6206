package holotype

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/internal/drain"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// A localCallback is where browsers of this machine come back to after a sign-in in a
// process that serves no pages: a listener on the loopback that is there as long as a sign-in
// goes on (RFC 8252 section 7.3).
type localCallback struct {
	log   *slog.Logger
	serve func() http.Handler

	serving drain.Group
	mu      sync.Mutex
	web     *http.Server // nil while there is none
	url     string
	links   int // that are given out, or about to be
	late    *time.Timer
	closed  bool
}

// open answers the address to come back to.
func (l *localCallback) open(ctx context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return "", errClosed
	}
	if l.web != nil {
		return l.url, nil
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listening for the browser that comes back: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle(httpapi.CallbackPath, l.serve())
	mux.Handle(httpapi.AssetsPath, l.serve())
	web := webServer(context.Background(), mux, l.log)
	l.web, l.url = web, "http://"+ln.Addr().String()+httpapi.CallbackPath
	l.serving.Go(func() { _ = web.Serve(pacedListener{ln}) }) // it ends when it is closed
	return l.url, nil
}

// begin says that a link is about to be given out; the listener stays until then.
func (l *localCallback) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.links++
}

// begun says that it was given out, and works so long.
func (l *localCallback) begun(works time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.web == nil {
		return
	}
	if l.late != nil {
		l.late.Stop()
	}
	web := l.web
	l.late = time.AfterFunc(works, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.web == web { // what was begun later has a timer of its own
			l.links = 0
			l.endNow()
		}
	})
}

// end says that a link is of no use any more: a browser came back by it, or it was not given
// out after all.
func (l *localCallback) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.links = max(0, l.links-1); l.links == 0 {
		l.endNow()
	}
}

// endNow closes the listener, where there is one; requests in it are answered. mu is held.
func (l *localCallback) endNow() {
	if l.web == nil {
		return
	}
	if l.late != nil {
		l.late.Stop()
		l.late = nil
	}
	web := l.web
	l.web, l.url = nil, ""
	l.serving.Go(func() {
		ctx, done := context.WithTimeout(context.Background(), finishTime)
		defer done()
		if web.Shutdown(ctx) != nil {
			_ = web.Close() // whoever still reads had its time
		}
	})
}

// close ends it for good, and returns when nothing of it runs or ctx ends.
func (l *localCallback) close(ctx context.Context) {
	l.mu.Lock()
	l.closed = true
	l.endNow()
	l.mu.Unlock()
	l.serving.Close()
	select {
	case <-l.serving.Idle():
	case <-ctx.Done():
	}
}
