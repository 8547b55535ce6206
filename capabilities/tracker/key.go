package tracker

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	projectKey = regexp.MustCompile(`^[A-Z][A-Z0-9]{1,9}$`)
	itemKey    = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]{1,9})-([1-9][0-9]{0,17})$`)
)

// keyOf writes the key of a work item.
func keyOf(project string, num int64) string { return project + "-" + strconv.FormatInt(num, 10) }

// parseKey reads the key of a work item, in whatever case it was typed.
func parseKey(text string) (project string, num int64, ok bool) {
	m := itemKey.FindStringSubmatch(text) // before the case changes: the capital of ſ is an S
	if m == nil {
		return "", 0, false
	}
	num, err := strconv.ParseInt(m[2], 10, 64)
	return strings.ToUpper(m[1]), num, err == nil
}
