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
	in    *bufio.Reader
	limit int
	begun bool
}

func newEventReader(r io.Reader, limit int) *eventReader {
	return &eventReader{in: bufio.NewReaderSize(r, 16<<10), limit: limit}
}

// next answers the next event that has data, an id or a retry. At the end of the
// stream it answers what stands there without its blank line, then the error.
func (e *eventReader) next() (event, error) {
	var (
		ev      event
		data    bytes.Buffer
		hasData bool
		left    = e.limit
	)
	for {
		line, err := e.line(&left)
		if errors.Is(err, errTooLarge) {
			return event{}, err
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

// line answers one line without its end, and io.EOF only with an empty one.
func (e *eventReader) line(left *int) ([]byte, error) {
	var kept []byte
	for {
		part, err := e.in.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			return nil, errTooLarge
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
