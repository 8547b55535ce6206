package metrics

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// The bounds of what is told apart. Beyond them everything is other.
const (
	maxTools   = 500  // bridged tools
	maxServers = 256  // bridged servers
	maxCells   = 8192 // sets of labels of calls
	maxKnown   = 8192 // ways to one of them that are known without a look at its labels
)

// other stands for what is not told apart.
const other = "other"

// Counts are the calls that ended, and the answers of bridged servers. The zero value is
// not ready: make one with [NewCounts]. It is safe for concurrent use.
type Counts struct {
	running  atomic.Int64
	calls    cells[way, of]
	servers  cells[answer, answer]
	unknowns [len(surfaces)]atomic.Uint64

	named    sync.Mutex         // guards what follows
	tools    map[[2]string]bool // bridged ones that have a name of their own, by server and name
	sources  map[string]bool
	refusals map[string]uint64 // by reason
}

// way is how a call came and went, as it is known without a look at the labels.
type way struct {
	c       *capabilities.Capability
	surface capabilities.Surface
	outcome string
}

// of are the labels of a call.
type of struct{ capability, source, effect, reach, surface, outcome string }

// answer are the labels of what a server answered.
type answer struct{ server, outcome string }

// NewCounts answers counts of nothing yet.
func NewCounts() *Counts {
	return &Counts{calls: newCells[way, of](), servers: newCells[answer, answer](), tools: map[[2]string]bool{}, sources: map[string]bool{}, refusals: map[string]uint64{}}
}

// Begin counts a call that runs from now on, until [Counts.End].
func (c *Counts) Begin() { c.running.Add(1) }

// End counts a call that ended, by the word of [capabilities.EndedAs].
func (c *Counts) End(one *capabilities.Capability, surface capabilities.Surface, outcome string, took time.Duration) {
	c.running.Add(-1)
	w := way{one, surface, outcome}
	cell := c.calls.known(w)
	if cell == nil {
		cell = c.calls.meet(w, c.labelsOf(&w), of{other, other, "", "", string(surface), outcome})
	}
	cell.add(took)
}

// Unknown counts a call of a name in no view.
func (c *Counts) Unknown(surface capabilities.Surface) {
	for i, s := range surfaces {
		if s == surface {
			c.unknowns[i].Add(1)
		}
	}
}

var surfaces = [...]capabilities.Surface{capabilities.HTTP, capabilities.MCP, capabilities.CLI, capabilities.Console, capabilities.InProcess} // which nobody changes

// Refused counts a request that was refused before it was a call. Reasons are a closed set.
func (c *Counts) Refused(reason string) {
	c.named.Lock()
	defer c.named.Unlock()
	c.refusals[reason]++
}

// Answered counts what a bridged server answered a call with, or that it did not.
func (c *Counts) Answered(server, outcome string, took time.Duration) {
	a := answer{server, outcome}
	cell := c.servers.known(a)
	if cell == nil {
		labels := a
		labels.server = c.sourceOf(server)
		cell = c.servers.meet(a, labels, answer{other, other})
	}
	cell.add(took)
}

// labelsOf answers the labels of a call.
func (c *Counts) labelsOf(w *way) of {
	l := of{capability: w.c.Name(), source: w.c.Group(), surface: string(w.surface), outcome: w.outcome}
	if e, declared := w.c.Effect(); declared {
		l.effect, l.reach = e.Change().String(), e.Reach().String()
		return l
	}
	l.effect = w.c.Hints().Word()
	c.named.Lock()
	key := [2]string{l.source, l.capability}
	if !c.tools[key] && len(c.tools) >= maxTools {
		l.capability = other
	} else {
		c.tools[key] = true
	}
	c.named.Unlock()
	l.source = c.sourceOf(l.source)
	return l
}

// sourceOf answers the name of a bridged server, or other for one too many.
func (c *Counts) sourceOf(server string) string {
	c.named.Lock()
	defer c.named.Unlock()
	if !c.sources[server] && len(c.sources) >= maxServers {
		return other
	}
	c.sources[server] = true
	return server
}

// Put adds what was counted.
func (c *Counts) Put(s *Set) {
	s.Put(CallsRunning, float64(c.running.Load()))
	byTool := map[[3]string]*Times{}
	c.calls.each(func(l of, t *Times) {
		s.Put(Calls, float64(t.Count()), l.capability, l.source, l.effect, l.reach, l.surface, l.outcome)
		gather(byTool, [3]string{l.capability, l.source, l.surface}, t)
	})
	for key, t := range byTool {
		s.PutTimes(CallSeconds, t, key[:]...)
	}
	c.servers.each(func(l answer, t *Times) { s.PutTimes(ServerCallSeconds, t, l.server, l.outcome) })
	for i, surface := range surfaces {
		s.Put(UnknownCalls, float64(c.unknowns[i].Load()), string(surface))
	}
	c.named.Lock()
	defer c.named.Unlock()
	for reason, n := range c.refusals {
		s.Put(RequestsRefused, float64(n), reason)
	}
}

// Operation are the times of the calls of one tool over MCP that ended one way.
type Operation struct {
	Tool, Outcome string
	Times         *Times
}

// Operations answers the calls over MCP, for the metric that the conventions of
// OpenTelemetry have for them.
func (c *Counts) Operations() []Operation {
	together := map[[2]string]*Times{} // what is told apart by other labels is one here
	c.calls.each(func(l of, t *Times) {
		if l.surface == string(capabilities.MCP) {
			gather(together, [2]string{l.capability, l.outcome}, t)
		}
	})
	var all []Operation
	for key, t := range together {
		all = append(all, Operation{key[0], key[1], t})
	}
	slices.SortFunc(all, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Outcome, b.Outcome))
	})
	return all
}
