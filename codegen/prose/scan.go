package prose

import "strings"

// What most lines are looked through for is looked for by hand: a pattern takes ten times
// as long.

// spans answers the code spans of a line, as places of the whole and of what is within.
func spans(text string) (all [][4]int) {
	for i := 0; ; {
		j := strings.IndexByte(text[i:], '`')
		if j < 0 {
			return all
		}
		i += j
		mark := 1
		if strings.HasPrefix(text[i:], "``") {
			mark = 2
		}
		inner := i + mark
		// Two marks enclose what has one; else one encloses what has none.
		n := -1
		if mark == 2 && inner < len(text) {
			if n = strings.Index(text[inner+1:], "``"); n >= 0 {
				n++
			}
		}
		if n < 0 {
			mark, inner = 1, i+1
			n = strings.IndexByte(text[inner:], '`')
		}
		switch {
		case n < 0:
			return all
		case n == 0:
			i = inner
		default:
			all = append(all, [4]int{i, inner + n + mark, inner, inner + n})
			i = inner + n + mark
		}
	}
}

// withoutSpans answers a line with every code span empty.
func withoutSpans(text string) string {
	var b strings.Builder
	end := 0
	for _, s := range spans(text) {
		b.WriteString(text[end:s[0]])
		b.WriteString("` `")
		end = s[1]
	}
	b.WriteString(text[end:])
	return b.String()
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// toolShaped reports whether a word is lower-case words joined by underscores.
func toolShaped(word string) bool {
	if word == "" || !isLower(word[0]) || word[len(word)-1] == '_' {
		return false
	}
	joined := false
	for i := range len(word) {
		switch c := word[i]; {
		case c == '_' && word[i-1] == '_':
			return false
		case c == '_':
			joined = true
		case !isLower(c) && !isDigit(c):
			return false
		}
	}
	return joined
}

// namesIn adds the tool-shaped words of a sentence: those with nothing close to them but
// what encloses or ends a clause.
func namesIn(all []Claim, text string) []Claim {
	for i := 0; i < len(text); {
		if !isLower(text[i]) || i > 0 && strings.IndexByte(" \t(\"'[,;:=", text[i-1]) < 0 {
			i++
			continue
		}
		j := i
		for j < len(text) && (isLower(text[j]) || isDigit(text[j]) || text[j] == '_') {
			j++
		}
		if toolShaped(text[i:j]) && endsClause(text[j:]) {
			all = append(all, Claim{KindName, text[i:j]})
		}
		i = j + 1
	}
	return all
}

// endsClause reports whether a word may end before the rest of a line.
func endsClause(rest string) bool {
	return rest == "" || strings.IndexByte(" \t)\"'],;:?!", rest[0]) >= 0 || rest[0] == '.' && (len(rest) == 1 || rest[1] == ' ')
}

// paths adds the paths of a sentence that begin as one of ours does.
func (r *reader) paths(all []Claim, text string) []Claim {
	for i := 0; i < len(text); i++ {
		if text[i] != '/' || i > 0 && strings.IndexByte(" \t(\"'`", text[i-1]) < 0 {
			continue
		}
		for _, root := range r.roots {
			if !strings.HasPrefix(text[i:], root) {
				continue
			}
			j := i + len(root)
			if j < len(text) && (text[j] == '/' || text[j] == '.') {
				for j < len(text) && (isWord(text[j]) || strings.IndexByte("_{}<>./-", text[j]) >= 0) {
					j++
				}
			} else if j < len(text) && (isWord(text[j]) || text[j] == '-') {
				continue // another word
			}
			all = append(all, Claim{KindRoute, strings.TrimRight(text[i:j], ".:")})
			i = j
			break
		}
	}
	return all
}

// mayRoute reports whether a path stands behind what may be a method of HTTP.
func mayRoute(text string) bool {
	for i := 1; ; {
		j := strings.Index(text[min(i, len(text)):], " /")
		if j < 0 {
			return false
		}
		if i += j; strings.IndexByte("TDHE", text[i-1]) >= 0 {
			return true
		}
		i += 2
	}
}

// saysNumber reports whether a line has a number, in digits or in a word.
func saysNumber(text string) bool {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case isDigit(c):
			return true
		case !isWord(c):
			i++
			continue
		}
		j := i
		for j < len(text) && (isWord(text[j]) || text[j] >= 0x80) {
			j++
		}
		if n := j - i; n >= 3 && n <= 9 && small(strings.ToLower(text[i:j])) > 0 {
			return true
		}
		i = j
	}
	return false
}
