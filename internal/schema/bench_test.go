package schema_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

const trivialSchema = `{"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":200}},"required":["text"],"additionalProperties":false}`

func BenchmarkAccept(b *testing.B) {
	trivial, trivialData := mustCompile(b, trivialSchema), []byte(`{"text":"hello"}`)
	fields, fieldsData := reflected(b, &ticket{}), []byte(fullTicket)
	b.Run("trivial", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			trivial.Accept(trivialData)
		}
	})
	b.Run("15 fields", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(fieldsData)))
		for b.Loop() {
			fields.Accept(fieldsData)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	data := []byte(fullTicket)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		schema.Scan(data)
	}
}

// BenchmarkValidate measures the slow way: an escape in a key keeps the acceptor from answering.
func BenchmarkValidate(b *testing.B) {
	trivial, fields := mustCompile(b, trivialSchema), reflected(b, &ticket{})
	for name, bench := range map[string]struct {
		s    *schema.Schema
		data string
	}{
		"trivial valid":     {trivial, `{"te\u0078t":"hello"}`},
		"trivial invalid":   {trivial, `{"txet":"hello"}`},
		"15 fields valid":   {fields, `{"\u0070` + fullTicket[3:]},
		"15 fields invalid": {fields, `{"prject` + fullTicket[9:]},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.s.Validate([]byte(bench.data))
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	raw := reflected(b, &ticket{}).Raw()
	for name, text := range map[string][]byte{"trivial": []byte(trivialSchema), "15 fields": raw} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := schema.Compile(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
