package schema

import (
	"errors"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compilePattern reads an ECMA-262 pattern with Go's engine. The only spelling that needs translation is \uXXXX.
// unsupported says that the pattern may be right and RE2 cannot run it: look-around, back-references, over-large repeats.
func compilePattern(pattern string) (re *regexp.Regexp, unsupported bool, err error) {
	re, err = regexp.Compile(pattern)
	if err == nil {
		return re, false, nil
	}
	if translated := translateUnicode(pattern); translated != pattern {
		if re, err := regexp.Compile(translated); err == nil {
			return re, false, nil
		}
	}
	if fault, ok := errors.AsType[*syntax.Error](err); ok {
		switch fault.Code {
		case syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape, syntax.ErrInvalidRepeatSize, syntax.ErrInvalidCharRange,
			syntax.ErrLarge, syntax.ErrNestingDepth:
			unsupported = true
		}
	}
	return nil, unsupported, err
}

// translateUnicode rewrites \u0041 and \u{41} as \x{41}. A backslash that is itself escaped starts nothing.
func translateUnicode(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '\\' || i+1 == len(pattern) {
			b.WriteByte(pattern[i])
			continue
		}
		rest := pattern[i+2:]
		switch {
		case pattern[i+1] != 'u':
			b.WriteString(pattern[i : i+2])
			i++
		case strings.HasPrefix(rest, "{"):
			b.WriteString(`\x`)
			i++
		case len(rest) >= 4:
			b.WriteString(`\x{` + rest[:4] + `}`)
			i += 5
		default:
			b.WriteString(pattern[i : i+2])
			i++
		}
	}
	return b.String()
}

// checkPatterns compiles every pattern of one schema object, so that an error names its place exactly.
func (p *preparation) checkPatterns(path []string, object map[string]any) {
	if pattern, ok := object["pattern"].(string); ok {
		p.checkPattern(child(path, "pattern"), pattern)
	}
	if patterns, ok := object["patternProperties"].(map[string]any); ok {
		for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
			p.checkPattern(child(path, "patternProperties", pattern), pattern)
		}
	}
}

func (p *preparation) checkPattern(path []string, pattern string) {
	_, unsupported, err := compilePattern(pattern)
	switch {
	case err == nil:
	case unsupported && p.foreign:
		p.unjudged = append(p.unjudged, pointerTo(path))
	case unsupported:
		p.fail(path, "pattern %s needs a feature that RE2 does not have: write it without look-around and back-references", quote(pattern))
	default:
		p.fail(path, "pattern %s is not a regular expression: %v", quote(pattern), err)
	}
}

// engine is the regular expression engine given to the library.
func (p *preparation) engine(pattern string) (jsonschema.Regexp, error) {
	re, unsupported, err := compilePattern(pattern)
	switch {
	case err == nil:
		return re, nil
	case unsupported && p.foreign:
		return anyText(pattern), nil
	}
	return nil, err
}

// anyText is a pattern that is not judged here.
type anyText string

func (anyText) MatchString(string) bool { return true }
func (t anyText) String() string        { return string(t) }
