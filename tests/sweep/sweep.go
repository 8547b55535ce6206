package sweep

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Target is what is swept.
type Target struct {
	// Handler answers the HTTP surface, with MCP at /operator/mcp. Where it is nil the
	// server is another process, at URL.
	Handler http.Handler
	URL     string
	// Principals are who asks. What the first ones are told is what later ones are asked
	// about, so the one that sees most comes first. One without a credential should be
	// among them.
	Principals []Principal
	// Texts answers what else the server has written, such as its log and its audit. It is
	// called when everything has been asked.
	Texts func() []Text
	// CallWrites also calls, with arguments that are good, what may write and cannot be
	// tried in a dry run: the tools of bridged servers that are scripts of a test.
	CallWrites bool
	// ArgumentReaders are the names of the principals that may see in answers what others
	// sent, because they decide on calls.
	ArgumentReaders []string
}

// Principal is one caller.
type Principal struct {
	Name string
	// Token is sent as a bearer token; "" sends none.
	Token string
	// Addresses are those of MCP beside /operator/mcp.
	Addresses []string
	// Run runs a command line as the principal, without the program's name; nil where it
	// has none. Commands are those that are run as they stand, beside call for every tool.
	Run      func(ctx context.Context, words []string, in io.Reader, out, errw io.Writer) int
	Commands [][]string
	// Stdio speaks MCP on two streams as the principal until in ends; nil where it has none.
	Stdio func(ctx context.Context, in io.Reader, out io.Writer) error
}

// Text is something that the server has written and that nobody asked for.
type Text struct {
	Name string
	Data []byte
}

// The surfaces of a [Leak].
const (
	HTTP    = "http"
	MCP     = "mcp"
	Command = "command line"
	Written = "text"
)

// Leak is a canary that came out. Nothing in it holds a canary.
type Leak struct {
	Canary  string // its name
	Who     string // the principal's name; "" for a text
	Surface string
	Request string // what was asked, or the name of the text
	Part    string // of the answer: status, headers, body
	Form    string // how it was written
	Clip    string // what stands around it
}

// String answers the leak in one line.
func (l Leak) String() string {
	return fmt.Sprintf("%s came out to %q over %s, in the %s of %s, %s: %s", l.Canary, l.Who, l.Surface, l.Part, l.Request, l.Form, l.Clip)
}

// Report is what a sweep did and found.
type Report struct {
	Leaks []Leak
	// Asked is how many requests and commands were sent, Called which tools, Read how many
	// bytes came back.
	Asked, Read int
	Called      []string
}

// Run asks the target everything and answers the canaries that came out. An error means
// that the sweep could not be done, never that something leaked.
func Run(ctx context.Context, target Target, canaries []Canary) (*Report, error) {
	var faults []error
	for _, c := range canaries {
		faults = append(faults, c.check())
	}
	if len(target.Principals) == 0 || target.Handler == nil && target.URL == "" {
		faults = append(faults, errors.New("nobody asks, or nothing answers: a target has principals, and a Handler or a URL"))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	s := newSweep(target, canaries)
	if err := s.everything(ctx); err != nil {
		return nil, err
	}
	if target.Texts != nil {
		for _, t := range target.Texts() {
			s.judge(asked{surface: Written, request: t.Name}, "text", string(t.Data))
		}
	}
	s.report.Called = slices.Sorted(slices.Values(s.called()))
	return &s.report, nil
}

// sweep is one run.
type sweep struct {
	Target
	*finder
	report  Report
	seed    maphash.Seed
	judged  map[uint64][]finding // what stands in a text, by its hash: most come back often
	had     map[string]bool
	linked  map[string]bool // pages whose links were followed
	harvest harvest
	tools   map[string]*operation
	order   []string
	own     map[string]string // the text that each principal sends, by its name
	guess   string            // a credential that is none
}

// probe answers a text that is like nothing else.
func probe() string { return "probe" + rand.Text() }

func newSweep(target Target, canaries []Canary) *sweep {
	s := &sweep{
		Target: target, seed: maphash.MakeSeed(), judged: map[uint64][]finding{}, had: map[string]bool{}, linked: map[string]bool{}, harvest: harvest{},
		tools: map[string]*operation{}, own: map[string]string{}, guess: probe(),
	}
	all := append(slices.Clone(canaries), Canary{Name: "a credential that is none", Value: s.guess})
	for _, p := range target.Principals {
		if p.Token != "" {
			all = append(all, Canary{Name: "the token of " + p.Name, Value: p.Token})
		}
		s.own[p.Name] = probe()
		all = append(all, Canary{Name: "what " + p.Name + " sent", Value: s.own[p.Name], Readers: append([]string{p.Name}, target.ArgumentReaders...)})
	}
	s.finder = newFinder(all)
	return s
}

// everything asks all there is to ask: first what everybody sees, then with what was
// learned of it, then badly.
func (s *sweep) everything(ctx context.Context) error {
	for _, p := range s.Principals {
		if err := s.documents(ctx, p); err != nil {
			return err
		}
	}
	for _, p := range s.Principals {
		if err := s.protocol(ctx, p); err != nil {
			return err
		}
	}
	if len(s.tools) == 0 {
		return errors.New("no principal is told of any tool: nothing would be swept")
	}
	if err := s.look(ctx, s.Principals[0]); err != nil {
		return err
	}
	for _, p := range s.Principals {
		if err := s.calls(ctx, p); err != nil {
			return err
		}
	}
	for _, p := range s.Principals {
		s.oddRequests(ctx, p)
		s.commands(ctx, p)
		if err := s.stdio(ctx, p); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// asked is a request that was answered.
type asked struct {
	who, surface, request string
}

// judge looks for the canaries that must not stand in a part of an answer.
func (s *sweep) judge(a asked, part, text string) {
	s.report.Read += len(text)
	key := maphash.String(s.seed, text)
	found, known := s.judged[key]
	if !known {
		found = s.find(text)
		s.judged[key] = found
	}
	for _, f := range found {
		c := s.canaries[f.canary]
		if a.surface != Written && slices.Contains(c.Readers, a.who) {
			continue
		}
		l := Leak{c.Name, a.who, a.surface, s.blot.Replace(a.request), part, f.form, f.clip}
		// Of many answers to one kind of request one is enough to be known.
		if once := strings.Join([]string{l.Canary, l.Who, l.Surface, l.Request, l.Part}, "\x00"); !s.had[once] {
			s.had[once] = true
			s.report.Leaks = append(s.report.Leaks, l)
		}
	}
}

func (s *sweep) called() (names []string) {
	for name, t := range s.tools {
		if t.called {
			names = append(names, name)
		}
	}
	return names
}
