package store

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"

	"github.com/jmoiron/sqlx/reflectx"
)

// shape is where the columns of a statement go: into which fields of the type that its
// row was scanned into the last time, which hardly ever is another.
type shape struct {
	of     reflect.Type
	fields [][]int // nil is a scalar
}

// targets answers the pointers to scan the row into dst with: dst itself where that is a
// scalar, and otherwise those of its fields with the tags of the columns.
func (s *shape) targets(rows *sql.Rows, dst any) ([]any, error) {
	at := reflect.ValueOf(dst)
	if at.Kind() != reflect.Pointer || at.IsNil() {
		return nil, fmt.Errorf("a row is scanned into a pointer, not a %T", dst)
	}
	at = at.Elem()
	if s.of != at.Type() {
		fresh, err := shapeOf(rows, at.Type())
		if err != nil {
			return nil, err
		}
		*s = fresh
	}
	if s.fields == nil {
		return []any{dst}, nil
	}
	into := make([]any, len(s.fields))
	for i, field := range s.fields {
		into[i] = reflectx.FieldByIndexes(at, field).Addr().Interface()
	}
	return into, nil
}

func shapeOf(rows *sql.Rows, of reflect.Type) (s shape, err error) {
	s.of = of
	if _, scans := reflect.TypeAssert[sql.Scanner](reflect.New(of)); scans || of.Kind() != reflect.Struct || len(mapper.TypeMap(of).Index) == 0 {
		return s, nil
	}
	columns, err := rows.Columns()
	if err != nil {
		return s, err
	}
	s.fields = mapper.TraversalsByName(of, columns)
	for i, field := range s.fields {
		if len(field) == 0 {
			err = errors.Join(err, fmt.Errorf("no field of %s has the tag of the column %s", of, columns[i]))
		}
	}
	return s, err
}
