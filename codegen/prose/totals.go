package prose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// total reports whether a count says how many there are of something, with the scope that
// the sentence names. Most counts do not: "two tools that write" are some of them. So a
// sentence has to say it in one of a few ways.
func (j *judge) total(b *block, s []word, c *count) bool {
	if c.noun == "" || c.more || c.n == 0 || vague(s, c.at) {
		return false
	}
	rest := s[c.end:]
	// "N tools in M packs", "N tools in all"
	if len(rest) > 1 && rest[0].is("in", "across", "of", "from") {
		if rest[1].is("total", "all") && (len(rest) == 2 || rest[2].mark) {
			return true
		}
		if len(rest) > 2 && rest[1].n > 0 && nounOf(rest[2], rest[1]) == "pack" {
			return true
		}
		// "the N tools of the tracker pack"
		k := 1
		for k < len(rest) && rest[k].is("the", "pack", "server") {
			k++
		}
		if k < len(rest) && j.scoped(rest[k], c) {
			return k+1 == len(rest) || rest[k+1].mark || rest[k+1].is("pack", "and")
		}
		return false
	}
	if len(rest) > 0 && rest[0].is("altogether") {
		return true
	}
	// and the packs of "N tools in M packs"
	if c.noun == "pack" && c.at > 2 && s[c.at-1].is("in", "across", "of", "from") && nounOf(s[c.at-2], s[c.at-3]) != "" && s[c.at-3].n > 0 {
		return true
	}
	ends := len(rest) == 0 || rest[0].mark || rest[0].is("and", "today", "now", "over", "on", "as", "but")
	if !ends {
		return false
	}
	if c.at == 0 && len(rest) == 0 && (b.heading || b.row || b.item || len(s) == len(b.words)) {
		return j.alone(b, s[c.at], c)
	}
	k := c.at - 1
	if k >= 0 && s[k].is("all") && (len(rest) == 0 || rest[0].mark) && isDigit(s[c.at].text[0]) {
		return true
	}
	for k >= 0 && s[k].is("all", "exactly", "you", "your", "assistants", "clients", "callers", "currently", "now", "of", "total", "a", "these", "own", "the", "just") {
		k--
	}
	switch {
	case k < 0:
		return false
	case s[k].mark && (s[k].text == "(" || s[k].text == ":" || s[k].text == "-") && k > 0:
		// "tracker (N tools)", "the tracker pack: N tools"
		if s[k-1].is("pack", "server") && k > 1 {
			k--
		}
		return j.scoped(s[k-1], c)
	case strings.HasSuffix(s[k].text, "'s") && !s[k].code: // "the tracker's N tools"
		return j.scoped(word{text: strings.TrimSuffix(s[k].text, "'s")}, c)
	case s[k].is("are", "is") && k > 0 && s[k-1].is("there"):
		return len(rest) == 0 || rest[0].is("and", "today", "now")
	case s[k].is("has", "have", "offers", "provides", "exposes", "ships", "serves", "declares", "contains", "includes", "brings", "gives", "registers", "lists", "with"):
		for back := k - 1; back >= 0 && back >= k-4; back-- {
			if j.scoped(s[back], c) || s[back].is("server") && back > 0 && s[back-1].is("this") {
				return true
			}
			if !s[back].is("pack", "server", "registry", "comes", "ships", "now", "currently", "itself", "alone") {
				return false
			}
		}
	}
	return false
}

// vague reports whether the word before a number makes it a bound, or a part.
func vague(s []word, at int) bool {
	return at > 0 && s[at-1].is("to", "most", "least", "than", "over", "about", "around", "some", "first", "next", "last", "other", "another", "under", "every", "any", "only",
		"roughly", "nearly", "almost", "or", "than", "another", "these", "those")
}

// scoped sets the scope of a count where a word names a pack, a server or the program.
func (j *judge) scoped(t word, c *count) bool {
	switch {
	case t.mark:
		return false
	case c.scope != "": // "N tracker tools"
	case j.group(t.text):
		c.scope = t.text
	case t.text == strings.ToLower(j.truth.Program):
		c.scope = ""
	case t.code && toolShaped(t.text+"_x"):
		c.scope = t.text // whose it is, nobody here knows
	default:
		return false
	}
	return true
}

// alone finds the scope of a count that has its line, its cell or its heading for itself.
// Without one it is the program's where it stands in digits: "Two commands" is a title.
func (j *judge) alone(b *block, number word, c *count) bool {
	for _, w := range b.words {
		if j.group(w.text) {
			c.scope = w.text
			return true
		}
	}
	for _, name := range b.names {
		c.scope = name
	}
	return c.scope != "" || !b.row && isDigit(number.text[0])
}

// have answers how many there are of what a count counts, in the ways in which that may be
// counted; nil where it is not known. The first is what is said.
func (j *judge) have(c count) []int {
	t := j.truth
	switch {
	case c.noun == "tool":
		return j.toolCounts(c)
	case c.scope != "":
		return nil
	}
	switch c.noun {
	case "pack":
		return some(len(t.Packs))
	case "code":
		return some(len(t.Codes), t.BaseCodes)
	case "route":
		return some(len(t.Routes), j.declaredRoutes())
	case "command":
		top, leaves := 0, 0
		for name := range t.Commands {
			if name != "" && !strings.Contains(name, " ") {
				top++
			}
			if name != "" && len(j.within(name)) == 0 {
				leaves++
			}
		}
		return some(top, leaves, len(t.Commands)-1)
	case "key":
		return some(len(t.keys.names()), len(t.keys.words()))
	case "event":
		return some(len(t.Events))
	case "hint":
		return some(len(capabilities.HintNames))
	}
	return nil
}

func some(n int, others ...int) []int {
	if n <= 0 {
		return nil
	}
	return append([]int{n}, others...)
}

// toolCounts counts tools: with old names and without, with those of servers and without.
func (j *judge) toolCounts(c count) []int {
	var own, old, bridged int
	for _, t := range j.truth.Tools {
		if c.scope != "" && t.Group != c.scope {
			continue
		}
		switch {
		case t.Server:
			bridged++
		case t.Alias:
			old++
		default:
			own++
		}
	}
	if c.scope != "" && own+old+bridged == 0 {
		return nil
	}
	if c.builtin || bridged == 0 {
		return some(own, own+old)
	}
	return some(own+bridged, own+old+bridged, own, own+old)
}

// untrue answers what is wrong with a count that says how many there are.
func (j *judge) untrue(c count) verdict {
	have := j.have(c)
	if have == nil || slices.Contains(have, c.n) {
		return verdict{}
	}
	where := "there"
	if c.scope != "" {
		where = "in " + c.scope + " there"
	}
	verb := "are"
	if have[0] == 1 {
		verb = "is"
	}
	return verdict{why: fmt.Sprintf("%s %s %d", where, verb, have[0])}
}

// declaredRoutes counts the routes that capabilities declare.
func (j *judge) declaredRoutes() (n int) {
	for _, path := range j.patterns {
		if strings.HasPrefix(path, "/api/v1/") {
			n++
		}
	}
	return n
}
