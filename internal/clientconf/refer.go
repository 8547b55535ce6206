package clientconf

import (
	"fmt"
	"regexp"
	"strings"
)

// translator writes the values of a client's entry as a configuration of Holotype has them.
type translator struct {
	refers Refers
	home   string
}

var (
	shellReference = regexp.MustCompile(`\$\$|\$\{[^}]*\}|\$[A-Za-z_][A-Za-z0-9_]*`)
	braceReference = regexp.MustCompile(`\$\{[^}]*\}`)
	variableName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// An obstacle is why an entry cannot be taken over.
type obstacle string

// Error answers the reason.
func (o obstacle) Error() string { return string(o) }

// value translates text in which Holotype replaces variables: of env, of headers, an address.
func (t translator) value(s string) (string, error) {
	return t.replace(s, func(literal string) string { return strings.ReplaceAll(literal, "$", "$$") }, func(name string) (string, error) {
		return "${" + name + "}", nil
	})
}

// plain translates text that Holotype passes on as it is: a command and its arguments.
func (t translator) plain(s string) (string, error) {
	return t.replace(s, func(literal string) string { return literal }, func(name string) (string, error) {
		if name == "HOME" && t.home != "" {
			return t.home, nil
		}
		return "", obstacle("its command or its arguments hold the variable " + name + ", which is not replaced there: put the value under env")
	})
}

func (t translator) replace(s string, literal func(string) string, variable func(name string) (string, error)) (string, error) {
	form := braceReference
	switch t.refers {
	case RefersNone:
		return literal(s), nil
	case RefersShell:
		form = shellReference
	case RefersBrace, RefersEnv:
	}
	var out strings.Builder
	for {
		at := form.FindStringIndex(s)
		if at == nil {
			out.WriteString(literal(s))
			return out.String(), nil
		}
		out.WriteString(literal(s[:at[0]]))
		text, err := t.reference(s[at[0]:at[1]], literal, variable)
		if err != nil {
			return "", err
		}
		out.WriteString(text)
		s = s[at[1]:]
	}
}

func (t translator) reference(whole string, literal func(string) string, variable func(name string) (string, error)) (string, error) {
	if whole == "$$" {
		return literal("$$"), nil
	}
	inside := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(whole, "$"), "{"), "}")
	if t.refers == RefersEnv {
		word, rest, _ := strings.Cut(inside, ":")
		switch {
		case word == "env" && variableName.MatchString(rest):
			return variable(rest)
		case word == "userHome" && t.home != "":
			return literal(t.home), nil
		case word == "pathSeparator" || word == "/":
			return "/", nil
		case word == "input":
			return "", obstacle("it asks a person for a value: " + whole)
		case strings.HasPrefix(word, "workspaceFolder"):
			return "", obstacle("it depends on the folder that is open: " + whole)
		}
		return "", obstacle(fmt.Sprintf("it refers to %q, which only its client knows", whole))
	}
	if variableName.MatchString(inside) {
		return variable(inside)
	}
	if name, _, ok := strings.Cut(inside, ":-"); ok && variableName.MatchString(name) {
		return "", obstacle("it has a value for the case that " + name + " is not set, which is not known here: set " + name + " and write ${" + name + "}")
	}
	return literal(whole), nil
}
