package markdown_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// hostile is text that means something in Markdown, in a table or in HTML.
var hostile = []string{
	"plain words",
	`<img src=x onerror=alert(1)>`,
	`</td><script>alert(1)</script>`,
	`a](javascript:alert(1)) [b](javascript:alert(2))`,
	`![x](http://evil.example/x.png)`,
	"one | two || three \\| four \\\\| five",
	"`code` ``more`` ``` fence",
	"`", "``", "\\`", "\\",
	"*a* **b** _c_ __d__ ~~e~~ snake_case _x",
	"# heading ##", "- item", "+ item", "= = =", "---", "===", "1. one", "12) two", "1234567890. ten digits", "> quote",
	"&lt;b&gt; &amp; &#60; &unknown;",
	"<https://evil.example> https://evil.example",
	"$x$ [^1] [x]: y",
	"    indented", "\ttab\nline\r\nnext",
	"<!-- comment --> ]]> <?php ?> <!DOCTYPE x>",
	"{#id .class}",
}

func parser() goldmark.Markdown { return goldmark.New(goldmark.WithExtensions(extension.Table)) }

// words reads Markdown back: the text a reader sees, and the kinds of nodes.
func words(t *testing.T, source string) (string, map[ast.NodeKind]int) {
	t.Helper()
	kinds := map[ast.NodeKind]int{}
	var b strings.Builder
	src := []byte(source)
	doc := parser().Parser().Parse(text.NewReader(src))
	if err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			kinds[n.Kind()]++
			if s, ok := n.(*ast.Text); ok {
				b.Write(s.Segment.Value(src))
			}
		}
		return ast.WalkContinue, nil
	}); err != nil {
		t.Fatal(err)
	}
	return b.String(), kinds
}

// shown is the text of HTML made of Markdown, and the HTML.
func shown(t *testing.T, source string) (string, string) {
	t.Helper()
	var b bytes.Buffer
	if err := parser().Convert([]byte(source), &b); err != nil {
		t.Fatal(err)
	}
	return plain(b.String()), b.String()
}

// plain takes the tags and entities out of HTML.
func plain(html string) string {
	var out strings.Builder
	inTag := false
	for _, r := range html {
		switch {
		case r == '<':
			inTag = true
		case r == '>':
			inTag = false
		case !inTag:
			out.WriteRune(r)
		}
	}
	return strings.TrimSpace(strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&").Replace(out.String()))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestTextMeansItself(t *testing.T) {
	for _, s := range hostile {
		t.Run(s, func(t *testing.T) {
			got, html := shown(t, markdown.Text(s))
			if d := cmp.Diff(oneLine(s), got); d != "" {
				t.Errorf("%q reads (-want +got):\n%s", markdown.Text(s), d)
			}
			if !strings.HasPrefix(html, "<p>") || strings.Count(html, "<") != 2 {
				t.Errorf("%q is more than a paragraph of text: %s", markdown.Text(s), html)
			}
		})
	}
}

func TestCodeMeansItself(t *testing.T) {
	for _, s := range hostile {
		t.Run(s, func(t *testing.T) {
			got, html := shown(t, markdown.Code(s))
			if d := cmp.Diff(oneLine(s), got); d != "" {
				t.Errorf("%q reads (-want +got):\n%s", markdown.Code(s), d)
			}
			if !strings.HasPrefix(html, "<p><code>") || strings.Count(html, "<") != 4 {
				t.Errorf("%q is more than a code span: %s", markdown.Code(s), html)
			}
		})
	}
}

func TestHeadingKeepsHostileText(t *testing.T) {
	for _, s := range hostile {
		got, html := shown(t, "### "+markdown.Text(s))
		if got != oneLine(s) || !strings.HasPrefix(html, "<h3") || strings.Count(html, "<") != 2 {
			t.Errorf("%q reads %q: %s", s, got, html)
		}
	}
}

func TestCellsHoldTheirText(t *testing.T) {
	for _, s := range hostile {
		t.Run(s, func(t *testing.T) {
			p := markdown.NewPage("note", "T")
			p.Table([]string{"a", "b", "c"}, [][]string{{"first", markdown.Text(s), markdown.CodeCell(s)}, {"last", "x", "y"}})
			_, html := shown(t, string(p.Bytes()))
			if n := strings.Count(html, "<td"); n != 6 {
				t.Fatalf("%d cells: %s", n, html)
			}
			row := html[strings.Index(html, "<td>first</td>")+len("<td>first</td>"):]
			row = row[:strings.Index(row, "</tr>")]
			var cells []string
			for _, c := range strings.SplitAfter(row, "</td>") {
				if got := plain(c); got != "" {
					cells = append(cells, got)
				}
			}
			if d := cmp.Diff([]string{oneLine(s), oneLine(s)}, cells); d != "" {
				t.Errorf("cells (-want +got):\n%s", d)
			}
		})
	}
}

func TestNothingHides(t *testing.T) {
	for name, c := range map[string][2]string{
		"a control character":      {"a\x07b", "a[U+0007]b"},
		"an escape sequence":       {"\x1b[31mred", "[U+001B][31mred"},
		"text that runs backwards": {"user\u202egnp.exe", "user[U+202E]gnp.exe"},
		"an isolate":               {"a\u2066b\u2069", "a[U+2066]b[U+2069]"},
		"no width":                 {"pay\u200bpal", "pay[U+200B]pal"},
		"a byte order mark":        {"\ufeffx", "[U+FEFF]x"},
		"a tag character":          {"x\U000E0041", "x[U+E0041]"},
		"a blank letter":           {"x\u3164y", "x[U+3164]y"},
		"bytes that are no UTF-8":  {"a\xffb", "a[U+FFFD]b"},
		"a line separator":         {"a\u2028b", "a b"}, // white space like any
	} {
		t.Run(name, func(t *testing.T) {
			want := c[1]
			if got, _ := shown(t, markdown.Text(c[0])); got != want {
				t.Errorf("text reads %q, want %q", got, want)
			}
			if got, _ := shown(t, markdown.Code(c[0])); got != want {
				t.Errorf("code reads %q, want %q", got, want)
			}
		})
	}
}

func TestPlainTextStaysReadable(t *testing.T) {
	for in, want := range map[string]string{
		"repeat with the same op_id, or look!": "repeat with the same op_id, or look!",
		"version 1.2 of a-b (one)":             "version 1.2 of a-b (one)",
		"0.1.0":                                "0.1.0",
		"_lead and trail_":                     `\_lead and trail\_`,
	} {
		if got := markdown.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFenceHoldsFences(t *testing.T) {
	for _, s := range []string{"plain", "```\nout\n```", "````", "a\n``` js\nb", "ends in `"} {
		p := markdown.NewPage("n", "T")
		p.Fence("text", s)
		p.Para("behind")
		_, kinds := words(t, string(p.Bytes()))
		if kinds[ast.KindFencedCodeBlock] != 1 || kinds[ast.KindParagraph] != 1 {
			t.Errorf("%q: %v", s, kinds)
		}
	}
}

func TestJSONKeepsItsValue(t *testing.T) {
	for name, raw := range map[string]string{
		"plain":         `{"b":1,"a":[true,null,"x"]}`,
		"big numbers":   `{"n":12345678901234567890,"e":1e400}`,
		"hidden":        "{\"a\u202e\":\"\u200b\U000E0041\u3164\"}",
		"html and code": "{\"x\":\"<script>```</script>\"}",
	} {
		t.Run(name, func(t *testing.T) {
			p := markdown.NewPage("n", "T")
			p.JSON([]byte(raw))
			body := string(p.Bytes())
			for _, bad := range []string{"\u202e", "\u200b", "\U000E0041", "\u3164"} {
				if strings.Contains(body, bad) {
					t.Errorf("%q stands in %s", bad, body)
				}
			}
			body = body[strings.Index(body, "json\n")+5:]
			body = body[:strings.LastIndex(body, "\n```")]
			if d := cmp.Diff(compact(t, raw), compact(t, strings.TrimRight(body, "`\n"))); d != "" {
				t.Errorf("another value (-want +got):\n%s", d)
			}
		})
	}
	p := markdown.NewPage("n", "T")
	p.JSON([]byte("{broken\u202e"))
	if !strings.Contains(string(p.Bytes()), "```text\n{broken[U+202E]\n```") {
		t.Errorf("text that is no JSON reads %s", p.Bytes())
	}
}

func compact(t *testing.T, raw string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func TestEmptyTableWritesNothing(t *testing.T) {
	p := markdown.NewPage("n", "T")
	before := len(p.Bytes())
	p.Table([]string{"a"}, nil)
	if len(p.Bytes()) != before {
		t.Errorf("wrote %q", p.Bytes()[before:])
	}
}

func FuzzText(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		md := markdown.Text(s)
		_, kinds := words(t, md)
		for kind, n := range kinds {
			switch kind {
			case ast.KindDocument, ast.KindText:
			case ast.KindParagraph, ast.KindTextBlock:
				if n > 1 {
					t.Errorf("%q: %d paragraphs", md, n)
				}
			default:
				t.Errorf("%q holds a %s", md, kind)
			}
		}
		_, kinds = words(t, "x "+markdown.Code(s))
		if kinds[ast.KindCodeSpan] != 1 || kinds[ast.KindLink] != 0 || kinds[ast.KindRawHTML] != 0 {
			t.Errorf("code span of %q: %v", s, kinds)
		}
	})
}

func TestAnchor(t *testing.T) {
	for heading, want := range map[string]string{
		"": "", "What it is not": "what-it-is-not", "`gate.approve[].wait_seconds`": "gateapprovewait_seconds", " A - b ": "a---b", "Äpfel & 1": "äpfel--1", "<b>": "b",
	} {
		if got := markdown.Anchor(heading); got != want {
			t.Errorf("Anchor(%q) = %q, want %q", heading, got, want)
		}
	}
}
