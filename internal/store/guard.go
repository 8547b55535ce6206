package store

import (
	"fmt"
	"strings"
	"sync"
)

// verb is what the caller of a statement expects it to do.
type verb uint8

const (
	reads verb = iota
	writes
)

// guard judges the statements of packs before an engine sees them: what is portable
// between the engines and what the rights allow. The engines enforce the rights too;
// each of the two holds alone.
type guard struct {
	owners []string // whose tables packs may name
	off    bool     // only in tests of the engines

	mu     sync.RWMutex
	judged map[judgedKey]error
}

type judgedKey struct {
	rights Rights
	query  string
	verb   verb
}

// mostJudged and longestQuery bound what the guard remembers. Packs compose few
// statements; those of one that composes many are judged again.
const (
	mostJudged   = 2048
	longestQuery = 16 << 10
)

// allow answers nil for a statement that may run. Its error names the statement.
func (g *guard) allow(r Rights, query string, v verb) error {
	if g.off || r == Keeping {
		return nil
	}
	key := judgedKey{r, query, v}
	g.mu.RLock()
	err, known := g.judged[key]
	g.mu.RUnlock()
	if known {
		return err
	}
	if fault := judge(g.owners, r, query, v); fault != "" {
		err = fmt.Errorf("the statement %q %s", oneLine(query), fault)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.judged == nil || len(g.judged) >= mostJudged {
		g.judged = map[judgedKey]error{}
	}
	if len(query) <= longestQuery {
		g.judged[key] = err
	}
	return err
}

// oneLine answers the beginning of a statement for a message.
func oneLine(query string) string {
	line := strings.Join(strings.Fields(query), " ")
	if len(line) > 200 {
		return line[:200] + "..."
	}
	return line
}
