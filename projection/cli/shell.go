package cli

import (
	"regexp"
	"strings"
)

// shellSafe are words that no shell reads otherwise than as they stand.
var shellSafe = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]+$`)

// shellQuote writes a word for a POSIX shell.
func shellQuote(s string) string {
	if shellSafe.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(escape(s, true), "'", `'\''`) + "'"
}
