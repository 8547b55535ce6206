package holotype

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/drain"
	"github.com/seed-89b9419b/holotype/internal/remote"
)

// A parting is what a process does when a server asks it for the data directory that
// it holds.
type parting int

const (
	// stays is a server's: it keeps the directory.
	stays parting = iota
	// endsSoon is a command's: the directory is free in a moment anyway.
	endsSoon
	// leaves is that of a process which serves the session of one client: it goes on
	// attached to the server.
	leaves
)

// attachments serve the socket of the data directory: other processes of the same
// user attach there.
type attachments struct {
	server *http.Server
	open   drain.Group // MCP sessions of attached processes

	begin   sync.Once
	leaving chan struct{} // closed when the directory is to be let go
	letGo   chan struct{} // closed when it has been
}

// attach serves the socket of the place, where it has one, until [attachments.close].
func (e *engine) attach(ctx context.Context, p *place, how parting) *attachments {
	a := &attachments{server: &http.Server{}, leaving: make(chan struct{}), letGo: make(chan struct{})} //nolint:gosec // it is replaced before it serves
	if p.holder == nil {
		return a
	}
	as := func(who *capabilities.Principal) func(context.Context, io.Reader, io.Writer) error {
		return func(ctx context.Context, in io.Reader, out io.Writer) error {
			if !a.open.Enter() {
				return errors.New("the process that serves this data directory is stopping")
			}
			defer a.keep(ctx)
			defer a.open.Leave()
			return e.mcp.ServeStdio(ctx, in, out, who)
		}
	}
	inSeat := func(seat string, discovery bool) (func(context.Context, io.Reader, io.Writer) error, error) {
		who, err := e.ownerOver(seat, discovery)
		return as(who), err
	}
	a.server = &http.Server{
		Handler: remote.Handler(remote.Options{
			Door: e.door, Viewer: e.views, Principal: capabilities.OwnerPrincipal(), Absent: e.absent, ServeMCP: as(capabilities.OwnerPrincipal()), ServeSeat: inSeat,
			LoginLink: p.loginLink, Leave: func() error { return a.leave(how) }, Leaving: a.leaving, Version: e.version, Build: e.build,
		}),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	go func() {
		if err := a.server.Serve(p.holder.Listener()); err != nil && !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			p.log.Error("socket_failed", "error", err.Error())
		}
	}()
	return a
}

// leave answers a server that asks for the data directory.
func (a *attachments) leave(how parting) error {
	switch how {
	case leaves:
		a.begin.Do(func() { close(a.leaving) })
		return nil
	case endsSoon:
		return nil
	case stays:
	}
	return capabilities.Refuse(capabilities.Unavailable, "it serves, and keeps it")
}

// moving reports whether the directory is to be let go.
func (a *attachments) moving() bool {
	select {
	case <-a.leaving:
		return true
	default:
		return false
	}
}

// keep keeps the connection of a session that has ended because the directory is to be
// let go: a process that loses its own looks for the next holder, and takes the
// directory when it finds none for a while.
func (a *attachments) keep(ctx context.Context) {
	if !a.moving() {
		return
	}
	select {
	case <-a.letGo:
	case <-ctx.Done():
	}
}

// wait waits until every attached MCP session has ended, the directory is to be let go
// or ctx is done.
func (a *attachments) wait(ctx context.Context) {
	select {
	case <-a.open.Idle():
	case <-a.leaving:
	case <-ctx.Done():
	}
}

// finish takes no more attachments, and lets the calls and sessions finish whose input
// has ended.
func (a *attachments) finish(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, finishTime)
	defer done()
	a.open.Close()
	err := a.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = a.server.Close()
	}
	select {
	case <-a.open.Idle():
	case <-ctx.Done():
	}
	return err
}

// close ends every attachment at once.
func (a *attachments) close() error { return a.server.Close() }
