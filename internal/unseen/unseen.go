// Package unseen knows the characters that show nothing, or change how others show. Text
// of strangers is shown with them named, wherever that is.
package unseen

import (
	"unicode"
	"unicode/utf8"
)

// Shapeless reports whether a character has no shape, whatever its category says: the Hangul
// fillers are letters, the variation selectors are marks, and the empty Braille pattern is a
// symbol (Unicode Standard Annex 44, Default_Ignorable_Code_Point). White space has a shape.
func Shapeless(r rune) bool {
	return r == '\u2800' || r >= 0xE0000 && r <= 0xE0FFF || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Hides reports whether a character shows nothing or changes how others show: what is
// shapeless, controls, separators of lines and paragraphs, and what stands for bytes that are
// no UTF-8. Line feed and tab are among them: whoever shows lines asks for these first.
func Hides(r rune) bool {
	if r >= ' ' && r < 0x7F { // most of what is asked about
		return false
	}
	return unicode.IsControl(r) || r == utf8.RuneError || Shapeless(r) || unicode.In(r, unicode.Zl, unicode.Zp)
}
