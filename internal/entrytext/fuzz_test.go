package entrytext_test

import (
	"bytes"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// FuzzEdit: a text that was edited says what it said and the one entry more, holds every
// byte that it held, in order, and says what it said when the entry is taken out again.
// Nothing else is ever answered, whatever the text.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "// x\n{}", `{"s":{}}`, "{\"s\": {\"a\": {}, // x\n},}", "{\r\n\t\"s\": {\r\n\t}\r\n}", `{"s":{"h":1}}`, `{"s":{/**/}/**/,/**/}`, `{"s":1}`, `{"s":{"a":"//"},"s":{}}`, "{\"s\":{\"a\":[1,2,],\n}}",
	} {
		f.Add(uint8(entrytext.JSON), []byte(seed))
	}
	for _, seed := range []string{"", "a = 1", "[s.a]\nx = \"\"\"\n[s.h]\"\"\"\n\n# b\n[s.'b'.c]\ny = [ # [\n'''\n''',\n]\n", "[[x]]\n[s]\nh.x = 1\n", "s = {a = {}}\n", "[s.h]\n[s.h.x]\n[t]\r\n"} {
		f.Add(uint8(entrytext.TOML), []byte(seed))
	}
	for _, seed := range []string{"", "# a", "a: 1", "s:\n  a: |\n    b\n\n# c\nd: 1\n", "s: {}\n", "s:\n- a\n", "s: &x\n  a: *x\n", "? s\n: a\n", "---\ns:\n  \"h\": {a: [\n b]}\n...\n", "{s: {a: 1}}", "s: ~\n", "s:\r\n  h:\r\n    - 1\r\n"} {
		f.Add(uint8(entrytext.YAML), []byte(seed))
	}
	path := []string{"s"}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		format := entrytext.Format(which % 3)
		old, err := entrytext.Read(format, text)
		if removed, err := entrytext.Remove(format, text, path, "h"); err != nil && removed != nil {
			t.Fatal("text beside an error")
		}
		if appended, err := entrytext.Append(text, "s", ours()); err != nil && appended != nil {
			t.Fatal("text beside an error")
		}
		got, addErr := entrytext.Add(format, text, path, "h", ours())
		if addErr != nil {
			if got != nil {
				t.Fatal("text beside an error")
			}
			return
		}
		if err != nil {
			t.Fatalf("edited, and not read: %v", err)
		}
		now, err := entrytext.Read(format, got)
		if err != nil {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
		if entry, _ := now.At([]string{"s", "h"}); !entry.Equal(ours()) {
			t.Fatalf("%q became %q, without the entry", text, got)
		}
		if format != entrytext.YAML && !within(text, got) { // of YAML an empty map goes, whose place it takes
			t.Fatalf("%q became %q, and lost something", text, got)
		}
		back, err := entrytext.Remove(format, got, path, "h")
		if err != nil {
			if format == entrytext.JSON {
				t.Fatalf("%q became %q, and it cannot be taken out: %v", text, got, err)
			}
			return
		}
		again, err := entrytext.Read(format, back)
		if err != nil {
			t.Fatal(err)
		}
		if s, had := old.Get("s"); had && s.Kind == entrytext.Map && len(s.Members) > 0 && !again.Equal(old) {
			t.Fatalf("%q became %q and then %q", text, got, back)
		}
	})
}

// within reports whether all bytes of a text but white space stand in another, in order.
func within(text, in []byte) bool {
	for _, c := range text {
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			continue
		}
		i := bytes.IndexByte(in, c)
		if i < 0 {
			return false
		}
		in = in[i+1:]
	}
	return true
}
