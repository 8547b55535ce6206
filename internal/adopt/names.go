package adopt

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/clientconf"
)

// longest is how many characters a name may have.
const longest = 64

// name answers what a server is called: as its client calls it, where that can be had, else
// with the client behind it, or a number; "" when none can be had.
func (p *proposer) name(s *clientconf.Server) string {
	base := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s.Name))
	if runes := []rune(base); len(runes) > longest-20 {
		base = strings.TrimSpace(string(runes[:longest-20]))
	}
	if base == "" {
		base = "server"
	}
	for n := range attempts {
		name := base
		switch n {
		case 0:
		case 1:
			name = base + "-" + s.Client.ID
		default: // two underscores are what ends a prefix
			name = strings.Trim(notInPlainName.ReplaceAllString(base, "-"), "-") + "-" + strconv.Itoa(n)
		}
		if p.free(name) {
			return name
		}
	}
	return ""
}

// attempts is how many names are tried: a prefix that is declared may leave none.
const attempts = 100

var notInPlainName = regexp.MustCompile(`[^A-Za-z0-9]+`)

func (p *proposer) free(name string) bool {
	for _, reserved := range p.in.Reserved {
		if strings.EqualFold(reserved, name) {
			return false
		}
	}
	for _, s := range p.in.Existing {
		if s.Name == name || p.in.Clash(name, s.Name, s.ToolPrefix) != "" {
			return false
		}
	}
	return !slices.ContainsFunc(p.out.Taken, func(t Taken) bool { return t.Name == name || p.in.Clash(name, t.Name, "") != "" })
}

var (
	notInName = regexp.MustCompile(`[^A-Z0-9_]+`)
	// anybodys are names that say nothing of whose the credential is.
	anybodys = regexp.MustCompile(`^((API|ACCESS|AUTH|BOT|SECRET|PRIVATE|CLIENT|USER|DB|DATABASE)_)?(KEY|APIKEY|TOKEN|PAT|SECRET|PASSWORD|CREDENTIALS|ID|DSN|URL)$`)
)

// secretName answers the name that a credential is kept under: that of its variable where
// it tells whose it is and means nothing else, or the server's name with it.
func (p *proposer) secretName(server, key, value string, own bool) string {
	word := func(s string) string { return strings.Trim(notInName.ReplaceAllString(strings.ToUpper(s), "_"), "_") }
	whole := word(server + "_" + key)
	if whole == "" || whole[0] >= '0' && whole[0] <= '9' {
		whole = "SERVER_" + whole
	}
	candidates := []string{whole}
	if own && word(key) == key && key != "" && !anybodys.MatchString(key) && (key[0] < '0' || key[0] > '9') {
		candidates = []string{key, whole}
	}
	for n := 2; ; n++ {
		for _, name := range candidates {
			if p.holds(name, value) {
				return name
			}
		}
		candidates = []string{whole + "_" + strconv.Itoa(n)}
	}
}

// holds reports whether a name can stand for a value: it does already, or means nothing.
func (p *proposer) holds(name, value string) bool {
	if v, ok := p.values[name]; ok {
		return v == value
	}
	if v, ok := p.in.Secret(name); ok {
		return v == value
	}
	return !p.names[name]
}
