package capabilities

import (
	"reflect"
	"slices"
	"sync"
)

// onceNote ends the description of a field that is tagged once.
const onceNote = " Shown this once: no repeat and no dry run has it."

// isOnce reports whether the field's value is shown to whoever makes the call, and to
// nobody ever after.
func (f field) isOnce() bool {
	return slices.ContainsFunc(f.tags(), func(t tag) bool { return t.key == tagOnce })
}

const tagOnce = "once"

// WithoutOnce answers a copy of an output without what its type tags once, as
// jsonschema:"once": what a ledger keeps of it, and what a dry run and a repeat of the
// call are answered.
func WithoutOnce[T any](out T) T {
	all := onceOf(reflect.TypeFor[T]())
	if len(all) == 0 {
		return out
	}
	bare := out
	for _, at := range all {
		reflect.ValueOf(&bare).Elem().FieldByIndex(at).SetZero()
	}
	return bare
}

var onces sync.Map // reflect.Type -> [][]int; a cache of a pure function

// onceOf answers where the fields of an output are that are tagged once. They are its
// own, or those of structs that it embeds: the declaration is refused otherwise.
func onceOf(t reflect.Type) [][]int {
	if known, ok := onces.Load(t); ok {
		at, _ := known.([][]int)
		return at
	}
	var all [][]int
	if t.Kind() == reflect.Struct {
		all = onceFields(nil, t, nil)
	}
	onces.Store(t, all)
	return all
}

func onceFields(all [][]int, t reflect.Type, at []int) [][]int {
	for f := range fieldsOf(t) {
		index := append(slices.Clip(at), f.Index...)
		switch {
		case f.embedded:
			all = onceFields(all, f.Type, index)
		case f.IsExported() && f.isOnce():
			all = append(all, index)
		}
	}
	return all
}
