package clientconf

import (
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// Secret answers the part of a value that is most likely a credential, by the key that it
// stands under or by its shape; "" for none. The scheme that stands before a credential in
// a header is no part of it.
func Secret(key, value string) string {
	rest := value
	if scheme := authScheme.FindString(value); scheme != "" {
		rest = value[len(scheme):]
	}
	if strings.TrimSpace(rest) == "" || onlyReference.MatchString(rest) {
		return ""
	}
	if config.NamesCredential(key) && !config.NoCredential(rest) || LooksSecret(rest) {
		return rest
	}
	return ""
}

var (
	// authScheme is RFC 9110, section 11.1.
	authScheme = regexp.MustCompile(`^(?i:bearer|basic|token|digest|negotiate) +`)
	// onlyReference is what stands for a value in any client, and is none.
	onlyReference = regexp.MustCompile(`^\$(\{[^}]*\}|[A-Za-z_][A-Za-z0-9_]*)$`)
	// issued are the beginnings that services give to what they hand out.
	issued = regexp.MustCompile(`^(sk-|sk_|pk_|rk_|ghp_|gho_|ghu_|ghs_|ghr_|[a-z]+_pat_|glpat-|xox[abeoprs]-|xapp-|AKIA|ASIA|AIza|ya29\.|hf_|npm_|pypi-|dop_v1_|shpat_|SG\.|lin_api_|ntn_|secret_|figd_|tvly-|fc-|ctx7sk|eyJ)[A-Za-z0-9_.+/=-]{12,}$`)
	mixed  = regexp.MustCompile(`^[A-Za-z0-9_+/=.~-]{24,}$`)
)

// LooksSecret reports text with the shape of a credential: it begins as services let
// theirs begin, it is an address with a password in it, or it is long and has no more
// order than what was drawn at random.
func LooksSecret(s string) bool {
	if issued.MatchString(s) {
		return true
	}
	if u, err := url.Parse(s); err == nil && u.Scheme != "" && u.Host != "" {
		_, has := u.User.Password()
		return has
	}
	if !mixed.MatchString(s) || strings.HasPrefix(s, "/") || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "-") || strings.Count(s, "/") > 2 {
		return false
	}
	return strings.ContainsAny(s, "0123456789") && strings.ContainsFunc(s, isLetter) && entropy(s) > 3.5
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// entropy is that of the characters of a text, in bits each.
func entropy(s string) float64 {
	counts := map[rune]float64{}
	for _, r := range s {
		counts[r]++
	}
	sum := 0.0
	for _, n := range counts {
		p := n / float64(len(s))
		sum -= p * math.Log2(p)
	}
	return sum
}

// Hide answers text of a file to be shown, with (set) in the place of every credential
// that stands in what the file says.
func Hide(text string, said ...entrytext.Value) string {
	var found []string
	for _, v := range said {
		found = credentials(found, "", v)
	}
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) }) // one may begin another
	for _, s := range slices.Compact(found) {
		for _, spelt := range spellings(s) {
			text = strings.ReplaceAll(text, spelt, "(set)")
		}
	}
	return text
}

// spellings answers how a credential may stand in a file: as it is, in quotes of JSON with
// and without escaped slashes, in single quotes of YAML, and line by line, for a block of
// YAML is indented and a diff puts a sign before each.
func spellings(s string) []string {
	quoted := strings.TrimSuffix(strings.TrimPrefix(compact(entrytext.Text(s)), `"`), `"`)
	found := []string{s, quoted, strings.ReplaceAll(quoted, "/", `\/`), strings.ReplaceAll(s, "'", "''")}
	if strings.Contains(s, "\n") {
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); len(line) >= 4 {
				found = append(found, line)
			}
		}
	}
	return found
}

// credentials collects those of a value that stands under a key.
func credentials(found []string, key string, v entrytext.Value) []string {
	const least = 4                                                 // a shorter one would blot out everything
	if key == "bearer_token_env_var" || key == "env_http_headers" { // names of variables
		return found
	}
	if v.Kind == entrytext.String {
		if s := Secret(key, v.Text); len(s) >= least {
			found = append(found, s)
		}
		for _, s := range AddressSecrets(v.Text) {
			found = append(found, s.Value)
		}
	}
	for i, item := range v.Items {
		under := key
		if i > 0 && strings.HasPrefix(v.Items[i-1].Text, "-") { // the value of a flag
			under = strings.TrimLeft(v.Items[i-1].Text, "-")
		}
		found = credentials(found, under, item)
		if s := argumentSecret(item.Text); len(s) >= least {
			found = append(found, s)
		}
	}
	for _, m := range v.Members {
		found = credentials(found, m.Key, m.Value)
	}
	return found
}

// argumentSecret answers the credential of an argument such as --key=VALUE or
// "Authorization: Bearer VALUE".
func argumentSecret(arg string) string {
	for _, sep := range []string{"=", ":"} {
		if name, value, ok := strings.Cut(arg, sep); ok && !strings.Contains(name, "/") {
			if s := Secret(strings.TrimLeft(name, "-"), strings.TrimSpace(value)); s != "" {
				return s
			}
		}
	}
	return ""
}

// AddressSecret is a credential in an address.
type AddressSecret struct {
	Name  string // of the parameter, or what it is
	Value string // as it stands in the address
}

// AddressSecrets answers the credentials of an address: a password, parameters, and long
// words of its path.
func AddressSecrets(address string) []AddressSecret {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return nil
	}
	var found []AddressSecret
	rest, _, _ := strings.Cut(address, "#")
	rest, query, _ := strings.Cut(rest, "?")
	_, rest, _ = strings.Cut(rest, "://")
	authority, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		if _, password, ok := strings.Cut(authority[:at], ":"); ok && password != "" {
			found = append(found, AddressSecret{"password", password})
		}
	}
	for segment := range strings.SplitSeq(path, "/") {
		if LooksSecret(segment) {
			found = append(found, AddressSecret{"key", segment})
		}
	}
	for parameter := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		if Secret(name, value) != "" {
			found = append(found, AddressSecret{name, value})
		}
	}
	return found
}

// HasCredential reports an argument that holds a credential, such as --key=VALUE, or an
// address with one in it.
func HasCredential(arg string) bool {
	return argumentSecret(arg) != "" || len(AddressSecrets(arg)) > 0 || LooksSecret(arg)
}

// FlagCredential reports arguments of which one is a flag of a credential and the next its
// value.
func FlagCredential(args []string) bool {
	for i, arg := range args[:max(0, len(args)-1)] {
		if strings.HasPrefix(arg, "-") && !strings.HasPrefix(args[i+1], "-") && Secret(strings.TrimLeft(arg, "-"), args[i+1]) != "" {
			return true
		}
	}
	return false
}
