package prose

import (
	"regexp"
	"slices"
	"strings"
)

var (
	bridgedShaped = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*?__[A-Za-z0-9_-]+$`)
	routed        = regexp.MustCompile(`\b(GET|HEAD|POST|PUT|PATCH|DELETE) (/[^\s,;)"'` + "`" + `\\]*)`)
	pathSpan      = regexp.MustCompile(`^/[a-z.][A-Za-z0-9_{}<>./*-]*$`)
	flagSpan      = regexp.MustCompile(`^--[a-z][a-z-]*(?:[ =].*)?$`)
	flagIn        = regexp.MustCompile(`(?:^|[\s("'])(--[a-z][a-z-]*)`)
	keyShaped     = regexp.MustCompile(`^[a-z][a-z0-9_]*(?:\.(?:[a-z0-9_-]+|[A-Z][A-Z0-9_-]*|<[^>]*>|\*)|\[\])+$`)
	fileEnding    = regexp.MustCompile(`\.(?:go|md|mod|sum|ya?ml|json|toml|txt|m?js|tsx?|html|css|sql|sh|py|db|sock|pem|com|org|net|io|dev)$`)
	codeIn        = regexp.MustCompile("(?:(?:the|with|its) codes?|[Rr]efuses?|[Rr]efused(?: as| with)?) `([a-z][a-z_]*)`")
	eventIn       = regexp.MustCompile("(?:the|an) (?:log )?events? `([a-z][a-z_]*)`|`([a-z][a-z_]*)` events?\\b")
	packIn        = regexp.MustCompile("\\bthe packs? `([a-z][a-z0-9_]*)`|\\bthe `([a-z][a-z0-9_]*)` pack\\b")
	toolIn        = regexp.MustCompile("\\b(?:the|a|an) (?:tool|capability) `([a-z][a-z0-9]*)`")
	commandStart  = regexp.MustCompile(`^\$?\s*(?:[A-Z_]+=\S*\s+)*(?:\./)?(?:bin/)?$`)
)

// reader reads the claims of passages about one program.
type reader struct {
	program   string
	commandIn *regexp.Regexp // `see "acme serve" for more`
	address   *regexp.Regexp // http://127.0.0.1:4280/livez; nil where the program has no address
	roots     []string       // what a path begins with that a sentence means as ours, wherever it stands in it
	topKeys   []string       // of the configuration
}

func newReader(t *Truth) *reader {
	r := &reader{program: t.Program, topKeys: t.keys.names()}
	r.commandIn = regexp.MustCompile(`["']` + regexp.QuoteMeta(t.Program) + ` ([a-z][^"']*)["']`)
	if t.Address != "" {
		_, port, _ := strings.Cut(t.Address, ":")
		r.address = regexp.MustCompile(`https?://(?:` + regexp.QuoteMeta(t.Address) + `|localhost:` + regexp.QuoteMeta(port) + `)(/[A-Za-z0-9_{}<>./-]*)`)
	}
	r.roots = rootsOf(t.Routes)
	return r
}

// rootsOf answers what the paths of routes begin with: /api/v1 of what
// capabilities declare, the first segment of the others.
func rootsOf(routes []string) []string {
	var roots []string
	for _, one := range routes {
		_, path, _ := strings.Cut(one, " ")
		segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
		n := 1
		if segments[0] == "api" && len(segments) > 1 {
			n = 2
		}
		if root := strings.Join(segments[:n], "/"); root != "" && !strings.ContainsAny(root, "{*") {
			roots = append(roots, "/"+strings.TrimSuffix(root, ".json"))
		}
	}
	slices.SortFunc(roots, func(a, b string) int { return strings.Compare(b, a) }) // the longer of two first
	return slices.Compact(roots)
}

// claims answers what a passage claims; examples are read elsewhere.
func (r *reader) claims(p Passage) []Claim {
	switch p.Form {
	case Code:
		return r.ofCode(p.Text)
	case Shell:
		return r.ofShell(p.Text)
	case Prose:
		return r.ofProse(p.Text)
	case YAML, JSON:
	}
	return nil
}

// command cuts a command line of the program off what may stand before it: a prompt,
// variables of the environment, the folder of the program.
func (r *reader) command(text string) (line string, ok bool) {
	before, rest, found := strings.Cut(text, r.program)
	if !found || !commandStart.MatchString(before) || rest != "" && rest[0] != ' ' {
		return "", false
	}
	return r.program + rest, true
}

// ofCode reads a code span as the one thing it is.
func (r *reader) ofCode(text string) []Claim {
	is := func(k Kind, text string) []Claim { return []Claim{{k, text}} }
	if toolShaped(text) {
		return is(KindName, text)
	}
	if strings.Contains(text, "__") && bridgedShaped.MatchString(text) {
		return is(KindBridged, text)
	}
	if line, ok := r.command(text); ok {
		return is(KindCommand, line)
	}
	switch {
	case strings.HasPrefix(text, "--") && flagSpan.MatchString(text):
		text, _, _ = strings.Cut(strings.ReplaceAll(text, "=", " "), " ")
		return is(KindFlag, text)
	case mayRoute(text) && routed.MatchString(text):
		return routes(text)
	case strings.HasPrefix(text, "/") && pathSpan.MatchString(text):
		return is(KindRoute, text)
	case strings.ContainsAny(text, ".[") && keyShaped.MatchString(text) && !fileEnding.MatchString(text) && slices.Contains(r.topKeys, text[:strings.IndexAny(text, ".[")]):
		return is(KindKey, text)
	}
	return nil
}

// ofShell reads a command line, without what it says after a #.
func (r *reader) ofShell(text string) []Claim {
	line, comment, _ := strings.Cut(text, " #")
	line = strings.TrimSpace(line)
	var all []Claim
	if command, ok := r.command(line); ok {
		all = append(all, Claim{KindCommand, command})
	}
	all = append(all, r.addresses(line)...)
	return append(all, r.ofProse(comment)...)
}

func (r *reader) addresses(text string) (all []Claim) {
	if r.address == nil || !strings.Contains(text, "http") {
		return nil
	}
	return matches(nil, KindRoute, r.address, text)
}

// matches adds the claims that a pattern finds.
func matches(all []Claim, k Kind, pattern *regexp.Regexp, text string) []Claim {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		all = append(all, Claim{k, strings.TrimRight(strings.Join(m[1:], ""), ".:")})
	}
	return all
}

// ofProse reads sentences for what is a name without being marked as one. Most lines
// hold none, so a pattern is tried where its sign stands alone.
func (r *reader) ofProse(text string) []Claim {
	var all []Claim
	bare := text
	if strings.Contains(text, "`") {
		all = cued(text)
		bare = withoutSpans(text)
	}
	if strings.Contains(bare, "/") {
		all = append(all, r.addresses(text)...)
		if mayRoute(bare) {
			if found := routes(bare); found != nil {
				all = append(all, found...)
				bare = routed.ReplaceAllString(bare, " ")
			}
		}
		all = r.paths(all, bare)
	}
	if strings.Contains(bare, "_") {
		all = namesIn(all, bare)
	}
	if strings.Contains(bare, "--") {
		all = matches(all, KindFlag, flagIn, bare)
	}
	if strings.Contains(bare, r.program+" ") {
		for _, m := range r.commandIn.FindAllStringSubmatch(bare, -1) {
			all = append(all, Claim{KindCommand, r.program + " " + m[1]})
		}
	}
	return all
}

// cued answers the code spans of which the words beside them say what they are.
func cued(text string) (all []Claim) {
	for _, cue := range [...]struct {
		kind    Kind
		pattern *regexp.Regexp
		signs   [4]string // one of which is in what the pattern finds
	}{
		{KindCode, codeIn, [4]string{"code `", "codes `", "efuse", "efuse"}},
		{KindEvent, eventIn, [4]string{"event `", "events `", "` event", "` event"}},
		{KindPack, packIn, [4]string{"pack `", "packs `", "` pack", "` pack"}},
		{KindTool, toolIn, [4]string{"tool `", "capability `", "tool `", "tool `"}},
	} {
		if slices.ContainsFunc(cue.signs[:], func(sign string) bool { return strings.Contains(text, sign) }) {
			all = matches(all, cue.kind, cue.pattern, text)
		}
	}
	return all
}

// routes answers the routes of a text that stand with their method.
func routes(text string) []Claim {
	var all []Claim
	for _, m := range routed.FindAllStringSubmatch(text, -1) {
		all = append(all, Claim{KindRoute, m[1] + " " + strings.TrimRight(m[2], ".:")})
	}
	return all
}
