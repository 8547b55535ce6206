package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// progressLine shows how a call is getting on, in one line that is written over.
type progressLine struct {
	mu    sync.Mutex
	w     io.Writer
	shown bool
	done  bool
}

// tiny is what a call reports that has not begun, because it waits for a person.
const tiny = 0.001

const clearLine = "\r\x1b[K"

// report shows one report; it may be called from any goroutine. What comes after
// the end is dropped.
func (l *progressLine) report(p capabilities.Progress) {
	text := fmt.Sprintf("%g", p.Value)
	if p.Total > 0 {
		text = fmt.Sprintf("%.0f%%", 100*p.Value/p.Total)
	}
	if p.Value < tiny && p.Message != "" {
		text = ""
	}
	if p.Message != "" {
		text += " " + oneLine(p.Message, 60)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done {
		return
	}
	l.shown = true
	l.write(clearLine + strings.TrimSpace(text))
}

// end clears the line.
func (l *progressLine) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown && !l.done {
		l.write(clearLine)
	}
	l.done = true
}

// write ignores a failure: the answer matters, and says so itself.
func (l *progressLine) write(s string) { _, _ = io.WriteString(l.w, s) }
