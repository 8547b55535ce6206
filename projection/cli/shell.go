package cli

import (
	"regexp"
	"strings"
)

// line answers a command line of this program about the data directory of this run.
func (r *run) line(words string) string {
	if r.data == "" {
		return r.o.Name + " " + words
	}
	return r.o.Name + " " + words + " --" + flagData + " " + shellQuote(r.data)
}

// shellSafe are words that no shell reads otherwise than as they stand.
var shellSafe = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]+$`)

// shellQuote writes a word for a POSIX shell.
func shellQuote(s string) string {
	if shellSafe.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(escape(s, true), "'", `'\''`) + "'"
}
