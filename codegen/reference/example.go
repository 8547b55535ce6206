package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// example writes one call as each surface takes it, and as programs send it.
func example(p *markdown.Page, program string, c *capabilities.Capability, e capabilities.Example) {
	p.Part(markdown.Text(sentenceCase(e.Name)))
	if e.Refuses != "" {
		p.Para("Refused with " + linkTo("../codes/", string(e.Refuses)) + ".")
	}
	p.Para("Command line:")
	p.Fence("sh", fmt.Sprintf("%s call %s --json %s", program, c.Name(), shell(e.In)))
	if json.Valid([]byte(e.In)) {
		p.Para("MCP:")
		p.JSON(fmt.Appendf(nil, `{"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.Name(), e.In))
	}
	if c.Route().IsZero() {
		return
	}
	for _, s := range snippets() {
		p.Para(s.title + ":")
		p.Fence(s.language, s.write(callOf(c, e.In)))
	}
}

// snippet writes a request in one language, with the credential in TOKEN.
type snippet struct {
	title, language string
	write           func(call) string
}

func snippets() []snippet {
	return []snippet{
		{"curl", "sh", curl},
		{"TypeScript", "ts", typeScript},
		{"Go", "go", goSource},
	}
}

func curl(c call) string {
	method, headers, body := "", "", ""
	for _, h := range c.headers {
		headers += " -H " + shell(h.name+": "+h.value)
	}
	if c.method != http.MethodGet {
		method = " -X " + c.method
	}
	if c.body != "" {
		body = " --json " + shell(c.body)
	}
	return fmt.Sprintf(`curl -s%s -H "Authorization: Bearer $TOKEN"%s%s %s`, method, headers, body, shell(c.address))
}

// sent are the headers of a program, which has to say what its body is.
func (c call) sent() []header {
	if c.body == "" {
		return c.headers
	}
	return append(slices.Clone(c.headers), header{"Content-Type", "application/json"})
}

// typeScript writes statements of a module for anything that has fetch.
func typeScript(c call) string {
	var b strings.Builder
	fmt.Fprintf(&b, "const response = await fetch(%s, {\n", script(c.address))
	if c.method != http.MethodGet {
		fmt.Fprintf(&b, "  method: %s,\n", script(c.method))
	}
	b.WriteString("  headers: { Authorization: `Bearer ${process.env.TOKEN}`")
	for _, h := range c.sent() {
		b.WriteString(", " + script(h.name) + ": " + script(h.value))
	}
	b.WriteString(" },\n")
	if c.body != "" {
		fmt.Fprintf(&b, "  body: %s,\n", scriptBody(c.body))
	}
	b.WriteString("});\nconsole.log(response.status, await response.json());")
	return b.String()
}

// scriptBody writes JSON as an object that is made into JSON again, or as text where
// that would not be the same: numbers of a script have 53 bits, and one key of its
// objects is no key.
func scriptBody(body string) string {
	var b bytes.Buffer
	if !survives(body) || json.Indent(&b, []byte(body), "  ", "  ") != nil {
		return script(body)
	}
	return "JSON.stringify(" + b.String() + ")"
}

// survives reports whether every number of a JSON text is one of a script's, and no
// key means something else there.
func survives(body string) bool {
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	for {
		t, err := d.Token()
		if err != nil {
			return true // the end; what is no JSON is not made into any
		}
		switch t := t.(type) {
		case json.Number:
			if f, err := t.Float64(); err != nil || strconv.FormatFloat(f, 'f', -1, 64) != t.String() {
				return false
			}
		case string:
			if t == "__proto__" {
				return false
			}
		}
	}
}

// script quotes text for a script.
func script(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil { // a string has always an encoding
		return `""`
	}
	return strings.TrimSpace(b.String())
}

// goSource writes statements of a function that answers an error.
func goSource(c call) string {
	body := "nil"
	if c.body != "" {
		text := strconv.Quote(c.body)
		if strconv.CanBackquote(c.body) {
			text = "`" + c.body + "`"
		}
		body = "strings.NewReader(" + text + ")"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "request, err := http.NewRequest(%q, %q, %s)\nif err != nil {\n\treturn err\n}\n", c.method, c.address, body)
	b.WriteString("request.Header.Set(\"Authorization\", \"Bearer \"+os.Getenv(\"TOKEN\"))\n")
	for _, h := range c.sent() {
		fmt.Fprintf(&b, "request.Header.Set(%q, %q)\n", h.name, h.value)
	}
	b.WriteString("response, err := http.DefaultClient.Do(request)\nif err != nil {\n\treturn err\n}\ndefer response.Body.Close()\n" +
		"_, err = io.Copy(os.Stdout, response.Body)\nreturn err")
	return b.String()
}

// shell quotes a word for a POSIX shell.
func shell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func sentenceCase(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
