package bridge

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	stderrLine  = 1 << 10 // of one line, this much is kept
	stderrLines = 40      // whole lines kept for a failure's reason
	stderrBytes = 8 << 10
	stderrChunk = 512 // read at once while little comes
)

// A tail keeps the last whole lines of a child's standard error in bounded
// memory and counts the rest.
type tail struct {
	mu    sync.Mutex
	lines []string
	size  int
	total int
}

func (t *tail) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total++
	t.lines = append(t.lines, line)
	t.size += len(line)
	for len(t.lines) > stderrLines || t.size > stderrBytes && len(t.lines) > 1 {
		t.size -= len(t.lines[0])
		t.lines = t.lines[1:]
	}
}

// String answers the kept lines, with a count of those that were dropped.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := strings.Join(t.lines, "\n")
	if n := t.total - len(t.lines); n > 0 {
		s = fmt.Sprintf("(%d earlier lines)\n%s", n, s)
	}
	return s
}

// maxLastWords bounds what of standard error stands in a reason.
const maxLastWords = 300

// lastWords is what a child wrote to its standard error last, as the end of a clause:
// the last line that speaks of an error, for a runtime writes more after it, else the
// last line of all. It is "" of a child that wrote nothing.
func (t *tail) lastWords() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return ""
	}
	line := t.lines[len(t.lines)-1]
	for _, one := range slices.Backward(t.lines) {
		lower := strings.ToLower(one)
		if slices.ContainsFunc([]string{"error", "fatal", "panic", "exception", "cannot", "failed"}, func(word string) bool { return strings.Contains(lower, word) }) {
			line = one
			break
		}
	}
	if _, ok := npmWords(line); ok {
		line = cmp.Or(npmCause(t.lines), line)
	}
	return "; its standard error says: " + bounded(strings.TrimSpace(line), maxLastWords)
}

// npmCause answers the line in which npm says what went wrong. npm begins every line
// of an error with the same words: first the code and where it happened, then the
// cause, then advice and where its log is. "" when there is none.
func npmCause(lines []string) string {
	for _, line := range lines {
		words, ok := npmWords(line)
		about, _, _ := strings.Cut(words, " ")
		if ok && words != "" && !slices.Contains([]string{"code", "errno", "syscall", "path", "dest", "cwd", "command", "signal", "A"}, about) {
			return line
		}
	}
	return ""
}

// npmWords answers what stands behind the words that npm begins a line of an error with.
func npmWords(line string) (words string, ok bool) {
	for _, prefix := range []string{"npm error", "npm ERR!"} {
		if words, ok = strings.CutPrefix(line, prefix); ok {
			return strings.TrimSpace(words), true
		}
	}
	return "", false
}

// drainStderr reads r to its end and calls line for every line,
// printable and bounded. It never stops early: a pipe nobody reads freezes the
// child in the middle of a write.
func drainStderr(r io.Reader, line func(string)) {
	var (
		kept []byte
		over int
	)
	flush := func() {
		if text := printable(kept); strings.TrimSpace(text) != "" || over > 0 {
			if over > 0 {
				text = fmt.Sprintf("%s ... (%d more bytes)", text, over)
			}
			line(text)
		}
		kept, over = nil, 0
	}
	// Any end is the end; why does not matter.
	_ = readBursts(r, make([]byte, stderrChunk), func(rest []byte) {
		for len(rest) > 0 {
			part, after, ended := bytes.Cut(rest, []byte("\n"))
			room := min(len(part), stderrLine-len(kept))
			kept = append(kept, part[:room]...)
			over += len(part) - room
			if ended {
				flush()
			}
			rest = after
		}
	})
	if len(kept) > 0 || over > 0 {
		flush()
	}
}

// maxReason bounds a reason.
const maxReason = 1200

// oneLine is a reason of ours, in which a server's words may stand.
func oneLine(reason string) string { return bounded(printable([]byte(reason)), maxReason) }

// printable makes bytes from a stranger safe for a log or a terminal: invalid
// UTF-8 is replaced, and control, bidirectional and invisible characters are
// written as escapes.
func printable(b []byte) string {
	var s strings.Builder
	for _, r := range strings.ToValidUTF8(strings.TrimRight(string(b), "\r"), string(utf8.RuneError)) {
		switch {
		case r == '\t' || unicode.IsPrint(r):
			s.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&s, `\u%04x`, r)
		default:
			fmt.Fprintf(&s, `\U%08x`, r)
		}
	}
	return s.String()
}
