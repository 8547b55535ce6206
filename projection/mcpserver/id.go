package mcpserver

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// isID reports whether a value is what the protocol takes for a request's id or a
// progress token: a string or an integer, however it is written.
func isID(raw json.RawMessage) bool {
	switch k := rawjson.Kind(raw); {
	case k == '"':
		return true
	case k != '-' && (k < '0' || k > '9'):
		return false
	case !bytes.ContainsAny(raw, ".eE"):
		return true
	}
	_, _, exponent := decimal(string(raw))
	return exponent >= 0
}

// idKey answers the same text for two spellings of one id, and other texts for two
// ids.
func idKey(raw json.RawMessage) string {
	if rawjson.Kind(raw) == '"' {
		if bytes.IndexByte(raw, '\\') < 0 {
			return string(raw)
		}
		return string(rawjson.AppendQuoted(nil, rawjson.Unquote(raw)))
	}
	if !bytes.ContainsAny(raw, ".eE") && string(raw) != "-0" {
		return string(raw)
	}
	sign, digits, exponent := decimal(string(raw))
	const widest = 1000 // a message holds no larger exponent: see schema.Number
	if exponent < 0 || exponent > widest {
		return string(raw)
	}
	return sign + digits + strings.Repeat("0", exponent)
}

// decimal answers the parts of a JSON number: its sign, its digits without zeros at
// either end, and the power of ten they are to be taken times. Zero has no sign and
// no power.
func decimal(number string) (sign, digits string, exponent int) {
	digits, power, _ := strings.Cut(strings.ToLower(number), "e")
	digits, negative := strings.CutPrefix(digits, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "", "0", 0
	}
	if negative {
		sign = "-"
	}
	if power != "" {
		const far = 1 << 30
		exponent, _ = strconv.Atoi(power) // out of range it answers the end of the range
		exponent = max(-far, min(exponent, far))
	}
	short := strings.TrimRight(digits, "0")
	return sign, short, exponent - len(fraction) + len(digits) - len(short)
}
