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

// anyColumns is how wide what is no terminal is taken to be: a pager or a file that
// somebody will read.
const anyColumns = 120

// columns answers how many characters a line of a stream has room for: those of the
// terminal, which may say so itself with Columns() int.
func columns(stream any) int {
	switch s := stream.(type) {
	case interface{ Columns() int }:
		return s.Columns()
	case interface{ Fd() uintptr }:
		if fd := s.Fd(); fd <= math.MaxInt32 {
			if w, _, err := term.GetSize(int(fd)); err == nil && w > 0 {
				return w
			}
		}
	}
	return anyColumns
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
