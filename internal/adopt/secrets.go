package adopt

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// reference finds the variables of text, and the dollar signs that are none.
var reference = regexp.MustCompile(`\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// references answers the variables that an entry refers to.
func references(s *clientconf.Server) []string {
	texts := []string{s.URL}
	for _, p := range s.Env {
		texts = append(texts, p.Value)
	}
	for _, p := range s.Headers {
		texts = append(texts, p.Value)
	}
	var names []string
	for _, text := range texts {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			if m[1] != "" {
				names = append(names, m[1])
			}
		}
	}
	return names
}

// refers reports whether a value has a variable in it: what stands beside one is no
// credential of its own.
func refers(value string) bool {
	for _, m := range reference.FindAllStringSubmatch(value, -1) {
		if m[1] != "" {
			return true
		}
	}
	return false
}

// mixes reports a value that has what looks like a credential beside a variable: it stays as
// it is, because a secret is a whole value or nothing.
func mixes(key, value string) bool {
	const variable = "VARIABLE"
	if !refers(value) {
		return false
	}
	plain := reference.ReplaceAllStringFunc(value, func(m string) string {
		if m == "$$" {
			return "$"
		}
		return variable
	})
	for _, s := range clientconf.AddressSecrets(plain) {
		if !strings.Contains(s.Value, variable) {
			return true
		}
	}
	return slices.ContainsFunc(strings.FieldsFunc(strings.ReplaceAll(plain, variable, " "), func(r rune) bool { return strings.ContainsRune(" :;,&?@=/", r) }), func(word string) bool {
		return clientconf.LooksSecret(word) || config.NamesCredential(key) && len(word) >= 8 && strings.ContainsAny(word, "0123456789")
	})
}

// literal is a value as it is meant, without the doubled dollar signs.
func literal(value string) string { return strings.ReplaceAll(value, "$$", "$") }

// keep answers the values of a server with references in the place of credentials.
func (p *proposer) keep(server, place string, pairs []clientconf.Pair) entrytext.Value {
	out := entrytext.Object()
	for _, pair := range pairs {
		value := pair.Value
		if !refers(value) {
			plain := literal(value)
			if secret := clientconf.Secret(pair.Key, plain); secret != "" {
				key := pair.Key
				if strings.EqualFold(key, "authorization") {
					key = "token"
				}
				scheme := strings.ReplaceAll(strings.TrimSuffix(plain, secret), "$", "$$")
				value = scheme + "${" + p.move(server, key, place+"."+pair.Key, secret, place == "env") + "}"
			}
		}
		out.Members = append(out.Members, entrytext.Member{Key: pair.Key, Value: entrytext.Text(value)})
	}
	return out
}

// address answers an address with references in the place of credentials.
func (p *proposer) address(server, address string) string {
	plain, spelt := literal(address), func(v string) string { return strings.ReplaceAll(v, "$", "$$") }
	if refers(address) { // a dollar sign that is doubled stays so: undone it might begin a reference
		plain, spelt = address, func(v string) string { return v }
	}
	for _, s := range clientconf.AddressSecrets(plain) {
		if refers(address) && refers(s.Value) {
			continue // what stands beside a reference is no credential of its own
		}
		value := spelt(s.Value)
		reference := "${" + p.move(server, s.Name, "url", literal(value), false) + "}"
		// The same text may stand before it, such as in a user's name: its surroundings tell.
		for _, around := range [][2]string{{":", "@"}, {s.Name + "=", ""}, {"/", ""}, {"", ""}} {
			if whole := around[0] + value + around[1]; strings.Contains(address, whole) {
				address = strings.Replace(address, whole, around[0]+reference+around[1], 1)
				break
			}
		}
	}
	return address
}

// move makes a credential a secret, and answers its name.
func (p *proposer) move(server, key, place, value string, own bool) string {
	name := p.secretName(server, key, value, own)
	if _, known := p.values[name]; !known {
		p.values[name] = value
		p.out.Secrets = append(p.out.Secrets, Secret{name, server, place, value})
	}
	return name
}

// existing answers the name of the server of the configuration that says the same, "" for
// none. There a secret is a reference, and here it is written out.
func (p *proposer) existing(s *clientconf.Server) string {
	for i := range p.in.Existing {
		if there, ok := p.asFound(&p.in.Existing[i]); ok && same(there, s) {
			return p.in.Existing[i].Name
		}
	}
	return ""
}

// asFound answers a server of the configuration as a client's file would have it.
func (p *proposer) asFound(server *config.Server) (*clientconf.Server, bool) {
	var entry struct {
		Command, Cwd, URL, Transport string
		Args                         []string
		Env, Headers                 map[string]string
	}
	if !server.Shared || json.Unmarshal(server.Entry, &entry) != nil {
		return nil, false
	}
	out := &clientconf.Server{Command: entry.Command, Args: entry.Args, Cwd: entry.Cwd, URL: p.spelt(entry.URL), SSE: entry.Transport == "sse"}
	for key, value := range entry.Env {
		out.Env = append(out.Env, clientconf.Pair{Key: key, Value: p.spelt(value)})
	}
	for key, value := range entry.Headers {
		out.Headers = append(out.Headers, clientconf.Pair{Key: key, Value: p.spelt(value)})
	}
	return out, true
}

// spelt writes a value out, as far as its variables are secrets.
func (p *proposer) spelt(value string) string {
	return reference.ReplaceAllStringFunc(value, func(whole string) string {
		name := strings.TrimSuffix(strings.TrimPrefix(whole, "${"), "}")
		if v, ok := p.in.Secret(name); ok && whole != "$$" {
			return strings.ReplaceAll(v, "$", "$$")
		}
		return whole
	})
}
