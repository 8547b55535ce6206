package config

import "slices"

// SchemesOfBrowsers are those that a browser acts on by itself, or that lead to another machine. None of them is a program's own.
func SchemesOfBrowsers() []string {
	return []string{
		"about", "blob", "data", "file", "filesystem", "ftp", "http", "https", "intent", "javascript", "mailto", "sms", "tel", "vbscript", "view-source", "ws", "wss",
	}
}

// Schemes answers the schemes without a dot that count: those that are configured, which may be none, or else that of the program that is known to have no
// other: Cursor names cursor: beside its address on the loopback, and takes the refusal of one for the refusal of all.
func (o *OAuth) Schemes() []string {
	if o.RedirectSchemes == nil {
		return []string{"cursor"}
	}
	return o.RedirectSchemes
}

// redirectSchemes accepts the schemes without a dot that programs on people's machines are opened by.
func redirectSchemes() shape[[]string] {
	of := distinct(list(text(rule{`^[a-z][a-z0-9+-]*$`, 40, "the scheme of a program without its colon, such as cursor, in small letters; one with a dot needs no entry"})))
	return shape[[]string]{schema: of.schema, read: func(d *decoder, n *node, path string) ([]string, bool) {
		all, ok := of.read(d, n, path)
		for i, scheme := range all {
			if ok && slices.Contains(SchemesOfBrowsers(), scheme) {
				d.fault(n.items[i].line, at(path, i), "%s leads to no program of its own; remove it", scheme)
				return nil, false
			}
		}
		return all, ok
	}}
}
