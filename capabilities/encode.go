package capabilities

import (
	"reflect"
	"sync"
)

// encode writes an output as JSON with nil slices and maps as [] and {}, as the
// published schema promises.
func encode(out any) ([]byte, error) {
	v := reflect.ValueOf(out)
	if !v.IsValid() || !holdsNil(v.Type()) {
		return marshal(out)
	}
	return marshal(filled(v).Interface())
}

// filled answers v with every nil slice and map within it made empty. It copies
// what it changes: the handler may have kept its value.
func filled(v reflect.Value) reflect.Value {
	t := v.Type()
	if !holdsNil(t) || marshalsItself(t) {
		return v
	}
	switch t.Kind() {
	case reflect.Slice:
		if v.IsNil() {
			return reflect.MakeSlice(t, 0, 0)
		}
		if !holdsNil(t.Elem()) {
			return v
		}
		c := reflect.MakeSlice(t, v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(filled(v.Index(i)))
		}
		return c
	case reflect.Map:
		if v.IsNil() {
			return reflect.MakeMap(t)
		}
		if !holdsNil(t.Elem()) {
			return v
		}
		c := reflect.MakeMapWithSize(t, v.Len())
		for it := v.MapRange(); it.Next(); {
			c.SetMapIndex(it.Key(), filled(it.Value()))
		}
		return c
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		c := reflect.New(t.Elem())
		c.Elem().Set(filled(v.Elem()))
		return c
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		c := reflect.New(t).Elem()
		c.Set(filled(v.Elem()))
		return c
	case reflect.Array:
		c := reflect.New(t).Elem()
		for i := range v.Len() {
			c.Index(i).Set(filled(v.Index(i)))
		}
		return c
	case reflect.Struct:
		c := reflect.New(t).Elem()
		c.Set(v)
		for f := range fieldsOf(t) {
			if !f.IsExported() || (f.optional && v.FieldByIndex(f.Index).IsZero()) {
				continue
			}
			c.FieldByIndex(f.Index).Set(filled(v.FieldByIndex(f.Index)))
		}
		return c
	}
	return v
}

var nilHolders sync.Map // reflect.Type -> bool; a cache of a pure function

// holdsNil reports whether a value of t can hold a nil slice or map that
// encoding/json would write as null.
func holdsNil(t reflect.Type) bool {
	if v, ok := nilHolders.Load(t); ok {
		return v.(bool)
	}
	v := findNil(t, map[reflect.Type]bool{})
	nilHolders.Store(t, v)
	return v
}

func findNil(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] || marshalsItself(t) {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Slice:
		return true
	case reflect.Map, reflect.Interface:
		return true
	case reflect.Pointer, reflect.Array:
		return findNil(t.Elem(), seen)
	case reflect.Struct:
		for f := range fieldsOf(t) {
			if findNil(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// Encode writes an output as every surface writes it: nil slices and maps as []
// and {}, text without HTML escaping. It fails as encoding/json does.
func Encode(out any) ([]byte, error) { return encode(out) }
