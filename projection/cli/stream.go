package cli

import (
	"io"
	"math"

	"golang.org/x/term"
)

// streams are what a run reads and writes.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// isTerminal reports whether a reader or writer is a terminal: it says so itself
// with IsTerminal() bool, or is the file of one.
func isTerminal(stream any) bool {
	switch s := stream.(type) {
	case interface{ IsTerminal() bool }:
		return s.IsTerminal()
	case interface{ Fd() uintptr }:
		fd := s.Fd()
		return fd <= math.MaxInt32 && term.IsTerminal(int(fd))
	}
	return false
}
