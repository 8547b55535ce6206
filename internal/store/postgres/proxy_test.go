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
	cut chan struct{} // closed by the next cut
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

// arm cuts the next connection that commits, and answers what is closed then.
func (p *proxy) arm(at cutAt) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.cut = at, make(chan struct{})
	return p.cut
}

// due reports whether a connection is to be cut at that place, once.
func (p *proxy) due(at cutAt) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at != at {
		return false
	}
	p.at = nowhere
	close(p.cut)
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
	var both sync.WaitGroup
	both.Go(func() {
		_ = p.fromClient(client, server) // it ends with the connection
		_ = server.Close()
		_ = client.Close()
	})
	_ = p.fromServer(server, client)
	_ = server.Close()
	_ = client.Close()
	both.Wait()
}

// fromClient passes messages on, and cuts before the statement that commits is run.
func (p *proxy) fromClient(from io.Reader, to io.Writer) error {
	r := bufio.NewReader(from)
	if err := message(r, to, true, func([]byte) error { return nil }); err != nil {
		return err
	}
	commits := map[string]bool{}
	for {
		err := message(r, to, false, func(m []byte) error {
			parts := strings.SplitN(string(m[5:]), "\x00", 3)
			switch {
			case m[0] == 'P' && len(parts) > 1 && parts[1] == "COMMIT":
				commits[parts[0]] = true
			case m[0] == 'B' && len(parts) > 1 && commits[parts[1]] && p.due(beforeCommit):
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
func (p *proxy) fromServer(from io.Reader, to io.Writer) error {
	r := bufio.NewReader(from)
	for {
		err := message(r, to, false, func(m []byte) error {
			if m[0] == 'C' && bytes.HasPrefix(m[5:], []byte("COMMIT\x00")) && p.due(afterCommit) {
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
