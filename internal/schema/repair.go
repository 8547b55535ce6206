package schema

import (
	"bytes"
	"slices"
)

// The words [Repair] answers, one for each thing it may do.
const (
	// TypeAdded: the root had no type and now says "object".
	TypeAdded = "type_added"
	// PropertiesAdded: the root had no properties and now has {}.
	PropertiesAdded = "properties_added"
	// DialectDropped: the root was marked draft-07, and every keyword it uses means the same in 2020-12.
	DialectDropped = "dialect_dropped"
)

// Repair answers what is published for a tool's schema that others wrote, and the repairs made. The rules are few, and each only
// states what the schema meant: a missing root type becomes "object" (a tool takes an object; this also holds beside a root
// anyOf or $ref), missing root properties become {}, and a draft-07 $schema marker goes when every keyword used means the
// same in 2020-12. Everything else stays byte for byte: order, white space, numbers, unknown keywords. The error is an [*Error],
// for a text that [Scan] refuses and for a root that is no object or has another type. raw is neither changed nor kept.
func Repair(raw []byte) (published []byte, repairs []string, err error) {
	published, repairs, _, err = RepairForeign(raw)
	return published, repairs, err
}

// RepairForeign is [Repair] that also says of what is published whether it certainly compiles: [CheckForeign] of it answers nil
// then, and may otherwise. It reads the text once where the two of them read it twice.
func RepairForeign(raw []byte) (published []byte, repairs []string, certain bool, err error) {
	root, fields, repairs, err := repair(raw)
	switch {
	case err != nil:
		return nil, nil, false, err
	case repairs == nil:
		return slices.Clone(raw), nil, new(certainty).schema(root, true), nil
	}
	return slices.Concat(raw[:root.at], join(root.raw, fields), raw[root.at+len(root.raw):]), repairs, false, nil
}

// repair answers the fields that the root of a schema is published with; they are nil without a repair.
func repair(raw []byte) (root *node, fields []rawField, repairs []string, err error) {
	if f := Scan(raw); f != nil {
		return nil, nil, nil, &Error{f.Pointer, f.Error()}
	}
	root = parse(raw)
	if !root.isObject() {
		return nil, nil, nil, &Error{Message: "a tool's schema must be an object, not " + article(typeName(decode(raw)))}
	}
	if kind := root.field("type"); kind != nil && kind.text() != "object" {
		return nil, nil, nil, &Error{"/type", `a tool's schema must have the type "object", not ` + printable(cut(string(kind.raw), 40))}
	}
	fields = root.fields()
	if dialectOf(root.field("$schema").text()) == draft7 && sameInBoth(decode(raw)) {
		fields = slices.DeleteFunc(fields, func(f rawField) bool { return f.key == "$schema" })
		repairs = append(repairs, DialectDropped)
	}
	at := slices.IndexFunc(fields, func(f rawField) bool { return f.key == "type" })
	if at < 0 {
		at = 0
		fields = slices.Insert(fields, at, rawField{"type", `"type":"object"`})
		repairs = append(repairs, TypeAdded)
	}
	if root.field("properties") == nil {
		fields = slices.Insert(fields, at+1, rawField{"properties", `"properties":{}`})
		repairs = append(repairs, PropertiesAdded)
	}
	slices.Sort(repairs)
	return root, fields, repairs, nil
}

// rawField is a field with the bytes from its key to its value and the white space around both.
type rawField struct{ key, text string }

// fields cuts an object at its commas. What stands between the last value and the closing brace belongs to no field.
func (n *node) fields() []rawField {
	var list []rawField
	at := 1
	for i, key := range n.keys {
		end := n.items[i].at - n.at + len(n.items[i].raw)
		if i < len(n.keys)-1 {
			end = skipSpace(n.raw, end)
		}
		list = append(list, rawField{key, string(n.raw[at:end])})
		at = end + 1
	}
	return list
}

// join writes an object of fields, with the white space the original has before its closing brace.
func join(original []byte, fields []rawField) []byte {
	out := []byte{'{'}
	for i, f := range fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, f.text...)
	}
	inside := bytes.TrimRight(original[:len(original)-1], " \t\r\n")
	return append(out, original[len(inside):]...)
}
