package config

import (
	"net/url"
	"regexp"
	"strings"
)

// MinMasked is the least length, in bytes, of a value that is masked in results, logs and status. A shorter one stands in too many texts that
// have nothing to do with it.
const MinMasked = 8

// masked stands where a literal value stood.
const masked = "(set)"

// variablePattern finds the variables of a text that [expand] accepted.
var variablePattern = regexp.MustCompile(`\$\$|\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// authScheme is what may stand before a credential without being a part of it (RFC 9110, section 11.1).
var authScheme = regexp.MustCompile(`^(?i:bearer|basic|token|digest|negotiate) `)

// maskedValue is a value of env or headers without what is written out in it: variables stay as they are spelt, and so does the word of an
// authentication scheme. An empty value stays empty.
func maskedValue(text string) string {
	scheme := authScheme.FindString(text)
	var out strings.Builder
	out.WriteString(scheme)
	hide := func(literal string) {
		if literal != "" && !strings.HasSuffix(out.String(), masked) {
			out.WriteString(masked)
		}
	}
	rest := text[len(scheme):]
	for {
		at := variablePattern.FindStringIndex(rest)
		if at == nil {
			hide(rest)
			return out.String()
		}
		hide(rest[:at[0]])
		if name := rest[at[0]:at[1]]; name == "$$" {
			hide(name)
		} else {
			out.WriteString(name)
		}
		rest = rest[at[1]:]
	}
}

// maskedURL is an address without what may be a secret in it: a user and a password, the values of a query, a long word of a path, the fragment.
// Variables stay as they are spelt.
func maskedURL(text string) string {
	rest, fragment, hasFragment := strings.Cut(text, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	var out strings.Builder
	if scheme, after, ok := strings.Cut(rest, "://"); ok {
		out.WriteString(scheme + "://")
		rest = after
	}
	authority, path, hasPath := strings.Cut(rest, "/")
	if user, host, ok := cutLast(authority, "@"); ok {
		out.WriteString(maskedValue(user) + "@")
		authority = host
	}
	out.WriteString(authority)
	if hasPath {
		for segment := range strings.SplitSeq(path, "/") {
			out.WriteString("/" + maskedSegment(segment))
		}
	}
	if hasQuery {
		for i, parameter := range strings.Split(query, "&") {
			name, v, ok := strings.Cut(parameter, "=")
			out.WriteString(string("?&"[min(i, 1)]) + name)
			if ok {
				out.WriteString("=" + maskedValue(v))
			}
		}
	}
	if hasFragment {
		out.WriteString("#" + maskedValue(fragment))
	}
	return out.String()
}

// maskedSegment hides what is too long and too mixed to be a word: services hand out addresses with a key in the path.
func maskedSegment(s string) string {
	const long = 20
	plain := variablePattern.ReplaceAllString(s, "")
	if len(plain) < long || !strings.ContainsAny(plain, "0123456789") {
		return s
	}
	return maskedValue(s)
}

// maskedArgs are arguments without the values of flags that a credential is given with, and without what an address hides.
func maskedArgs(args []string) []string {
	if args == nil {
		return nil
	}
	out := make([]string, len(args))
	hideNext := false
	for i, a := range args {
		flag, v, joined := strings.Cut(a, "=")
		header, credential, isHeader := strings.Cut(a, ":")
		switch {
		case hideNext && !strings.HasPrefix(a, "-"):
			out[i] = masked
		case joined && saysSecret(strings.TrimLeft(flag, "-")):
			out[i] = flag + "=" + maskedValue(v)
		case isHeader && saysSecret(strings.TrimLeft(header, "-")): // --header "Authorization: Bearer x"
			out[i] = header + ": " + maskedValue(strings.TrimSpace(credential))
		case isAddress(a):
			out[i] = maskedURL(a)
		default:
			out[i] = a
		}
		hideNext = !joined && strings.HasPrefix(a, "-") && saysSecret(strings.TrimLeft(a, "-"))
	}
	return out
}

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && u.Host != ""
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
