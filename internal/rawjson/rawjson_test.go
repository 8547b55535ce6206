package rawjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// walk uses every walker on text of any kind.
func walk(data []byte) {
	for range rawjson.Members(data) {
	}
	for range rawjson.Elements(data) {
	}
	for i := range len(data) + 1 {
		rawjson.Skip(data, i)
		rawjson.SkipString(data, i)
		rawjson.Space(data, i)
	}
	rawjson.Member(data, "a")
	rawjson.Replace(data, "a", func(v json.RawMessage) []byte { return v })
	rawjson.Unquote(data)
	rawjson.String(data)
	rawjson.OneLine(data)
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e+3,"x\u00e9\n",true,false,null,{}],"b":{"c":[]}}`, `[`, `{"a"}`, `"\x"`, `01`, `-`, `1.`, `"a`, "\"\x01\"", `[1,]`, ` 1 `, `"\ud83d"`, `{"a":1,}`, `nul`, ``,
	} {
		f.Add([]byte(s))
	}
	f.Add([]byte("{\"\xfd\":1}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ours, theirs := rawjson.Valid(data, 10_000) == nil, json.Valid(data)
		if ours != theirs {
			t.Fatalf("%q: valid %v, encoding/json says %v", data, ours, theirs)
		}
		if !ours {
			walk(data) // it answers nonsense, and ends
			return
		}
		i := rawjson.Space(data, 0)
		end, _, _ := rawjson.Scan(data, i, 10_000)
		if skipped := rawjson.Skip(data, i); skipped != end {
			t.Fatalf("%q: skipped to %d, scanned to %d", data, skipped, end)
		}
		var object map[string]json.RawMessage
		// encoding/json replaces bytes that are no UTF-8 in a key, which is kept here.
		if utf8.Valid(data) && json.Unmarshal(data, &object) == nil && object != nil {
			got := maps.Collect(rawjson.Members(data))
			if len(got) != len(object) {
				t.Fatalf("%q: members %v, want %v", data, got, object)
			}
			for k, v := range object {
				if !bytes.Equal(bytes.TrimSpace(v), got[k]) {
					t.Fatalf("%q: member %q is %s, want %s", data, k, got[k], v)
				}
			}
		}
		var list []json.RawMessage
		if json.Unmarshal(data, &list) == nil && list != nil {
			n := 0
			for i, v := range rawjson.Elements(data) {
				n++
				if !bytes.Equal(bytes.TrimSpace(list[i]), v) {
					t.Fatalf("%q: element %d is %s, want %s", data, i, v, list[i])
				}
			}
			if n != len(list) {
				t.Fatalf("%q: %d elements, want %d", data, n, len(list))
			}
		}
	})
}

func TestReplace(t *testing.T) {
	seven := func(json.RawMessage) []byte { return []byte("7") }
	for _, tc := range []struct{ name, object, want string }{
		{"one of three", `{"a":1,"id":"x","b":{"id":2}}`, `{"a":1,"id":7,"b":{"id":2}}`},
		{"white space and escapes", " { \"\\u0069d\" : [1, 2] ,\n\"b\" : 9007199254740993 } ", `{"id":7,"b":9007199254740993}`},
		{"twice", `{"id":1,"id":2}`, `{"id":7,"id":7}`},
		{"none", `{"a":1}`, `{"a":1}`},
		{"empty", `{}`, `{}`},
	} {
		if got := string(rawjson.Replace([]byte(tc.object), "id", seven)); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestMember(t *testing.T) {
	object := []byte(`{"a":{"b":1},"b" : "x" ,"c":null}`)
	for name, want := range map[string]string{"a": `{"b":1}`, "b": `"x"`, "c": "null", "d": ""} {
		if got := string(rawjson.Member(object, name)); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if got := rawjson.Member([]byte(`["a"]`), "a"); got != nil {
		t.Errorf("an array has the member %s", got)
	}
}

func TestScalars(t *testing.T) {
	type scalar struct {
		Kind   byte
		String string
		IsText bool
		Bool   bool
		IsBool bool
	}
	for raw, want := range map[string]scalar{
		``:              {},
		`"a\u0062\n\""`: {Kind: '"', String: "ab\n\"", IsText: true},
		`""`:            {Kind: '"', IsText: true},
		`true`:          {Kind: 't', Bool: true, IsBool: true},
		`false`:         {Kind: 'f', IsBool: true},
		`null`:          {Kind: 'n'},
		`-1`:            {Kind: '-'},
		`{"a":1}`:       {Kind: '{'},
	} {
		got := scalar{Kind: rawjson.Kind([]byte(raw))}
		got.String, got.IsText = rawjson.String([]byte(raw))
		got.Bool, got.IsBool = rawjson.Bool([]byte(raw))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}

// FuzzQuoted: what is quoted is JSON of one line that says what was quoted.
func FuzzQuoted(f *testing.F) {
	for _, s := range []string{"", "plain", `a"b\c`, "<&>", "é\u2028", "\x00\x7f\n", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := rawjson.AppendQuoted([]byte("x"), s)[1:]
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil || utf8.ValidString(s) && back != s {
			t.Fatalf("%q is quoted as %s (%v)", s, quoted, err)
		}
		if got := rawjson.Unquote(quoted); got != back {
			t.Fatalf("%s says %q, want %q", quoted, got, back)
		}
		if !bytes.Equal(rawjson.OneLine(quoted), quoted) {
			t.Fatalf("%s has a line break", quoted)
		}
	})
}

func TestOneLine(t *testing.T) {
	text := []byte("{\r\n \"a\":\n\"b\\n\"}")
	if got := string(rawjson.OneLine(text)); got != `{   "a": "b\n"}` {
		t.Errorf("got %q", got)
	}
	if !bytes.Contains(text, []byte("\n")) {
		t.Error("the text itself was changed")
	}
	for text, want := range map[string]string{"\n1": " 1", "1\n": "1 ", "\r1": " 1", "1\r": "1 ", "1": "1", "": ""} {
		if got := string(rawjson.OneLine([]byte(text))); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// Every character alone: what stands beside it decides nothing.
func TestQuotedOneByOne(t *testing.T) {
	for r := range rune(0x2100) {
		quoted := rawjson.AppendQuoted(nil, string(r))
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil || back != string(r) || rawjson.Unquote(quoted) != back {
			t.Errorf("%q is quoted as %s: %v", r, quoted, err)
		}
	}
	if got := rawjson.Unquote([]byte(`\"a"`)); got != "" {
		t.Errorf("what is no string says %q", got)
	}
}

// A text that ends too soon is a fault, wherever it ends.
func TestATextThatEndsTooSoon(t *testing.T) {
	const whole = ` { "a" : [ 1 , true , null , "x\u00e9" , { } , [ ] , { "b" : -1.5e+3 } ] , "c" : false } `
	if err := rawjson.Valid([]byte(whole), 3); err != nil {
		t.Fatal(err)
	}
	for n := range strings.LastIndexByte(whole, '}') {
		if err := rawjson.Valid([]byte(whole[:n]), 3); !errors.Is(err, rawjson.ErrSyntax) {
			t.Errorf("%q: %v", whole[:n], err)
		}
	}
}

func TestScanningIsBoundByNoStack(t *testing.T) {
	const deep = 3_000_000
	text := []byte(strings.Repeat("[", deep) + strings.Repeat("]", deep))
	if end, deepest, err := rawjson.Scan(text, 0, rawjson.AnyDepth); end != len(text) || deepest != deep || err != nil {
		t.Errorf("scanned to %d of %d, %d levels: %v", end, len(text), deepest, err)
	}
	if end, _, err := rawjson.Scan(text, 0, 64); end != 64 || !errors.Is(err, rawjson.ErrDeep) {
		t.Errorf("scanned to %d: %v", end, err)
	}
	// The kinds of brackets are told apart at every depth.
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var open, closed strings.Builder
		var ends []byte
		for range 1 + r.IntN(300) {
			if r.IntN(2) == 0 {
				open.WriteByte('[')
				ends = append(ends, ']')
			} else {
				open.WriteString(`{"a":`)
				ends = append(ends, '}')
			}
		}
		for _, c := range slices.Backward(ends) {
			closed.WriteByte(c)
		}
		good := []byte(open.String() + "1" + closed.String())
		if err := rawjson.Valid(good, len(ends)); err != nil {
			t.Fatalf("%s: %v", good, err)
		}
		if err := rawjson.Valid(good, len(ends)-1); !errors.Is(err, rawjson.ErrDeep) {
			t.Fatalf("%s with a level less: %v", good, err)
		}
		bad := bytes.Clone(good)
		at := len(bad) - 1 - r.IntN(len(ends))
		bad[at] = '}' + ']' - bad[at]
		if rawjson.Valid(bad, rawjson.AnyDepth) == nil {
			t.Fatalf("%s is taken", bad)
		}
	}
}

// A string ends at the first quote that no backslash is before, over all short texts of
// quotes, backslashes and others.
func TestEveryEndOfAString(t *testing.T) {
	end := func(text string) int {
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return len(text)
	}
	texts := []string{`"`}
	for len(texts[0]) < 9 {
		var longer []string
		for _, text := range texts {
			for _, where := range []struct{ before, after string }{{"", ""}, {"  ", ""}, {"", `"x"`}} {
				whole := where.before + text + where.after
				at := len(where.before)
				if got, want := rawjson.SkipString([]byte(whole), at), at+end(whole[at:]); got != want {
					t.Fatalf("the string at %d of %s ends at %d, want %d", at, whole, got, want)
				}
			}
			longer = append(longer, text+`"`, text+`\`, text+"a")
		}
		texts = longer
	}
}

func TestElementsAndMembers(t *testing.T) {
	elements := func(text string) string {
		var b strings.Builder
		next := 0
		for n, raw := range rawjson.Elements([]byte(text)) {
			if n != next {
				t.Errorf("%s: element %d is called %d", text, next, n)
			}
			next++
			b.WriteString("<" + string(raw) + ">")
		}
		return b.String()
	}
	members := func(text string) string {
		var b strings.Builder
		for key, raw := range rawjson.Members([]byte(text)) {
			b.WriteString("<" + key + "=" + string(raw) + ">")
		}
		return b.String()
	}
	for _, c := range []struct {
		of         func(string) string
		text, want string
	}{
		{elements, `[]`, ``},
		{elements, ` [ ] `, ``},
		{elements, `{}`, ``},
		{elements, ``, ``},
		{elements, ` `, ``},
		{elements, `[`, ``},
		{elements, ` [ 1 , "a,b" , [2,[3]] , {"x":"]"} , null ] `, `<1><"a,b"><[2,[3]]><{"x":"]"}><null>`},
		{elements, `[1`, `<1>`},
		{elements, `[1;2]`, `<1;2>`},
		{elements, `[1 2]`, `<1>`},
		{members, `{}`, ``},
		{members, ` { } `, ``},
		{members, `[]`, ``},
		{members, ``, ``},
		{members, ` `, ``},
		{members, `{`, ``},
		{members, ` { "a" : 1 , "b\n" : "x}" , "a":[{"c":2}] } `, "<a=1><b\n=\"x}\"><a=[{\"c\":2}]>"},
		{members, `{"a":1`, `<a=1>`},
		{members, `{"a":1 "b":2}`, `<a=1>`},
	} {
		if got := c.of(c.text); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
	for range rawjson.Elements([]byte(`[1,2]`)) {
		break // whoever stops hears no more
	}
}
