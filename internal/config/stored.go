package config

import (
	"path/filepath"
)

// StoredFile is what stands for the file of a stored entry in its faults.
func StoredFile(name string) string { return "stored entry " + name }

// readStored reads one stored entry, as an entry of mcp_servers is read.
func (l *loading) readStored(s StoredEntry) {
	d := &decoder{file: StoredFile(s.Name), lineless: true}
	l.stored = append(l.stored, d)
	if !nameRule().fits()(s.Name) {
		d.file = "stored entry"
		d.fault(0, "", "the name %q must be %s", s.Name, nameRule().words)
		return
	}
	if len(s.Raw) > maxBytes {
		d.fault(0, "", "the entry is larger than %d bytes", maxBytes)
		return
	}
	root := parseJSON(d, s.Raw)
	if root == nil {
		if d.faults == nil {
			d.fault(0, "", "the entry is empty; give an object with a command or a url")
		}
		return
	}
	if root.kind == kindObject {
		if given := root.get("name"); given == nil {
			root.members = append(root.members, member{key: "name", value: &node{kind: kindText, text: s.Name}})
		} else if given.kind != kindText || given.text != s.Name {
			d.fault(0, "name", "must be %q, the name that the entry is stored under, or be left out", s.Name)
			return
		}
	}
	e, _ := entryShape().read(d, root, "")
	if e.node == nil {
		return
	}
	e.line = 0
	if e.cwd != "" && !filepath.IsAbs(e.cwd) {
		d.fault(0, "cwd", "must be an absolute path: a stored entry stands in no directory that another could count from")
	}
	l.config.declared = append(l.config.declared, declaration{e, d, Origin{Revision: s.Revision}})
}
