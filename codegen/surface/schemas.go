package surface

import (
	"bytes"
	"encoding/json"

	"github.com/seed-89b9419b/holotype/internal/compat"
)

// input compares what a capability takes. A caller sends what is declared: an argument
// that is new and need not be sent keeps nobody out, though an open schema took anything
// by that name before.
func (d *diff) input(was, is *Capability) {
	old, now := d.read(was, is, "/input", was.Input, is.Input)
	if old == nil {
		return
	}
	declared := compat.Options{Declared: true}
	there := compat.Within(old, now, declared)
	for _, f := range there.Findings {
		switch {
		case f.Unnamed:
			d.finding(argumentRemoved, is, "/input", New, f, "refuses %s, which it knew")
		case f.Witness == nil:
			d.finding(inputUndecided, is, "/input", New, f, "may refuse %s, which it took: this cannot be decided")
		default:
			d.finding(inputNarrowed, is, "/input", New, f, "refuses %s, which it took")
		}
	}
	for _, f := range there.Dropped {
		d.finding(argumentRemoved, is, "/input", Old, f, "does not know %s any more: it is taken and not read")
	}
	back := compat.Within(now, old, declared)
	for _, f := range back.Findings {
		switch {
		case f.Unnamed:
			d.finding(argumentAdded, is, "/input", Old, f, "takes %s, which it refused")
		case f.Witness == nil:
			d.finding(inputWidened, is, "/input", Old, f, "may take %s, which it refused: this cannot be decided")
		default:
			d.finding(inputWidened, is, "/input", Old, f, "takes %s, which it refused")
		}
	}
	for _, f := range back.Dropped {
		d.finding(argumentAdded, is, "/input", New, f, "knows %s, which it did not read")
	}
	d.words(is, "/input", old, now, true)
}

// output compares what a capability answers. Whoever reads an answer reads past what it
// does not know, and a server answers what it declares.
func (d *diff) output(was, is *Capability) {
	switch {
	case len(was.Output) == 0 && len(is.Output) == 0:
		return
	case len(was.Output) == 0:
		d.add(outputAdded, is.Name, "/output", New, "what it answers is described")
		return
	case len(is.Output) == 0:
		d.add(outputRemoved, is.Name, "/output", Old, "what it answers is not described any more")
		return
	}
	old, now := d.read(was, is, "/output", was.Output, is.Output)
	if old == nil {
		return
	}
	declared := compat.Options{Declared: true}
	there := compat.Within(now, old, declared)
	for _, f := range there.Findings {
		switch {
		case f.Witness == nil:
			d.finding(outputUndecided, is, "/output", Old, f, "may answer %s, which it did not: this cannot be decided")
		default:
			d.finding(outputWidened, is, "/output", Old, f, "may answer %s, which it did not")
		}
	}
	for _, f := range there.Dropped {
		d.finding(fieldAdded, is, "/output", New, f, "answers %s, which it did not name")
	}
	back := compat.Within(old, now, declared)
	for _, f := range back.Findings {
		switch {
		case f.Unnamed:
			d.finding(fieldRemoved, is, "/output", New, f, "does not answer %s any more")
		case f.Witness == nil:
			d.finding(outputNarrowed, is, "/output", New, f, "may not answer %s any more: this cannot be decided")
		default:
			d.finding(outputNarrowed, is, "/output", New, f, "does not answer %s any more")
		}
	}
	for _, f := range back.Dropped {
		d.finding(fieldRemoved, is, "/output", Old, f, "does not name %s any more")
	}
	d.words(is, "/output", old, now, false)
}

// read reads two schemas; nil where they are one text, or cannot be compared.
func (d *diff) read(was, is *Capability, at string, a, b json.RawMessage) (old, now *compat.Schema) {
	a, b = compact(a), compact(b)
	if bytes.Equal(a, b) {
		return nil, nil
	}
	old, err := compat.Read(a)
	if err != nil {
		d.add(schemaDialectChanged, is.Name, at, Old, "the old schema cannot be read, and the new one is another: %v", err)
		return nil, nil
	}
	if now, err = compat.Read(b); err != nil {
		d.add(schemaDialectChanged, is.Name, at, New, "the new schema cannot be read, and the old one of %s was another: %v", was.Name, err)
		return nil, nil
	}
	return old, now
}

// compact undoes the indentation of a file, so that a witness reads as one line.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// finding adds what the comparison of two schemas found. The pointer is that of the
// schema which In names.
func (d *diff) finding(kind string, is *Capability, at string, in Side, f compat.Finding, format string) {
	d.add(kind, is.Name, at+f.Pointer, in, format, f.What).Value = f.Witness
}

// words compares what schemas say to people, and what stands for an argument that is
// left out.
func (d *diff) words(is *Capability, at string, old, now *compat.Schema, arguments bool) {
	compat.Beside(old, now, func(p compat.Place) {
		for _, keyword := range []string{"title", "description", "examples"} {
			if a, b := p.Words(keyword); a != b {
				d.add(textChanged, is.Name, at+p.B, New, "the %s is another", keyword)
			}
		}
		if a, b := p.Words("deprecated"); a != b {
			d.add(deprecated, is.Name, at+p.B, New, "deprecated is %s, and was %s", orNothing(b), orNothing(a))
		}
		switch a, b := p.Words("default"); {
		case a == b:
		case !arguments:
			d.add(textChanged, is.Name, at+p.B, New, "the default is another")
		case a == "":
			d.add(defaultAdded, is.Name, at+p.B, New, "stands for %s where it is left out, which was not said", b)
		case b == "":
			d.add(defaultRemoved, is.Name, at+p.B, New, "stood for %s where it is left out, which is not said any more", a)
		default:
			d.add(defaultChanged, is.Name, at+p.B, New, "stands for %s where it is left out, and did for %s", b, a)
		}
	})
}

func orNothing(word string) string {
	if word == "" {
		return "not said"
	}
	return word
}
