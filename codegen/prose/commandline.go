package prose

import (
	"maps"
	"slices"
	"strings"
)

// whyCommand reads a command line of the program: the command, its flags, the tool it
// calls.
func (j *judge) whyCommand(text string) verdict {
	t := j.truth
	if len(t.Commands) == 0 {
		return verdict{}
	}
	words := fields(strings.TrimPrefix(text, t.Program))
	at, flags := "", t.Commands[""]
	foreign := false // whether the flags come from a schema that is not here
	for i, word := range words {
		switch {
		case word == "--" || word == "|" || strings.HasPrefix(word, ">"):
			return verdict{}
		case strings.HasPrefix(word, "-") && word != "-":
			word, _, _ = strings.Cut(word, "=")
			if foreign || strings.ContainsAny(word, "[]|<>,") {
				continue // the shape of a command line, not one
			}
			if v := j.missing("flag of "+strings.TrimSpace(t.Program+" "+at), word, flags); v.why != "" {
				return v
			}
		case i == 0 && word == strings.ToLower(word):
			known, ok := t.Commands[word]
			if !ok {
				v := j.missing("command", word, slices.Sorted(maps.Keys(t.Commands)))
				return v
			}
			at, flags = word, slices.Concat(flags, known)
		case i == 1 && word == strings.ToLower(word) && len(j.within(at)) > 0:
			known, ok := t.Commands[at+" "+word]
			if !ok {
				return j.missing("command of "+t.Program+" "+at, word, j.within(at))
			}
			at, flags = at+" "+word, slices.Concat(flags, known)
		case i == 1 && (at == "call" || at == "tools"):
			v, known := j.called(word)
			if v.why != "" {
				return v
			}
			flags = slices.Concat(flags, known)
			foreign = known == nil
		}
	}
	return verdict{}
}

// called judges the name of a tool on a command line, and answers its flags; nil where
// they are not known.
func (j *judge) called(name string) (verdict, []string) {
	switch {
	case bridgedShaped.MatchString(name):
		if v := j.whyBridged(name); v.why != "" {
			return v, nil
		}
	case toolShaped(name):
		if v := j.missing("tool", name, j.tools); v.why != "" {
			return v, nil
		}
	}
	one, _ := j.truth.tool(name)
	return verdict{}, one.Flags
}

// within answers the commands of a group, without its name.
func (j *judge) within(group string) (all []string) {
	for _, path := range slices.Sorted(maps.Keys(j.truth.Commands)) {
		if name, ok := strings.CutPrefix(path, group+" "); ok {
			all = append(all, name)
		}
	}
	return all
}

// fields cuts a command line at its blanks; quotes keep words together. A quote that
// nobody closes keeps nothing.
func fields(line string) (words []string) {
	begin, quote := -1, byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == ' ' || c == '\t':
			if begin >= 0 {
				words = append(words, line[begin:i])
			}
			begin = -1
			continue
		case (c == '\'' || c == '"') && strings.IndexByte(line[i+1:], c) >= 0:
			quote = c
		}
		if begin < 0 {
			begin = i
		}
	}
	if begin >= 0 {
		words = append(words, line[begin:])
	}
	return words
}
