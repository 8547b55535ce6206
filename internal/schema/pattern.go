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

const (
	// maxPattern bounds the program of one pattern and maxPatterns those of one schema, in instructions. An instruction takes
	// some hundred bytes and each character of a text may meet them all; (x{900})(x{900}) is 16 characters.
	maxPattern, maxPatterns = 5_000, 20_000
)

var errLargePattern = errors.New("it repeats too much")

// compilePattern reads an ECMA-262 pattern with Go's engine and answers about how many instructions its program has. The only
// spelling that needs translation is \uXXXX.
func compilePattern(pattern string) (re *regexp.Regexp, size int, err error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		translated := translateUnicode(pattern)
		again, stillWrong := syntax.Parse(translated, syntax.Perl)
		if stillWrong != nil {
			return nil, 0, err
		}
		pattern, tree = translated, again
	}
	if size = programSize(tree); size > maxPattern {
		return nil, 0, errLargePattern
	}
	re, err = regexp.Compile(pattern)
	return re, size, err
}

// unsupported reports whether a pattern that did not compile may be right and is only not run here: look-around,
// back-references, over-large repeats.
func unsupported(err error) bool {
	if errors.Is(err, errLargePattern) {
		return true
	}
	if fault, ok := errors.AsType[*syntax.Error](err); ok {
		switch fault.Code {
		case syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape, syntax.ErrInvalidRepeatSize, syntax.ErrInvalidCharRange,
			syntax.ErrLarge, syntax.ErrNestingDepth:
			return true
		}
	}
	return false
}

// programSize answers about how many instructions a parsed pattern is compiled to. The parser bounds repeats within repeats
// to 1000 in all, so that it cannot overflow.
func programSize(tree *syntax.Regexp) int {
	n := 0
	for _, sub := range tree.Sub {
		n += programSize(sub)
	}
	switch tree.Op {
	case syntax.OpLiteral:
		return len(tree.Rune)
	case syntax.OpConcat:
		return n
	case syntax.OpRepeat:
		return max(n, 1) * max(tree.Max, tree.Min+1)
	}
	return n + 2
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
	_, size, err := compilePattern(pattern)
	switch {
	case err == nil:
		if p.patterns += size; p.patterns > maxPatterns {
			p.fail(path, "the patterns of this schema are too large together: shorten them, or repeat less")
		}
	case unsupported(err) && p.foreign:
		p.unjudged = append(p.unjudged, pointerTo(path))
	case errors.Is(err, errLargePattern):
		p.fail(path, "pattern %s repeats too much: shorten it, or repeat less", quote(pattern))
	case unsupported(err):
		p.fail(path, "pattern %s needs a feature that RE2 does not have: write it without look-around and back-references", quote(pattern))
	default:
		p.fail(path, "pattern %s is not a regular expression: %v", quote(pattern), err)
	}
}

// engine is the regular expression engine given to the library.
func (p *preparation) engine(pattern string) (jsonschema.Regexp, error) {
	re, _, err := compilePattern(pattern)
	switch {
	case err == nil:
		return re, nil
	case unsupported(err) && p.foreign:
		return anyText(pattern), nil
	}
	return nil, err
}

// anyText is a pattern that is not judged here.
type anyText string

func (anyText) MatchString(string) bool { return true }
func (t anyText) String() string        { return string(t) }
