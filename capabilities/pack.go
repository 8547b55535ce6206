package capabilities

import (
	"context"
	"maps"
	"reflect"
	"strings"
	"sync"
)

// PackInfo names a pack.
type PackInfo struct {
	Name    string // [a-z][a-z0-9_]*; scopes are "<name>:read" and "<name>:write"
	Title   string
	Summary string // one sentence, at most 200 bytes
}

// Pack is a group of capabilities with one set of dependencies D. It stands in a
// package variable of its own, is filled by [Declare] while the program starts
// and is read-only after. Make one with [NewPack].
type Pack[D any] struct {
	info     PackInfo
	site     Site
	decls    []*declaration[D]
	codes    []CodeInfo
	comments map[string]string
}

// NewPack answers an empty pack. It never fails; [Assemble] judges it.
func NewPack[D any](info PackInfo) *Pack[D] {
	return &Pack[D]{info: info, site: callerSite(1), comments: map[string]string{}}
}

// Code declares a refusal code of the pack and answers it. The base gives it its
// HTTP and exit status. It never fails; [Assemble] judges it.
func (p *Pack[D]) Code(code, base Code, means, remedy string) Code {
	p.codes = append(p.codes, CodeInfo{Code: code, Base: base, Pack: p.info.Name, Means: means, Remedy: remedy})
	return code
}

// Comments adds the comments of a pack's types, by "Type" and "Type.Field" for
// types of the pack's own package and with the import path before them for
// others. The generated file comments_gen.go calls it. The answer has no meaning;
// it lets the call stand in a package variable.
func Comments[D any](p *Pack[D], comments map[string]string) bool {
	maps.Copy(p.comments, comments)
	for _, d := range p.decls {
		d.sides = sidesOf(d.in, d.out, p.comments)
	}
	return true
}

// declaration is one capability as its file states it.
type declaration[D any] struct {
	spec    Spec
	site    Site
	in, out reflect.Type
	sides   sides
	when    func(D) bool
	bind    func(D) runner
}

// runner decodes validated arguments, runs the handler and answers its output.
type runner func(ctx context.Context, args []byte) (any, error)

// Option adjusts a declaration.
type Option[D any] func(*declaration[D])

// When states that a capability needs a dependency: where has answers false,
// [Pack.Bind] leaves the capability out.
func When[D any](has func(D) bool) Option[D] {
	return func(d *declaration[D]) { d.when = has }
}

// Declare declares one capability of a pack: what the spec says, the input and
// output types and the handler. It belongs in a package variable named as the
// capability, in a file named as the capability. It never fails and never
// panics; [Assemble] judges the declaration and names this place in its faults.
// The handle calls the capability in-process with types.
func Declare[D, In, Out any](p *Pack[D], spec Spec, handler func(context.Context, D, In) (Out, error), opts ...Option[D]) *Handle[In, Out] {
	d := &declaration[D]{
		spec: spec,
		site: callerSite(1),
		in:   reflect.TypeFor[In](),
		out:  reflect.TypeFor[Out](),
	}
	d.sides = sidesOf(d.in, d.out, p.comments)
	d.bind = func(deps D) runner {
		decode := decoderFor[In]()
		list := listed(spec.Name, decode)
		return func(ctx context.Context, args []byte) (any, error) {
			in, err := decode(args)
			if err != nil {
				return nil, err
			}
			if list != nil {
				in = list(in, args)
			}
			return handler(ctx, deps, in)
		}
	}
	for _, o := range opts {
		o(d)
	}
	p.decls = append(p.decls, d)
	return &Handle[In, Out]{name: spec.Name}
}

// Bound is a pack with its dependencies, ready for [Assemble]. Only this package
// implements it; get one from [Pack.Bind] or [Pack.Describe].
type Bound interface {
	// Info answers the pack's names.
	Info() PackInfo
	// Types answers the input and output types of the pack's capabilities, in the
	// order of declaration, for generators that read their source.
	Types() []reflect.Type
	// Sites answers where each capability is declared, by name.
	Sites() map[string]Site
	// Describe answers the pack as [Pack.Describe] does, without its dependencies.
	Describe() Bound
	ready() error // opens the dependencies, once
	candidates() []candidate
	packCodes() []CodeInfo
	packSite() Site
}

// candidate is a declaration on its way through [Assemble].
type candidate struct {
	spec    Spec
	site    Site
	in, out reflect.Type
	sides   sides
	run     runner
	// conditional says that a dependency may be missing which it needs.
	conditional bool
}

type bound[D any] struct {
	pack     *Pack[D]
	deps     D
	open     func() error // fills deps in; nil when they are there
	describe bool
}

// Bind joins the pack with its dependencies. Capabilities whose [When] is not met
// are left out.
func (p *Pack[D]) Bind(deps D) Bound { return &bound[D]{pack: p, deps: deps} }

// BindLater is [Pack.Bind] with dependencies that are opened by the first
// [Assemble], once: a program that generates its files, or calls a server that
// runs already, never opens its database. An error of open is a fault of Assemble.
func (p *Pack[D]) BindLater(open func() (D, error)) Bound {
	b := &bound[D]{pack: p}
	b.open = sync.OnceValue(func() (err error) {
		b.deps, err = open()
		return err
	})
	return b
}

// Describe answers every capability of the pack, whatever [When] says, without
// dependencies. Calls are refused as unavailable; generators use it.
func (p *Pack[D]) Describe() Bound { return &bound[D]{pack: p, describe: true} }

func (b *bound[D]) ready() error {
	if b.open == nil {
		return nil
	}
	return b.open()
}

func (b *bound[D]) Describe() Bound       { return b.pack.Describe() }
func (b *bound[D]) Info() PackInfo        { return b.pack.info }
func (b *bound[D]) packCodes() []CodeInfo { return b.pack.codes }
func (b *bound[D]) packSite() Site        { return b.pack.site }

func (b *bound[D]) Types() []reflect.Type {
	var all []reflect.Type
	for _, d := range b.pack.decls {
		all = append(all, d.in, d.out)
	}
	return all
}

func (b *bound[D]) Sites() map[string]Site {
	m := map[string]Site{}
	for _, d := range b.pack.decls {
		m[d.spec.Name] = d.site
	}
	return m
}

func (b *bound[D]) candidates() []candidate {
	var all []candidate
	for _, d := range b.pack.decls {
		c := candidate{spec: d.spec, site: d.site, in: d.in, out: d.out, sides: d.sides, conditional: d.when != nil}
		switch {
		case b.describe:
			name := d.spec.Name
			c.run = func(context.Context, []byte) (any, error) {
				return nil, Refuse(Unavailable, "%s is only described here: nothing is bound to it", name)
			}
		case d.when != nil && !d.when(b.deps):
			continue
		default:
			c.run = d.bind(b.deps)
		}
		all = append(all, c)
	}
	return all
}

// commentOf looks a type's or a field's comment up.
func commentOf(comments map[string]string, t reflect.Type, field string) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	key := name
	if field != "" {
		key += "." + field
	}
	if c, ok := comments[t.PkgPath()+"."+key]; ok {
		return c
	}
	return comments[key]
}
