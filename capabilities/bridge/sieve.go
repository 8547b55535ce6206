package bridge

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// A sieve takes messages out of a stream of events on its way to the SDK. What it does
// not take passes byte for byte, whatever it is.
type sieve struct {
	in    *bufio.Reader
	body  io.Closer
	take  func(message) bool
	ready []byte // to be read
	event []byte // the event so far
	lost  bool   // the event is too large to be looked at
	line  bool   // within a line
	err   error
}

func newSieve(body io.ReadCloser, take func(message) bool) *sieve {
	return &sieve{in: bufio.NewReaderSize(body, 16<<10), body: body, take: take}
}

// Close implements [io.Closer].
func (s *sieve) Close() error { return s.body.Close() }

// Read implements [io.Reader].
func (s *sieve) Read(p []byte) (int, error) {
	for len(s.ready) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.fill()
	}
	n := copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// fill reads one more line, or a part of one.
func (s *sieve) fill() {
	part, err := s.in.ReadSlice('\n')
	blank := !s.line && err == nil && len(bytes.TrimRight(part, "\r\n")) == 0
	s.line = errors.Is(err, bufio.ErrBufferFull)
	if err != nil && !s.line {
		s.err = err
	}
	s.event = append(s.event, part...)
	switch {
	case blank && !s.lost:
		s.ready, s.event = s.sifted(s.event), nil
	case blank, s.lost, s.err != nil, len(s.event) > maxMessage:
		s.lost = !blank
		s.ready, s.event = s.event, nil
	}
}

// sifted answers what of an event passes.
func (s *sieve) sifted(event []byte) []byte {
	ev, err := newEventReader(bytes.NewReader(event), maxMessage).next()
	if err != nil || ev.name != "" && ev.name != "message" || len(ev.data) == 0 {
		return event
	}
	found, taken := 0, false
	junk := eachMessage(ev.data, func(m message) {
		if found++; found == 1 && m.method != "" {
			taken = s.take(m)
		}
	}, func(*brokenAnswer) { found = 2 })
	if junk || found != 1 || !taken {
		return event
	}
	// Its place in the stream counts all the same.
	var out []byte
	for line := range bytes.Lines(event) {
		if bytes.HasPrefix(line, []byte("id:")) || bytes.HasPrefix(line, []byte("retry:")) {
			out = append(out, line...)
		}
	}
	if out != nil {
		out = append(out, '\n')
	}
	return out
}
