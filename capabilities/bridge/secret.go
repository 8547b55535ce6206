package bridge

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// hidden stands where a secret stood.
const hidden = "[hidden]"

// A masker replaces secrets in what a server answers, by value and as JSON. It masks
// less than [redactor] does: a result is the server's word to the caller, and a
// directory or a region that happens to be configured belongs there.
type masker struct {
	needles [][]byte // every secret, the way it may stand in JSON
	replace *strings.Replacer
}

// newMasker knows as secrets what a variable of the configuration stood for, and any
// value under a name that says so, unless it is short.
func newMasker(s Server) *masker {
	var secrets []string
	add := func(name, value string, variable bool) {
		if len(value) >= minSecret && (saysSecret(name) || variable && !isPlace(value)) {
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
	m := &masker{}
	var forms []string
	for _, one := range secrets {
		forms = append(forms, formsOf(one)...)
	}
	// The longest first: of two that overlap the whole has to go.
	slices.SortFunc(forms, func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var pairs []string
	for _, f := range slices.Compact(forms) {
		m.needles = append(m.needles, []byte(f))
		pairs = append(pairs, f, hidden)
	}
	m.replace = strings.NewReplacer(pairs...)
	return m
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

// formsOf answers the ways a secret may stand inside a JSON string: as it is, escaped
// the usual ways, in a url, in Base64.
func formsOf(secret string) []string {
	quoted := appendQuoted(nil, secret)
	plain := string(quoted[1 : len(quoted)-1])
	return []string{
		plain, strings.ReplaceAll(plain, "/", `\/`), url.QueryEscape(secret), url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
}

func (m *masker) finds(raw []byte) bool {
	return slices.ContainsFunc(m.needles, func(n []byte) bool { return bytes.Contains(raw, n) })
}

// mask replaces the secrets in a text.
func (m *masker) mask(text string) string {
	if !m.finds([]byte(text)) {
		return text
	}
	return m.replace.Replace(text)
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
			end := skipString(raw, i)
			out = append(out, m.replace.Replace(string(raw[i:end]))...)
			i = end
		case c == '-' || c >= '0' && c <= '9':
			end := skipValue(raw, i)
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

// maskResult replaces the secrets in all parts of a result.
func (m *masker) maskResult(r *capabilities.Result) {
	if len(m.needles) == 0 {
		return
	}
	for i, b := range r.Blocks {
		r.Blocks[i] = capabilities.Block(m.maskJSON(b))
	}
	r.Structured, r.Meta = json.RawMessage(m.maskJSON(r.Structured)), json.RawMessage(m.maskJSON(r.Meta))
}
