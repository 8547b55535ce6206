package schema

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"strings"
)

// numberRule holds bounds in the form that fits integers; bounds that are no integers leave fractions undecided.
type numberRule struct {
	min, max    int64 // for integers, inclusive
	floor, ceil int64 // for fractions: floor(v) >= floor and ceil(v) <= ceil
	noFractions bool
	multipleOf  int64
	bits        int  // of the float that it must fit into; 0 for no float
	limited     bool // by a bound or a multiple
}

func (n *numberRule) admits(text []byte, whole bool) bool {
	if !whole {
		return n.admitsFraction(text)
	}
	v, ok := smallInt(text)
	if !n.limited {
		return ok || fits(text, n.bits)
	}
	return (n.bits == 0 || keepsDigits(text, n.bits)) && ok && v >= n.min && v <= n.max && (n.multipleOf == 0 || v%n.multipleOf == 0)
}

// admitsFraction compares floor and ceiling of a plain decimal.
func (n *numberRule) admitsFraction(text []byte) bool {
	if !n.limited {
		return fits(text, n.bits)
	}
	if n.bits != 0 && !keepsDigits(text, n.bits) {
		return false
	}
	point := bytes.IndexByte(text, '.')
	if n.noFractions || n.multipleOf != 0 || point < 0 {
		return false
	}
	v, ok := smallInt(text[:point])
	zero := true
	for _, c := range text[point+1:] {
		if !digit(c) {
			return false // an exponent
		}
		zero = zero && c == '0'
	}
	if !ok || zero {
		return false
	}
	if text[0] == '-' {
		return v-1 >= n.floor && v <= n.ceil
	}
	return v >= n.floor && v+1 <= n.ceil
}

// smallInt reads an integer of at most 15 digits.
func smallInt(text []byte) (v int64, ok bool) {
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	if len(text) == 0 || len(text) > 15 {
		return 0, false
	}
	for _, c := range text {
		if !digit(c) {
			return 0, false
		}
		v = v*10 + int64(c-'0')
	}
	if negative {
		v = -v
	}
	return v, true
}

func readNumbers(r *rule, object map[string]any) bool {
	n := &numberRule{min: math.MinInt64, max: math.MaxInt64, floor: math.MinInt64, ceil: math.MaxInt64}
	if name, ok := object["format"].(string); ok {
		n.bits = widthOf(name)
	}
	for _, keyword := range []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"} {
		value, given := object[keyword]
		if !given {
			continue
		}
		text, ok := value.(json.Number)
		if !ok || !n.bound(keyword, text) {
			return false
		}
		n.limited = true
	}
	if value, given := object["multipleOf"]; given {
		text, _ := value.(json.Number)
		m, ok := smallInt([]byte(text))
		if !ok || m < 1 {
			return false
		}
		n.multipleOf, n.limited = m, true
	}
	if n.limited || n.bits != 0 {
		r.number = n
	}
	return true
}

// bound turns one bound into its form for integers and, when it is an integer itself, for fractions.
func (n *numberRule) bound(keyword string, text json.Number) bool {
	if n.bits != 0 && (!keepsDigits([]byte(text), n.bits) || strings.ContainsAny(text.String(), "eE")) {
		return false
	}
	exact, ok := new(big.Rat).SetString(text.String())
	if !ok {
		return false
	}
	floor := new(big.Int).Div(exact.Num(), exact.Denom()) // Euclidean: rounds down, denominators are positive
	if !floor.IsInt64() || floor.Int64() > 1<<62 || floor.Int64() < -1<<62 {
		return false
	}
	f, whole := floor.Int64(), exact.IsInt()
	ceil := f
	if !whole {
		ceil++
	}
	n.noFractions = n.noFractions || !whole
	switch keyword {
	case "minimum":
		n.min, n.floor = max(n.min, ceil), max(n.floor, f)
	case "exclusiveMinimum":
		n.min, n.floor = max(n.min, f+1), max(n.floor, f)
	case "maximum":
		n.max, n.ceil = min(n.max, f), min(n.ceil, f)
	case "exclusiveMaximum":
		n.max, n.ceil = min(n.max, ceil-1), min(n.ceil, f)
	}
	return true
}
