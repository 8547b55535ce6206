package tracker

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/unseen"
)

const (
	maxBody = 256 << 10 // bytes of a description or a comment
	maxPath = 512       // bytes of the path of a file
)

// violates answers the refusal of the argument at pointer.
func violates(pointer, keyword, message string) *capabilities.Error {
	return capabilities.Violates(capabilities.Violation{Pointer: pointer, Keyword: keyword, Message: message})
}

// faults gathers what is wrong with the texts of a call beyond their schema.
type faults struct {
	violations []capabilities.Violation
	large      *capabilities.Error
}

func (f *faults) add(pointer, keyword, message string) {
	f.violations = append(f.violations, capabilities.Violation{Pointer: pointer, Keyword: keyword, Message: message})
}

// err answers the refusal of everything that was found, or nil.
func (f *faults) err() error {
	if len(f.violations) > 0 {
		slices.SortStableFunc(f.violations, func(a, b capabilities.Violation) int { return strings.Compare(a.Pointer, b.Pointer) })
		return capabilities.Violates(f.violations...)
	}
	if f.large != nil {
		return f.large
	}
	return nil
}

// line judges a text of one line that people read in lists: a title, a name.
func (f *faults) line(pointer, text string) {
	if blank(text) {
		f.add(pointer, "minLength", "is blank: send words")
		return
	}
	f.marks(pointer, text)
}

// blank reports whether a text shows nothing: it is empty, or has only white space and
// characters without a shape, such as a zero-width space or the soft hyphen.
func blank(text string) bool { return strings.IndexFunc(text, shows) < 0 }

// shows reports whether people see a character.
func shows(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsControl(r) && !unseen.Shapeless(r) }

// marks judges what a line may not hold, blank or not.
func (f *faults) marks(pointer, text string) {
	for i, r := range text {
		switch {
		case unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			f.add(pointer, "pattern", fmt.Sprintf("has the control character U+%04X at byte %d: send one line of plain text", r, i))
			return
		case isBidi(r):
			f.add(pointer, "pattern", fmt.Sprintf("has U+%04X at byte %d, which changes the direction that text is shown in: leave it out", r, i))
			return
		}
	}
}

// name judges a line that is compared with others: it has no space around it.
func (f *faults) name(pointer, text string) {
	if f.line(pointer, text); text != strings.TrimSpace(text) {
		f.add(pointer, "pattern", "begins or ends with white space: leave it out")
	}
}

// body judges a text of many lines.
func (f *faults) body(pointer, text string) {
	if len(text) > maxBody {
		f.large = capabilities.Refuse(capabilities.TooLarge, "%s has %d bytes, at most %d are taken: send less, or write a project file and name it",
			pointer, len(text), maxBody)
	}
	for i, r := range text {
		endsLine := r == '\r' && strings.HasPrefix(text[i+1:], "\n")
		if r < ' ' && r != '\n' && r != '\t' && !endsLine {
			f.add(pointer, "pattern", fmt.Sprintf("has the control character U+%04X at byte %d: of those send tabs and ends of lines alone", r, i))
			return
		}
	}
}

// isBidi reports whether a character changes the direction that text is shown in, so
// that what is read is not what is there.
func isBidi(r rune) bool {
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069' || r == '\u200E' || r == '\u200F' || r == '\u061C'
}

// path judges the path of a file. A path is compared byte for byte, so it has one
// spelling: relative, clean, in normal form C.
func (f *faults) path(pointer, text string) {
	before := len(f.violations)
	switch f.marks(pointer, text); {
	case len(f.violations) > before:
	case len(text) > maxPath:
		f.add(pointer, "maxLength", fmt.Sprintf("has %d bytes, at most %d are taken: send a shorter path", len(text), maxPath))
	case !utf8.ValidString(text) || !norm.NFC.IsNormalString(text):
		f.add(pointer, "pattern", "is not in Unicode normal form C: send it composed")
	case strings.Contains(text, `\`):
		f.add(pointer, "pattern", `has a backslash: part folders with "/"`)
	case strings.HasPrefix(text, "/"):
		f.add(pointer, "pattern", `is absolute: leave the first "/" out`)
	case slices.ContainsFunc(strings.Split(strings.TrimSuffix(text, "/"), "/"), func(part string) bool { return part != "" && blank(part) }):
		f.add(pointer, "pattern", "has a part that shows nothing: give every folder and file a name that can be read")
	case slices.Contains(strings.Split(text, "/"), ".."):
		f.add(pointer, "pattern", `has "..": name the folder itself`)
	case text == "." || path.Clean(text) != text:
		f.add(pointer, "pattern", `is not a clean path such as notes/plan.md: leave ".", empty parts and a "/" at the end out`)
	case strings.TrimSpace(text) != text:
		f.add(pointer, "pattern", "begins or ends with white space: leave it out")
	}
}
