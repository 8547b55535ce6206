package prose

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// A verdict is why a claim is not true, with the nearest name that is. The zero value says
// that nothing is wrong.
type verdict struct {
	why, nearest string
}

// judge looks claims up in a truth. It is safe for concurrent use.
type judge struct {
	truth    *Truth
	names    []string
	known    map[string]bool // the names
	tools    []string
	bridged  []string
	servers  []string // the prefixes that bridged names begin with
	flags    []string
	patterns []string // the paths of the routes
	topKeys  []string // of the configuration

	mu       sync.RWMutex
	verdicts map[Claim]verdict

	asking sync.Mutex // whether a path is served
}

func newJudge(t *Truth) *judge {
	j := &judge{truth: t, names: t.names(), known: map[string]bool{}, tools: t.toolNames(), bridged: t.bridgedNames(), flags: t.flags(), topKeys: t.keys.names(), verdicts: map[Claim]verdict{}}
	for _, name := range j.names {
		j.known[name] = true
	}
	for _, name := range j.bridged {
		prefix, _, _ := strings.Cut(name, "__")
		j.servers = append(j.servers, prefix)
	}
	slices.Sort(j.servers)
	j.servers = slices.Compact(j.servers)
	for _, route := range t.Routes {
		_, path, _ := strings.Cut(route, " ")
		j.patterns = append(j.patterns, path)
	}
	return j
}

// of answers what is wrong with a claim: of one that stands in many places, once.
func (j *judge) of(c Claim) verdict {
	j.mu.RLock()
	v, ok := j.verdicts[c]
	j.mu.RUnlock()
	if ok {
		return v
	}
	v = j.about(c)
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.verdicts) < maxVerdicts {
		j.verdicts[c] = v
	}
	return v
}

// maxVerdicts is how many are remembered.
const maxVerdicts = 50_000

func (j *judge) about(c Claim) verdict {
	switch t := j.truth; c.Kind {
	case KindName:
		if j.known[c.Text] {
			return verdict{}
		}
		return j.missing("tool, code, key, member or event", c.Text, j.names)
	case KindTool:
		return j.judged(len(t.Tools) > 0, "tool", c.Text, slices.Concat(j.tools, j.bridged))
	case KindPack:
		return j.judged(len(t.Packs) > 0, "pack", c.Text, t.Packs)
	case KindCode:
		return j.judged(len(t.Codes) > 0, "code", c.Text, t.Codes)
	case KindEvent:
		return j.judged(len(t.Events) > 0, "event of the log", c.Text, t.Events)
	case KindFlag:
		return j.judged(len(t.Commands) > 0, "flag", c.Text, j.flags)
	case KindBridged:
		return j.whyBridged(c.Text)
	case KindCommand:
		return j.whyCommand(c.Text)
	case KindRoute:
		return j.whyRoute(c.Text)
	case KindKey:
		return j.whyKey(c.Text)
	default: // counts, and the kinds of others, are judged where they are read
		return verdict{}
	}
}

// judged is missing where anything of the sort is known, so that it is asked for at all.
func (j *judge) judged(asked bool, what, name string, known []string) verdict {
	if !asked {
		return verdict{}
	}
	return j.missing(what, name, known)
}

// maxKnown is how many names are looked through for the nearest one.
const maxKnown = 2000

// missing answers the zero value for a name that is known.
func (j *judge) missing(what, name string, known []string) verdict {
	if slices.Contains(known, name) {
		return verdict{}
	}
	near, _ := schema.Nearest(name, known[:min(len(known), maxKnown)])
	return verdict{fmt.Sprintf("there is no such %s", what), near}
}

// whyBridged judges the name of a tool of a bridged server. A server that nobody knows is
// somebody else's, unless all of them are known.
func (j *judge) whyBridged(name string) verdict {
	prefix, _, _ := strings.Cut(name, "__")
	if !j.truth.Bridged && !slices.Contains(j.servers, prefix) {
		return verdict{}
	}
	return j.missing("tool of a bridged server", name, j.bridged)
}

// whyRoute looks a route up by method and path, or by its path alone. What capabilities
// declare stands below /api/v1 and is declared without it.
func (j *judge) whyRoute(text string) verdict {
	t := j.truth
	if len(t.Routes) == 0 {
		return verdict{}
	}
	method, where, ok := strings.Cut(text, " ")
	if !ok {
		method, where = "", text
	}
	where, _, _ = strings.Cut(strings.TrimSuffix(where, "/*"), "?")
	where, _, _ = strings.Cut(where, "#")
	for _, served := range t.Routes {
		m, pattern, _ := strings.Cut(served, " ")
		if method == "" && strings.HasPrefix(pattern, strings.TrimSuffix(where, "/")+"/") {
			return verdict{} // what several routes begin with
		}
		if (method == "" || method == m || method == "HEAD" && m == "GET") && (fits(pattern, where) || fits(pattern, "/api/v1"+where)) {
			return verdict{}
		}
	}
	// What is mounted whole says no patterns, and answers.
	if method == "" || method == "GET" {
		for _, value := range t.samples() {
			if j.answers(parameter.ReplaceAllLiteralString(where, "/"+value)) {
				return verdict{}
			}
		}
	}
	if method == "" {
		return j.missing("route", text, j.patterns)
	}
	return j.missing("route", text, t.Routes)
}

func (j *judge) answers(path string) bool {
	if j.truth.Serves == nil {
		return false
	}
	j.asking.Lock()
	defer j.asking.Unlock()
	return j.truth.Serves(path)
}

// fits says whether a path is of a pattern. A field stands for a field or a value.
func fits(pattern, where string) bool {
	a, b := strings.Split(pattern, "/"), strings.Split(where, "/")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		switch isField := strings.HasPrefix(a[i], "{"); {
		case a[i] == b[i]:
		case !isField, strings.HasPrefix(b[i], "{") && strings.HasSuffix(b[i], "}"):
			return false // a fixed word, or a field that is called otherwise
		}
	}
	return true
}
