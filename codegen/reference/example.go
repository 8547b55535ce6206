package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/markdown"
)

// example writes one call as each surface takes it.
func example(p *markdown.Page, program string, c *capabilities.Capability, e capabilities.Example) {
	p.Part(markdown.Text(sentenceCase(e.Name)))
	if e.Refuses != "" {
		p.Para("Refused with " + linkTo("../codes/", string(e.Refuses)) + ".")
	}
	p.Fence("sh", fmt.Sprintf("%s call %s --json %s", program, c.Name(), shell(e.In)))
	if !c.Route().IsZero() {
		p.Fence("sh", curl(c, e.In))
	}
	if json.Valid([]byte(e.In)) {
		p.JSON(fmt.Appendf(nil, `{"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.Name(), e.In))
	}
}

// curl writes the example as an HTTP request of the owner. Fields of the path stand
// in the path and nowhere else.
func curl(c *capabilities.Capability, in string) string {
	r := c.Route()
	fields := map[string]json.RawMessage{}
	if json.Unmarshal([]byte(in), &fields) != nil {
		return fmt.Sprintf(`curl -s -X %s -H "Authorization: Bearer $TOKEN" --json %s %s`, r.Method, shell(in), shell(apiURL+r.Path))
	}
	path := r.Path
	for _, f := range r.Fields {
		path = strings.ReplaceAll(path, "{"+f+"}", url.PathEscape(plain(fields[f])))
		delete(fields, f)
	}
	address, method, body := apiURL+path, "", ""
	if r.Method == http.MethodGet {
		address += query(fields)
	} else {
		method = " -X " + r.Method
	}
	if raw, err := json.Marshal(fields); err == nil && r.Method != http.MethodGet {
		body = " --json " + shell(string(raw))
	}
	return fmt.Sprintf(`curl -s%s -H "Authorization: Bearer $TOKEN"%s %s`, method, body, shell(address))
}

const (
	apiPath = "/api/v1"
	apiURL  = "http://" + config.DefaultListen + apiPath
)

// query writes fields as a query string, in the order of their names; arrays
// repeat their name (form, explode).
func query(fields map[string]json.RawMessage) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var many []json.RawMessage
		if json.Unmarshal(fields[name], &many) != nil {
			many = []json.RawMessage{fields[name]}
		}
		for _, one := range many {
			parts = append(parts, url.QueryEscape(name)+"="+url.QueryEscape(plain(one)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "?" + strings.Join(parts, "&")
}

// plain is a JSON value as it stands in an address: a string without its quotes.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
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
