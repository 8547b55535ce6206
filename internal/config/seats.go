package config

import "cmp"

// Person is somebody who is known here.
type Person struct {
	// ID is what the person is called in the configuration and in what is recorded, unique among the people.
	ID string
	// Name is how the person is shown; the id when the file does not say.
	Name string
	// Accounts are the person's names elsewhere, by the system they are names in.
	Accounts map[string]string
	// Withheld says that the accounts are shown to nobody and that they find nobody.
	Withheld bool
	// Line is where the entry stands.
	Line int
}

// Unit is a group of seats.
type Unit struct {
	// ID is what the unit is called in the configuration, unique among the units.
	ID string
	// Name is how the unit is shown; the id when the file does not say.
	Name string
	// Parent is the id of the unit that this one belongs to, empty for none. No unit is its own parent, however far up.
	Parent string
	// Lead is the id of the seat that leads the unit, empty for none.
	Lead string
	// Project and Space are where the unit works: they route and say where its work is filed, and are no credentials.
	Project, Space string
	// Line is where the entry stands.
	Line int
}

// Seat is a position that an assistant or a person acts as.
type Seat struct {
	// ID is what the seat is called in the configuration and in what is recorded, unique among the seats.
	ID string
	// Name is how the seat is shown; the id when the file does not say.
	Name string
	// Unit is the id of the unit that the seat belongs to, empty for none.
	Unit string
	// Holder is the id of the person who holds the seat, empty for a seat of an assistant. A held seat has no children of its own.
	Holder string
	// Scopes are what the seat is granted, each of the form that capabilities.Principal has. Nil when the file does not say; see Granted.
	Scopes []string
	// Gate are the rules of the seat.
	Gate Rules
	// RateLimits are the limits on the calls from the seat, in place of those for everybody.
	RateLimits RateLimits
	// Line is where the entry stands.
	Line int
}

// block is what one unit or seat adds to one server: variables for a program, headers for a url.
type block struct {
	server string
	line   int
	path   string
	values []pair[string]
}

type unitEntry struct {
	Unit
	blocks []pair[[]pair[string]]
	path   string
}

type seatEntry struct {
	Seat
	blocks []pair[[]pair[string]]
	path   string
}

// placed are the values of a block with their places.
func (b block) placed() []value {
	var out []value
	for _, p := range b.values {
		out = append(out, value{p.key, p.value, p.line, under(b.path, p.key)})
	}
	return out
}

// blocksAt gives the blocks of mcp_env their places.
func blocksAt(path string, pairs []pair[[]pair[string]]) []block {
	var out []block
	for _, p := range pairs {
		out = append(out, block{p.key, p.line, under(under(path, "mcp_env"), p.key), p.value})
	}
	return out
}

func idRule() rule {
	return rule{`^[a-z0-9][a-z0-9._-]*$`, 64, "1 to 64 lower-case letters, digits, ., _ and -, starting with a letter or a digit"}
}

// scopeRule is the grammar of a scope. Whether there is such a pack is for the caller of Load to judge.
func scopeRule() rule {
	const visible = `[\p{L}\p{M}\p{N}\p{P}\p{S}]`
	const name = visible + `([\p{L}\p{M}\p{N}\p{P}\p{S} ]*` + visible + `)?`
	return rule{`^(\*|admin|(` + name + `):(read|write|\*))$`, 80, "a scope: the name of a pack or a server, or *, with :read or :write behind it, or NAME:*, * or admin"}
}

// unused says of a key, once a file, that what it says has no effect yet.
func (d *decoder) unused(n *node, path, key string) {
	v := n.get(key)
	if v == nil || v.kind == kindNull || d.idle[key] {
		return
	}
	if d.idle == nil {
		d.idle = map[string]bool{}
	}
	d.idle[key] = true
	d.notice(v.line, "%s is checked, and not used by any pack yet", under(path, key))
}

// personShape, unitShape and seatShape are the tables of the entries.
func personShape() shape[Person] {
	const mcpEnv = "a person carries no credentials of a server; put mcp_env on a seat that nobody holds, or on its unit"
	return object([]field[Person]{
		idField(func(p *Person) *string { return &p.ID }),
		key("name", "How the person is shown. Without it, the id.", text(nameRule()), func(p *Person) *string { return &p.Name }),
		key("accounts", "The person's names elsewhere, by the system they are names in. Checked, and not used by any pack yet.",
			optional(mapped(dictionary(filledRule(), text(filledRule())), mapOf)), func(p *Person) *map[string]string { return &p.Accounts }),
		key("withheld", "Whether the accounts are shown to nobody and find nobody. Checked, and not used by any pack yet.",
			boolean(), func(p *Person) *bool { return &p.Withheld }).defaulting("false"),
		refused[Person]("mcp_env", mcpEnv),
	}, nil, func(d *decoder, n *node, path string, p *Person) bool {
		p.Line = n.line
		d.unused(n, path, "accounts")
		if p.Withheld {
			d.unused(n, path, "withheld")
		}
		p.Name = cmp.Or(p.Name, p.ID)
		return distinguished(d, n, path, p.ID)
	})
}

func unitShape() shape[unitEntry] {
	return object([]field[unitEntry]{
		idField(func(u *unitEntry) *string { return &u.ID }),
		key("name", "How the unit is shown. Without it, the id.", text(nameRule()), func(u *unitEntry) *string { return &u.Name }),
		key("parent", "The id of the unit that this one belongs to.", text(idRule()), func(u *unitEntry) *string { return &u.Parent }),
		key("lead", "The id of the seat that leads the unit.", text(idRule()), func(u *unitEntry) *string { return &u.Lead }),
		key("project", "The project that the unit works in. It is no credential. Checked, and not used by any pack yet.", text(filledRule()), func(u *unitEntry) *string { return &u.Project }),
		key("space", "The space that the unit writes its pages in. It is no credential. Checked, and not used by any pack yet.", text(filledRule()), func(u *unitEntry) *string { return &u.Space }),
		envField("What the unit's own seats that nobody holds share, by the name of a server that is not shared. A seat's own value for a key wins; the seats of other units get nothing.",
			func(u *unitEntry) *[]pair[[]pair[string]] { return &u.blocks }),
	}, nil, func(d *decoder, n *node, path string, u *unitEntry) bool {
		u.Line, u.path = n.line, path
		d.unused(n, path, "project")
		d.unused(n, path, "space")
		u.Name = cmp.Or(u.Name, u.ID)
		return true
	})
}

// Granted answers the scopes of the seat. One of which the file does not say any has all but admin: whoever is to run the server from
// a seat is named as such.
func (s *Seat) Granted() []string {
	if s.Scopes == nil {
		return []string{"*"}
	}
	return s.Scopes
}

func seatShape() shape[seatEntry] {
	return object([]field[seatEntry]{
		idField(func(s *seatEntry) *string { return &s.ID }),
		key("name", "How the seat is shown. Without it, the id.", text(nameRule()), func(s *seatEntry) *string { return &s.Name }),
		key("unit", "The id of the unit that the seat belongs to.", text(idRule()), func(s *seatEntry) *string { return &s.Unit }),
		key("holder", "The id of the person who holds the seat. Such a seat has no `mcp_env` and no children of its own.",
			text(idRule()), func(s *seatEntry) *string { return &s.Holder }),
		envField("The seat's own credentials, by the name of a server that is not shared: variables for a program, headers for a url. The seat gets a child of its own.",
			func(s *seatEntry) *[]pair[[]pair[string]] { return &s.blocks }),
		key("scopes", "What the seat is granted: `NAME:read`, `NAME:write` or `NAME:*` of a pack or a server, `*:read`, `*:write`, `*` for all of it, `admin`. Without it, `*`: everything but `admin`.",
			distinct(list(text(scopeRule()))), func(s *seatEntry) *[]string { return &s.Scopes }),
		key("gate", "The seat's rules. They come on top of those for everybody.", rulesShape(), func(s *seatEntry) *Rules { return &s.Gate }),
		key("rate_limits", "How many calls may be made from the seat, in place of the limits for everybody.", rateLimitsShape(), func(s *seatEntry) *RateLimits { return &s.RateLimits }),
	}, nil, func(d *decoder, n *node, path string, s *seatEntry) bool {
		s.Line, s.path = n.line, path
		s.Name = cmp.Or(s.Name, s.ID)
		if !distinguished(d, n, path, s.ID) {
			return false
		}
		for i, scope := range s.Scopes {
			if scope == "*:*" {
				d.fault(n.get("scopes").items[i].line, at(under(path, "scopes"), i), "write * for everything but admin")
				return false
			}
		}
		if s.Holder != "" && len(s.blocks) > 0 {
			d.fault(n.lineOf("mcp_env"), under(path, "mcp_env"), "the seat %q is held by a person, who has no child of a server; remove mcp_env, or holder", s.ID)
			return false
		}
		return true
	})
}

func idField[T any](place func(*T) *string) field[T] {
	return key("id", "What it is called in this file and in what is recorded.", text(idRule()), place).needed()
}

// distinguished refuses the id of a person or a seat that would read as the owner, or as this server, in what is recorded.
func distinguished(d *decoder, n *node, path, id string) bool {
	if id != "owner" && id != "system" {
		return true
	}
	d.fault(n.lineOf("id"), under(path, "id"), "%q is what the owner, or this server itself, is called in what is recorded; choose another id", id)
	return false
}

func envField[T any](doc string, place func(*T) *[]pair[[]pair[string]]) field[T] {
	return key("mcp_env", doc, optional(dictionary(nameRule(), dictionary(envRule(), scalar(valueRule())))), place)
}

func mapOf(pairs []pair[string]) map[string]string {
	out := make(map[string]string, len(pairs))
	for _, p := range pairs {
		out[p.key] = p.value
	}
	return out
}
