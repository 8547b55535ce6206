package prose_test

import (
	"regexp"
	"strings"
)

// A claim is one thing that a text says there is.
type claim struct {
	file string
	line int
	kind kind
	text string
}

// kind is what sort of thing a claim is about.
type kind string

const (
	kindName     kind = "name"     // list_tools: a capability, a code, a key, a member, an event
	kindBridged  kind = "bridged"  // filesystem__read_file: a tool of a recorded server
	kindRoute    kind = "route"    // GET /api/v1/tools, /livez
	kindCommand  kind = "command"  // holotype tools --source X
	kindFlag     kind = "flag"     // --source
	kindRefusal  kind = "code"     // the word after "the code"
	kindTarget   kind = "target"   // make test
	kindDecision kind = "decision" // decision 0003
	kindFile     kind = "file"     // capabilities/effect.go, tests/arch
	kindSymbol   kind = "symbol"   // capabilities.Declare
	kindWord     kind = "word"     // a synonym that docs/vocabulary.md rules out
)

var (
	toolShaped    = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)+$`)
	toolShapedIn  = regexp.MustCompile(`(?:^|[\s("'\[,;:=])([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?:$|[\s)"'\],;:?!]|\.(?:$|\s))`)
	bridgedShaped = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*?__[A-Za-z0-9_-]+$`)
	routed        = regexp.MustCompile(`\b(GET|HEAD|POST|PUT|PATCH|DELETE) (/[^\s,;)"'` + "`" + `\\]*)`)
	// Paths that a sentence means as ours, wherever they stand in it.
	pathIn        = regexp.MustCompile(`(?:^|[\s("'` + "`" + `])((?:/api/v1|/operator|/livez|/readyz|/login|/logout|/docs|/openapi|/\.well-known)(?:[/.][A-Za-z0-9_{}<>./-]*)?)`)
	localhost     = regexp.MustCompile(`https?://(?:127\.0\.0\.1|localhost):4280(/[A-Za-z0-9_{}<>./-]*)`)
	pathSpan      = regexp.MustCompile(`^/[a-z.][A-Za-z0-9_{}<>./*-]*$`)
	commandLine   = regexp.MustCompile(`^\$?\s*(?:\./)?(?:bin/)?holotype( .*)?$`)
	commandIn     = regexp.MustCompile(`["']holotype ([a-z][^"']*)["']`)
	flagSpan      = regexp.MustCompile(`^--[a-z][a-z-]*(?:[ =].*)?$`)
	flagIn        = regexp.MustCompile(`(?:^|[\s("'])(--[a-z][a-z-]*)`)
	makeSpan      = regexp.MustCompile(`^make(?: +([a-z][a-z-]*))?(?:$|\s)`)
	codeIn        = regexp.MustCompile("(?:(?:the|with|its) codes?|[Rr]efuses?|[Rr]efused(?: as| with)?) `([a-z][a-z_]*)`")
	decisionIn    = regexp.MustCompile(`\b(?:[Dd]ecisions?|[Rr]ecords?|see|and) (0\d{3})\b|decisions/(\d{4})[-a-z0-9]*`)
	fileSpan      = regexp.MustCompile(`^\.?[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.*<>-]+)*/?$`)
	fileExtension = regexp.MustCompile(`[A-Za-z0-9_>*]\.(?:go|md|mod|sum|ya?ml|json|txt|mjs|html|css)$`)
	symbolShaped  = regexp.MustCompile(`^\*?\[?([a-z][a-z0-9]*)\.([A-Z][A-Za-z0-9]*)`)
)

// claimsOf answers what the passages of a file claim.
func claimsOf(in string, passages []passage) []claim {
	var all []claim
	for _, p := range passages {
		for _, c := range claims(p) {
			c.file, c.line = in, p.line
			all = append(all, c)
		}
	}
	return all
}

func claims(p passage) []claim {
	switch p.form {
	case inCode:
		return claimsOfCode(p.text)
	case inShell:
		return claimsOfShell(p.text)
	case inProse:
		return claimsOfProse(p.text)
	}
	return nil
}

// claimsOfCode reads a code span as the one thing it is.
func claimsOfCode(text string) []claim {
	is := func(k kind, text string) []claim { return []claim{{kind: k, text: text}} }
	switch m := makeSpan.FindStringSubmatch(text); {
	case toolShaped.MatchString(text):
		return is(kindName, text)
	case bridgedShaped.MatchString(text):
		return is(kindBridged, text)
	case commandLine.MatchString(text):
		return is(kindCommand, text)
	case flagSpan.MatchString(text):
		return is(kindFlag, text)
	case m != nil:
		return is(kindTarget, m[1])
	case routed.MatchString(text):
		return routes(text)
	case pathSpan.MatchString(text):
		return is(kindRoute, text)
	case symbolShaped.MatchString(text):
		return is(kindSymbol, text)
	case fileExtension.MatchString(text) && fileSpan.MatchString(text), strings.Contains(text, "/") && fileSpan.MatchString(text):
		return is(kindFile, text)
	}
	return nil
}

// claimsOfShell reads a line of a shell block, without what it says after a #.
func claimsOfShell(line string) []claim {
	line, comment, _ := strings.Cut(line, " #")
	line = strings.TrimSpace(line)
	var all []claim
	if commandLine.MatchString(line) {
		all = append(all, claim{kind: kindCommand, text: line})
	}
	if m := makeSpan.FindStringSubmatch(line); m != nil {
		all = append(all, claim{kind: kindTarget, text: m[1]})
	}
	for _, m := range localhost.FindAllStringSubmatch(line, -1) {
		all = append(all, claim{kind: kindRoute, text: m[1]})
	}
	return append(all, claimsOfProse(comment)...)
}

// claimsOfProse reads sentences for what is a name without being marked as one. Most
// lines hold none, so a pattern is tried where its sign stands alone.
func claimsOfProse(text string) []claim {
	var all []claim
	add := func(k kind, pattern *regexp.Regexp, sign, text string) {
		if !strings.Contains(text, sign) {
			return
		}
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			all = append(all, claim{kind: k, text: strings.TrimRight(strings.Join(m[1:], ""), ".:")})
		}
	}
	add(kindRefusal, codeIn, "`", text)
	add(kindDecision, decisionIn, "0", text)
	add(kindRoute, localhost, ":4280/", text)
	bare := text
	if strings.Contains(text, "`") {
		bare = span.ReplaceAllString(text, "` `")
	}
	if strings.Contains(bare, "/") {
		all = append(all, routes(bare)...)
		add(kindRoute, pathIn, "/", routed.ReplaceAllString(bare, " "))
	}
	add(kindName, toolShapedIn, "_", bare)
	add(kindFlag, flagIn, "--", bare)
	if strings.Contains(bare, "holotype ") {
		for _, m := range commandIn.FindAllStringSubmatch(bare, -1) {
			all = append(all, claim{kind: kindCommand, text: "holotype " + m[1]})
		}
	}
	return all
}

// routes answers the routes of a text that stand with their method.
func routes(text string) []claim {
	var all []claim
	for _, m := range routed.FindAllStringSubmatch(text, -1) {
		all = append(all, claim{kind: kindRoute, text: m[1] + " " + strings.TrimRight(m[2], ".:")})
	}
	return all
}
