package entrytext

import (
	"bytes"
	"slices"
)

// addJSON puts a member at the end of the object at a path.
func addJSON(text []byte, path []string, name string, entry Value) ([]edit, error) {
	root, err := readJSON(text)
	if err != nil {
		return nil, err
	}
	eol := lineEnd(text)
	if root == nil {
		lead := ""
		if len(text) > 0 && text[len(text)-1] != '\n' {
			lead = eol
		}
		whole := Value{Kind: Map}.with(path, name, entry)
		body := WriteJSON("", whole, "", "  ", eol)[len(`"": `):]
		return []edit{{at: len(text), insert: lead + body + eol}}, nil
	}
	object, reached, err := root.nodeAt(text, path)
	if err != nil {
		return nil, err
	}
	for i := len(path) - 1; i >= reached; i-- {
		entry = Object(Member{name, entry})
		name = path[i]
	}
	return insertJSON(text, object, unitOf(text, root), name, entry, eol)
}

// unitOf answers what a step of indentation is in a text.
func unitOf(text []byte, root *jsonNode) string {
	if len(root.members) > 0 {
		if first := root.members[0].at; beginsLine(text, first) && lineStart(text, first) > root.start {
			if indent := indentAt(text, first); indent != "" {
				return indent
			}
		}
	}
	return "  "
}

// beginsLine reports whether nothing but white space stands before i in its line.
func beginsLine(text []byte, i int) bool { return skipBlank(text, lineStart(text, i)) == i }

func insertJSON(text []byte, o *jsonNode, unit, name string, entry Value, eol string) ([]edit, error) {
	from, trailing := o.start+1, false
	child := indentAt(text, o.start) + unit
	if n := len(o.members); n > 0 {
		last := o.members[n-1]
		from = last.value.end
		if last.comma >= 0 {
			from, trailing = last.comma+1, true
		}
		if beginsLine(text, last.at) {
			child = indentAt(text, last.at)
		}
	}
	behind, err := sameLine(text, from)
	if err != nil {
		return nil, err
	}
	lines := behind < len(text) && (text[behind] == '\n' || text[behind] == '\r')
	closing := o.end - 1
	switch {
	case lines && len(o.members) == 0:
		return []edit{{at: behind, insert: eol + child + WriteJSON(name, entry, child, unit, eol)}}, nil
	case lines && trailing:
		return []edit{{at: behind, insert: eol + child + WriteJSON(name, entry, child, unit, eol) + ","}}, nil
	case lines:
		return []edit{{at: from, insert: ","}, {at: behind, insert: eol + child + WriteJSON(name, entry, child, unit, eol)}}, nil
	case len(o.members) == 0:
		drop := 0
		if len(bytes.TrimSpace(text[from:closing])) == 0 {
			drop = closing - from
		}
		return []edit{{at: closing - drop, drop: drop, insert: eol + child + WriteJSON(name, entry, child, unit, eol) + eol + indentAt(text, o.start)}}, nil
	case trailing:
		return []edit{{at: from, insert: " " + WriteJSON(name, entry, "", "", "") + ","}}, nil
	}
	return []edit{{at: from, insert: ", " + WriteJSON(name, entry, "", "", "")}}, nil
}

// sameLine answers the index after the white space and the comments that stand behind i in
// its line.
func sameLine(text []byte, i int) (int, error) {
	for {
		i = skipBlank(text, i)
		next, err := skipComment(text, i)
		if err != nil || next == i {
			return i, err
		}
		i = next
	}
}

// removeJSON takes a member out of the object at a path.
func removeJSON(text []byte, path []string, name string) ([]edit, error) {
	root, err := readJSON(text)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, ErrNotThere
	}
	o, reached, err := root.nodeAt(text, path)
	if err != nil {
		return nil, err
	}
	at, times := o.find(name)
	switch {
	case reached < len(path) || times == 0:
		return nil, ErrNotThere
	case times > 1:
		return nil, faultAt(text, o.members[at].at, "%s", describeTwice(name))
	}
	m := o.members[at]
	if len(o.members) == 1 && o.onlySpaceBeside(text, m) {
		return []edit{{at: o.start + 1, drop: o.end - o.start - 2}}, nil
	}
	start, end := m.at, m.value.end
	var edits []edit
	switch {
	case m.comma >= 0 && len(bytes.TrimSpace(text[end:m.comma])) == 0:
		end = m.comma + 1
	case m.comma >= 0: // a comment stands before the comma, and stays
		edits = append(edits, edit{at: m.comma, drop: 1})
	case at > 0:
		edits = append(edits, edit{at: o.members[at-1].comma, drop: 1})
	}
	start, end = wholeLines(text, start, end, o.start+1)
	return append(edits, edit{at: start, drop: end - start}), nil
}

// onlySpaceBeside reports whether an object has nothing in it but one member.
func (n *jsonNode) onlySpaceBeside(text []byte, m jsonMember) bool {
	before, behind := n.start+1, m.value.end
	if m.comma >= 0 {
		if len(bytes.TrimSpace(text[behind:m.comma])) > 0 {
			return false
		}
		behind = m.comma + 1
	}
	return len(bytes.TrimSpace(text[before:m.at])) == 0 && len(bytes.TrimSpace(text[behind:n.end-1])) == 0
}

// wholeLines widens a span to the lines that hold nothing else, or else by the spaces that
// stood between it and its neighbour.
func wholeLines(text []byte, start, end, least int) (from, to int) {
	after := skipBlank(text, end)
	if beginsLine(text, start) && lineStart(text, start) >= least && slices.Contains([]byte("\r\n"), byteAt(text, after)) {
		return lineStart(text, start), lineAfter(text, after)
	}
	if beginsLine(text, start) { // a comment stands behind it, and takes its place
		return start, after
	}
	from = start
	for from > least && (text[from-1] == ' ' || text[from-1] == '\t') {
		from--
	}
	if from == least {
		return start, after
	}
	return from, end
}

func byteAt(text []byte, i int) byte {
	if i < len(text) {
		return text[i]
	}
	return 0
}
