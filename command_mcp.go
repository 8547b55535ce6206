package holotype

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

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
			"takes its place: the session goes on, and calls that were running are answered with an error.",
		Flags: []cli.Flag{cli.MCPConfigFlag(), {Name: "seat", Usage: "speak in the position of this seat, with the tools of its own servers beside those of everybody", Word: "SEAT"}, {Name: "debug", Usage: "log calls and the servers' own output to standard error", Kind: cli.Switch}},
		Run: func(ctx context.Context, inv cli.Invocation) error {
			level := slog.LevelWarn
			if inv.Switch("debug") {
				level = slog.LevelDebug
			}
			return s.mcp(ctx, files{
				seat: inv.Text("seat"), data: inv.Data, config: inv.Config, mcpConfig: inv.Text("mcp-config"), log: s.logger(inv.Err, level),
			}, inv.In, inv.Out, inv.Err)
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
	if client == nil {
		return s.holdSession(ctx, p, func(ctx context.Context, e *engine) error {
			return e.serveSeat(ctx, f.seat, in, out)
		})
	}
	if err := s.noteAttached(f, errw); err != nil {
		return err
	}
	session := remote.NewSession(in, out)
	session.Seat = f.seat
	return s.attached(ctx, f, client, session, errw)
}

// noteAttached says that files were named which do not count.
func (s *Server) noteAttached(f files, errw io.Writer) error {
	if f.config == "" && f.mcpConfig == "" {
		return nil
	}
	_, err := fmt.Fprintln(errw, "attached to the running server of this data directory: its configuration counts, not the files named here")
	return err
}

// attached serves a session by the process that holds the data directory and, when
// that has gone, by the one that holds it next, which may be this one.
func (s *Server) attached(ctx context.Context, f files, client *remote.Client, session *remote.Session, errw io.Writer) error {
	// A client must not lose its session because nobody reads what is said about it.
	say := func(text string) { _, _ = fmt.Fprintln(errw, text) }
	var lost time.Time
	for {
		began := s.o.Now()
		err := client.PipeMCP(ctx, session)
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
		p, next, err := s.next(ctx, f)
		if err != nil {
			return err
		}
		if next != nil {
			client = next
			continue
		}
		say("this process holds the data directory now and serves the session on: its own configuration counts")
		return s.holdSession(ctx, p, func(ctx context.Context, e *engine) error {
			return session.ServeHere(ctx, func(ctx context.Context, in io.Reader, out io.Writer) error {
				return e.serveSeat(ctx, f.seat, in, out)
			})
		})
	}
}

// next answers the process that holds the data directory after another one, or the
// directory itself. The former goes first, for a while: whoever restarts a server
// wants that server to hold it.
func (s *Server) next(ctx context.Context, f files) (*place, *remote.Client, error) {
	dir, err := s.dir(f)
	if err != nil {
		return nil, nil, err
	}
	patience, cancel := context.WithTimeout(ctx, patienceTime)
	defer cancel()
	pause := time.NewTicker(pauseTime)
	defer pause.Stop()
	for patience.Err() == nil {
		if conn, err := dir.Dial(patience); err == nil {
			_ = conn.Close() // nothing was said
			return nil, remote.Dial(dir.Dial, s.o.Version), nil
		}
		select {
		case <-pause.C:
		case <-patience.Done():
		}
	}
	waiting, done := context.WithTimeout(ctx, attachTime)
	defer done()
	return s.holdOrDial(waiting, f)
}

// holdSession serves a session by this process, which holds the data directory, and
// goes on until every process that has attached meanwhile has left.
func (s *Server) holdSession(ctx context.Context, p *place, serve func(context.Context, *engine) error) (err error) {
	defer outlivePipes()()
	defer func() { err = errors.Join(err, p.release()) }()
	e, err := s.build(p)
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	socket := e.attach(running, p)
	e.start(running)
	err = serve(ctx, e)
	if ctx.Err() == nil {
		socket.wait(ctx)
	}
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	stopping, done := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer done()
	return errors.Join(err, socket.close(), e.stop(stopping))
}

// serveSeat serves a session of the owner in the position of a seat; "" is none.
func (e *engine) serveSeat(ctx context.Context, seat string, in io.Reader, out io.Writer) error {
	who, err := e.ownerIn(seat)
	if err != nil {
		return err
	}
	return e.mcp.ServeStdio(ctx, in, out, who)
}

// wait waits until every attached MCP session has ended, or ctx is done.
func (a *attachments) wait(ctx context.Context) {
	select {
	case <-a.open.Idle():
	case <-ctx.Done():
	}
}
