package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// argument is one field of an input as the command line takes it.
type argument struct {
	schema.Property
	flag  string // without dashes; "" where only --json reaches the field
	shape string // what its JSON looks like; "" for what is no object and no list of them
}

// isSwitch reports whether the flag stands alone for true.
func (a argument) isSwitch() bool { return slices.Equal(a.Types, []string{"boolean"}) }

// isList reports whether the flag may be repeated, an item each.
func (a argument) isList() bool { return a.ScalarArray() }

// word is what the help writes for a value.
func (a argument) word() string {
	p := a.Property
	if a.isList() {
		p = *a.Items
	}
	switch {
	case a.isSwitch():
		return ""
	case p.Scalar() && slices.Contains(p.Types, "string"):
		return "TEXT"
	case slices.Equal(p.Types, []string{"integer"}):
		return "INTEGER"
	case p.Scalar() && !slices.Contains(p.Types, "boolean"):
		return "NUMBER"
	case p.Scalar():
		return "VALUE"
	}
	return "JSON"
}

// argumentsOf reads the fields of an input, in the schema's order. A schema that
// cannot be read, or names no field, has none: --json is left.
func argumentsOf(input []byte, bridged bool) []argument {
	o, ok := outlineOf(input, bridged)
	if !ok {
		return nil // the door says why, in its own words
	}
	fields := o.Properties()
	names := make([]string, len(fields))
	for i, p := range fields {
		names[i] = p.Name
	}
	flags := flagNames(names)
	args := make([]argument, len(fields))
	for i, p := range fields {
		args[i] = argument{Property: p, flag: flags[i]}
		args[i].shape = shapeOf(o, args[i])
	}
	return args
}

// outlineOf reads a schema. That of a builtin compiles, or it would not be declared.
func outlineOf(input []byte, bridged bool) (schema.Outline, bool) {
	if !bridged {
		return schema.ReadOutline(input)
	}
	s, err := schema.CompileForeign(input)
	if err != nil {
		return schema.Outline{}, false
	}
	return s.Outline(), true
}

func inputOf(c *capabilities.Capability) []argument {
	return argumentsOf(c.Input().Raw(), c.Bridged())
}

func findArgument(args []argument, flag string) (argument, bool) {
	i := slices.IndexFunc(args, func(a argument) bool { return a.flag == flag && flag != "" })
	if i < 0 {
		return argument{}, false
	}
	return args[i], true
}

// flagNames gives every field a flag of its own, or "". A flag is the field's
// name with dashes for underscores and for runs of odd characters; one named like
// ours, or beginning with "arg-", gets "arg-" before it. Where two fields come to
// the same flag, the one written most like it has it: as it stands, else with
// underscores alone, else with odd characters. Two that are equally near have
// none, so no flag ever means another field than it says. The order of the fields
// does not matter.
func flagNames(fields []string) []string {
	type claim struct{ field, distance int }
	claims := map[string][]claim{}
	for i, name := range fields {
		if flag, distance := flagName(name); flag != "" {
			claims[flag] = append(claims[flag], claim{i, distance})
		}
	}
	flags := make([]string, len(fields))
	for flag, all := range claims {
		slices.SortFunc(all, func(a, b claim) int { return cmp.Compare(a.distance, b.distance) })
		alone := len(all) == 1 || all[0].distance < all[1].distance
		// "arg-" may lead to what another field is called.
		if owner := all[0].field; alone && (fields[owner] == flag || !slices.Contains(fields, flag)) {
			flags[owner] = flag
		}
	}
	return flags
}

// flagName answers the flag a field would have, and how far its name is from it.
func flagName(field string) (flag string, distance int) {
	var b strings.Builder
	odd := false
	for _, r := range field {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.':
			b.WriteRune(r)
			odd = false
		case r == '_':
			b.WriteByte('-')
			odd = false
		case !odd:
			b.WriteByte('-')
			odd = true
		}
	}
	flag = strings.Trim(b.String(), "-.")
	switch {
	case flag == field:
	case flag == strings.ReplaceAll(field, "_", "-"):
		distance = 1
	default:
		distance = 2
	}
	if flag == "" {
		return "", 0
	}
	if _, ours := findOwn(flag); ours || strings.HasPrefix(flag, "arg-") {
		flag = "arg-" + flag
	}
	return flag, distance
}
