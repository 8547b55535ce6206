package mcpserver

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// lines reads lines of at most maxBody bytes. It is for one goroutine.
type lines struct{ r *bufio.Reader }

func newLines(r io.Reader) *lines { return &lines{bufio.NewReaderSize(r, 64<<10)} }

// longLine is the error of a line over the limit, with what its envelope says: the
// line was read to its end, and the next one can be.
type longLine struct {
	id     json.RawMessage // nil when it has none that is short
	method string
}

func (l *longLine) Error() string { return "the line is over the limit" }

// next answers the next line without its end, in memory of its own. The error is a
// *longLine, or the reader's. A last line without an end is a line.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > maxBody+1 {
			return nil, l.skip(append(line, part...), err)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case len(line) > 0 && errors.Is(err, io.EOF):
			return line, nil
		default:
			return nil, err
		}
	}
}

// skip reads a long line to its end and looks for its envelope on the way.
func (l *lines) skip(part []byte, err error) error {
	var e envelope
	for {
		e.read(part)
		if err == nil || !errors.Is(err, bufio.ErrBufferFull) {
			return &longLine{id: e.id, method: rawjson.Unquote(e.method)}
		}
		part, err = l.r.ReadSlice('\n')
	}
}

// maxEnvelope bounds the members that envelope keeps.
const maxEnvelope = 256

// envelope finds the id and the method of a message that is too long to be kept,
// reading it byte by byte. It keeps nothing else.
type envelope struct {
	id, method json.RawMessage

	depth   int
	quoted  bool
	escaped bool
	value   bool   // at depth 1: after the colon
	token   []byte // the key or value read now, at depth 1
	key     string
}

func (e *envelope) read(data []byte) {
	for _, b := range data {
		e.next(b)
	}
}

func (e *envelope) next(b byte) {
	if e.quoted {
		e.keep(b)
		switch {
		case e.escaped:
			e.escaped = false
		case b == '\\':
			e.escaped = true
		case b == '"':
			e.quoted = false
		}
		return
	}
	switch b {
	case '"':
		e.quoted = true
		e.keep(b)
	case '{', '[':
		e.depth++
		e.token = e.token[:0]
	case '}', ']':
		if e.depth == 1 {
			e.member()
		}
		e.depth--
	case ':':
		if e.depth == 1 {
			e.key, e.value, e.token = rawjson.Unquote(e.token), true, e.token[:0]
		}
	case ',':
		if e.depth == 1 {
			e.member()
		}
	case ' ', '\t', '\r', '\n':
	default:
		e.keep(b)
	}
}

func (e *envelope) keep(b byte) {
	if e.depth == 1 && len(e.token) <= maxEnvelope {
		e.token = append(e.token, b)
	}
}

// member ends a member at depth 1.
func (e *envelope) member() {
	if e.value && len(e.token) > 0 && len(e.token) <= maxEnvelope {
		switch e.key {
		case "id":
			e.id = append(json.RawMessage(nil), e.token...)
		case "method":
			e.method = append(json.RawMessage(nil), e.token...)
		}
	}
	e.key, e.value, e.token = "", false, e.token[:0]
}
