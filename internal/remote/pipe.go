package remote

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// PipeMCP serves a session by the holder, see [Session.Serve]. The error is a
// refusal where the holder cannot be reached, which is [ErrHolderGone] too, or takes
// no session.
func (c *Client) PipeMCP(ctx context.Context, s *Session) error {
	conn, err := c.dial(ctx)
	if err != nil {
		return gone(fmt.Errorf("%w: %w", ErrHolderGone, err))
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	answers, err := c.upgrade(ctx, conn, s)
	stop()
	switch {
	case ctx.Err() != nil:
		_ = conn.Close()
		return ctx.Err()
	case err != nil:
		_ = conn.Close()
		if _, refused := capabilities.AsError(err); !refused {
			err = fmt.Errorf("%w: %w", ErrHolderGone, err)
		}
		return gone(err)
	}
	s.note = ""
	if theirs := c.Build(); s.Build != nil && theirs != "" {
		if ours := s.Build(); ours != "" && ours != theirs {
			s.note = otherBuild
		}
	}
	return s.Serve(ctx, &connection{conn, answers})
}

// connection is a connection that was turned over, read through the buffer that its
// upgrade was answered in.
type connection struct {
	net.Conn
	answers io.Reader
}

// Read reads what came with the answer to the upgrade, then the connection.
func (c *connection) Read(p []byte) (int, error) { return c.answers.Read(p) }

// CloseWrite tells the other end that nothing follows, where a connection can.
func (c *connection) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}

// upgrade turns conn over to a session and answers its reading half.
func (c *Client) upgrade(ctx context.Context, conn net.Conn, s *Session) (io.Reader, error) {
	path, query := pathMCP, url.Values{}
	if s.Seat != "" {
		query.Set(seatQuery, s.Seat)
	}
	if s.Discovery {
		query.Set(discoveryQuery, "true")
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	req, err := c.request(ctx, http.MethodPost, path, nil)
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
	if resp.StatusCode == http.StatusForbidden && c.accept(resp, http.StatusForbidden) == nil {
		var e event
		if err := json.NewDecoder(io.LimitReader(resp.Body, maxRequest)).Decode(&e); err == nil && e.Refusal != nil {
			return nil, e.Refusal.decode()
		}
	}
	return r, c.accept(resp, http.StatusSwitchingProtocols)
}
