package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// A fault is why something could not be done: a clause that may be shown, and holds nothing that was received but what names a place.
type fault struct {
	words string
	cause error
	// transient says that it may work at another time, with nothing changed.
	transient bool
}

func (f *fault) Error() string { return f.words }
func (f *fault) Unwrap() error { return f.cause }

func faultf(format string, args ...any) *fault { return &fault{words: fmt.Sprintf(format, args...)} }

// tokenRefusal is the word that an authorization server refuses with (RFC 6749 section 5.2).
type tokenRefusal struct{ code, host string }

func (r *tokenRefusal) Error() string { return r.host + " answers " + r.code }

// words are what whoever runs this program is told of why something failed.
func words(err error) string {
	if told, ok := clause(err); ok {
		return told
	}
	return err.Error()
}

// told is [words] for whoever signs in: what is about files of this program is not theirs.
func told(err error) string {
	if told, ok := clause(err); ok {
		return told
	}
	return "what it is signed in with cannot be read or kept; the log says why"
}

func clause(err error) (string, bool) {
	if f, ok := errors.AsType[*fault](err); ok {
		return f.words, true
	}
	if r, ok := errors.AsType[*tokenRefusal](err); ok {
		return r.Error(), true
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return "it was not done in time", true
	}
	return "", false
}

// transient reports whether the same may work at another time.
func transient(err error) bool {
	if f, ok := errors.AsType[*fault](err); ok {
		return f.transient
	}
	if r, ok := errors.AsType[*tokenRefusal](err); ok {
		return r.code == "temporarily_unavailable" || r.code == "server_error"
	}
	return true
}

// short quotes what somebody else has written, and not much of it.
func short(text string) string {
	const most = 160
	if len(text) > most {
		return fmt.Sprintf("%+q...", strings.ToValidUTF8(text[:most], ""))
	}
	return fmt.Sprintf("%+q", text)
}
