package schema

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A number of one of our own schemas ends up in a float of 64 bits, or of 32 where its format is "float". Its bounds are compared
// exactly, so a value could keep them and arrive as another that does not: 1e-400 arrives as 0, and 0.99999999999999999999 as 1.
// What does not survive is refused here, where the schema stands. A foreign schema says nothing about where its numbers end up.

// width is what a number must fit into.
type width struct {
	bits         int
	above, below json.Number // what it must not become: the exclusive bounds, "" for none
}

// widthFormat starts the name of the formats that check widths; no schema names one itself.
const widthFormat = "\x00float"

// misfit is what a width found.
type misfit string

func (m misfit) Error() string { return string(m) }

// addWidth puts the check in the place of the format that asks for it. A format of another name says that the number does
// not end up in a float.
func (p *preparation) addWidth(object map[string]any) {
	kinds, many := object["type"].([]any)
	if object["type"] != "number" && !(many && slices.Contains(kinds, any("number"))) {
		return
	}
	w := width{bits: 64}
	switch object["format"] {
	case nil, "double":
	case "float":
		w.bits = 32
	default:
		return
	}
	w.above, _ = object["exclusiveMinimum"].(json.Number)
	w.below, _ = object["exclusiveMaximum"].(json.Number)
	name := widthFormat + strconv.Itoa(w.bits) + " " + w.above.String() + " " + w.below.String()
	object["format"] = name
	if p.widths == nil {
		p.widths = map[string]width{}
	}
	p.widths[name] = w
}

func (p *preparation) hookWidths(c *jsonschema.Compiler) {
	for name, w := range p.widths {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: w.validate})
	}
}

// widthOf answers the bits of a format that checks a width; 0 for any other.
func widthOf(format string) int {
	switch {
	case strings.HasPrefix(format, widthFormat+"64"):
		return 64
	case strings.HasPrefix(format, widthFormat+"32"):
		return 32
	}
	return 0
}

func (w width) validate(v any) error {
	text, ok := v.(json.Number)
	if !ok {
		return nil
	}
	f, err := strconv.ParseFloat(text.String(), w.bits)
	switch {
	case err != nil:
		return misfit("is too large for a number of " + strconv.Itoa(w.bits) + " bits")
	case f == 0 && !isZero([]byte(text)):
		return misfit("is too close to 0 for a number of " + strconv.Itoa(w.bits) + " bits: send 0 if it is meant")
	case w.becomes(f, text, w.above, 1), w.becomes(f, text, w.below, -1):
		return misfit("is so close to a bound that it would arrive as the bound itself")
	}
	return nil
}

// becomes reports whether a number on the allowed side of a bound arrives as the bound.
func (w width) becomes(f float64, text, bound json.Number, side int) bool {
	if bound == "" {
		return false
	}
	if at, err := strconv.ParseFloat(bound.String(), w.bits); err != nil || at != f {
		return false
	}
	exact, ok := new(big.Rat).SetString(text.String())
	limit, known := new(big.Rat).SetString(bound.String())
	return ok && known && exact.Cmp(limit) == side
}

// isZero says that every digit before the exponent is 0.
func isZero(text []byte) bool {
	for _, c := range text {
		switch {
		case c == 'e' || c == 'E':
			return true
		case c >= '1' && c <= '9':
			return false
		}
	}
	return true
}

// fits is the acceptor's reading of a number without bounds, whatever its spelling.
func fits(text []byte, bits int) bool {
	f, err := strconv.ParseFloat(string(text), bits)
	return err == nil && (f != 0 || isZero(text))
}

// keepsDigits says that a number has so few digits that no other of so few becomes the same float: it stays on its side of every
// bound that is as short.
func keepsDigits(text []byte, bits int) bool {
	if bits == 32 {
		return len(text) <= 6
	}
	return len(text) <= 15
}
