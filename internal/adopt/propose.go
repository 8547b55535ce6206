package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// Input is what a proposal is made of.
type Input struct {
	// Found are the entries of the clients, in the order in which they are looked at.
	Found []clientconf.Server
	// Existing are the servers of the configuration as it is, Variables those it refers to.
	Existing  []config.Server
	Variables []string
	// Secret answers the value of a secret that is kept.
	Secret func(name string) (string, bool)
	// Ours reports an entry that starts this program, or has its address.
	Ours func(clientconf.Server) bool
	// Judge answers what is wrong with a server beside those of the configuration, or nil.
	Judge func(t Taken) error
	// Clash answers why a server of this name cannot stand beside another one, with the
	// prefix that it declares, or ""; Reserved are names that no server can have.
	Clash    func(name, other, declared string) string
	Reserved []string
}

// Proposal is what would be taken over, and what not.
type Proposal struct {
	// Taken are the servers that are new to the configuration; There those that it has.
	Taken []Taken
	There []Taken
	// Left are the entries that are not taken over, each with its reason.
	Left []Left
	// Secrets are the credentials that are moved, by the order of their servers.
	Secrets []Secret
}

// Source is an entry of a client.
type Source struct {
	Client string `json:"client"`
	File   string `json:"file"`
	Entry  string `json:"entry"`
}

// Taken is a server of the configuration with the entries that it stands for.
type Taken struct {
	Name string
	From []Source
	// Entry is the entry of the configuration, its name left out; nothing for one that is there.
	Entry entrytext.Value
	// Notes say what is to be known of it.
	Notes []string
}

// Left is an entry that is not taken over.
type Left struct {
	Source
	Why string `json:"why"`
}

// Secret is a credential that was written out, and is a reference in the proposal.
type Secret struct {
	Name   string
	Server string
	Place  string // such as env.TOKEN
	value  string
}

// Value answers the credential. It is for the store of the secrets alone.
func (s Secret) Value() string { return s.value }

// Propose answers what can be taken over.
func Propose(in Input) Proposal {
	p := proposer{in: in, names: map[string]bool{}, values: map[string]string{}}
	for _, v := range in.Variables {
		p.names[v] = true
	}
	for i := range in.Found {
		for _, name := range references(&in.Found[i]) {
			p.names[name] = true
		}
	}
	for i := range in.Found {
		p.consider(&in.Found[i])
	}
	for i := range p.fresh {
		f := &p.fresh[i]
		why := p.take(f)
		for _, from := range f.from {
			if why != "" {
				p.out.Left = append(p.out.Left, Left{from, why})
			}
		}
	}
	return p.out
}

type proposer struct {
	in    Input
	out   Proposal
	fresh []fresh
	// names are the variables that mean something already, values the secrets of this
	// proposal.
	names  map[string]bool
	values map[string]string
}

// fresh is a server that is new, with the entries that say it.
type fresh struct {
	server *clientconf.Server
	from   []Source
}

func (p *proposer) consider(s *clientconf.Server) {
	source := Source{s.Client.ID, s.File, s.Name}
	switch {
	case s.Obstacle == "" && p.in.Ours(*s):
		p.out.Left = append(p.out.Left, Left{source, "it is this program itself"})
		return
	case s.Obstacle != "":
		p.out.Left = append(p.out.Left, Left{source, s.Obstacle})
		return
	}
	if name := p.existing(s); name != "" {
		i := slices.IndexFunc(p.out.There, func(t Taken) bool { return t.Name == name })
		if i < 0 {
			i = len(p.out.There)
			p.out.There = append(p.out.There, Taken{Name: name})
		}
		p.out.There[i].From = append(p.out.There[i].From, source)
		return
	}
	for i := range p.fresh {
		if same(p.fresh[i].server, s) {
			p.fresh[i].from = append(p.fresh[i].from, source)
			return
		}
	}
	p.fresh = append(p.fresh, fresh{s, []Source{source}})
}

// same reports whether two entries start the same program, or call the same address, in
// the same way. Which of its tools a client keeps is not a part of that.
func same(a, b *clientconf.Server) bool {
	return a.Command == b.Command && slices.Equal(a.Args, b.Args) && a.Cwd == b.Cwd && a.URL == b.URL && a.SSE == b.SSE &&
		samePairs(a.Env, b.Env, false) && samePairs(a.Headers, b.Headers, true)
}

// samePairs compares without order.
func samePairs(a, b []clientconf.Pair, fold bool) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(p clientconf.Pair) bool {
		return !slices.ContainsFunc(b, func(q clientconf.Pair) bool {
			return p.Value == q.Value && (p.Key == q.Key || fold && strings.EqualFold(p.Key, q.Key))
		})
	})
}

// take takes a new server over, or answers why that cannot be.
func (p *proposer) take(f *fresh) (why string) {
	name := p.name(f.server)
	if name == "" {
		return "no name can be had for it: the prefix of another server stands before all of them"
	}
	before := len(p.out.Secrets)
	t := p.enter(f, name)
	if err := p.in.Judge(t); err != nil {
		for _, s := range p.out.Secrets[before:] {
			delete(p.values, s.Name)
		}
		p.out.Secrets = p.out.Secrets[:before]
		return err.Error()
	}
	p.out.Taken = append(p.out.Taken, t)
	return ""
}

// enter makes the entry of a new server under a name.
func (p *proposer) enter(f *fresh, name string) Taken {
	s := f.server
	out := Taken{Name: name, From: f.from, Notes: slices.Clone(s.Notes)}
	if out.Name != s.Name {
		out.Notes = append(out.Notes, fmt.Sprintf("it is called %s here: the name %s is not free, or cannot be had", out.Name, s.Name))
	}
	for _, from := range f.from {
		if from.Entry != s.Name {
			out.Notes = append(out.Notes, fmt.Sprintf("it is the same as %s of %s", from.Entry, from.Client))
		}
	}
	for place, pairs := range map[string][]clientconf.Pair{"env": s.Env, "headers": s.Headers} { // one of them is empty
		for _, pair := range pairs {
			if mixes(pair.Key, pair.Value) {
				out.Notes = append(out.Notes, place+"."+pair.Key+" has what looks like a credential beside a variable, and stays written out: make the whole of it a secret")
			}
		}
	}
	entry := entrytext.Object()
	add := func(key string, v entrytext.Value) {
		entry.Members = append(entry.Members, entrytext.Member{Key: key, Value: v})
	}
	if s.Command != "" {
		add("command", entrytext.Text(s.Command))
		if len(s.Args) > 0 {
			add("args", entrytext.Texts(s.Args...))
		}
		if slices.ContainsFunc(s.Args, clientconf.HasCredential) || clientconf.FlagCredential(s.Args) {
			out.Notes = append(out.Notes, "its arguments hold what looks like a credential, which every user of the machine can read: if it takes it from a variable, move it to env")
		}
		if s.Cwd != "" {
			add("cwd", entrytext.Text(s.Cwd))
		}
		if len(s.Env) > 0 {
			add("env", p.keep(out.Name, "env", s.Env))
		}
	} else {
		add("url", entrytext.Text(p.address(out.Name, s.URL)))
		if s.SSE {
			add("transport", entrytext.Text("sse"))
		}
		if len(s.Headers) > 0 {
			add("headers", p.keep(out.Name, "headers", s.Headers))
		}
	}
	if s.Allow != nil {
		add("allow", entrytext.Texts(s.Allow...))
	}
	if len(s.Deny) > 0 {
		add("deny", entrytext.Texts(s.Deny...))
	}
	for _, limit := range []struct {
		key string
		n   int
	}{{"startup_timeout_seconds", s.StartLimit}, {"call_timeout_seconds", s.CallLimit}} {
		if limit.n > 0 {
			add(limit.key, entrytext.Value{Kind: entrytext.Number, Text: fmt.Sprint(limit.n)})
		}
	}
	out.Entry = entry
	return out
}
