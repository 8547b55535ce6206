package bridge

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// hidden stands where a secret stood.
const hidden = "[hidden]"

// A masker replaces secrets in what a server answers, by value and as JSON. It masks
// less than [redactor] does: a result is the server's word to the caller, and a
// directory or a region that happens to be configured belongs there.
type masker struct {
	needles [][]byte // every secret, the way it may stand in JSON
	replace *strings.Replacer
	inText  *strings.Replacer // also of a secret as it is, which would break JSON
	secrets []string
}

// newMasker answers what masks the secrets of a server's configuration.
func newMasker(s Server) *masker { return maskerOf(configuredSecrets(s)) }

// configuredSecrets answers what a variable of the configuration stood for, and any value
// under a name that says so, unless it is short.
func configuredSecrets(s Server) []string {
	var secrets []string
	add := func(name, value string, variable bool) {
		if len(value) >= MinSecret && (saysSecret(name) || variable && !isPlace(value)) {
			secrets = append(secrets, value)
		}
	}
	for name, value := range s.Secrets {
		add(name, value, !slices.Contains(hostVariables(), name))
	}
	for name, value := range s.Env {
		add(name, value, false)
	}
	for name, value := range s.Headers {
		add(name, value, false)
		if _, token, ok := strings.Cut(value, " "); ok { // "Bearer x"
			add(name, token, false)
		}
	}
	if u, err := url.Parse(s.URL); err == nil {
		if p, ok := u.User.Password(); ok {
			add("password", p, false)
		}
		for name, values := range u.Query() {
			for _, v := range values {
				add(name, v, false)
			}
		}
	}
	return secrets
}

// maskerOf answers what masks secrets.
func maskerOf(secrets []string) *masker {
	m := &masker{secrets: secrets}
	var forms []string
	for _, one := range secrets {
		forms = append(forms, formsOf(one)...)
	}
	for _, f := range longestFirst(forms) {
		m.needles = append(m.needles, []byte(f))
	}
	m.replace, m.inText = hiding(forms), hiding(append(forms, secrets...))
	return m
}

// longestFirst sorts texts: of two that overlap the whole has to go.
func longestFirst(forms []string) []string {
	forms = slices.Clone(forms)
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(forms)
}

func hiding(forms []string) *strings.Replacer {
	var pairs []string
	for _, f := range longestFirst(forms) {
		pairs = append(pairs, f, hidden)
	}
	return strings.NewReplacer(pairs...)
}

// saysSecret reports whether a name is that of a credential.
func saysSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"token", "secret", "passw", "credential", "apikey", "api_key", "api-key", "authorization", "cookie", "private_key"}, func(word string) bool {
		return strings.Contains(name, word)
	}) || strings.HasSuffix(name, "_key") || strings.HasSuffix(name, "-key") || strings.HasSuffix(name, "_pat")
}

// isPlace reports whether a value is a path or an address without a credential, which
// results are full of.
func isPlace(value string) bool {
	if strings.HasPrefix(value, "/") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "~/") {
		return true
	}
	u, err := url.Parse(value)
	return err == nil && u.Scheme != "" && u.Host != "" && u.User == nil && u.RawQuery == ""
}

// formsOf answers the ways a secret may stand inside a JSON string: escaped the usual
// ways, as within JSON that is itself the text, in a url, in Base64. There it may be
// within more, such as a user's name and the secret for HTTP's Basic.
func formsOf(secret string) []string {
	var forms []string
	for _, text := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
		for _, one := range spellings(text) {
			forms = append(append(forms, one), spellings(one)...)
		}
	}
	forms = append(forms, base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)))
	// What stands before it moves it within the groups of three bytes that four letters
	// stand for. The first letters, and those of the last group, are of what is beside it, too.
	for before, shared := range []int{0, 2, 3} {
		padded := append(make([]byte, before), secret...)
		whole := padded[:len(padded)/3*3]
		forms = append(forms, base64.StdEncoding.EncodeToString(whole)[shared:], base64.URLEncoding.EncodeToString(whole)[shared:])
	}
	return forms
}

// spellings answers the ways a text stands between the quotes of a JSON string, as it is
// written by programs that escape no more than they must, or also the slash, or what has
// a meaning in HTML, or what is not ASCII.
func spellings(text string) []string {
	quoted := rawjson.AppendQuoted(nil, text)
	plain := string(quoted[1 : len(quoted)-1])
	var ascii strings.Builder
	for _, r := range plain {
		switch {
		case r < 0x80:
			ascii.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&ascii, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&ascii, `\u%04x`, r)
		}
	}
	slash := strings.NewReplacer("/", `\/`)
	page := strings.NewReplacer("&", `\u0026`, "<", `\u003c`, ">", `\u003e`)
	all := []string{plain, slash.Replace(plain), page.Replace(plain), slash.Replace(page.Replace(plain)), ascii.String(), slash.Replace(ascii.String())}
	slices.Sort(all)
	return slices.Compact(all)
}

func (m *masker) finds(raw []byte) bool {
	return slices.ContainsFunc(m.needles, func(n []byte) bool { return bytes.Contains(raw, n) })
}

// mask replaces the secrets in a text.
func (m *masker) mask(text string) string {
	if m.finds([]byte(text)) || slices.ContainsFunc(m.secrets, func(one string) bool { return strings.Contains(text, one) }) {
		text = m.inText.Replace(text)
	}
	return hideCut(text, m.secrets)
}

// hideCut replaces what stands of a secret right before a place where [bounded] has cut a
// text: an access token can be longer than what is quoted of a server.
func hideCut(text string, secrets []string) string {
	before, after, cut := strings.Cut(text, cutMark)
	if !cut {
		return text
	}
	for _, one := range secrets {
		for n := min(len(one)-1, len(before)); n >= MinSecret; n-- {
			if strings.HasSuffix(before, one[:n]) {
				before = before[:len(before)-n] + hidden
				break
			}
		}
	}
	return before + cutMark + hideCut(after, secrets)
}

// maskJSON replaces the secrets in valid JSON, which stays valid: what stands outside a
// string is only replaced as a whole.
func (m *masker) maskJSON(raw []byte) []byte {
	if !m.finds(raw) {
		return raw
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			end := rawjson.SkipString(raw, i)
			out = m.appendString(out, raw[i:end])
			i = end
		case c == '-' || c >= '0' && c <= '9':
			end := rawjson.Skip(raw, i)
			if m.finds(raw[i:end]) {
				out = append(out, `"`+hidden+`"`...)
			} else {
				out = append(out, raw[i:end]...)
			}
			i = end
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}

// appendString appends a JSON string without the secrets. What looks like one may begin
// with the letter of an escape: that one is judged by what the string means.
func (m *masker) appendString(b, quoted []byte) []byte {
	masked := []byte(m.replace.Replace(string(quoted)))
	if json.Valid(masked) {
		return append(b, masked...)
	}
	text, ok := rawjson.String(quoted)
	if !ok {
		return append(b, `"`+hidden+`"`...)
	}
	return rawjson.AppendQuoted(b, m.mask(text))
}

// maskResult replaces the secrets in all parts of a result.
func (m *masker) maskResult(r *capabilities.Result) {
	if len(m.needles) == 0 {
		return
	}
	for i, b := range r.Blocks {
		r.Blocks[i] = capabilities.Block(m.maskJSON(b))
	}
	r.Structured, r.Meta = json.RawMessage(m.maskJSON(r.Structured)), json.RawMessage(m.maskJSON(r.Meta))
	r.Extra = m.maskJSON(r.Extra)
}

// maskEach is maskJSON for every member.
func (m *masker) maskEach(members map[string]json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(members))
	for key, value := range members {
		out[key] = m.maskJSON(value)
	}
	return out
}

// maskSchema replaces the secrets in what a schema says to readers, and leaves what it
// asks of a value: a name, a constant, a pattern.
func (m *masker) maskSchema(raw json.RawMessage) json.RawMessage {
	if len(m.needles) == 0 || !m.finds(raw) {
		return raw
	}
	return m.appendSchema(nil, raw, false)
}

// appendSchema appends a schema; named says that raw is an object of schemas by names.
func (m *masker) appendSchema(b []byte, raw json.RawMessage, named bool) []byte {
	sep := byte('{')
	switch rawjson.Kind(raw) {
	case '{':
		for key, value := range rawjson.Members(raw) {
			b = append(rawjson.AppendQuoted(append(b, sep), key), ':')
			sep = ','
			switch {
			case !named && isNote(key):
				b = append(b, m.maskJSON(value)...)
			default:
				b = m.appendSchema(b, value, !named && holdsSchemas(key))
			}
		}
		if sep == '{' {
			b = append(b, sep)
		}
		return append(b, '}')
	case '[':
		sep = '['
		for _, value := range rawjson.Elements(raw) {
			b = m.appendSchema(append(b, sep), value, false)
			sep = ','
		}
		if sep == '[' {
			b = append(b, sep)
		}
		return append(b, ']')
	}
	return append(b, raw...)
}

// isNote reports whether a keyword of JSON Schema asks nothing of a value.
func isNote(keyword string) bool {
	switch keyword {
	case "title", "description", "$comment", "default", "examples":
		return true
	}
	return false
}

// holdsSchemas reports whether the value of a keyword is an object of schemas by names.
func holdsSchemas(keyword string) bool {
	switch keyword {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return true
	}
	return false
}

// MaskJSON replaces in valid JSON the secrets that the servers are configured with, the
// way it is done in what they answer. It stays valid.
func MaskJSON(servers []Server, raw json.RawMessage) json.RawMessage {
	for _, s := range servers {
		raw = newMasker(s).maskJSON(raw)
	}
	return raw
}
