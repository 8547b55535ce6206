package schema

import (
	"bytes"
	"strings"
)

// formatChecks answers the acceptor's check of a format. Each check admits a plain subset of what the validator admits;
// known is false for a format the validator asserts and we do not check. A nil check means that nobody asserts it.
func formatChecks(name string) (check func([]byte) bool, known bool) {
	switch name {
	case "date":
		return isDate, true
	case "date-time":
		return isDateTime, true
	case "uuid":
		return isUUID, true
	case "email":
		return isEmail, true
	case "hostname":
		return isHostname, true
	case "ipv4":
		return isIPv4, true
	case "uri", "iri":
		return isWebURI, true
	case "json-pointer", "relative-json-pointer", "duration", "period", "ipv6", "time", "uri-reference", "iri-reference",
		"uri-template", "semver", "regex":
		return nil, false
	}
	return nil, !strings.HasPrefix(name, namesFormat)
}

// digits reads a fixed-width number; -1 when it is none.
func digits(text []byte) int {
	n := 0
	for _, c := range text {
		if !digit(c) {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

func isDate(t []byte) bool {
	if len(t) != len("2006-01-02") || t[4] != '-' || t[7] != '-' {
		return false
	}
	year, month, day := digits(t[:4]), digits(t[5:7]), digits(t[8:])
	if year < 1 || month < 1 || month > 12 || day < 1 {
		return false
	}
	last := 31
	switch month {
	case 4, 6, 9, 11:
		last = 30
	case 2:
		last = 28
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			last = 29
		}
	}
	return day <= last
}

func isDateTime(t []byte) bool {
	if len(t) < len("2006-01-02T15:04:05Z") || t[10] != 'T' || t[13] != ':' || t[16] != ':' || !isDate(t[:10]) {
		return false
	}
	if !below(digits(t[11:13]), 24) || !below(digits(t[14:16]), 60) || !below(digits(t[17:19]), 60) {
		return false
	}
	zone := t[19:]
	if zone[0] == '.' {
		end := skipDigits(zone, 1)
		if end == 1 {
			return false
		}
		zone = zone[end:]
	}
	if len(zone) == 1 {
		return zone[0] == 'Z'
	}
	return len(zone) == len("+00:00") && (zone[0] == '+' || zone[0] == '-') && zone[3] == ':' &&
		below(digits(zone[1:3]), 24) && below(digits(zone[4:]), 60)
}

func below(n, limit int) bool { return n >= 0 && n < limit }

func isUUID(t []byte) bool {
	if len(t) != 36 {
		return false
	}
	for i, c := range t {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !digit(c) && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				return false
			}
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return digit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isEmail(t []byte) bool {
	at := bytes.IndexByte(t, '@')
	if len(t) > 254 || at < 1 || at > 64 {
		return false
	}
	dot := true // so that none stands first
	for _, c := range t[:at] {
		if !alphanumeric(c) && c != '_' && c != '+' && c != '-' && (c != '.' || dot) {
			return false
		}
		dot = c == '.'
	}
	return !dot && isHostname(t[at+1:])
}

func isHostname(t []byte) bool {
	if len(t) == 0 || len(t) > 253 {
		return false
	}
	label := 0
	for i, c := range t {
		switch {
		case alphanumeric(c):
			label++
		case c == '-' && label > 0 && i+1 < len(t) && t[i+1] != '.':
			label++
		case c == '.' && label > 0 && i+1 < len(t):
			label = 0
		default:
			return false
		}
		if label > 63 {
			return false
		}
	}
	return true
}

func isIPv4(t []byte) bool {
	for part := range 4 {
		end := skipDigits(t, 0)
		if end == 0 || end > 3 || end > 1 && t[0] == '0' || digits(t[:end]) > 255 {
			return false
		}
		if t = t[end:]; part == 3 {
			return len(t) == 0
		}
		if len(t) == 0 || t[0] != '.' {
			return false
		}
		t = t[1:]
	}
	return false
}

// isWebURI admits http and https URIs of unreserved characters and the separators of path and query.
func isWebURI(t []byte) bool {
	rest, ok := bytes.CutPrefix(t, []byte("https://"))
	if !ok {
		if rest, ok = bytes.CutPrefix(t, []byte("http://")); !ok {
			return false
		}
	}
	host := len(rest)
	if slash := bytes.IndexByte(rest, '/'); slash >= 0 {
		host = slash
	}
	if !isHostname(rest[:host]) {
		return false
	}
	for _, c := range rest[host:] {
		if !alphanumeric(c) && strings.IndexByte("/-._~?=&", c) < 0 {
			return false
		}
	}
	return true
}
