package conformance_test

import (
	"bytes"
	"io"
	"net"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/drain"
)

// turnsVariable has the address at which an errand waits for its turn.
const turnsVariable = "HOLOTYPE_CONFORMANCE_TURNS"

// atOnce is how many errands run at a time.
const atOnce = 2

// turns are those of the errands of one run. The suite starts one for every scenario, all at
// once, and serves all of them from one thread: a client that is served too late, because
// others start or run, would be judged for that. So they begin when all have been started,
// and a few at a time. What the suite prints, which is how many there are, is written to it.
type turns struct {
	listener net.Listener
	free     chan struct{}
	served   drain.Group
	begin    func()
	begun    chan struct{}

	mu                sync.Mutex
	printed           bytes.Buffer
	expected, arrived int
}

var announced = regexp.MustCompile(`\((\d+) scenarios\) in parallel`)

// takeTurns answers the turns of a run that ends with the test.
func takeTurns(t *testing.T) *turns {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{})
	s := &turns{listener: l, free: make(chan struct{}, atOnce), begun: begun, begin: sync.OnceFunc(func() { close(begun) })}
	s.served.Go(s.accept)
	t.Cleanup(func() {
		_ = l.Close()
		s.begin()
		s.served.Wait()
	})
	return s
}

// Write takes what the suite prints.
func (s *turns) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printed.Write(p)
	if found := announced.FindSubmatch(s.printed.Bytes()); found != nil && s.expected == 0 {
		var err error
		if s.expected, err = strconv.Atoi(string(found[1])); err != nil {
			return 0, err
		}
		s.look()
	}
	return len(p), nil
}

// look begins when all have arrived. s.mu is held.
func (s *turns) look() {
	if s.expected > 0 && s.arrived >= s.expected {
		s.begin()
	}
}

func (s *turns) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return // the test is over
		}
		s.mu.Lock()
		s.arrived++
		s.look()
		s.mu.Unlock()
		s.served.Go(func() { s.serve(conn) })
	}
}

// serve gives one errand its turn, which ends with its connection.
func (s *turns) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	<-s.begun
	s.free <- struct{}{}
	defer func() { <-s.free }()
	if _, err := conn.Write([]byte{1}); err == nil {
		_, _ = io.Copy(io.Discard, conn)
	}
}

// turn waits for the turn of this process, which it has until it ends. There is none to wait
// for where nobody said an address.
func turn(address string) error {
	if address == "" {
		return nil
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	return err
}
