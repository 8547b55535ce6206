package config

import (
	"encoding/json"
	"slices"
)

// Setting is one setting that is in force.
type Setting struct {
	// Path names it: the keys of the file, with a server, a person, a unit and a seat by its name or id instead of its position, such as
	// mcp_servers.github.env.TOKEN.
	Path string
	// Value is the setting as JSON. What is written out in env, headers and mcp_env reads (set), and variables stay ${NAME}; null is a setting
	// that nobody gave and that has no value of its own, such as packs, where it stands for all of them.
	Value json.RawMessage
	// Origin is who gave it.
	Origin Origin
}

// Show returns every setting that is in force, defaults included, in the order of the reference. No secret is in it.
func (c *Config) Show() []Setting {
	w := &shower{c: c}
	w.top("auth", compact(c.Auth))
	w.top("listen", compact(c.Listen))
	w.top("packs", compact(c.Packs))
	w.top("store", shownStore(c.read.store))
	for i := range c.declared {
		if dec := &c.declared[i]; !dec.disabled {
			w.server(dec)
		}
	}
	w.apis()
	for i, p := range c.People {
		w.entry("people", p.ID, i, p.Line, []given{
			{"name", compact(p.Name), true},
			{"accounts", compact(p.Accounts), p.Accounts != nil},
			{"withheld", compact(p.Withheld), true},
		})
	}
	for i, u := range c.read.units {
		w.entry("units", u.ID, i, u.Line, []given{
			{"name", compact(u.Name), true},
			{"parent", compact(u.Parent), u.Parent != ""},
			{"lead", compact(u.Lead), u.Lead != ""},
			{"project", compact(u.Project), u.Project != ""},
			{"space", compact(u.Space), u.Space != ""},
		})
		w.blocks(under("units", u.ID), blocksAt(u.path, u.blocks))
	}
	for i, s := range c.read.seats {
		w.entry("seats", s.ID, i, s.Line, []given{
			{"name", compact(s.Name), true},
			{"unit", compact(s.Unit), s.Unit != ""},
			{"holder", compact(s.Holder), s.Holder != ""},
			{"scopes", compact(s.Scopes), s.Scopes != nil},
		})
		w.rules(under(under("seats", s.ID), "gate"), under(at("seats", i), "gate"), s.Gate)
		w.rateLimits(under(under("seats", s.ID), "rate_limits"), under(at("seats", i), "rate_limits"), s.RateLimits)
		w.blocks(under("seats", s.ID), blocksAt(s.path, s.blocks))
	}
	w.gate()
	w.rateLimits("rate_limits", "rate_limits", w.c.RateLimits)
	w.discovery()
	w.edge()
	w.audit()
	w.oauth()
	w.operating()
	return w.out
}

type shower struct {
	c   *Config
	out []Setting
}

func (w *shower) add(path string, value json.RawMessage, from Origin) {
	w.out = append(w.out, Setting{path, value, from})
}

// ofFile is the origin of a path of the YAML file: the default when it is not there.
func (w *shower) ofFile(path string) Origin {
	if line := w.c.lines[path]; line > 0 {
		return Origin{File: w.c.File, Line: line}
	}
	return Origin{}
}

func (w *shower) top(key string, value json.RawMessage) { w.add(key, value, w.ofFile(key)) }

// given is a key of an entry with its value; one that is not there and has no default is left out.
type given struct {
	key   string
	value json.RawMessage
	shown bool
}

func (w *shower) entry(list, id string, index, line int, keys []given) {
	path, place := under(list, id), at(list, index)
	w.add(under(path, "id"), quoted(id), Origin{File: w.c.File, Line: line})
	for _, k := range keys {
		if k.shown {
			w.add(under(path, k.key), k.value, w.ofFile(under(place, k.key)))
		}
	}
}

func (w *shower) blocks(path string, blocks []block) {
	for _, b := range blocks {
		for _, v := range b.placed() {
			w.add(under(under(under(path, "mcp_env"), b.server), v.key), quoted(maskedValue(v.text)), Origin{File: w.c.File, Line: v.line})
		}
	}
}

// server shows the keys of an entry that are given, and the defaults of those that have one.
func (w *shower) server(dec *declaration) {
	path := under("mcp_servers", dec.name)
	s := describe(*dec)
	from := func(line int) Origin {
		o := dec.origin
		if o.Line > 0 {
			o.Line = line
		}
		return o
	}
	show := func(key string, value json.RawMessage, names ...string) {
		names = append(names, key)
		i := slices.IndexFunc(dec.node.members, func(m member) bool { return slices.Contains(names, m.key) })
		switch {
		case i >= 0:
			w.add(under(path, key), value, from(dec.node.members[i].line))
		case value != nil:
			w.add(under(path, key), value, Origin{})
		}
	}
	values := func() {
		for _, v := range dec.values() {
			w.add(path+"."+v.place, quoted(maskedValue(v.text)), from(v.line))
		}
	}
	if dec.http() {
		show("url", quoted(maskedURL(dec.url)), "httpUrl", "serverUrl")
		values()
	} else {
		show("command", quoted(dec.command))
		show("args", ifGiven(maskedArgs(dec.args)))
		values()
		if dec.cwd != "" {
			show("cwd", quoted(s.Cwd))
		}
	}
	show("transport", compact(s.Transport), "type", "transportType")
	show("shared", compact(s.Shared))
	show("optional_keys", ifGiven(dec.optional))
	if dec.prefix != "" {
		show("tool_prefix", quoted(dec.prefix))
	}
	for _, a := range dec.annotations {
		w.annotation(under(under(path, "tool_annotations"), a.key), a.value, from(a.line))
	}
	show("allow", ifGiven(dec.allow), "includeTools", "tools")
	show("deny", ifGiven(dec.deny), "excludeTools", "disabledTools")
	show("startup_timeout_seconds", compact(int(s.StartupTimeout.Seconds())))
	show("call_timeout_seconds", compact(int(s.CallTimeout.Seconds())))
	if dec.limits != (Limits{}) {
		show("limits", compact(limitsJSON(dec.limits)))
	}
	if dec.relay != (relaySwitches{}) {
		show("relay", compact(dec.relay))
	}
	show("drift", compact(s.Drift))
	if dec.signIn.given() {
		show("oauth", compact(dec.signIn.shown()))
	}
}

func (w *shower) annotation(path string, a Annotation, from Origin) {
	for _, h := range []struct {
		key  string
		hint Hint
	}{{"read_only", a.ReadOnly}, {"destructive", a.Destructive}, {"idempotent", a.Idempotent}, {"open_world", a.OpenWorld}} {
		if h.hint != HintUnset {
			w.add(under(path, h.key), h.hint.json(), from)
		}
	}
	if a.Title != "" {
		w.add(under(path, "title"), quoted(a.Title), from)
	}
}

// ifGiven is a list as JSON, nothing for one that is not given.
func ifGiven(list []string) json.RawMessage {
	if list == nil {
		return nil
	}
	return compact(list)
}
