package config

import (
	"strconv"
	"strings"
)

// Origin says where a setting comes from. The zero value is a setting that nobody gave: the default.
type Origin struct {
	// File and Line are the place in a file; Line is 1-based.
	File string
	Line int
	// Revision is the revision of the stored entry, above 0, when the setting stands in no file.
	Revision int64
}

// String returns file:line, "stored revision N" or "default".
func (o Origin) String() string {
	switch {
	case o.Revision > 0:
		return "stored revision " + strconv.FormatInt(o.Revision, 10)
	case o.File != "":
		return strings.TrimSuffix(position(o.File, o.Line), ": ")
	}
	return "default"
}
