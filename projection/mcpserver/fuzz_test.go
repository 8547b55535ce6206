package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// FuzzLines: standard input is the lines that stand in it, however it is cut.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"a\nb\n", "a", "\n\n", "a\r\nb", "\x00\n", ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want := bytes.Split(data, []byte("\n"))
		if len(want[len(want)-1]) == 0 {
			want = want[:len(want)-1] // nothing stands behind the last end
		}
		for name, r := range map[string]io.Reader{"whole": bytes.NewReader(data), "cut": iotest.OneByteReader(bytes.NewReader(data))} {
			in := newLines(r)
			var got [][]byte
			for {
				line, err := in.next()
				if err != nil {
					if !errors.Is(err, io.EOF) {
						t.Fatalf("%q, %s: %v", data, name, err)
					}
					break
				}
				got = append(got, line)
			}
			if !slices.EqualFunc(got, want, bytes.Equal) {
				t.Fatalf("%q, %s: %q, want %q", data, name, got, want)
			}
		}
	})
}

// FuzzEnvelope: of a message that is too long to be kept, the id and the method that
// are found are those it has.
func FuzzEnvelope(f *testing.F) {
	for _, s := range []string{`{"id":7,"method":"a/b","params":{"id":1}}`, `{"params":[{"id":"no"}],"id":"i\"d"}`, `{"id" : null , "method":5}`, `[{"id":1}]`, `{"\u0069d":1}`, `{"method":"\u0061"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var e envelope
		e.read(data)
		var object map[string]json.RawMessage
		if schema.Scan(data) != nil || json.Unmarshal(data, &object) != nil || object == nil {
			return // of a text that is no message nothing is promised but an end
		}
		for name, got := range map[string]json.RawMessage{"id": e.id, "method": e.method} {
			want := object[name]
			if composite := len(want) > 0 && (want[0] == '{' || want[0] == '['); composite || len(want) > maxEnvelope {
				want = nil
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%q: the %s is %q, want %q", data, name, got, want)
			}
		}
	})
}

// FuzzMirrored: a header that mirrors an argument says what the argument says, or the
// call is refused with the two named.
func FuzzMirrored(f *testing.F) {
	for _, s := range []string{`"x"`, `5`, `true`, `null`, `{}`, `"é"`, `9007199254740993`, `-0`, `1e2`, ``} {
		f.Add("x", []byte(s))
		f.Add("=?base64?w6k=?=", []byte(s))
		f.Add("5", []byte(s))
	}
	const asks = `{"type":"object","properties":{"k":{"type":"string","x-mcp-header":"K"}}}`
	f.Fuzz(func(t *testing.T, header string, value []byte) {
		if !json.Valid(value) {
			return // arguments that are no JSON are refused before
		}
		args := append(append([]byte(`{"k":`), bytes.TrimSpace(value)...), '}')
		fault := mirrored(http.Header{headerParam + "K": {header}}, json.RawMessage(asks), args, "")
		if fault != nil {
			if fault.Message == "" {
				t.Fatalf("%q, %q: refused without a word", header, value)
			}
			return
		}
		var said any
		if err := json.Unmarshal(value, &said); err != nil {
			return // a number beyond every number
		}
		if text, isText := said.(string); isText && header == text || header == string(bytes.TrimSpace(value)) {
			return
		}
		switch said := said.(type) {
		case map[string]any, []any:
			t.Fatalf("%q is taken to mirror %q", header, value)
		case nil:
			if header != "" {
				t.Fatalf("%q is taken to mirror nothing", header)
			}
		case bool:
			t.Fatalf("%q is taken to mirror %v", header, said)
		}
	})
}
