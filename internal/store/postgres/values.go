package postgres

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// The types that are not read as text (pg_type.dat of the server).
const (
	oidBool      = 16
	oidBytes     = 17
	oidInt8      = 20
	oidInt2      = 21
	oidInt4      = 23
	oidFloat4    = 700
	oidFloat8    = 701
	oidTime      = 1114
	oidTimeZoned = 1184
)

// binary is the format of bytes; everything else is sent and read as text.
const binary int16 = 1

// encode writes an argument for a parameter of a type.
func encode(v driver.Value, oid uint32) (value []byte, format int16, err error) {
	switch v := v.(type) {
	case nil:
		return nil, 0, nil
	case string:
		value = []byte(v)
	case []byte:
		if v == nil {
			return nil, 0, nil
		}
		value = v
	case int64:
		value = strconv.AppendInt(nil, v, 10)
	case float64:
		value = strconv.AppendFloat(nil, v, 'g', -1, 64)
	case bool:
		value = strconv.AppendBool(nil, v)
		if oid != oidBool { // the other engine keeps it as a number, too
			value = []byte("0")
			if v {
				value = []byte("1")
			}
		}
	case time.Time:
		value = v.UTC().AppendFormat(nil, time.RFC3339Nano)
	default:
		return nil, 0, fmt.Errorf("a %T is no value of the store", v)
	}
	if oid == oidBytes {
		format = binary
	}
	return value, format, nil
}

// decode reads a value of a result. What is true is 1, as in the other engine.
func decode(value []byte, oid uint32) (driver.Value, error) {
	if value == nil {
		return nil, nil
	}
	text := string(value)
	switch oid {
	case oidInt8, oidInt4, oidInt2:
		return strconv.ParseInt(text, 10, 64)
	case oidBool:
		if text == "t" {
			return int64(1), nil
		}
		return int64(0), nil
	case oidFloat8, oidFloat4:
		return strconv.ParseFloat(text, 64)
	case oidBytes:
		return append([]byte{}, value...), nil
	case oidTime:
		return time.Parse("2006-01-02 15:04:05.999999", text)
	case oidTimeZoned:
		return time.Parse("2006-01-02 15:04:05.999999-07", text)
	}
	return text, nil
}

// rows are those of one statement, read as they come.
type rows struct {
	ctx  context.Context //nolint:containedctx // that of the query, which the rows belong to
	stmt *stmt
	all  *pgconn.MultiResultReader
	one  *pgconn.ResultReader
}

// Columns answers the names of the columns.
func (r *rows) Columns() []string {
	names := make([]string, len(r.stmt.d.Fields))
	for i, f := range r.stmt.d.Fields {
		names[i] = f.Name
	}
	return names
}

// Next reads a row.
func (r *rows) Next(dest []driver.Value) error {
	if !r.one.NextRow() {
		if err := r.Close(); err != nil {
			return err
		}
		return io.EOF
	}
	for i, value := range r.one.Values() {
		var err error
		if dest[i], err = decode(value, r.stmt.d.Fields[i].DataTypeOID); err != nil {
			return fmt.Errorf("reading the column %s: %w", r.stmt.d.Fields[i].Name, err)
		}
	}
	return nil
}

// Close leaves the rows that were not read.
func (r *rows) Close() error {
	_, err := r.one.Close()
	if over := r.all.Close(); err == nil {
		err = over
	}
	return r.stmt.conn.failed(r.ctx, err)
}
