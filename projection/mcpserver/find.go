package mcpserver

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// index is what the tools of a list are found by: the words of their names, titles,
// descriptions and arguments, in lower case, each with the tools that have it.
type index struct {
	words []indexed
	tools int
}

// indexed is a word, and the tools that have it by their places in the list.
type indexed struct {
	word, stem   string
	named, other []int32 // in the name, and elsewhere
}

func newIndex(tools []*capabilities.Capability) *index {
	x, at := &index{tools: len(tools)}, map[string]int{}
	word := func(text string) *indexed {
		i, known := at[text]
		if !known {
			i = len(x.words)
			at[text] = i
			x.words = append(x.words, indexed{word: text, stem: stem(text)})
		}
		return &x.words[i]
	}
	for i, c := range tools {
		for _, text := range split(c.Name()) {
			w := word(text)
			w.named = append(w.named, int32(i))
		}
		rest := append(split(c.Title()), split(c.Summary())...)
		for key := range rawjson.Members(rawjson.Member(c.Input().Raw(), "properties")) {
			rest = append(rest, split(key)...)
		}
		for _, text := range rest {
			if w := word(text); len(w.other) == 0 || w.other[len(w.other)-1] != int32(i) {
				w.other = append(w.other, int32(i))
			}
		}
	}
	return x
}

func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// asked answers the words of a query, without those that say nothing unless there are no
// others.
func asked(query string) []string {
	all := split(query)
	slices.Sort(all)
	all = slices.Compact(all)
	telling := slices.DeleteFunc(slices.Clone(all), func(w string) bool {
		switch w {
		case "a", "all", "an", "and", "for", "from", "i", "in", "is", "it", "my", "of", "on", "or", "the", "to", "tool", "tools", "want", "with":
			return true
		}
		return false
	})
	if len(telling) == 0 {
		return all
	}
	return telling
}

// stem takes the commonest endings of English words away, so that "creating issues" finds
// create_issue.
func stem(word string) string {
	for _, ending := range []string{"ing", "ies", "ed", "es", "s", "e", "y"} {
		if rest, cut := strings.CutSuffix(word, ending); cut && len(rest) >= 3 {
			return rest
		}
	}
	return word
}

// How well a word of a query fits that of a tool: the very word, another form of it, and
// its beginning; in the name, and elsewhere.
const (
	sameName, formName, beginName    = 8, 7, 4
	sameOther, formOther, beginOther = 3, 2, 1
	leastBegin                       = 3 // letters of a beginning
)

// ranked is a tool that was found, by its place in the list.
type ranked struct{ at, fits, weight int }

// rank answers the tools that fit at least one of the words, those that fit most of them
// first, then the best, then in the order of the list; without words, all in that order.
func (x *index) rank(query []string) []ranked {
	all := make([]ranked, x.tools)
	for i := range all {
		all[i].at = i
	}
	if len(query) == 0 {
		return all
	}
	best := make([]int8, x.tools) // of one word
	for _, asked := range query {
		clear(best)
		root := stem(asked)
		for i := range x.words {
			w := &x.words[i]
			var name, other int8
			switch {
			case w.word == asked:
				name, other = sameName, sameOther
			case w.stem == root:
				name, other = formName, formOther
			case len(asked) >= leastBegin && strings.HasPrefix(w.word, asked):
				name, other = beginName, beginOther
			default:
				continue
			}
			for _, at := range w.named {
				best[at] = max(best[at], name)
			}
			for _, at := range w.other {
				best[at] = max(best[at], other)
			}
		}
		for at, weight := range best {
			if weight > 0 {
				all[at].fits++
				all[at].weight += int(weight)
			}
		}
	}
	found := slices.DeleteFunc(all, func(r ranked) bool { return r.fits == 0 })
	slices.SortFunc(found, func(a, b ranked) int {
		if c := b.fits - a.fits; c != 0 {
			return c
		}
		if c := b.weight - a.weight; c != 0 {
			return c
		}
		return a.at - b.at
	})
	return found
}

// findTools serves find_tools.
func findTools(of *listing, arguments json.RawMessage, _ bool) ([]byte, *capabilities.Error) {
	in := struct {
		Query  string
		Limit  int
		Cursor string
	}{Limit: usualFound}
	if err := json.Unmarshal(arguments, &in); err != nil { // it was judged, but for numbers such as 1e1
		return nil, capabilities.Refuse(capabilities.Invalid, "the limit is a whole number, written as one")
	}
	query := asked(in.Query)
	from, ok := of.foundFrom(query, in.Cursor)
	if !ok {
		return nil, capabilities.Violates(capabilities.Violation{Pointer: "/cursor", Keyword: "cursor", Message: "is no cursor of this query, or the tools have changed since: leave it out to begin again"})
	}
	found := of.discovery.index().rank(query)
	from = min(from, len(found))
	to := min(from+in.Limit, len(found))
	out := []byte(`{"tools":[`)
	for i, r := range found[from:to] {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendFound(out, of.tools[r.at])
	}
	out = append(out, `],"total":`...)
	out = strconv.AppendInt(out, int64(len(found)), 10)
	if to < len(found) {
		out = rawjson.AppendQuoted(append(out, `,"next_cursor":`...), of.foundCursor(query, to))
	}
	return append(out, '}'), nil
}

// appendFound writes what a caller needs to choose a tool.
func appendFound(out []byte, c *capabilities.Capability) []byte {
	out = rawjson.AppendQuoted(append(out, `{"name":`...), c.Name())
	out = rawjson.AppendQuoted(append(out, `,"summary":`...), short(c.Summary()))
	out = rawjson.AppendQuoted(append(out, `,"effect":`...), c.Hints().Word())
	out = append(appendHints(append(out, `,"hints":{`...), c.Hints(), false), '}')
	by := capabilities.CallWrite
	if capabilities.ReadOnlyProven(c) {
		by = capabilities.CallRead
	}
	return append(rawjson.AppendQuoted(append(out, `,"call":`...), by), '}')
}

// short is the beginning of a description, on one line: a bridged server's may be pages.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxFoundText {
		return text
	}
	cut := strings.ToValidUTF8(text[:maxFoundText], "")
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return cut + " ..."
}

// foundSum is how many bytes of a cursor tell what it is of.
const foundSum = 8

// foundOf tells a query of this very list from all others.
func (l *listing) foundOf(query []string) []byte {
	h := sha256.New()
	h.Write(l.digest[:])
	h.Write([]byte(strings.Join(query, " ")))
	return h.Sum(nil)[:foundSum:foundSum]
}

func (l *listing) foundCursor(query []string, at int) string {
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint(l.foundOf(query), uint64(at)))
}

// foundFrom answers where a cursor says to go on; "" is at the beginning. ok is false for
// one of another list or query.
func (l *listing) foundFrom(query []string, cursor string) (at int, ok bool) {
	if cursor == "" {
		return 0, true
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) <= foundSum || string(raw[:foundSum]) != string(l.foundOf(query)) {
		return 0, false
	}
	n, used := binary.Uvarint(raw[foundSum:])
	if used != len(raw)-foundSum || n > uint64(len(l.tools)) {
		return 0, false
	}
	return int(n), true
}

// describeTools serves describe_tools: the very bytes that the caller's whole list has. A
// name that is hidden from the caller is not told from one that nothing has.
func describeTools(of *listing, arguments json.RawMessage, modern bool) ([]byte, *capabilities.Error) {
	var in struct{ Names []string }
	if err := json.Unmarshal(arguments, &in); err != nil { // it was judged
		return nil, capabilities.Refuse(capabilities.Invalid, "the names are a list of strings")
	}
	out, unknown := []byte(`{"tools":[`), []byte(`],"unknown":[`)
	more := func(to []byte) []byte {
		if to[len(to)-1] != '[' {
			return append(to, ',')
		}
		return to
	}
	for i, name := range in.Names {
		if slices.Contains(in.Names[:i], name) {
			continue
		}
		at, ok := slices.BinarySearchFunc(of.tools, name, func(c *capabilities.Capability, name string) int { return strings.Compare(c.Name(), name) })
		if ok {
			out = append(more(out), of.in(modern).part(at)...)
			continue
		}
		unknown = rawjson.AppendQuoted(more(unknown), name)
	}
	return append(append(out, unknown...), "]}"...), nil
}
