package openapi

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// rational reads a number exactly. Numbers with absurdly many digits are refused:
// writing them out would cost more than the text that holds them.
func rational(n *node) (*big.Rat, bool) {
	if n == nil || n.kind != kindNumber || len(n.text) > 1000 {
		return nil, false
	}
	if i := strings.IndexAny(n.text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(n.text[i+1:]); err != nil || e > 400 || e < -400 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(n.text)
}

// maxSize is more than any text within the limit of a call can hold.
const maxSize = 1 << 30

// size writes a bound on a length or a count as the whole number that generators
// want (10.0 and 1e1 are 10). An upper bound that nothing reaches is left out.
func size(key, text string) (string, bool) {
	r, ok := rational(number(text))
	if !ok {
		return "", false
	}
	n := r.Num()
	if n.IsInt64() && n.Int64() <= maxSize {
		return n.String(), true
	}
	return strconv.Itoa(maxSize), strings.HasPrefix(key, "min")
}

// bounds gathers what a schema says about the size of a number. Generators know
// exclusive bounds as booleans only, or not at all.
type bounds struct {
	integer, number            bool
	foreign                    bool // not one of our own schemas
	minimum, maximum           *node
	above, below               *node // exclusive
	aboveMinimum, belowMaximum bool  // draft 4: the plain bound is exclusive
	multiple                   *node
}

func (b *bounds) read(key string, v *node) {
	switch key {
	case "minimum":
		b.minimum = v
	case "maximum":
		b.maximum = v
	case "multipleOf":
		b.multiple = v
	case "exclusiveMinimum":
		b.above, b.aboveMinimum = v, v.isTrue()
	case "exclusiveMaximum":
		b.below, b.belowMaximum = v, v.isTrue()
	}
}

func (b *bounds) write(out *node) {
	low, notLow := bound(b.minimum, b.above, b.aboveMinimum, 1, b.integer)
	high, notHigh := bound(b.maximum, b.below, b.belowMaximum, -1, b.integer)
	if b.integer {
		if low.atLeastZero() && high != nil && high.text == maxUint64 && out.get("format") == nil {
			out.str("format", "uint64")
		}
		low, notLow = inRange(low, "maximum", -1)
		high, notHigh = inRange(high, "minimum", 1)
	}
	b.width(out, low, high)
	out.add("minimum", low)
	out.add("maximum", high)
	if r, ok := rational(b.multiple); ok && r.Sign() > 0 {
		if b.integer {
			// An integer is a multiple of p/q when it is one of p.
			out.add("multipleOf", number(r.Num().String()))
		} else {
			out.add("multipleOf", b.multiple)
		}
	}
	refuse(out, notLow)
	refuse(out, notHigh)
}

// width says how wide a number is where its schema does not: without it generators
// take a float of 32 bits, or an integer of as many, and lose digits. Our own numbers
// are of 64 bits. What a foreign integer may be is known from its bounds alone.
func (b *bounds) width(out, low, high *node) {
	bounded := low != nil && high != nil
	switch {
	case out.get("format") != nil:
	case b.number:
		out.str("format", "double")
	case b.integer && bounded && within32(low) && within32(high):
		out.str("format", "int32")
	case b.integer && (bounded || !b.foreign):
		out.str("format", "int64")
	}
}

// within32 reports whether an integer of 32 bits holds a bound.
func within32(n *node) bool {
	_, err := strconv.ParseInt(n.text, 10, 32)
	return err == nil
}

const maxUint64 = "18446744073709551615"

func (n *node) atLeastZero() bool {
	r, ok := rational(n)
	return ok && r.Sign() >= 0
}

// inRange answers an integer's bound where 64 bits hold it. Generators of typed
// languages stop at one beyond; it is then said the other way round, as what is
// refused: no integer from the next one on.
func inRange(limit *node, keyword string, next int64) (within, refused *node) {
	r, ok := rational(limit)
	if !ok || r.Num().IsInt64() {
		return limit, nil
	}
	from := new(big.Int).Add(r.Num(), big.NewInt(next))
	return nil, object().str("type", "integer").add(keyword, number(from.String()))
}

// refuse adds that no value of the schema not passes.
func refuse(out, not *node) {
	if not == nil {
		return
	}
	also := object().add("not", not)
	switch all := out.get("allOf"); {
	case out.get("not") == nil:
		out.add("not", not)
	case all == nil:
		out.add("allOf", array(also))
	default:
		out.set("allOf", array(append(slices.Clip(all.items), also)...))
	}
}

// bound joins an inclusive and an exclusive bound on one side into an inclusive
// one and the schema of the value that is out nevertheless. side is 1 for the lower side, -1
// for the upper one. For integers the exclusive bound has an inclusive twin.
func bound(inclusive, exclusive *node, promote bool, side int, integer bool) (limit, but *node) {
	if promote {
		inclusive, exclusive = nil, inclusive
	}
	in, okIn := rational(inclusive)
	ex, okEx := rational(exclusive)
	if okIn && okEx && in.Cmp(ex)*side > 0 {
		okEx = false
	}
	switch {
	case okEx && integer:
		n := wholeFrom(ex, side)
		if ex.IsInt() {
			n.Add(n, big.NewInt(int64(side)))
		}
		return number(n.String()), nil
	case okEx:
		return exclusive, object().add("enum", array(exclusive))
	case okIn && integer:
		return number(wholeFrom(in, side).String()), nil
	case okIn:
		return inclusive, nil
	}
	return nil, nil
}

// wholeFrom rounds up for the lower side and down for the upper one.
func wholeFrom(r *big.Rat, side int) *big.Int {
	n, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int)) // floor
	if rest.Sign() != 0 && side > 0 {
		n.Add(n, big.NewInt(1))
	}
	return n
}
