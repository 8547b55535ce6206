package holotype

import (
	"net"
	"time"
)

// A caller that does not read what it asked for must not keep its connection: every
// piece of an answer is taken within a time, or the connection ends. A bound on whole
// answers would end streams, which are as long as their callers want.
const (
	writeTime  = 30 * time.Second
	writePiece = 256 << 10
)

// pacedListener answers connections whose writes are bounded.
type pacedListener struct{ net.Listener }

// Accept answers the next connection.
func (l pacedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return pacedConn{conn}, nil
}

type pacedConn struct{ net.Conn }

// Write writes piece by piece.
func (c pacedConn) Write(b []byte) (written int, err error) {
	for {
		piece := b[written:min(len(b), written+writePiece)]
		if err := c.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(piece)
		if written += n; err != nil || written == len(b) {
			return written, err
		}
	}
}
