package cli

import (
	"errors"
	"fmt"
)

// usageError is a command line that cannot be run as it stands.
type usageError struct{ err error }

func (u *usageError) Error() string { return u.err.Error() }
func (u *usageError) Unwrap() error { return u.err }

// Usage answers an error about how a command was given, which exits 2. The
// message says what is wrong and what to give instead.
func Usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// errNotRun is a call that the person at the terminal declined.
var errNotRun = errors.New("not run")

// The exit statuses that no code of a refusal has.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // as a shell reports an interrupted program
)
