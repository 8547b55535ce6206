package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

// ErrHolderGone is answered by [Client.PipeMCP] when the holder closed the
// session before in ended.
var ErrHolderGone = errors.New("the running holotype closed the session")

// PipeMCP carries one MCP session: newline-delimited JSON-RPC from in to the
// holder, and from it to out. It returns nil when in ended and the holder has
// answered what was left, ctx's error, or [ErrHolderGone]. A read of in that is
// under way then cannot be stopped: do not use in again.
func (c *Client) PipeMCP(ctx context.Context, in io.Reader, out io.Writer) error {
	conn, err := c.dial(ctx)
	if err != nil {
		return gone(err)
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	answers, err := c.upgrade(ctx, conn)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return gone(err)
	}
	// read receives how in ended, before the holder can know of it.
	read := make(chan error, 1)
	go func() {
		from := &source{Reader: in}
		_, err := io.Copy(conn, from)
		if err == nil || from.err != nil {
			read <- from.err
		}
		closeWrite(conn)
	}()
	_, err = io.Copy(out, answers)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("passing answers on: %w", err)
	}
	select {
	case err := <-read:
		if err != nil {
			return fmt.Errorf("reading messages: %w", err)
		}
		return nil
	default:
		return ErrHolderGone
	}
}

// source remembers why reading failed, to tell it from a failure to write.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// upgrade turns conn over to a session and answers its reading half.
func (c *Client) upgrade(ctx context.Context, conn net.Conn) (io.Reader, error) {
	req, err := c.request(ctx, http.MethodPost, pathMCP, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", mcpProtocol)
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	r := bufio.NewReader(conn)
	resp, err := http.ReadResponse(r, req) //nolint:bodyclose // the body of a 101 is the session itself, behind r
	if err != nil {
		return nil, err
	}
	return r, c.accept(resp, http.StatusSwitchingProtocols)
}

// closeWrite tells the other end that nothing follows, where a connection can.
func closeWrite(conn net.Conn) {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok {
		_ = conn.Close()
		return
	}
	_ = half.CloseWrite()
}
