package config

import (
	"fmt"
	"regexp"
	"strings"
)

// problem is why a text cannot be expanded. unset names the variable when only that is missing; the text is in order then.
type problem struct {
	unset string
	words string
}

var (
	variableName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	bareVariable  = regexp.MustCompile(`^\$[A-Za-z_]`)
	mustache      = regexp.MustCompile(`^\{\{\s*[A-Za-z_][A-Za-z0-9_.]*\s*\}\}`)
	percent       = regexp.MustCompile(`^%[A-Za-z_][A-Za-z0-9_]*%`)
	percentEscape = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)
)

// expand replaces every ${NAME} by the variable's value and every $$ by a dollar sign. A value is taken as it is: what looks like a
// variable in it stays. A variable that is not set, or empty, is a problem, and so is every look-alike of a variable. The text is only
// good without problems. No problem quotes the text: it may be a secret.
func expand(text string, lookup func(string) (string, bool)) (string, []problem) {
	var out strings.Builder
	var problems []problem
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, "$$"):
			out.WriteByte('$')
			i += 2
		case strings.HasPrefix(rest, "${"):
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return "", append(problems, problem{words: "${ is not closed; write ${NAME} for a variable, $$ for a dollar sign"})
			}
			value, p := resolve(rest[2:end], lookup)
			if p != nil {
				problems = append(problems, *p)
			}
			out.WriteString(value)
			i += end + 1
		case bareVariable.MatchString(rest):
			problems = append(problems, lookalike("$NAME", i))
			i++
		case mustache.MatchString(rest):
			problems = append(problems, lookalike("{{NAME}}", i))
			i += 2
		case windowsVariable(rest):
			problems = append(problems, lookalike("%NAME%", i))
			i += len(percent.FindString(rest))
		default:
			out.WriteByte(rest[0])
			i++
		}
	}
	if problems != nil {
		return "", problems
	}
	return out.String(), nil
}

// windowsVariable tells %NAME% from percent-encoding, of which %E4%BD is two characters and no variable E4.
func windowsVariable(s string) bool {
	name := percent.FindString(s)
	return name != "" && (!percentEscape.MatchString(s) || !percentEscape.MatchString(s[len(name)-1:]))
}

func lookalike(form string, offset int) problem {
	return problem{words: fmt.Sprintf("%s at byte %d is not replaced; write ${NAME} for a variable, $$ for a dollar sign; "+
		"to pass such text on as it is, put it in a variable", form, offset+1)}
}

func resolve(name string, lookup func(string) (string, bool)) (string, *problem) {
	if !variableName.MatchString(name) {
		return "", &problem{words: malformed(name)}
	}
	value, set := lookup(name)
	switch {
	case !set:
		return "", &problem{unset: name, words: "the variable " + name + " is not set"}
	case value == "":
		return "", &problem{unset: name, words: "the variable " + name + " is empty"}
	}
	return value, nil
}

// malformed explains the forms of other tools. Only the part that is a name is repeated: a default may be a secret.
func malformed(inside string) string {
	if word, name, ok := strings.Cut(inside, ":"); ok {
		switch {
		case word == "env" && variableName.MatchString(name):
			return "${env:" + name + "} is not read here; write ${" + name + "}"
		case word == "input":
			return "${input:...} asks a person in another program; put the value in a variable and write ${NAME}"
		}
	}
	if i := strings.IndexAny(inside, ":-+?="); i > 0 {
		name := inside[:i]
		if variableName.MatchString(name) {
			return "${" + name + "} takes no default and no operator; set the variable and write ${" + name + "}"
		}
	}
	return "${...} must hold the name of a variable: letters, digits and _, not starting with a digit"
}

// references returns the names of the variables in a text, and what is wrong with the text itself.
func references(text string) (names []string, problems []problem) {
	_, problems = expand(text, func(name string) (string, bool) {
		names = append(names, name)
		return "set", true
	})
	return names, problems
}
