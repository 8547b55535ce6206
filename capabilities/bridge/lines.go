package bridge

import (
	"bytes"
	"io"
)

// headBytes is how much of a line that is too long is kept to find its id.
const headBytes = 4 << 10

// A lineSink takes what readLines reads.
type lineSink struct {
	line    func([]byte)      // a line, with bytes of its own and without its end
	tooLong func(head []byte) // the first bytes of a line over the limit
	ended   func()            // such a line ended; nil when nobody asks
}

// lineBytes is what is read at once of a stream of lines while little comes.
const lineBytes = 4 << 10

// readLines reads r to its end, line by line. A line over limit bytes it reports at
// once, and then skips to the line's end: such a line may never end, and whoever
// waits for it must not. There is no smaller limit on the way.
func readLines(r io.Reader, limit int, sink lineSink) error {
	l := lineReader{limit: limit, sink: sink}
	err := readBursts(r, make([]byte, lineBytes), l.take)
	l.endLine() // the last one may have none
	return err
}

// A lineReader puts lines together.
type lineReader struct {
	limit    int
	sink     lineSink
	kept     []byte // the line so far
	skipping bool   // the line so far is over the limit
}

func (l *lineReader) take(chunk []byte) {
	for len(chunk) > 0 {
		end := bytes.IndexByte(chunk, '\n') + 1
		if end == 0 {
			l.add(chunk)
			return
		}
		l.add(chunk[:end])
		l.endLine()
		chunk = chunk[end:]
	}
}

func (l *lineReader) add(part []byte) {
	switch {
	case l.skipping:
	case len(l.kept)+len(part) > l.limit:
		head := append(l.kept[:min(len(l.kept), headBytes):min(len(l.kept), headBytes)], part...)
		l.sink.tooLong(bytes.Clone(head[:min(len(head), headBytes)]))
		l.kept, l.skipping = nil, true
	default:
		l.kept = append(l.kept, part...)
	}
}

func (l *lineReader) endLine() {
	if l.skipping && l.sink.ended != nil {
		l.sink.ended()
	}
	if line := bytes.TrimRight(l.kept, "\r\n"); len(line) > 0 {
		l.sink.line(line)
	}
	l.kept, l.skipping = nil, false
}
