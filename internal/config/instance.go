package config

import (
	"fmt"
	"slices"
	"strings"
)

// build makes the servers and their instances of what is declared.
func (l *loading) build() {
	for _, dec := range l.config.declared {
		if dec.disabled {
			dec.d.notice(dec.line, "server %q is disabled in this file and left out", dec.name)
			continue
		}
		dec.remark()
		dec.judge()
		base := describe(dec)
		base.Unresolved = append(base.Unresolved, l.checkOptional(dec)...)
		own := dec.values()
		if base.Shared {
			s := l.instance(dec, base, own)
			l.config.Servers = append(l.config.Servers, s)
			l.config.instances = append(l.config.instances, s)
			continue
		}
		l.buildTemplate(dec, base, own)
	}
}

// maxChildren and maxValues bound what a small file can blow up to, because a unit's block counts for each of its seats.
const (
	maxChildren = 10_000
	maxValues   = 100_000
)

// buildTemplate makes an instance for every seat that has a block for the server, itself or through its unit.
func (l *loading) buildTemplate(dec declaration, base Server, own []value) {
	t := Template{Name: dec.name}
	why := "shared is false: it runs only for the seats that declare mcp_env for it"
	for _, c := range l.claims[dec.name] {
		values := own
		for _, b := range c.blocks {
			values = overlaid(values, b.placed(), dec.http())
		}
		instance := base
		instance.Seat, instance.Unresolved = c.seat, slices.Clone(base.Unresolved)
		l.config.instances = append(l.config.instances, l.instance(dec, instance, values))
		t.Seats = append(t.Seats, c.seat)
	}
	if t.Seats == nil {
		t.NotStarted = "shared is false, and no seat declares mcp_env for it; declare it for a seat or its unit, or remove shared: false"
		why = t.NotStarted
	}
	// What its entry alone gives is for show; its variables are nobody's need, because the seats may replace them.
	quiet := &loading{o: l.o, env: l.env, uses: newUses(), quiet: true}
	template := quiet.instance(dec, base, own)
	template.Unresolved = []string{why}
	l.config.Servers = append(l.config.Servers, template)
	l.config.templates = append(l.config.templates, t)
}

// value is one variable of a program or one header, as it was written.
type value struct {
	key, text string
	line      int
	// place is where it stands: within the entry for the entry's own, within the file for a seat's.
	place string
}

// values are what the entry itself gives.
func (e *entry) values() []value {
	field, pairs := "env", e.env
	if e.http() {
		field, pairs = "headers", e.headers
	}
	var out []value
	for _, p := range pairs {
		out = append(out, value{p.key, p.value, p.line, under(field, p.key)})
	}
	return out
}

// overlaid puts one layer of values over another, key by key; fold makes two spellings of a header one key.
func overlaid(base, layer []value, fold bool) []value {
	out := slices.Clone(base)
	at := map[string]int{}
	for i, v := range out {
		at[folded(v.key, fold)] = i
	}
	for _, v := range layer {
		if i, replaces := at[folded(v.key, fold)]; replaces {
			out[i] = v
			continue
		}
		at[folded(v.key, fold)] = len(out)
		out = append(out, v)
	}
	return out
}

// folded is what a key is compared by.
func folded(key string, fold bool) string {
	if fold {
		return strings.ToLower(key)
	}
	return key
}

// instance fills in what the variables stand for. s is a copy of what all instances share, with the seat.
func (l *loading) instance(dec declaration, s Server, values []value) Server {
	x := &expander{l: l, d: dec.d, server: &s, held: map[string]bool{}}
	optional := map[string]bool{}
	for _, key := range dec.optional {
		optional[folded(key, dec.http())] = true
	}
	var out map[string]string
	for _, v := range values {
		text, ok := x.one(v.place, v.text, optional[folded(v.key, dec.http())])
		if ok && dec.http() {
			if words := sendable(text); words != "" {
				x.hold(v.place + ": " + words)
				ok = false
			}
		}
		if out == nil {
			out = map[string]string{}
		}
		if ok {
			out[v.key] = text
		}
	}
	if !dec.http() {
		s.Env = out
		return s
	}
	s.Headers = out
	address, ok := x.one("url", dec.url, false)
	if words := reachable(address); ok && words != "" {
		x.hold("url: " + words)
		ok = false
	}
	if ok {
		s.URL = address
	}
	x.fillSignIn(&dec.signIn)
	return s
}

// expander replaces the variables of one instance.
type expander struct {
	l      *loading
	d      *decoder
	server *Server
	held   map[string]bool
}

// one replaces the variables of one value; false when the value is not to be had. A missing variable holds the server back, unless the value
// may be left out. So does a look-alike in a client's own file, where it may be right for that client; in ours it is a fault, which was reported.
func (x *expander) one(place, text string, optional bool) (string, bool) {
	out, problems := expand(text, func(name string) (string, bool) {
		v, source := x.l.resolve(name)
		x.l.uses.add(name, v, source, Use{Server: x.server.Name, Seat: x.server.Seat, Field: place, Optional: optional})
		if v != "" {
			if x.server.Secrets == nil {
				x.server.Secrets = map[string]string{}
			}
			x.server.Secrets[name] = v
			x.remarkShort(place, name, v, source)
		}
		return v, source != SourceNone
	})
	for _, p := range problems {
		switch {
		case p.unset == "":
			if x.d.foreign {
				x.hold(place + ": " + p.words)
			}
		case !optional:
			x.hold(fmt.Sprintf("%s: %s; run `%s secrets set %s`, or set it in the environment and start this server again", place, p.words, x.l.o.Program, p.unset))
		}
	}
	return out, problems == nil
}

// remarkShort says, once a server, of a secret that is too short to be masked. What the environment knows is one when its name says so.
func (x *expander) remarkShort(place, name, v string, source Source) {
	key := [2]string{x.server.Name, name}
	if len(v) >= MinMasked || source != SourceSecrets && !saysSecret(name) || x.l.quiet || x.l.short[key] {
		return
	}
	x.l.short[key] = true
	x.d.notice(x.server.Line, "server %q: %s: the value of ${%s} has fewer than %d bytes, and so short a one is not masked in results, logs and status; use a longer one",
		x.server.Name, place, name, MinMasked)
}

// resolve looks a variable up: among the secrets, then in the environment.
func (l *loading) resolve(name string) (string, Source) {
	if l.o.Secrets != nil {
		if v, ok := l.o.Secrets(name); ok {
			return v, SourceSecrets
		}
	}
	if v, ok := l.env(name); ok {
		return v, SourceEnvironment
	}
	return "", SourceNone
}

// hold adds a reason not to start the server, once.
func (x *expander) hold(why string) {
	if !x.held[why] {
		x.held[why] = true
		x.server.Unresolved = append(x.server.Unresolved, why)
	}
}
