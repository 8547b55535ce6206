package cli

import "strings"

// spell keeps how the fields of a call are given on the command line. Those that stand
// in --json, and those that have no flag, are known by their pointers.
func (r *run) spell(args []argument, inJSON map[string]bool) {
	r.flags = map[string]string{}
	for _, a := range args {
		if a.flag != "" && !inJSON[a.Name] {
			r.flags[a.Name] = a.flag
		}
	}
}

// spelled answers a pointer into the arguments (RFC 6901) as the flag of the field that
// it begins with, and the rest of it.
func (r *run) spelled(pointer string) string {
	field, rest, nested := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	flag, ok := r.flags[strings.NewReplacer("~1", "/", "~0", "~").Replace(field)]
	switch {
	case !ok:
		return pointer
	case nested:
		return "--" + flag + " /" + rest
	}
	return "--" + flag
}
