package cli

import "strings"

// spell keeps how the fields of a call are given on the command line. Those that stand
// in --json, and those that have no flag, are known by their pointers.
func (r *run) spell(args []argument, inJSON map[string]bool) {
	r.flags, r.shapes = map[string]string{}, map[string]string{}
	for _, a := range args {
		if a.shape != "" {
			r.shapes[a.Name] = a.shape
		}
		if a.flag != "" && !inJSON[a.Name] {
			r.flags[a.Name] = a.flag
		}
	}
}

// fieldAt parts a pointer into the arguments (RFC 6901) into the name of the field that it
// begins with and the rest.
func fieldAt(pointer string) (field, rest string, nested bool) {
	field, rest, nested = strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(field), rest, nested
}

// shape answers what the field of a violation looks like, where that takes JSON; "" for
// any other.
func (r *run) shape(pointer string) string {
	field, _, _ := fieldAt(pointer)
	text := r.shapes[field]
	if text == "" {
		return ""
	}
	return r.spelled("/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(field)) + " takes JSON such as " + text
}

// spelled answers a pointer into the arguments (RFC 6901) as the flag of the field that
// it begins with, and the rest of it.
func (r *run) spelled(pointer string) string {
	field, rest, nested := fieldAt(pointer)
	flag, ok := r.flags[field]
	switch {
	case !ok:
		return pointer
	case nested:
		return "--" + flag + " /" + rest
	}
	return "--" + flag
}
