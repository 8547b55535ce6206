package capabilities

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Fault is one reason why a declaration does not assemble.
type Fault struct {
	Site    Site
	Name    string // the capability, pack or code it is about
	Message string
}

// String answers "folder/file.go:line: name: message".
func (f Fault) String() string { return fmt.Sprintf("%s: %s: %s", f.Site, f.Name, f.Message) }

// Faults is the error of [Assemble]: every fault of every declaration at once.
type Faults []Fault

// Error answers one line a fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

var (
	capabilityName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	scopeName      = regexp.MustCompile(`^(admin|anyone|[a-z][a-z0-9_]*:(read|write))$`)
)

const maxName = 48

// Assemble checks every declaration of the packs and answers the registry of
// them. The error is a [Faults] that lists every fault at once with its place.
func Assemble(packs ...Bound) (*Registry, error) {
	a := &assembly{names: map[string]Site{}, routes: map[string]string{}, defs: map[string]definition{}}
	a.packs(packs)
	reflectAll(packs)
	for _, p := range packs {
		if err := p.ready(); err != nil {
			a.fault(p.packSite(), p.Info().Name, "the dependencies of the pack could not be opened: %v", err)
			continue
		}
		for _, c := range p.candidates() {
			a.capability(p.Info(), c)
		}
	}
	a.undos()
	if len(a.faults) > 0 {
		slices.SortStableFunc(a.faults, func(x, y Fault) int {
			if c := strings.Compare(x.Site.File, y.Site.File); c != 0 {
				return c
			}
			return x.Site.Line - y.Site.Line
		})
		return nil, a.faults
	}
	infos := make([]PackInfo, len(packs))
	for i, p := range packs {
		infos[i] = p.Info()
	}
	return newRegistry(a.all, infos, a.codes), nil
}

// reflectAll has the sides of every declaration reflected on every processor: they take
// most of the time, and each follows from itself alone. Their faults are read one after
// another later on.
func reflectAll(packs []Bound) {
	var all []candidate
	for _, p := range packs {
		if p.ready() == nil {
			all = append(all, p.candidates()...)
		}
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
				all[i].sides.in()
				all[i].sides.out()
			}
		})
	}
	workers.Wait()
}

type definition struct {
	raw  string
	name string
}

type assembly struct {
	names  map[string]Site
	routes map[string]string // shape -> name
	defs   map[string]definition
	codes  []CodeInfo
	all    []*Capability
	faults Faults
}

func (a *assembly) fault(at Site, name, format string, args ...any) {
	a.faults = append(a.faults, Fault{at, name, fmt.Sprintf(format, args...)})
}

func (a *assembly) packs(packs []Bound) {
	a.codes = BaseCodes()
	seen := map[string]bool{}
	for _, p := range packs {
		info, at := p.Info(), p.packSite()
		switch {
		case !capabilityName.MatchString(info.Name):
			a.fault(at, info.Name, "a pack's name is of the form [a-z][a-z0-9_]*")
		case seen[info.Name]:
			a.fault(at, info.Name, "two packs have this name")
		}
		seen[info.Name] = true
		a.text(at, info.Name, "summary of the pack", info.Summary)
		for _, c := range p.packCodes() {
			a.code(at, c)
		}
	}
}

func (a *assembly) code(at Site, c CodeInfo) {
	name := string(c.Code)
	base, ok := c.Base.info()
	if !ok {
		a.fault(at, name, "the base %q of the code is not in the base set", c.Base)
	}
	if !capabilityName.MatchString(name) {
		a.fault(at, name, "a code is of the form [a-z][a-z0-9_]*")
	}
	if slices.ContainsFunc(a.codes, func(o CodeInfo) bool { return o.Code == c.Code }) {
		a.fault(at, name, "the code is declared already")
	}
	if c.Means == "" || c.Remedy == "" {
		a.fault(at, name, "a code says what it means and what the caller should do")
	}
	c.Status, c.Exit = base.Status, base.Exit
	a.codes = append(a.codes, c)
}

// CodesOf answers the base codes and those that the packs declare, unchecked:
// what an exit status follows from before anything is assembled.
func CodesOf(packs ...Bound) []CodeInfo {
	a := &assembly{codes: BaseCodes()}
	for _, p := range packs {
		for _, c := range p.packCodes() {
			a.code(p.packSite(), c)
		}
	}
	return a.codes
}

func (a *assembly) text(at Site, name, what, text string) {
	switch {
	case text == "":
		a.fault(at, name, "the %s is missing", what)
	case len(text) > maxText:
		a.fault(at, name, "the %s has %d bytes, at most %d are allowed", what, len(text), maxText)
	case strings.ContainsAny(text, "\n\r\t"):
		a.fault(at, name, "the %s is one line", what)
	}
}

func (a *assembly) name(at Site, name string) {
	switch {
	case !capabilityName.MatchString(name):
		a.fault(at, name, "a name is of the form [a-z][a-z0-9_]*")
	case len(name) > maxName:
		a.fault(at, name, "a name has at most %d characters, this one has %d", maxName, len(name))
	case strings.Contains(name, "__"):
		a.fault(at, name, `a name has no "__": it parts a bridged server from its tool`)
	case reserved(name):
		a.fault(at, name, "the name is that of a tool of discovery, which finds, describes or calls the others: take another one")
	}
	if other, taken := a.names[name]; taken {
		a.fault(at, name, "the name is declared at %s already", other)
	}
	a.names[name] = at
}

// capability checks one candidate and adds the capability and its aliases.
func (a *assembly) capability(pack PackInfo, c candidate) {
	s, before := c.spec, len(a.faults)
	bad := func(format string, args ...any) { a.fault(c.site, s.Name, format, args...) }
	a.name(c.site, s.Name)
	a.text(c.site, s.Name, "title", s.Title)
	a.text(c.site, s.Name, "summary", s.Summary)
	if !s.Effect.Declared() {
		bad("no effect is declared: say Read, Append, Amend, Set or Destroy of Private, Local, Shared or World")
	}
	if s.Delivers != "" && !s.Effect.Writes() {
		bad("a read delivers nowhere, it says %q", s.Delivers)
	}
	if s.Rehearses && !s.Effect.Writes() {
		bad("a read has no dry run to answer: leave Rehearses out")
	}
	receipts := answersReceipt(c.out)
	if receipts && !s.Effect.Writes() {
		bad("a read writes nothing: leave the receipt out of its output")
	}
	if receipts && s.Rehearses {
		bad("the store answers the dry runs of what answers a receipt: leave Rehearses out")
	}
	capa := &Capability{
		name: s.Name, title: s.Title, summary: s.Summary, effect: s.Effect, scope: scopeOf(pack.Name, s),
		hints: stated(declaredFacts(s.Effect)), answers: s.Answers, handler: builtinHandler(c.run), passed: nothingPassed,
		declared: &declared{
			pack: pack.Name, delivers: s.Delivers, examples: s.Examples, aliases: s.Aliases, undo: s.Undo, rehearses: s.Rehearses, receipts: receipts,
			site: c.site, hasBlocks: c.out.Implements(blockerType), conditional: c.conditional,
		},
	}
	if !scopeName.MatchString(capa.scope) {
		bad("the scope %q is neither admin nor anyone, nor of the form name:read or name:write", capa.scope)
	}
	capa.codes = a.refuses(c.site, s)
	in, okIn := a.schema(c, c.sides.in)
	out, okOut := a.schema(c, c.sides.out)
	capa.in, capa.out = in, out
	if okIn && okOut {
		capa.route = a.route(c.site, s, in)
		a.examples(c.site, capa)
	}
	if len(a.faults) > before {
		return
	}
	a.all = append(a.all, capa)
	for _, al := range s.Aliases {
		if capa.family == nil {
			capa.family = []string{s.Name}
		}
		capa.family = append(capa.family, al.Name)
	}
	for _, al := range s.Aliases {
		a.name(c.site, al.Name)
		if al.Since == "" || al.Until == "" {
			bad("the alias %q says since and until which version it stands", al.Name)
		}
		a.all = append(a.all, capa.alias(al))
	}
}

func scopeOf(pack string, s Spec) string {
	switch {
	case s.Scope != "":
		return s.Scope
	case s.Effect.Writes():
		return pack + ":write"
	}
	return pack + ":read"
}

// refuses answers the codes of a capability: the implicit ones and the declared.
func (a *assembly) refuses(at Site, s Spec) []CodeInfo {
	var out []CodeInfo
	for _, i := range a.codes {
		if i.Implicit && i.Code != UpstreamError && (i.Code != UnknownOutcome || s.Effect.Writes()) {
			out = append(out, i)
		}
	}
	for _, code := range s.Refuses {
		i := slices.IndexFunc(a.codes, func(i CodeInfo) bool { return i.Code == code })
		switch {
		case i < 0:
			a.fault(at, s.Name, "it refuses with %q, which no pack declares", code)
		case a.codes[i].Implicit:
			a.fault(at, s.Name, "it names %q, which every capability may answer: leave it out", code)
		default:
			out = append(out, a.codes[i])
		}
	}
	return out
}

// schema answers one side of a capability, and reports what is wrong with it.
func (a *assembly) schema(c candidate, reflected func() side) (*Schema, bool) {
	r := reflected()
	for _, f := range r.faults {
		a.fault(c.site, c.spec.Name, "%s", f)
	}
	if r.schema == nil {
		return nil, false
	}
	if r.schema.kind == ownInput {
		a.defaults(c, r.schema)
	}
	a.shared(c, r.defs)
	return r.schema, true
}

// defaults checks that the declared defaults pass the schema they stand in.
func (a *assembly) defaults(c candidate, s *Schema) {
	d, err := defaultsOf(c.in)
	if err != nil || d == nil {
		return
	}
	violations, err := s.Validate(d)
	if err != nil {
		return
	}
	for _, v := range violations {
		if v.Keyword != "required" {
			a.fault(c.site, c.spec.Name, "the default of %s fails its own schema: %s", v.Pointer, v.Message)
		}
	}
}

// shared checks that one schema name means one thing in the whole registry:
// OpenAPI and the generated clients have one place for it.
func (a *assembly) shared(c candidate, defs map[string]string) {
	for name, def := range defs {
		other, ok := a.defs[name]
		if ok && other.raw != def {
			a.fault(c.site, c.spec.Name, "the schema name %q means something else in %s: rename one type", name, other.name)
		}
		a.defs[name] = definition{def, c.spec.Name}
	}
}

// undos checks that every Undo names a capability that writes.
func (a *assembly) undos() {
	for _, c := range a.all {
		if c.undo == "" || c.aliasOf != "" {
			continue
		}
		i := slices.IndexFunc(a.all, func(o *Capability) bool { return o.name == c.undo })
		if i < 0 || !a.all[i].effect.Writes() {
			a.fault(c.site, c.name, "undo names %q, which is no capability that writes", c.undo)
		}
	}
}
