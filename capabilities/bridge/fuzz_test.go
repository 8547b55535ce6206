package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// FuzzEvents: a stream of server-sent events means the same however it is cut, ends,
// and never answers more than the limit.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{
		"data: {}\n\n", "event: endpoint\ndata: /x\n\n", "\xef\xbb\xbfdata:a\ndata: b\r\n\r\nid: 7\n\n", "retry: 5\n\n", ": comment\n\ndata", "data\n\ndata:\ndata\n\n",
		"id:\n\n", "retry: -1\n\n", "event: x\n\n", strings.Repeat("data: x\n", 200), "data:" + strings.Repeat("x", 999),
	} {
		f.Add([]byte(s))
	}
	const limit = 512
	read := func(r io.Reader) (all []event, end error) {
		in := newEventReader(r, limit)
		for {
			ev, err := in.next()
			if err != nil {
				return all, err
			}
			all = append(all, ev)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		whole, end := read(bytes.NewReader(data))
		cut, endCut := read(iotest.OneByteReader(bytes.NewReader(data)))
		if d := cmp.Diff(whole, cut, cmp.AllowUnexported(event{})); d != "" || !errors.Is(endCut, end) {
			t.Fatalf("%q: ends with %v, cut with %v (-whole +cut):\n%s", data, end, endCut, d)
		}
		if !errors.Is(end, io.EOF) && !errors.Is(end, errTooLarge) {
			t.Fatalf("%q ends with %v", data, end)
		}
		for _, ev := range whole {
			if len(ev.data) > limit || len(ev.name) > limit {
				t.Fatalf("%q: an event of %d bytes", data, len(ev.data))
			}
		}
	})
}

// FuzzLines: a child's output is the lines that stand between its line ends, however
// it is cut; a line over the limit is told of once, with its beginning, and costs
// itself.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"a\nb\r\n\nc", "\n\n", strings.Repeat("x", 100) + "\ny\n", "x\r\r\n", strings.Repeat("long ", 20), "\r"} {
		f.Add([]byte(s))
	}
	const limit = 64
	type said struct{ Lines, Heads []string }
	read := func(t *testing.T, r io.Reader) (s said) {
		err := readLines(r, limit, lineSink{
			line:    func(l []byte) { s.Lines = append(s.Lines, string(l)) },
			tooLong: func(head []byte) { s.Heads = append(s.Heads, string(head[:min(len(head), limit+1)])) },
		})
		if !errors.Is(err, io.EOF) {
			t.Fatalf("reading ends with %v", err)
		}
		return s
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > headBytes {
			return // more than is kept of a head
		}
		var want said
		for line := range strings.SplitAfterSeq(string(data), "\n") {
			if len(line) > limit {
				want.Heads = append(want.Heads, line[:limit+1]) // what comes with it may be there too
			} else if kept := strings.TrimRight(line, "\r\n"); kept != "" {
				want.Lines = append(want.Lines, kept)
			}
		}
		for name, r := range map[string]io.Reader{"whole": bytes.NewReader(data), "cut": iotest.OneByteReader(bytes.NewReader(data))} {
			if d := cmp.Diff(want, read(t, r)); d != "" {
				t.Fatalf("%q, %s (-want +got):\n%s", data, name, d)
			}
		}
	})
}

// FuzzList: a page of tools/list never costs more than what is wrong with it, what is
// taken of a tool is its own bytes, and a hint says no more than the server did.
func FuzzList(f *testing.F) {
	for _, s := range []string{
		`{"tools":[{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"title":"A"}}],"nextCursor":"x"}`,
		`{"tools":[{"name":"a"},{"name":"b","inputSchema":{}},null,7]}`, `{"tools":{}}`, `[]`, `{"tools":[{"name":"a","name":"b","inputSchema":true}]}`,
		`{"tools":[{"name":"a","inputSchema":{"properties":{"k":{"type":"string","x-mcp-header":"K"}}},"annotations":{"readOnlyHint":"yes","openWorldHint":false,"openWorldHint":true}}],"ttlMs":5}`,
		`{"tools":[{"name":"\ud800","inputSchema":{"type":"object"},"_meta":{},"icons":[]}]}`,
	} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, headers bool) {
		if !json.Valid(data) {
			return // a message that is no JSON does not come here: see FuzzMessages
		}
		var l listing
		next, err := l.page(data, headers)
		if err != nil {
			return
		}
		if next != nil && !json.Valid(next) {
			t.Fatalf("%q: the next cursor is %q", data, next)
		}
		for _, tool := range l.tools {
			for _, part := range []json.RawMessage{tool.raw, tool.input, tool.output, tool.meta, tool.icons, tool.execution} {
				if part != nil && (!json.Valid(part) || !bytes.Contains(data, part)) {
					t.Fatalf("%q: a part is %q", data, part)
				}
			}
			tool.facts.Each(func(key string, fact capabilities.HintFact) {
				if said := string(fact.Raw); fact.Value.Known() && said != "true" && said != "false" {
					t.Fatalf("%q: %s is %v on the word of %q", data, key, fact.Value, said)
				}
			})
			name := exposedName("a server", derivePrefix("a server"), tool.name)
			if len(name) > 49 || strings.ContainsFunc(name, func(r rune) bool { return notToken(r) || strings.ContainsRune("!#$%&'*+.^`|~", r) }) {
				t.Fatalf("%q is exposed as %q", tool.name, name)
			}
			h := http.Header{}
			setParamHeaders(h, tool.params, json.RawMessage(data))
			for key, values := range h {
				for _, v := range values {
					if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r > '~' }) {
						t.Fatalf("%q: the header %s is %q", data, key, v)
					}
				}
			}
		}
		for _, s := range l.skipped {
			if s.Reason == "" {
				t.Fatalf("%q: %q is skipped without a word", data, s.Tool)
			}
		}
	})
}

// FuzzParts: what is read out of the parts of a message is bounded, whatever they are.
func FuzzParts(f *testing.F) {
	for _, s := range []string{
		`{"progressToken":1073741824,"progress":0.5,"total":1,"message":"half"}`, `{"code":-32601,"message":"no","data":{}}`, `"only words"`, `{"code":"x"}`,
		`{"q":{"method":"elicitation/create","params":{"message":"who?"}}}`, `{"progress":1e999}`, `[]`, `null`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		idOfHead(data)
		if !json.Valid(data) {
			return
		}
		if _, p, ok := readProgress(data); ok && len(p.Message) > 1100 {
			t.Fatalf("%q: a message of %d bytes", data, len(p.Message))
		}
		if s := readFault(data).sentence(); s == "" || len(s) > 2200 {
			t.Fatalf("%q: a sentence of %d bytes", data, len(s))
		}
		if s := questions(data); s == "" || len(s) > 1100 {
			t.Fatalf("%q: questions of %d bytes", data, len(s))
		}
	})
}

// FuzzSchemas: what is made of a schema is JSON, holds no secret where it speaks to
// readers, and wrapped it is the schema of an object.
func FuzzSchemas(f *testing.F) {
	for _, s := range []string{
		`{"type":"array","items":{"$ref":"#/$defs/N"},"$defs":{"N":{"$ref":"#"}}}`, `{"$schema":"x","$id":"u:v","const":{"$ref":"#"}}`, `{}`, `[]`, `7`,
		`{"description":"tok_0123456789","properties":{"description":{"default":["tok_0123456789"]}}}`, `{"$ref":7,"enum":[{"$ref":"#/a"}],"a":[[{"$ref":"#"}]]}`,
	} {
		f.Add([]byte(s))
	}
	m := newMasker(Server{Secrets: map[string]string{"T": "tok_0123456789"}})
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) || !utf8.Valid(data) {
			return
		}
		data = bytes.TrimSpace(data)
		if masked := m.maskSchema(data); !json.Valid(masked) {
			t.Fatalf("%s is masked to %s", data, masked)
		}
		if rawjson.Kind(data) != '{' {
			return
		}
		wrapped := wrapSchema(data)
		if !json.Valid(wrapped) || !describesObject(wrapped) {
			t.Fatalf("%s is wrapped to %s", data, wrapped)
		}
		again, err := (&keptList{data: append(append([]byte(`[{"name":"t","inputSchema":`), data...), `}]`...)}).listing()
		if err == nil && string(again.tools[0].input) != string(data) {
			t.Fatalf("%s is kept as %s", data, again.tools[0].input)
		}
	})
}
