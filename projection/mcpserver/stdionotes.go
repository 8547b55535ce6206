package mcpserver

import (
	"sync"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// What may wait for one client to read it, of what it is told and nobody waits for. As much
// again may be about to be written.
const (
	maxNoted = 1 << 20               // bytes, when there is more to tell
	maxAsks  = maxNoted + (16 << 20) // and when there is something to ask
)

// notes are lines that whoever has something to tell a client leaves behind: that a call
// goes on, what a server logs, a question. A client that does not read holds up no call,
// and its server, so; it costs what the client is not told. They are written before what
// is sent after them.
type notes struct {
	mu      sync.Mutex
	lines   [][]byte
	size    int
	writing bool // somebody is about to write them
}

// add takes a line unless what waits has reached the limit. Where begin is true the caller
// is to have them written.
func (n *notes) add(line []byte, limit int) (begin bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.size >= limit {
		return false
	}
	n.lines, n.size = append(n.lines, line), n.size+len(line)
	begin = !n.writing
	n.writing = true
	return begin
}

// take answers what there is to write.
func (n *notes) take() [][]byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := n.lines
	n.lines, n.size, n.writing = nil, 0, false
	return lines
}

// note tells the client something, or not where it does not read.
func (c *stream) note(parts ...[]byte) { c.leave(maxNoted, parts) }

// asked is note for what is asked, and belongs to that.
func (c *stream) asked(parts ...[]byte) { c.leave(maxAsks, parts) }

func (c *stream) leave(limit int, parts [][]byte) {
	if !c.notes.add(oneLine(parts), limit) {
		return
	}
	begun := c.running.Go(func() {
		c.write.Lock()
		defer c.write.Unlock()
		if err := c.writeNotes(); err != nil {
			c.unwritten(err)
		}
	})
	if !begun { // the session is over
		c.notes.take()
	}
}

// writeNotes writes what was left. c.write is held.
func (c *stream) writeNotes() error {
	for _, line := range c.notes.take() {
		if _, err := c.out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// oneLine answers parts as one line with its end.
func oneLine(parts [][]byte) []byte {
	size := 1
	for i := range parts {
		parts[i] = rawjson.OneLine(parts[i])
		size += len(parts[i])
	}
	line := make([]byte, 0, size)
	for _, p := range parts {
		line = append(line, p...)
	}
	return append(line, '\n')
}
