package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// checkSeats judges what people, units and seats say of each other and of the servers.
func (l *loading) checkSeats() {
	read := &l.config.read
	people, units, seats := idSet{l.own, "person", nil}, idSet{l.own, "unit", nil}, idSet{l.own, "seat", nil}
	for i, p := range read.people {
		people.add(p.ID, p.Line, at("people", i))
	}
	for i, u := range read.units {
		units.add(u.ID, u.Line, at("units", i))
	}
	for i, s := range read.seats {
		seats.add(s.ID, s.Line, at("seats", i))
	}
	for _, u := range read.units {
		units.need(u.Parent, u.path, "parent", l.config.lines)
		seats.need(u.Lead, u.path, "lead", l.config.lines)
	}
	l.checkParents()
	for _, s := range read.seats {
		units.need(s.Unit, s.path, "unit", l.config.lines)
		people.need(s.Holder, s.path, "holder", l.config.lines)
	}
	l.checkPrincipals(people)
	l.checkOAuthPeople(people)
	l.checkBlocks()
}

// idSet are the ids of one kind of entry.
type idSet struct {
	d    *decoder
	what string
	line map[string]int
}

func (k *idSet) add(id string, line int, path string) {
	if k.line == nil {
		k.line = map[string]int{}
	}
	if first, twice := k.line[id]; twice && id != "" {
		k.d.fault(line, under(path, "id"), "a %s with the id %q is declared on line %d already; give one of them another id", k.what, id, first)
		return
	}
	if id != "" {
		k.line[id] = line
	}
}

// need reports an id that nothing has, with a suggestion where there are few enough to compare.
func (k *idSet) need(id, path, field string, lines map[string]int) {
	if _, exists := k.line[id]; exists || id == "" {
		return
	}
	p := under(path, field)
	var suggested string
	if len(k.line) <= few {
		suggested = among(id, slices.Sorted(maps.Keys(k.line)))
	}
	k.d.fault(lines[p], p, "there is no %s %q%s", k.what, id, suggested)
}

// few is how many names a name that none of them is gets compared with: each of thousands with each of thousands takes minutes.
const few = 50

// among ends the refusal of a name that none of the declared ones is.
func among(name string, declared []string) string {
	switch {
	case len(declared) == 0:
		return ": none is declared"
	case len(declared) > few:
		return ""
	}
	return meant(name, declared)
}

// checkParents reports every ring of units once, at its first unit in the file.
func (l *loading) checkParents() {
	units := l.config.read.units
	byID := map[string]int{}
	for i, u := range units {
		if _, twice := byID[u.ID]; !twice {
			byID[u.ID] = i
		}
	}
	walked := make([]int, len(units)) // the walk that came by a unit first, counted from 1
	for i := range units {
		var trail []int
		unit, ok := i, true
		for ; ok && walked[unit] == 0; unit, ok = parentOf(units, byID, unit) {
			walked[unit] = i + 1
			trail = append(trail, unit)
		}
		if ok && walked[unit] == i+1 {
			l.reportRing(units, trail[slices.Index(trail, unit):])
		}
	}
}

func parentOf(units []unitEntry, byID map[string]int, i int) (int, bool) {
	parent, ok := byID[units[i].Parent]
	return parent, ok && units[i].Parent != ""
}

func (l *loading) reportRing(units []unitEntry, ring []int) {
	first := slices.Index(ring, slices.Min(ring))
	const shown = 10
	var names []string
	for k := range min(len(ring), shown) {
		names = append(names, units[ring[(first+k)%len(ring)]].ID)
	}
	if len(ring) > shown {
		names = append(names, "and "+strconv.Itoa(len(ring)-shown)+" more")
	}
	u := units[ring[first]]
	p := under(u.path, "parent")
	l.own.fault(l.config.lines[p], p, "the units are each other's parents (%s); let one of them have none", strings.Join(append(names, u.ID), " > "))
}

// checkBlocks judges every block of mcp_env against the server that it is for.
func (l *loading) checkBlocks() {
	servers := map[string]declaration{}
	names := []string{}
	for _, dec := range l.config.declared {
		if _, twice := servers[dec.name]; !twice {
			servers[dec.name] = dec
			names = append(names, dec.name)
		}
	}
	units := map[string][]block{}
	for _, u := range l.config.read.units {
		units[u.ID] = blocksAt(u.path, u.blocks)
		for _, b := range units[u.ID] {
			l.checkBlock(b, servers, names)
			l.blocks[b.server] = append(l.blocks[b.server], b)
		}
	}
	for _, s := range l.config.read.seats {
		own := map[string]block{}
		for _, b := range blocksAt(s.path, s.blocks) {
			l.checkBlock(b, servers, names)
			l.blocks[b.server] = append(l.blocks[b.server], b)
			own[b.server] = b
		}
		if !l.claim(s, units[s.Unit], own, servers) {
			return
		}
	}
}

// claim gives a seat its children: one for each server that its unit or the seat itself has a block for. A seat that is held has none. It
// answers false when there are too many, which it reports.
func (l *loading) claim(s seatEntry, inherited []block, own map[string]block, servers map[string]declaration) bool {
	if s.Holder != "" {
		return true
	}
	add := func(server string, blocks ...block) {
		l.claims[server] = append(l.claims[server], claim{s.ID, blocks})
		for _, b := range blocks {
			l.values += len(b.values)
		}
		dec := servers[server]
		l.values += len(dec.env) + len(dec.headers)
		l.children++
	}
	both := map[string]bool{}
	for _, u := range inherited {
		b, overrides := own[u.server]
		if !overrides {
			add(u.server, u)
			continue
		}
		both[u.server] = true
		if dec := servers[u.server]; dec.http() {
			l.checkSpellings(b, u)
		}
		add(u.server, u, b)
	}
	for _, p := range s.blocks {
		if !both[p.key] {
			add(p.key, own[p.key])
		}
	}
	if l.children > maxChildren || l.values > maxValues {
		l.own.fault(s.Line, s.path, "the seats up to here ask for more than %d children, or more than %d values for them; declare fewer, or share servers", maxChildren, maxValues)
		return false
	}
	return true
}

func (l *loading) checkBlock(b block, servers map[string]declaration, names []string) {
	for _, v := range b.placed() {
		l.own.judge(v, v.place, "mcp_env for the server "+strconv.Quote(b.server))
	}
	dec, exists := servers[b.server]
	switch {
	case !exists:
		l.own.fault(b.line, b.path, "there is no server %q%s", b.server, among(b.server, names))
	case dec.sharing != sharingNone && !dec.disabled:
		l.own.fault(b.line, b.path, "the server %q is shared: one child serves everybody, with nobody's credentials; set shared: false in its entry, or remove this", b.server)
	case dec.http() && dec.node.get("command") == nil:
		checkHeaders(l.own, b.path, b.values, true)
	}
}

// checkSpellings refuses a header that a unit and its seat spell differently: nothing says which spelling is sent.
func (l *loading) checkSpellings(own, inherited block) {
	spelt := map[string]string{}
	for _, u := range inherited.values {
		spelt[strings.ToLower(u.key)] = u.key
	}
	for _, v := range own.values {
		if u, both := spelt[strings.ToLower(v.key)]; both && u != v.key {
			l.own.fault(v.line, under(own.path, v.key), "%s of the seat's unit is the same header; spell it the same", u)
		}
	}
}

// checkHeaders judges headers that no shape judged.
func checkHeaders(d *decoder, path string, headers []pair[string], values bool) bool {
	ok := true
	fits := headerRule().fits()
	spelt := map[string]string{}
	for _, h := range headers {
		p := under(path, h.key)
		lower := strings.ToLower(h.key)
		say := func(format string, args ...any) {
			d.fault(h.line, p, format, args...)
			ok = false
		}
		if values && !fits(h.key) {
			say("the key must be %s", headerRule().words)
		}
		if words := sendable(h.value); values && words != "" {
			say("%s", words)
		}
		if first, twice := spelt[lower]; twice {
			say("%s is the same header; keep one", first)
		}
		spelt[lower] = h.key
		if slices.Contains(ownHeaders(), lower) {
			say("this header is set by Holotype and cannot be configured; remove it")
		}
	}
	return ok
}
