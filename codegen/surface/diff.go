package surface

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Change is one difference between two pictures.
type Change struct {
	Class      Class  `json:"class"`
	Kind       string `json:"kind"`
	Capability string `json:"capability,omitempty"` // by its new name; "" for a code and the program
	// At is the place as a JSON pointer (RFC 6901) into the capability, the code or the
	// picture, of the side that In names.
	At     string          `json:"at"`
	In     Side            `json:"in"`
	Reason string          `json:"reason"` // a sentence without a period
	Value  json.RawMessage `json:"value,omitempty"`
}

// Side is one of the two pictures.
type Side string

// The two sides.
const (
	Old Side = "old"
	New Side = "new"
)

// Diff answers what changed from the old picture to the new one, the strongest class
// first, then by name and place. The error says that the two cannot be compared: one is
// of a registry and the other of an endpoint.
func Diff(old, now *Picture) ([]Change, error) {
	if old.Of != now.Of {
		return nil, fmt.Errorf("the old picture is of %s and the new one of %s: compare like with like", old.Of.words(), now.Of.words())
	}
	d := &diff{old: index(old), now: index(now)}
	if old.Name != now.Name {
		d.add(programRenamed, "", "/name", New, "the program calls itself %q, and did %q", now.Name, old.Name)
	}
	d.codes(old.Codes, now.Codes)
	d.capabilities(old, now)
	slices.SortStableFunc(d.all, func(a, b Change) int {
		return cmp.Or(-cmp.Compare(a.Class, b.Class), strings.Compare(a.Capability, b.Capability), strings.Compare(a.At, b.At), strings.Compare(a.Kind, b.Kind))
	})
	return d.all, nil
}

// names finds capabilities by the names they have and had.
type nameIndex struct {
	byName  map[string]*Capability
	byAlias map[string]*Capability
}

func index(p *Picture) nameIndex {
	x := nameIndex{map[string]*Capability{}, map[string]*Capability{}}
	for i := range p.Capabilities {
		c := &p.Capabilities[i]
		x.byName[c.Name] = c
		for _, a := range c.Aliases {
			x.byAlias[a.Name] = c
		}
	}
	return x
}

type diff struct {
	old, now nameIndex
	all      []Change
}

func (d *diff) add(kind, capability, at string, in Side, format string, args ...any) *Change {
	d.all = append(d.all, Change{Class: kindOf(kind).Class, Kind: kind, Capability: capability, At: at, In: in, Reason: fmt.Sprintf(format, args...)})
	return &d.all[len(d.all)-1]
}

func (d *diff) capabilities(old, now *Picture) {
	met := map[string]bool{} // of the new ones
	for i := range old.Capabilities {
		was := &old.Capabilities[i]
		is, kept := d.now.byName[was.Name]
		switch {
		case kept:
		case d.now.byAlias[was.Name] != nil:
			is = d.now.byAlias[was.Name]
			d.add(capabilityRenamed, is.Name, "/name", New, "%s is called %s now, and keeps the old name as an alias", was.Name, is.Name)
		default:
			if is = d.twin(was, now, met); is == nil {
				d.add(capabilityRemoved, was.Name, "", Old, "%s is gone", was.Name)
				d.aliases(was, nil)
				continue
			}
			d.add(capabilityMoved, is.Name, "/name", New, "%s is called %s now: keep the old name as an alias for a while", was.Name, is.Name)
		}
		met[is.Name] = true
		d.capability(was, is)
	}
	for i := range now.Capabilities {
		if is := &now.Capabilities[i]; !met[is.Name] {
			if other := d.old.byAlias[is.Name]; other != nil {
				d.add(aliasMoved, is.Name, "/name", New, "%s was an old name of %s and is a capability of its own now", is.Name, other.Name)
			} else {
				d.add(capabilityAdded, is.Name, "", New, "%s is new", is.Name)
			}
		}
	}
}

// twin looks among the new capabilities for the one that a capability was renamed to: one
// that was not there, and has its route, or its words, or its schemas.
func (d *diff) twin(was *Capability, now *Picture, met map[string]bool) *Capability {
	for i := range now.Capabilities {
		is := &now.Capabilities[i]
		if _, there := d.old.byName[is.Name]; there || met[is.Name] {
			continue
		}
		switch {
		case was.Route != "" && was.Route == is.Route,
			was.Summary != "" && was.Summary == is.Summary,
			len(was.Output) > 0 && bytes.Equal(was.Input, is.Input) && bytes.Equal(was.Output, is.Output) && was.Hints == is.Hints && len(was.Input) > 100:
			return is
		}
	}
	return nil
}

// aliases compares the old names of a capability; is may be nil.
func (d *diff) aliases(was, is *Capability) {
	for _, a := range was.Aliases {
		at := "/aliases/" + escape(a.Name)
		holder := d.now.byAlias[a.Name]
		switch own, named := d.now.byName[a.Name]; {
		case named && own != is:
			// It is told as a capability that was an old name.
		case named: // renamed back
		case holder == nil:
			d.add(aliasRemoved, was.Name, at, Old, "the old name %s is gone; its window was from %s until %s", a.Name, a.Since, a.Until)
		case holder != is:
			d.add(aliasMoved, was.Name, at, Old, "%s was an old name of %s and is one of %s now", a.Name, was.Name, holder.Name)
		default:
			d.window(is, a)
		}
	}
	if is == nil {
		return
	}
	for _, a := range is.Aliases {
		if d.old.byAlias[a.Name] == nil && d.old.byName[a.Name] == nil {
			d.add(aliasAdded, is.Name, "/aliases/"+escape(a.Name), New, "%s is called %s, too", is.Name, a.Name)
		}
	}
}

// window compares until when an old name stays.
func (d *diff) window(is *Capability, was Alias) {
	now := is.Aliases[slices.IndexFunc(is.Aliases, func(a Alias) bool { return a.Name == was.Name })]
	if now == was {
		return
	}
	kind := aliasChanged
	if a, err := parseVersion(was.Until); err == nil {
		if b, err := parseVersion(now.Until); err == nil && b.compare(a) < 0 {
			kind = aliasShortened
		}
	}
	d.add(kind, is.Name, "/aliases/"+escape(was.Name), New, "the old name %s stays from %s until %s, and was to stay from %s until %s", was.Name, now.Since, now.Until, was.Since, was.Until)
}

func (d *diff) codes(old, now []Code) {
	byName := map[string]Code{}
	for _, c := range now {
		byName[c.Code] = c
	}
	for _, was := range old {
		at := "/codes/" + escape(was.Code)
		is, there := byName[was.Code]
		delete(byName, was.Code)
		switch {
		case !there:
			d.add(codeRemoved, "", at, Old, "the code %s is not in the table any more", was.Code)
		case is.Base != was.Base || is.HTTP != was.HTTP || is.Exit != was.Exit:
			d.add(codeChanged, "", at, New, "the code %s has the base %s, the HTTP status %d and the exit status %d, and had %s, %d and %d", was.Code, is.Base, is.HTTP, is.Exit, was.Base, was.HTTP, was.Exit)
		case is != was:
			d.add(codeTextChanged, "", at, New, "the code %s is worded otherwise", was.Code)
		}
	}
	for _, is := range now {
		if _, fresh := byName[is.Code]; fresh {
			d.add(codeAdded, "", "/codes/"+escape(is.Code), New, "the code %s is new, with the base %s", is.Code, is.Base)
		}
	}
}

// escape writes a token of a JSON pointer.
func escape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}
