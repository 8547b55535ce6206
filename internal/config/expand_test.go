package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpand(t *testing.T) {
	lookup := func(name string) (string, bool) {
		v, ok := map[string]string{"A": "x", "_b1": "y", "EMPTY": "", "NESTED": "${A}$$%A%{{A}}"}[name]
		return v, ok
	}
	const bare, stache, windows = "$NAME at byte ", "{{NAME}} at byte ", "%NAME% at byte "
	for name, c := range map[string]struct {
		in, want string
		problems []string // how each begins
	}{
		"nothing to do":            {in: "plain", want: "plain"},
		"empty":                    {in: "", want: ""},
		"whole":                    {in: "${A}", want: "x"},
		"embedded, more than once": {in: "Bearer ${A}-${_b1}.", want: "Bearer x-y."},
		"escaped":                  {in: "$${A} $$$$ $$A", want: "${A} $$ $A"},
		"escape before a variable": {in: "$$${A}", want: "$x"},
		"a value is not read":      {in: "${NESTED}", want: "${A}$$%A%{{A}}"},
		"a dollar that is none":    {in: "$5 $(id) a$ $-", want: "$5 $(id) a$ $-"},
		"percent-encoding":         {in: "%E4%BD%A0 %AB%CD 100% 5%a", want: "%E4%BD%A0 %AB%CD 100% 5%a"},
		"braces that are none":     {in: `{"a":{"b":1}} {{1}} {{ {a}`, want: `{"a":{"b":1}} {{1}} {{ {a}`},
		"unset":                    {in: "${UNSET}", problems: []string{"the variable UNSET is not set"}},
		"empty is unset":           {in: "a${EMPTY}", problems: []string{"the variable EMPTY is empty"}},
		"several problems":         {in: "${UNSET} $A ${A}", problems: []string{"the variable UNSET is not set", bare + "10"}},
		"bare":                     {in: "a$A", problems: []string{bare + "2"}},
		"default":                  {in: "${A:-x}", problems: []string{"${A} takes no default"}},
		"default without colon":    {in: "${A-x}", problems: []string{"${A} takes no default"}},
		"env:":                     {in: "${env:A}", problems: []string{"${env:A} is not read here; write ${A}"}},
		"input:":                   {in: "${input:a-b}", problems: []string{"${input:...} asks a person"}},
		"no name":                  {in: "${}", problems: []string{"${...} must hold the name"}},
		"spaces":                   {in: "${ A }", problems: []string{"${...} must hold the name"}},
		"a digit first":            {in: "${1A}", problems: []string{"${...} must hold the name"}},
		"not ASCII":                {in: "${Ä}", problems: []string{"${...} must hold the name"}},
		"open":                     {in: "${A", problems: []string{"${ is not closed"}},
		"github's":                 {in: "${{ secrets.A }}", problems: []string{"${...} must hold the name"}},
		"nested":                   {in: "${A${A}}", problems: []string{"${...} must hold the name"}},
		"mustache":                 {in: "a {{ A.b }}", problems: []string{stache + "3"}},
		"windows":                  {in: "%A%", problems: []string{windows + "1"}},
		"windows, like an escape":  {in: "%ACCESS_TOKEN%", problems: []string{windows + "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, problems := expand(c.in, lookup)
			if got != c.want || len(problems) != len(c.problems) {
				t.Fatalf("got %q, %v; want %q, %v", got, problems, c.want, c.problems)
			}
			for i, p := range problems {
				if !strings.HasPrefix(p.words, c.problems[i]) || (p.unset != "") != strings.HasPrefix(p.words, "the variable") {
					t.Errorf("problem %+v, want %q", p, c.problems[i])
				}
			}
		})
	}
}

// What holds for any text and any value: a text is either given out whole or not at all, what is doubled comes back, and a value is put
// in as it is.
func FuzzExpand(f *testing.F) {
	for _, s := range []string{"", "a", "$", "$$", "${A}", "{{A}}", "%A%", "${", "$A${A}", "%E4%A%"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		var asked []string
		lookup := func(name string) (string, bool) {
			asked = append(asked, name)
			return value, true
		}
		got, problems := expand(text, lookup)
		if problems != nil && got != "" {
			t.Errorf("%q: gave out %q beside %v", text, got, problems)
		}
		if !strings.ContainsAny(text, "${%") && (got != text || problems != nil) {
			t.Errorf("%q: a text without a variable became %q, %v", text, got, problems)
		}
		for _, name := range asked {
			if !strings.Contains(text, "${"+name+"}") {
				t.Errorf("%q: asked for %q", text, name)
			}
			if value == "" && problems == nil {
				t.Errorf("%q: an empty variable passed", text)
			}
		}
		if literal := strings.NewReplacer("{", "", "%", "").Replace(value); value != "" {
			doubled := strings.ReplaceAll(literal, "$", "$$")
			if back, problems := expand(doubled, lookup); back != literal || problems != nil {
				t.Errorf("%q doubled gives %q, %v", literal, back, problems)
			}
			if in, problems := expand("<${V}>", lookup); in != "<"+value+">" || problems != nil {
				t.Errorf("%q put in gives %q, %v", value, in, problems)
			}
		}
	})
}

func TestNearest(t *testing.T) {
	known := []string{"command", "url", "headers", "startup_timeout_seconds", "args"}
	for word, want := range map[string]string{
		"comand": "command", "Command": "command", "header": "headers", "URL": "url", "baseUrl": "url", "urls": "url", "uri": "url",
		"startupTimeoutSeconds": "startup_timeout_seconds", "agrs": "args", "xyz": "", "": "", strings.Repeat("x", 100_000): "",
	} {
		if got := nearest(word, known); got != want {
			t.Errorf("nearest(%.20q) = %q, want %q", word, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	got := []string{under("", "a"), under("a", "b_1"), under("a", "b.c"), under("", "b c"), at(under("a", "ü"), 2)}
	want := []string{"a", "a.b_1", `a["b.c"]`, `["b c"]`, `a["ü"][2]`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
