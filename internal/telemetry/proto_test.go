package telemetry_test

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"
)

// fields are the fields of a message of Protocol Buffers as they came, by their numbers.
type fields map[int][]field

// field is one value: a number, or bytes.
type field struct {
	number uint64
	bytes  []byte
}

// parsed reads a message. It knows no schema, as a decoder of another hand does not know
// our encoder.
func parsed(t *testing.T, b []byte) fields {
	t.Helper()
	all := fields{}
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			t.Fatalf("no tag in %x", b)
		}
		b = b[n:]
		var f field
		switch tag & 7 {
		case 0:
			if f.number, n = binary.Uvarint(b); n <= 0 {
				t.Fatalf("no number in %x", b)
			}
		case 1:
			f.number, n = binary.LittleEndian.Uint64(b), 8
		case 2:
			size, m := binary.Uvarint(b)
			if m <= 0 || uint64(len(b)-m) < size {
				t.Fatalf("field %d says %d bytes of %d", tag>>3, size, len(b))
			}
			f.bytes, n = b[m:m+int(size)], m+int(size)
		case 5:
			f.number, n = uint64(binary.LittleEndian.Uint32(b)), 4
		default:
			t.Fatalf("wire type %d", tag&7)
		}
		b = b[n:]
		all[int(tag>>3)] = append(all[int(tag>>3)], f)
	}
	return all
}

func (f fields) text(field int) string {
	if len(f[field]) == 0 {
		return ""
	}
	return string(f[field][0].bytes)
}

func (f fields) number(field int) uint64 {
	if len(f[field]) == 0 {
		return 0
	}
	return f[field][0].number
}

// messages answers the messages of a field.
func (f fields) messages(t *testing.T, field int) []fields {
	t.Helper()
	var all []fields
	for _, one := range f[field] {
		all = append(all, parsed(t, one.bytes))
	}
	return all
}

// attributes reads the KeyValues of a field.
func (f fields) attributes(t *testing.T, field int) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pair := range f.messages(t, field) {
		key := pair.text(1)
		if _, twice := all[key]; twice {
			t.Errorf("the attribute %s is there twice", key)
		}
		all[key] = pair.messages(t, 2)[0].text(1)
	}
	return all
}

// sentSpan is a Span of OTLP.
type sentSpan struct {
	trace, id, parent, name, state string
	kind, status                   uint64
	took                           uint64
	attributes                     map[string]string
}

// spansOf reads an ExportTraceServiceRequest.
func spansOf(t *testing.T, body []byte) (all []sentSpan, resource map[string]string) {
	t.Helper()
	for _, r := range parsed(t, body).messages(t, 1) {
		resource = r.messages(t, 1)[0].attributes(t, 1)
		for _, scope := range r.messages(t, 2) {
			for _, s := range scope.messages(t, 2) {
				one := sentSpan{
					trace: hex.EncodeToString(s[1][0].bytes), id: hex.EncodeToString(s[2][0].bytes), state: s.text(3), name: s.text(5), kind: s.number(6),
					took: s.number(8) - s.number(7), attributes: s.attributes(t, 9),
				}
				if len(s[4]) > 0 {
					one.parent = hex.EncodeToString(s[4][0].bytes)
				}
				for _, status := range s.messages(t, 15) {
					one.status = status.number(3)
				}
				all = append(all, one)
			}
		}
	}
	return all, resource
}

// point is a data point of a metric.
type point struct {
	value      float64
	count      uint64
	buckets    int
	attributes map[string]string
}

// metricsOf reads an ExportMetricsServiceRequest.
func metricsOf(t *testing.T, body []byte) map[string][]point {
	t.Helper()
	all := map[string][]point{}
	for _, m := range parsed(t, body).messages(t, 1)[0].messages(t, 2)[0].messages(t, 2) {
		name := m.text(1)
		if _, twice := all[name]; twice {
			t.Errorf("the metric %s is there twice", name)
		}
		for kind, attributes := range map[int]int{5: 7, 7: 7, 9: 9} { // gauge, sum, histogram
			for _, data := range m.messages(t, kind) {
				if kind != 5 && data.number(2) != 2 {
					t.Errorf("%s does not count from the start", name)
				}
				for _, p := range data.messages(t, 1) {
					one := point{value: math.Float64frombits(p.number(4)), attributes: p.attributes(t, attributes)}
					if kind == 9 {
						one.value, one.count, one.buckets = math.Float64frombits(p.number(5)), p.number(4), len(p.text(6))/8
						if bounds := len(p.text(7)) / 8; one.buckets != bounds+1 {
							t.Errorf("%s has %d buckets for %d bounds", name, one.buckets, bounds)
						}
					}
					all[name] = append(all[name], one)
				}
			}
		}
	}
	return all
}
