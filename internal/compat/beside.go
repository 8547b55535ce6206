package compat

// Place is one place of two schemas that are read side by side.
type Place struct {
	A, B string // JSON pointers (RFC 6901) into each
	a, b *sub
}

// Words answers what a keyword says at the place in each schema, in its one spelling, and
// "" where it says nothing. What stands beside a $ref goes before what it leads to.
func (p Place) Words(keyword string) (a, b string) { return p.a.word(keyword), p.b.word(keyword) }

func (o *sub) word(keyword string) string {
	for range maxChain {
		if v, ok := o.object[keyword]; ok {
			return canonical(v)
		}
		t, ok := o.target()
		if !ok {
			return ""
		}
		o = t
	}
	return ""
}

// maxPlaces bounds a walk.
const maxPlaces = 20_000

// Beside calls f for every place that two schemas both describe, each pair of places
// once: the root, what properties of one name are, what items are, the alternatives by
// their order. References are followed. It ends after 20,000 places.
func Beside(a, b *Schema, f func(Place)) {
	w := walk{met: map[[2]*sub]bool{}, f: f}
	w.pair(a.root, b.root)
}

type walk struct {
	met map[[2]*sub]bool
	f   func(Place)
}

func (w *walk) pair(a, b *sub) {
	if a == nil || b == nil || a.never || b.never || w.met[[2]*sub{a, b}] || len(w.met) == maxPlaces {
		return
	}
	w.met[[2]*sub{a, b}] = true
	w.f(Place{A: a.ptr, B: b.ptr, a: a, b: b})
	w.parts(a.behind(), b.behind())
}

// behind answers what a schema leads to where it has nothing of its own.
func (o *sub) behind() *sub {
	for range maxChain {
		t, ok := o.target()
		if !ok || o.object["properties"] != nil {
			return o
		}
		o = t
	}
	return o
}

func (w *walk) parts(a, b *sub) {
	for _, name := range a.names("properties") {
		w.pair(a.named("properties", name), b.named("properties", name))
	}
	firstA, restA := a.items()
	firstB, restB := b.items()
	w.each(firstA, firstB)
	w.pair(restA, restB)
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		w.each(a.children(keyword), b.children(keyword))
	}
	w.pair(a.child("additionalProperties"), b.child("additionalProperties"))
}

func (w *walk) each(a, b []*sub) {
	for i := range min(len(a), len(b)) {
		w.pair(a[i], b[i])
	}
}
