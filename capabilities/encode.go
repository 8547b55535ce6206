package capabilities

import (
	"reflect"
	"slices"
	"sync"
)

// encode writes an output as JSON with nil slices and maps as [] and {}, as the
// published schema promises. The output itself is not changed: the handler may have
// kept it.
func encode(out any) ([]byte, error) {
	v := reflect.ValueOf(out)
	if !v.IsValid() {
		return marshal(out)
	}
	e := writingOf(v.Type())
	if e.plan != nil {
		if text, ok := e.plan.encode(v); ok {
			return text, nil
		}
	}
	if e.filler != nil && e.filler.lacks(v) {
		return marshal(e.filler.filled(v).Interface())
	}
	return marshal(out)
}

// writing is how the values of one type are written.
type writing struct {
	plan   *outPlan // nil where encoding/json writes them all
	filler *filler  // nil where no value can lack anything
}

var writings sync.Map // reflect.Type -> *writing; a cache of a pure function

func writingOf(t reflect.Type) *writing {
	if known, ok := writings.Load(t); ok {
		if e, ok := known.(*writing); ok {
			return e
		}
	}
	e := &writing{outPlanFor(t), fillerOf(t)}
	writings.Store(t, e)
	return e
}

// filler knows where a value of one type may hold a nil slice or map that
// encoding/json would write as null.
type filler struct {
	kind   reflect.Kind
	fields []fillerField // of a struct: those that may
	elem   *filler       // of what a slice, array, map or pointer holds; nil when that may not
}

type fillerField struct {
	index    []int
	optional bool // left out where it is zero
	*filler
}

var fillers sync.Map // reflect.Type -> *filler; a cache of a pure function

// fillerOf answers the filler of a type, or nil where no value of it can lack
// anything.
func fillerOf(t reflect.Type) *filler {
	if known, ok := fillers.Load(t); ok {
		if f, ok := known.(*filler); ok {
			return f
		}
	}
	f := fillerBuilder{}.build(t)
	fillers.Store(t, f)
	return f
}

type fillerBuilder map[reflect.Type]*filler

func (b fillerBuilder) build(t reflect.Type) *filler {
	if f, known := b[t]; known {
		return f // perhaps unfinished: a type that holds itself
	}
	if marshalsItself(t) {
		return nil
	}
	f := &filler{kind: t.Kind()}
	switch t.Kind() {
	case reflect.Interface:
		return f
	case reflect.Slice, reflect.Map:
		b[t] = f
		f.elem = b.build(t.Elem())
		return f
	case reflect.Pointer, reflect.Array:
		b[t] = f
		if f.elem = b.build(t.Elem()); f.elem != nil {
			return f
		}
	case reflect.Struct:
		b[t] = f
		b.structure(f, t, nil)
		if f.fields != nil {
			return f
		}
	}
	b[t] = nil
	return nil
}

// structure adds the fields of a struct. Those of an embedded one are promoted, even
// when its type is unexported.
func (b fillerBuilder) structure(f *filler, t reflect.Type, at []int) {
	for one := range fieldsOf(t) {
		index := append(slices.Clip(at), one.Index...)
		if one.embedded && !marshalsItself(one.Type) {
			b.structure(f, one.Type, index)
		} else if one.IsExported() {
			if of := b.build(one.Type); of != nil {
				f.fields = append(f.fields, fillerField{index, one.leftOut(), of})
			}
		}
	}
}

// lacks reports whether there is a nil slice or map in v. It copies nothing.
func (f *filler) lacks(v reflect.Value) bool {
	switch f.kind {
	case reflect.Slice:
		return v.IsNil() || f.anyLacks(v)
	case reflect.Array:
		return f.anyLacks(v)
	case reflect.Map:
		if v.IsNil() {
			return true
		}
		if f.elem != nil {
			for it := v.MapRange(); it.Next(); {
				if f.elem.lacks(it.Value()) {
					return true
				}
			}
		}
	case reflect.Pointer:
		return !v.IsNil() && f.elem.lacks(v.Elem())
	case reflect.Interface:
		if v.IsNil() {
			return false
		}
		of := fillerOf(v.Elem().Type())
		return of != nil && of.lacks(v.Elem())
	case reflect.Struct:
		for _, one := range f.fields {
			if field := v.FieldByIndex(one.index); !(one.optional && field.IsZero()) && one.lacks(field) {
				return true
			}
		}
	}
	return false
}

func (f *filler) anyLacks(v reflect.Value) bool {
	if f.elem != nil {
		for i := range v.Len() {
			if f.elem.lacks(v.Index(i)) {
				return true
			}
		}
	}
	return false
}

// filled answers v with every nil slice and map within it made empty. It copies
// what it changes and shares the rest.
func (f *filler) filled(v reflect.Value) reflect.Value {
	t := v.Type()
	if !f.lacks(v) {
		return v
	}
	c := reflect.New(t).Elem()
	switch f.kind {
	case reflect.Slice:
		c.Set(reflect.MakeSlice(t, v.Len(), v.Len()))
		f.fillAll(c, v)
	case reflect.Array:
		f.fillAll(c, v)
	case reflect.Map:
		c.Set(reflect.MakeMapWithSize(t, v.Len()))
		for it := v.MapRange(); it.Next(); {
			c.SetMapIndex(it.Key(), f.elem.filled(it.Value()))
		}
	case reflect.Pointer:
		c.Set(reflect.New(t.Elem()))
		c.Elem().Set(f.elem.filled(v.Elem()))
	case reflect.Interface:
		c.Set(fillerOf(v.Elem().Type()).filled(v.Elem()))
	case reflect.Struct:
		c.Set(v)
		for _, one := range f.fields {
			if field := v.FieldByIndex(one.index); !(one.optional && field.IsZero()) {
				c.FieldByIndex(one.index).Set(one.filled(field))
			}
		}
	}
	return c
}

// fillAll fills the items of v into c. A slice whose items lack nothing is nil and
// has none.
func (f *filler) fillAll(c, v reflect.Value) {
	for i := range v.Len() {
		c.Index(i).Set(f.elem.filled(v.Index(i)))
	}
}

// Encode writes an output as every surface writes it: nil slices and maps as []
// and {}, text without HTML escaping. It fails as encoding/json does.
func Encode(out any) ([]byte, error) { return encode(out) }
