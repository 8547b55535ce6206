package tracker

import (
	"context"
	"regexp"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Roster knows the people and the seats that work may be given to.
type Roster interface {
	// Find answers the ids of the people and seats that a text names, by id or by
	// name: none for nobody, more than one where the name is ambiguous.
	Find(text string) []string
	// Project answers the key of the project of the caller's unit; "" for none.
	Project(p *capabilities.Principal) string
	// Acts reports whether the principal acts as the person or seat with that id.
	Acts(p *capabilities.Principal, id string) bool
}

var personID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$`)

// person answers the id of whom the text at pointer names.
func (d Deps) person(pointer, text string) (string, error) {
	if d.Roster == nil {
		if personID.MatchString(text) {
			return text, nil
		}
		return "", violates(pointer, "format", "is no id of a person or seat: one has up to 64 letters, digits and . _ : -")
	}
	switch ids := d.Roster.Find(text); len(ids) {
	case 0:
		return "", violates(pointer, "reference", "names nobody here: send the id of a person or a seat")
	case 1:
		return ids[0], nil
	default:
		return "", violates(pointer, "reference", "names more than one: send one of the ids "+strings.Join(ids, ", "))
	}
}

// home answers the key of the project of the caller's unit; "" for none.
func (d Deps) home(ctx context.Context) string {
	if d.Roster == nil {
		return ""
	}
	return d.Roster.Project(capabilities.CallFrom(ctx).Principal)
}

// acts reports whether a caller acts as the person or seat with an id: without a roster,
// the one that its credential is bound to.
func (d Deps) acts(caller *capabilities.Principal, id string) bool {
	switch {
	case d.Roster != nil:
		return d.Roster.Acts(caller, id)
	case caller == nil:
		return false
	}
	return caller.Seat == id || caller.Kind == capabilities.Person && caller.ID == id
}

// lead refuses a caller that is not the lead of the project. what says what was
// tried: "moving work items out of WEB".
func (d Deps) lead(ctx context.Context, p *project, what string) error {
	caller := capabilities.CallFrom(ctx).Principal
	switch {
	case caller.Has(capabilities.ScopeAdmin), caller.Has("*"):
		return nil
	case p.Lead == "":
		return capabilities.Refuse(capabilities.Forbidden, "%s is for the lead of %s, and it has none: ask the owner of this server", what, p.Key)
	case d.acts(caller, p.Lead):
		return nil
	}
	return capabilities.Refuse(capabilities.Forbidden, "%s is for the lead of %s: ask %s", what, p.Key, p.Lead)
}
