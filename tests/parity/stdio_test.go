package parity_test

import (
	"bufio"
	"io"
	"testing"
)

// session is one client on the standard streams.
type session struct {
	in  io.Writer
	out *bufio.Reader
	id  int
}

// open starts a session on a pair of pipes; the test's end closes it.
func (r *running) open(t *testing.T) *session {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := r.server.ServeStdio(t.Context(), fromClient, toClient)
		done <- err
		_ = toClient.CloseWithError(io.EOF) // it always answers nil
	}()
	t.Cleanup(func() {
		_ = toServer.Close() // it always answers nil
		<-done
	})
	return &session{in: toServer, out: bufio.NewReader(fromServer)}
}

// exchange sends one line and reads one.
func (s *session) exchange(t *testing.T, line []byte) []byte {
	t.Helper()
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	answer, err := s.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// legacyStdio opens a session of the handshake era.
func (r *running) legacyStdio(t *testing.T) func(*testing.T, input) (said, reason) {
	t.Helper()
	s := r.open(t)
	s.exchange(t, request(1, "initialize", handshake))
	if _, err := s.in.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	s.id = 1
	return func(t *testing.T, in input) (said, reason) {
		s.id++
		return ofMessage(t, s.exchange(t, request(s.id, "tools/call", callParams(in.call, in.in, ""))), in)
	}
}

// modernStdio calls without a handshake.
func (r *running) modernStdio(t *testing.T) func(*testing.T, input) (said, reason) {
	t.Helper()
	s := r.open(t)
	return func(t *testing.T, in input) (said, reason) {
		s.id++
		return ofMessage(t, s.exchange(t, request(s.id, "tools/call", callParams(in.call, in.in, describes("parity")))), in)
	}
}
