package holotype

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"syscall"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/remote"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

const (
	// attachTime bounds the wait for a holder that is just starting or ending.
	attachTime = 10 * time.Second
	// patienceTime is how long a process whose holder has gone leaves the data directory
	// to others, pauseTime how long it waits between two looks.
	patienceTime, pauseTime = 2 * time.Second, 50 * time.Millisecond
	// restTime is how long a session has to go on with one holder for the loss of it to
	// be a new one.
	restTime = time.Second
)

func (s *Server) mcpCommand() cli.Command {
	return cli.Command{
		Name:  "mcp",
		Short: "Speak MCP on standard input and output",
		Long: "For clients that start their servers themselves. Attaches to the running server of the data directory, whose\n" +
			"configuration then counts; where none runs, it holds the directory itself, serves others that attach, and stays\n" +
			"until the last of them has left. When the process it is attached to goes away, it attaches to the next one or\n" +
			"takes its place: the session goes on, and calls that were running are answered with an error. To a serve that is\n" +
			"started later it hands the directory over, and attaches to it.",
		Flags: []cli.Flag{cli.MCPConfigFlag(), {Name: "seat", Usage: "speak in the position of this seat, with the tools of its own servers beside those of everybody", Word: "SEAT"}, {Name: "find", Usage: "list four tools, which find, describe and call all others, in place of the whole list", Kind: cli.Switch}, {Name: "debug", Usage: "log calls and the servers' own output to standard error", Kind: cli.Switch}},
		Run: func(ctx context.Context, inv cli.Invocation) error {
			level := slog.LevelWarn
			if inv.Switch("debug") {
				level = slog.LevelDebug
			}
			return s.mcp(ctx, s.usual(files{
				seat: inv.Text("seat"), discovery: inv.Switch("find"), data: inv.Data, config: inv.Config, mcpConfig: inv.Text("mcp-config"), log: s.logger(inv.Err, level),
			}), inv.In, inv.Out, inv.Err)
		},
	}
}

func (s *Server) mcp(ctx context.Context, f files, in io.Reader, out, errw io.Writer) error {
	itself, err := s.startedByItself(f)
	if err != nil {
		return err
	}
	if itself {
		return errWithin
	}
	waiting, cancel := context.WithTimeout(ctx, attachTime)
	p, client, err := s.holdOrDial(waiting, f)
	cancel()
	if err != nil {
		return err
	}
	if client != nil {
		if err := s.noteAttached(f, errw); err != nil {
			return err
		}
	}
	session := remote.NewSession(in, out)
	session.Seat, session.Discovery = f.seat, f.discovery
	session.Build = s.buildMark
	return s.carry(ctx, f, p, client, session, errw)
}

// noteAttached says that files were named which do not count.
func (s *Server) noteAttached(f files, errw io.Writer) error {
	if f.config == "" && f.mcpConfig == "" {
		return nil
	}
	_, err := fmt.Fprintln(errw, "attached to the running server of this data directory: its configuration counts, not the files named here")
	return err
}

// errMoved says that this process has let the data directory go to a server, and that
// the session is not over.
var errMoved = errors.New("the data directory was let go")

// carry serves a session by the process that holds the data directory, by this one where
// p is not nil, and when that has gone or has let the directory go, by the one that holds
// it next, which may be this one again.
func (s *Server) carry(ctx context.Context, f files, p *place, client *remote.Client, session *remote.Session, errw io.Writer) error {
	// A client must not lose its session because nobody reads what is said about it.
	say := func(text string) { _, _ = fmt.Fprintln(errw, text) }
	var lost time.Time
	for {
		began, patience := s.o.Now(), patienceTime
		if p != nil {
			if err := s.holdSession(ctx, p, session); !errors.Is(err, errMoved) {
				return err
			}
			lost, patience = time.Time{}, attachTime // whoever asked for it is about to take it
			say("a server has asked for the data directory: the session goes on there, and its configuration counts")
		} else {
			err := client.PipeMCP(ctx, session)
			if clientGone(err) {
				return nil
			}
			if !errors.Is(err, remote.ErrHolderGone) || ctx.Err() != nil {
				return err
			}
			now := s.o.Now()
			if lost.IsZero() || now.Sub(began) > restTime {
				lost = now
				say("the process that served this session has gone: waiting for the next one, or taking its place")
			}
			if now.Sub(lost) > attachTime {
				return err
			}
		}
		var err error
		if p, client, err = s.next(ctx, f, patience); err != nil {
			return err
		}
		if p != nil {
			say("this process holds the data directory now and serves the session on: its own configuration counts")
		}
	}
}

// next answers the process that holds the data directory after another one, or the
// directory itself. The former goes first, for a while: whoever restarts a server
// wants that server to hold it.
func (s *Server) next(ctx context.Context, f files, patience time.Duration) (*place, *remote.Client, error) {
	dir, err := s.dir(f)
	if err != nil {
		return nil, nil, err
	}
	looking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	pause := time.NewTicker(pauseTime)
	defer pause.Stop()
	for looking.Err() == nil {
		if conn, err := dir.Dial(looking); err == nil {
			_ = conn.Close() // nothing was said
			return nil, remote.Dial(dir.Dial, s.o.Version), nil
		}
		select {
		case <-pause.C:
		case <-looking.Done():
		}
	}
	waiting, done := context.WithTimeout(ctx, attachTime)
	defer done()
	return s.holdOrDial(waiting, f)
}

// holdSession serves a session by this process, which holds the data directory, and
// goes on until every process that has attached meanwhile has left. The error is
// errMoved when a server was given the directory before the session was over.
func (s *Server) holdSession(ctx context.Context, p *place, session *remote.Session) (err error) {
	defer outlivePipes()()
	release := sync.OnceValue(p.release)
	defer func() { err = errors.Join(err, release()) }()
	e, err := s.build(p)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	socket := e.attach(running, p, leaves)
	e.start(running)
	err = session.ServeHere(ctx, socket.leaving, func(ctx context.Context, in io.Reader, out io.Writer) error {
		return e.serveSeat(ctx, session, in, out)
	})
	moved := socket.moving() && errors.Is(err, remote.ErrHolderGone)
	if errors.Is(err, context.Canceled) || errors.Is(err, remote.ErrHolderGone) || clientGone(err) {
		err = nil
	}
	if !moved && ctx.Err() == nil {
		socket.wait(ctx)
	}
	stopping, done := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer done()
	if !socket.moving() {
		return errors.Join(err, socket.close(), e.stop(stopping))
	}
	failed := errors.Join(socket.finish(stopping), e.stop(stopping), release())
	close(socket.letGo)
	if !moved {
		return errors.Join(err, failed)
	}
	if failed != nil {
		p.log.Error("stop_failed", "error", failed.Error())
	}
	return errMoved
}

// clientGone reports whether an error says that the client has closed its end. A holder
// that is killed while it is spoken to breaks a pipe as well.
func clientGone(err error) bool {
	return !errors.Is(err, remote.ErrHolderGone) && (errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe))
}

// serveSeat serves a session of the owner in the position of its seat, where it has one.
func (e *engine) serveSeat(ctx context.Context, session *remote.Session, in io.Reader, out io.Writer) error {
	who, err := e.ownerOver(session.Seat, session.Discovery)
	if err != nil {
		return err
	}
	return e.mcp.ServeStdio(ctx, in, out, who)
}

// ownerOver answers the owner in the position of a seat, "" for none, as a session has it
// that may be given the tools of discovery in place of its list.
func (e *engine) ownerOver(seat string, discovery bool) (*capabilities.Principal, error) {
	who, err := e.ownerIn(seat)
	if err == nil && discovery {
		who = who.Discovering()
	}
	return who, err
}
