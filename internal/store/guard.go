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
	judged sync.Map // judgedKey -> error or nil
}

type judgedKey struct {
	rights Rights
	query  string
	verb   verb
}

func (g *guard) allow(r Rights, query string, v verb) error {
	key := judgedKey{r, query, v}
	if known, ok := g.judged.Load(key); ok {
		err, _ := known.(error)
		return err
	}
	err := judge(r, query, v)
	g.judged.Store(key, err)
	return err
}

func oneLine(query string) string {
	line := strings.Join(strings.Fields(query), " ")
	if len(line) > 200 {
		return line[:200] + "..."
	}
	return line
}

func judge(r Rights, query string, v verb) error {
	if v == writes && r < Appending {
		return fmt.Errorf("the statement %q writes, and the capability declares that it reads", oneLine(query))
	}
	return nil
}
