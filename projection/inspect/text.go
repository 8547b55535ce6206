package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/internal/unseen"
)

// names judges the name of a tool.
func (j *judgement) names(name string) {
	odd := strings.Map(func(r rune) rune {
		if nameCharacter(r) {
			return -1
		}
		return r
	}, name)
	if odd != "" {
		j.add("name-characters", "/name", "it has %s", strings.Join(signs(odd, 5), ", "))
	}
	if n := utf8.RuneCountInString(j.tool.ClientName); n > maxName {
		j.add("name-too-long", "/name", "%s has %d characters", cut(j.tool.ClientName, 100), n)
	}
}

// texts judges what people and models read of a tool.
func (j *judgement) texts(entry map[string]any) {
	description, _ := entry["description"].(string)
	if strings.TrimSpace(description) == "" {
		j.add("no-description", "", "it is absent or blank")
	}
	if n := utf8.RuneCountInString(description); n > maxDescription {
		j.add("long-description", "/description", "%d characters", n)
	}
	h := hiding{}
	h.walk(entry)
	if h.count > 0 {
		j.add("invisible-characters", h.pointer, "%s%s", strings.Join(signs(h.text, 5), ", "), more(h.count))
	}
}

// hiding collects the texts with characters that a reader does not see.
type hiding struct {
	path    []string // to what is looked at
	pointer string   // of the first
	text    string   // its characters
	count   int      // texts
}

func (h *hiding) walk(v any) {
	switch v := v.(type) {
	case string:
		h.look(v)
	case []any:
		for i, item := range v {
			h.below(strconv.Itoa(i), item)
		}
	case map[string]any:
		for _, key := range sorted(v) {
			h.look(key)
			h.below(key, v[key])
		}
	}
}

func (h *hiding) below(key string, v any) {
	h.path = append(h.path, key)
	h.walk(v)
	h.path = h.path[:len(h.path)-1]
}

func (h *hiding) look(text string) {
	found := hidden(text)
	if found == "" {
		return
	}
	if h.count++; h.count > 1 {
		return
	}
	h.text = found
	for _, key := range h.path {
		h.pointer += "/" + escape(key)
	}
}

// hidden answers the characters of a text that show nothing, turn what is beside
// them, or command a terminal. Line breaks and tabs do not, and neither do the
// joiners and selectors within an emoji.
func hidden(text string) string {
	if !strings.ContainsFunc(text, hides) {
		return ""
	}
	var b strings.Builder
	before := rune(0)
	for _, r := range text {
		emoji := r == '\u200d' && (unicode.In(before, unicode.So, unicode.Sk) || before == '\ufe0f')
		if hides(r) && !emoji {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

func hides(r rune) bool {
	switch {
	case r == '\n' || r == '\r' || r == '\t' || r >= ' ' && r <= '~' || r == '\ufe0f' || unicode.Is(unicode.Zs, r):
		return false
	}
	return unseen.Shapeless(r) || unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp)
}

// signs names up to n different characters of a text.
func signs(text string, n int) []string {
	var all []string
	for _, r := range text {
		sign := fmt.Sprintf("U+%04X", r)
		if unicode.IsPrint(r) && r != ' ' {
			sign += " (" + string(r) + ")"
		}
		if !slices.Contains(all, sign) {
			all = append(all, sign)
		}
	}
	if len(all) > n {
		return append(all[:n], fmt.Sprintf("%d more", len(all)-n))
	}
	return all
}

// more says that a finding stands for several places.
func more(count int) string {
	if count < 2 {
		return ""
	}
	return fmt.Sprintf(", the first of %d places", count)
}

// cut answers a text of at most n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}

// escape makes a key a part of a pointer (RFC 6901).
func escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
