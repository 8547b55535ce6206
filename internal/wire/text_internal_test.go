package wire

import (
	"math/rand/v2"
	"testing"
)

// What appendText writes is what encoding/json writes.
func TestAppendTextIsEncodingJSON(t *testing.T) {
	pieces := []string{"", "a", "plain text", `"`, `\`, "/", "<&>", "\x00", "\x1f", "\b\f\n\r\t", "\x7f", "é", "日本", "😀", "\u2028", "\u2029", "\ufffd", "\xff", "\xc3", "\xe2\x80", "\xed\xa0\x80", "\xf0\x9f\x98"}
	random := rand.New(rand.NewPCG(1, 2))
	texts := append([]string(nil), pieces...)
	for range 20_000 {
		s := ""
		for range random.IntN(5) {
			s += pieces[random.IntN(len(pieces))]
		}
		texts = append(texts, s)
	}
	for _, s := range texts {
		want := string(value(s))
		if got := string(appendText([]byte("x"), s)); got != "x"+want {
			t.Errorf("%q is written as %s, want x%s", s, got, want)
		}
		if got := string(appendText(nil, []byte(s))); got != want {
			t.Errorf("the bytes of %q are written as %s, want %s", s, got, want)
		}
	}
}
