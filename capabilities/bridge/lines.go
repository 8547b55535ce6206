package bridge

import (
	"bufio"
	"bytes"
	"errors"
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

// readLines reads r to its end, line by line. A line over limit bytes it reports at
// once, and then skips to the line's end: such a line may never end, and whoever
// waits for it must not. There is no smaller limit on the way.
func readLines(r io.Reader, limit int, sink lineSink) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var (
		kept     []byte
		skipping bool
	)
	for {
		part, err := in.ReadSlice('\n')
		more := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case skipping:
		case len(kept)+len(part) > limit:
			head := append(kept[:min(len(kept), headBytes):min(len(kept), headBytes)], part...)
			sink.tooLong(bytes.Clone(head[:min(len(head), headBytes)]))
			kept, skipping = nil, true
		case more:
			kept = append(kept, part...)
		case kept == nil:
			kept = bytes.Clone(part)
		default:
			kept = append(kept, part...)
		}
		switch {
		case more:
			continue
		case err == nil || errors.Is(err, io.EOF) || len(kept) > 0:
			if kept = bytes.TrimRight(kept, "\r\n"); !skipping && len(kept) > 0 {
				sink.line(kept)
			}
			if skipping && sink.ended != nil {
				sink.ended()
			}
			kept, skipping = nil, false
		}
		if err != nil {
			return err
		}
	}
}
