package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestEscape(t *testing.T) {
	for _, tc := range []struct {
		name, in    string
		inline, all string // without and with line breaks kept
	}{
		{"plain text", "a ~", "a ~", "a ~"},
		{"other scripts", "žluťoučký 名 …", "žluťoučký 名 …", "žluťoučký 名 …"},
		{"no-break space", "a\u00a0b", "a\u00a0b", "a\u00a0b"},
		{"an emoji's selector", "❤\ufe0f", "❤\ufe0f", "❤\ufe0f"},
		{"line breaks and tabs", "a\nb\tc", `a\nb\tc`, "a\nb\tc"},
		{"CRLF is a line break", "a\r\nb", `a\u000d\nb`, "a\nb"},
		{"a lone CR overwrites the line", "safe\revil", `safe\u000devil`, `safe\u000devil`},
		{"colours and titles", "\x1b[31m\x1b]0;x\x07", `\u001b[31m\u001b]0;x\u0007`, `\u001b[31m\u001b]0;x\u0007`},
		{"C1 controls", "\u009b2J\u0085", `\u009b2J\u0085`, `\u009b2J\u0085`},
		{"DEL", "\x7f", `\u007f`, `\u007f`},
		{"direction", "\u202eabc\u2066\u200f", `\u202eabc\u2066\u200f`, `\u202eabc\u2066\u200f`},
		{"tags", "\U000e0041", `\U000e0041`, `\U000e0041`},
		{"zero width", "\u200b\u2060\ufeff", `\u200b\u2060\ufeff`, `\u200b\u2060\ufeff`},
		{"other selectors", "a\ufe00\U000e0100", `a\ufe00\U000e0100`, `a\ufe00\U000e0100`},
		{"the character for bytes that are no UTF-8 is seen", "te\ufffd", "te\ufffd", "te\ufffd"},
		{"fillers", "\u3164\u115f\u034f", `\u3164\u115f\u034f`, `\u3164\u115f\u034f`},
		{"separators", "\u2028\u2029", `\u2028\u2029`, `\u2028\u2029`},
		{"no UTF-8", "a\xff\xc3", `a\xff\xc3`, `a\xff\xc3`},
	} {
		if got := escape(tc.in, false); got != tc.inline {
			t.Errorf("%s: inline %q, want %q", tc.name, got, tc.inline)
		}
		if got := escape(tc.in, true); got != tc.all {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.all)
		}
	}
}

func TestOneLine(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"short", "short"}, {"", ""}, {"\n first \nsecond", "first …"}, {"0123456789a", "012345678…"}, {"žžžžžžžžžžž", "žžžžžžžžž…"}, {"a\x1bb", `a\u001bb`},
	} {
		if got := oneLine(tc.in, 10); got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestLayout(t *testing.T) {
	long := strings.Repeat("x", 80)
	for _, tc := range []struct{ name, in, want string }{
		{"a number keeps its digits", `9007199254740993`, "9007199254740993\n"},
		{"a fraction as written", `1.50e3`, "1.50e3\n"},
		{"null", `null`, "null\n"},
		{"text with lines", `"a\nb"`, "a\nb\n"},
		{"empty text", `""`, "\"\"\n"},
		{"empty list", `[]`, "[]\n"},
		{"empty object", `{}`, "{}\n"},
		{"members in their order", `{"b":1,"aa":true,"c":null}`, "b   1\naa  true\nc   null\n"},
		{"small holders on one line", `{"a":[1,2],"b":{"c":"x","d":[]}}`, "a  1, 2\nb  c: x, d: []\n"},
		{"large text", `{"a":"x\ny"}`, "a\n  x\n  y\n"},
		{"deep", `{"a":{"b":{"c":{"d":1}}}}`, "a\n  b\n    c  d: 1\n"},
		{"a list of texts", `["` + long + `","b"]`, "- " + long + "\n- b\n"},
		{"a list of lists", `[[1],[[2]]]`, "- 1\n-\n  - 2\n"},
		{"a table", `[{"a":1,"b":"x"},{"b":"y","c":[1]}]`, "A  B  C\n1  x\n   y  1\n"},
		{"rows too wide for a table", `[{"a":"` + long + `","b":"` + long + `"},{"a":"1","b":"2"}]`, "a  " + long + "\nb  " + long + "\n\na  1\nb  2\n"},
		{"rows too deep for a table", `[{"a":{"b":{"c":1}},"d":2}]`, "a\n  b  c: 1\nd  2\n"},
		{"a page", `{"items":[{"a":1}],"next_cursor":"xy"}`, "A\n1\n\nnext page: the same, and --cursor xy\n"},
		{"an empty page", `{"items":[]}`, "[]\n"},
		{"no page: something stands beside the items", `{"items":[1],"total":2}`, "items  1\ntotal  2\n"},
		{"duplicate keys show both", `{"a":1,"a":2}`, "a  1\na  2\n"},
		{"hostile keys and values", `{"a\u001b[2J":"\u202e"}`, "a\\u001b[2J  \\u202e\n"},
		{"no JSON", `{"a":` + "\x1b", "{\"a\":\\u001b\n"},
		{"two values", `1 2`, "1 2\n"},
	} {
		var b strings.Builder
		p := &printer{w: &b}
		p.structured([]byte(tc.in))
		if diff := cmp.Diff(tc.want, b.String()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tc.name, diff)
		}
	}
}

// A table has at most twelve columns and as many characters as fit.
func TestTablesThatJustFit(t *testing.T) {
	columns := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"k%d":%d`, i, i))
		}
		return "[{" + strings.Join(all, ",") + "}]"
	}
	wide := func(n int) string { return `[{"a":"` + strings.Repeat("x", n) + `"}]` }
	for json, want := range map[string]bool{columns(12): true, columns(13): false, wide(maxTable - 2): true, wide(maxTable - 1): false} {
		n, err := parseTree([]byte(json))
		if err != nil {
			t.Fatal(err)
		}
		if _, got := tableOf(n.values); got != want {
			t.Errorf("%s is a table: %v", json, got)
		}
	}
}

func TestLayoutOfBottomlessJSON(t *testing.T) {
	var b strings.Builder
	p := &printer{w: &b}
	p.structured([]byte(strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)))
	if n := b.Len(); n > 100_000 || !strings.Contains(b.String(), `{"a":{"a":`) {
		t.Errorf("%d bytes", n)
	}
}

func TestShowBlock(t *testing.T) {
	for _, tc := range []struct {
		name string
		b    capabilities.Block
		want string
	}{
		{"text", capabilities.TextBlock("a\n\x1bb"), "a\n\\u001bb"},
		{"image", capabilities.ImageBlock("image/png", make([]byte, 68)), "[image/png, 68 bytes]"},
		{"audio without a type", capabilities.AudioBlock("", []byte{1}), "[audio, 1 bytes]"},
		{"broken data", capabilities.Block(`{"type":"image","data":"%","mimeType":"image/png"}`), "[image/png, no valid base64]"},
		{"file", capabilities.FileBlock("file:///x", "application/pdf", []byte("ab")), "[file:///x, application/pdf, 2 bytes]"},
		{"text file", capabilities.TextFileBlock("file:///x", "text/plain", "hi\x07"), "[file:///x, text/plain]\nhi\\u0007"},
		{"link", capabilities.LinkBlock("https://x", "X\u202e", ""), "[link, X\\u202e, https://x]"},
		{"a type nobody knows", capabilities.Block(`{"type":"hologram\u001b"}`), "[hologram\\u001b, content block, 25 bytes]"},
		{"no block at all", capabilities.Block(`[1]`), "[a content block that cannot be read, 3 bytes]"},
	} {
		if got := showBlock(tc.b); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestIsTerminal(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if isTerminal(f) || isTerminal(&strings.Builder{}) {
		t.Error("a file and a buffer are no terminals")
	}
}

func TestAStructuredValueThatOnlyWrapsTheTexts(t *testing.T) {
	for _, tc := range []struct {
		name, structured string
		texts            []string
		want             bool
	}{
		{"the text", `{"result":"hello"}`, []string{"hello"}, true},
		{"a number", `{"result":7}`, []string{"7"}, true},
		{"an object", `{"result":{"a":1}}`, []string{`{ "a": 1 }`}, true},
		{"a list, a text for every item", `{"result":["a",2]}`, []string{"a", "2"}, true},
		{"a text with digits is no number", `{"result":"7"}`, []string{"7"}, true},
		{"another text", `{"result":"hello"}`, []string{"hullo"}, false},
		{"more members", `{"result":"hello","more":1}`, []string{"hello"}, false},
		{"more texts", `{"result":"hello"}`, []string{"hello", "more"}, false},
		{"more items", `{"result":["a","b"]}`, []string{"a"}, false},
		{"nothing beside it", `{"result":[]}`, nil, false},
		{"no object", `["a"]`, []string{"a"}, false},
		{"no value", ``, []string{"a"}, false},
	} {
		var blocks []capabilities.Block
		for _, text := range tc.texts {
			blocks = append(blocks, capabilities.TextBlock(text))
		}
		if got := wrapsTexts([]byte(tc.structured), blocks); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
	if wrapsTexts([]byte(`{"a":"b"}`), []capabilities.Block{capabilities.ImageBlock("image/png", nil)}) {
		t.Error("an image")
	}
}
