package bridge

import (
	"fmt"
	"slices"

	"github.com/seed-89b9419b/holotype/internal/wire"
)

// errItself is why an entry that leads back to this program's own server is not
// bridged. Nothing but another entry helps.
func errItself() *startError {
	return &startError{
		phase: phaseConfiguration, final: true,
		reason: "leads back to this very server, which cannot bridge itself: take the entry out of its MCP servers, or correct its address",
	}
}

// trace notes which servers of our kind every tool comes through, for the next one that
// asks us.
func (l *listing) trace() {
	var near []string // of the tools that the server has of itself, which share it
	if l.mark != "" {
		near = []string{l.mark}
	}
	for _, t := range l.tools {
		far := wire.Through(t.meta)
		if t.through = near; far != nil {
			t.through = slices.Concat(near, far)
		}
	}
}

// loopsOut leaves out the tools that lead back to the server that mark tells: it, or one
// that is bridged by it in turn, offers them already. Without that two servers that
// bridge each other would offer each other's tools under ever longer names.
func (l *listing) loopsOut(mark string) {
	kept := l.tools[:0]
	for _, t := range l.tools {
		switch {
		case mark != "" && slices.Contains(t.through, mark):
			l.own++
		case len(t.through) > wire.MaxThrough:
			l.skip(bounded(t.name, 200), fmt.Sprintf("it comes through more than %d servers", wire.MaxThrough))
		default:
			kept = append(kept, t)
		}
	}
	clear(l.tools[len(kept):])
	l.tools = kept
}

// skippedOwn says what was left out for leading back, which is no fault of the server.
func skippedOwn(tools int) []Skipped {
	if tools == 0 {
		return nil
	}
	return []Skipped{{"", fmt.Sprintf("%d tools are this server's own, which come back through that one; they are left out", tools)}}
}
