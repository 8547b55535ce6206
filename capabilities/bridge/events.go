package bridge

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// errTooLarge is answered by readers that met their limit.
var errTooLarge = errors.New("over the limit of a message")

// An event is one server-sent event (WHATWG HTML, server-sent events).
type event struct {
	name  string
	id    string
	data  []byte
	retry time.Duration
	hasID bool
}

// An eventReader reads server-sent events, each of at most limit bytes.
type eventReader struct {
	in     *bufio.Reader
	limit  int
	begun  bool
	over   bool // the rest of an event over the limit comes next
	inLine bool // and it begins within a line
}

func newEventReader(r io.Reader, limit int) *eventReader {
	return &eventReader{in: bufio.NewReaderSize(r, 16<<10), limit: limit}
}

// next answers the next event that has data, an id or a retry. At the end of the
// stream it answers what stands there without its blank line, then the error. Of an
// event over the limit it answers errTooLarge and the beginning of its data.
func (e *eventReader) next() (event, error) {
	if err := e.skip(); err != nil {
		return event{}, err
	}
	var (
		ev      event
		data    bytes.Buffer
		hasData bool
		left    = e.limit
	)
	for {
		line, err := e.line(&left)
		if errors.Is(err, errTooLarge) {
			if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				data.Write(bytes.TrimPrefix(value, []byte(" ")))
			}
			ev.data = bytes.Clone(data.Bytes()[:min(data.Len(), headBytes)])
			return ev, err
		}
		if len(line) == 0 || err != nil && !errors.Is(err, io.EOF) {
			if hasData || ev.hasID || ev.retry > 0 {
				ev.data = data.Bytes()
				return ev, nil
			}
			if err != nil {
				return event{}, err
			}
			ev, left = event{}, e.limit // an event of nothing but a name is none
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			ev.name = string(value)
		case "id":
			ev.id, ev.hasID = string(value), true
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				ev.retry = time.Duration(ms) * time.Millisecond
			}
		case "data":
			if hasData {
				data.WriteByte('\n')
			}
			hasData = true
			data.Write(value)
		}
	}
}

// skip leaves out the rest of an event over the limit, up to its blank line. It
// answers the end of the stream.
func (e *eventReader) skip() error {
	for blank := !e.inLine; e.over; {
		part, err := e.in.ReadSlice('\n')
		blank = blank && len(bytes.TrimRight(part, "\r\n")) == 0
		switch {
		case err == nil && blank:
			e.over = false
		case err == nil:
			blank = true
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
	return nil
}

// line answers one line without its end, and io.EOF only with an empty one. With
// errTooLarge it answers what it has of the line.
func (e *eventReader) line(left *int) ([]byte, error) {
	var kept []byte
	for {
		part, err := e.in.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			e.over, e.inLine = true, err != nil
			return append(kept, part[:min(len(part), headBytes)]...), errTooLarge
		}
		kept = append(kept, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if !e.begun {
			kept, e.begun = bytes.TrimPrefix(kept, []byte("\xef\xbb\xbf")), true
		}
		kept = bytes.TrimRight(kept, "\r\n")
		if err != nil && len(kept) > 0 {
			err = nil // the next call answers it again
		}
		return kept, err
	}
}

// A limitReader answers errTooLarge where [io.LimitedReader] would say the end.
type limitReader struct {
	r    io.ReadCloser
	left int64
}

// Read implements [io.Reader].
func (l *limitReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		var one [1]byte
		n, err := l.r.Read(one[:])
		if n > 0 {
			return 0, errTooLarge
		}
		return 0, err
	}
	if int64(len(p)) > l.left {
		p = p[:l.left]
	}
	n, err := l.r.Read(p)
	l.left -= int64(n)
	return n, err
}

// Close implements [io.Closer].
func (l *limitReader) Close() error { return l.r.Close() }
