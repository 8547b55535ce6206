package config

import "path/filepath"

// Audit says where calls are noted besides the database of the audit.
type Audit struct {
	// File is the absolute path of a file that every row is appended to as a line of JSON; empty for none.
	File string
}

// auditShape is the table of the key audit.
func auditShape() shape[Audit] {
	return object([]field[Audit]{
		key("file", "A file that every row of the audit is appended to as one line of JSON, besides the database. A relative path counts from the directory of this file.",
			text(filledRule()), func(a *Audit) *string { return &a.File }).needed(),
	}, nil, func(d *decoder, _ *node, _ string, a *Audit) bool {
		if a.File != "" && !filepath.IsAbs(a.File) {
			a.File = filepath.Join(d.dir, a.File)
		}
		return true
	})
}

// audit shows where calls are noted besides.
func (w *shower) audit() {
	if w.c.Audit != (Audit{}) {
		w.add("audit.file", quoted(w.c.Audit.File), w.ofFile("audit.file"))
	}
}
