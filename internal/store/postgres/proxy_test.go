package postgres_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// cutAt is where a proxy cuts a connection.
type cutAt uint8

const (
	nowhere      cutAt = iota
	beforeCommit       // the server does not see it
	afterCommit        // the server did it, and the client does not see that
)

// proxy stands between a store and a server, and can cut connections where it hurts.
type proxy struct {
	target string

	mu  sync.Mutex
	at  cutAt
	of  string        // what the transaction is about; "" is any
	cut chan struct{} // closed by the next cut

	syncs int // how often the client waited for the server
}

// newProxy answers a proxy to the server of a URL, and the URL of the database through
// it.
func newProxy(t *testing.T, target string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	p := &proxy{target: filepath.Join(q.Get("host"), ".s.PGSQL.5432")}
	dir := t.TempDir()
	if len(dir) > 80 {
		t.Fatalf("the folder %s is too long a name for a socket", dir)
	}
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	q.Set("host", dir)
	u.RawQuery = q.Encode()
	return p, u.String()
}

// arm cuts the next connection that commits a transaction with that text, and answers
// what is closed then.
func (p *proxy) arm(at cutAt, of string) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.of, p.cut = at, of, make(chan struct{})
	return p.cut
}

// trips answers how often clients waited for the server.
func (p *proxy) trips() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.syncs
}

// link is a connection through the proxy.
type link struct {
	*proxy
	about bool // the text was sent
}

// note looks whether the transaction is the one to be cut.
func (l *link) note(m []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m[0] == 'S' || m[0] == 'Q' {
		l.syncs++
	}
	l.about = l.about || l.at != nowhere && bytes.Contains(m, []byte(l.of))
}

// due reports whether the connection is to be cut at that place, once.
func (l *link) due(at cutAt) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at != at || !l.about {
		return false
	}
	l.at = nowhere
	close(l.cut)
	return true
}

var errCut = errors.New("cut")

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	l := &link{proxy: p}
	var both sync.WaitGroup
	both.Go(func() {
		_ = l.fromClient(client, server) // it ends with the connection
		_ = server.Close()
		_ = client.Close()
	})
	_ = l.fromServer(server, client)
	_ = server.Close()
	_ = client.Close()
	both.Wait()
}

// fromClient passes messages on, and cuts before the statement that commits is run.
func (l *link) fromClient(from io.Reader, to io.Writer) error {
	r := bufio.NewReader(from)
	if err := message(r, to, true, func([]byte) error { return nil }); err != nil {
		return err
	}
	commits := map[string]bool{}
	for {
		err := message(r, to, false, func(m []byte) error {
			l.note(m)
			parts := strings.SplitN(string(m[5:]), "\x00", 3)
			switch {
			case m[0] == 'P' && len(parts) > 1 && parts[1] == "COMMIT":
				commits[parts[0]] = true
			case m[0] == 'B' && len(parts) > 1 && commits[parts[1]] && l.due(beforeCommit):
				return errCut
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// fromServer passes messages on, and cuts before the one that says that it committed.
func (l *link) fromServer(from io.Reader, to io.Writer) error {
	r := bufio.NewReader(from)
	for {
		err := message(r, to, false, func(m []byte) error {
			if m[0] == 'C' && bytes.HasPrefix(m[5:], []byte("COMMIT\x00")) && l.due(afterCommit) {
				return errCut
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// message passes one message on, unless look answers an error. The first of a client
// has no type.
func message(r *bufio.Reader, to io.Writer, first bool, look func([]byte) error) error {
	head := 5
	if first {
		head = 4
	}
	m := make([]byte, head)
	if _, err := io.ReadFull(r, m); err != nil {
		return err
	}
	n := int(binary.BigEndian.Uint32(m[head-4:])) - 4
	m = append(m, make([]byte, n)...)
	if _, err := io.ReadFull(r, m[head:]); err != nil {
		return err
	}
	if err := look(m); err != nil {
		return err
	}
	_, err := to.Write(m)
	return err
}
