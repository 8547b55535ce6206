package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// worded makes a finding of what the library found.
func worded(path []string, cause jsonschema.ErrorKind) finding {
	return newFinding(path, keywordOf(cause), cause, func() string { return wording(cause) })
}

// keywordOf is the JSON Schema keyword that was broken.
func keywordOf(cause jsonschema.ErrorKind) string {
	switch cause.(type) {
	case *kind.Not:
		return "not"
	case *kind.RefCycle:
		return "$ref"
	}
	if cause != nil {
		if path := cause.KeywordPath(); len(path) > 0 {
			return path[0]
		}
	}
	return "schema"
}

// wording is our sentence for what the library found. The pointer is the sentence's subject.
func wording(cause jsonschema.ErrorKind) string {
	switch k := cause.(type) {
	case *merged:
		return wording(k.enum())
	case *kind.Type:
		return wrongType(k)
	case *kind.Enum:
		return oneOf(k.Want, k.Got)
	case *kind.Const:
		return "must be " + show(k.Want)
	case *kind.Format:
		if m, ok := k.Err.(misfit); ok { //nolint:errorlint // our own check's answer, never wrapped
			return m.Error()
		}
		return wrongFormat(k.Want)
	case *kind.Pattern:
		return "must match the pattern " + printable(cut(k.Want, 120))
	case *kind.MinLength:
		if k.Want == 1 {
			return "must not be empty"
		}
		return fmt.Sprintf("must be at least %d characters long, not %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must be at most %s long, not %d", count(k.Want, "character"), k.Got)
	case *kind.Minimum:
		return fmt.Sprintf("must be at least %s, not %s", number(k.Want), number(k.Got))
	case *kind.Maximum:
		return fmt.Sprintf("must be at most %s, not %s", number(k.Want), number(k.Got))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("must be more than %s, not %s", number(k.Want), number(k.Got))
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("must be less than %s, not %s", number(k.Want), number(k.Got))
	case *kind.MultipleOf:
		return fmt.Sprintf("must be a multiple of %s, not %s", number(k.Want), number(k.Got))
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s, not %d", count(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s, not %d", count(k.Want, "item"), k.Got)
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %s too many: remove the last", count(k.Count, "item"))
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are equal: keep one", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "must have at least one item of the kind the schema asks for"
	case *kind.MinContains:
		return fmt.Sprintf("must have at least %s of the kind the schema asks for, not %d", count(k.Want, "item"), len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("must have at most %s of the kind the schema asks for, not %d", count(k.Want, "item"), len(k.Got))
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s, not %d", count(k.Want, "field"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s, not %d", count(k.Want, "field"), k.Got)
	case *kind.OneOf:
		return fmt.Sprintf("fits alternatives %d and %d at once: make it fit exactly one", k.Subschemas[0]+1, k.Subschemas[1]+1)
	case *kind.Not:
		return "is of the kind the schema excludes: change it"
	case *kind.RefCycle:
		return "cannot be judged: the schema refers to itself without end"
	default:
		return "does not fit the schema"
	}
}

// unknownField says what was meant, or else what there is.
func unknownField(name string, known []string) string {
	message := "unknown field " + quote(name)
	if near, ok := Nearest(name, known); ok {
		return message + ": did you mean " + quote(near) + "?"
	}
	switch {
	case len(known) == 0:
		return message + ": no fields are taken here, remove it"
	case len(known) > 8:
		near := nearestOf(name, known, 3)
		for i, k := range near {
			near[i] = quote(k)
		}
		return fmt.Sprintf("%s: of the %d that the schema has the nearest are %s", message, len(known), cut(strings.Join(near, ", "), 200))
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = quote(k)
	}
	return message + ": known are " + cut(strings.Join(names, ", "), 200)
}

func wrongType(k *kind.Type) string {
	want := make([]string, len(k.Want))
	for i, name := range k.Want {
		want[i] = article(name)
	}
	got := article(k.Got)
	if k.Got == "number" {
		for _, name := range k.Want {
			if name == "integer" {
				got = "a number with a fraction"
			}
		}
	}
	return "must be " + strings.Join(want, " or ") + ", not " + got
}

// article puts "a" or "an" before the name of a JSON type.
func article(name string) string {
	switch name {
	case "null":
		return "null"
	case "integer", "array", "object":
		return "an " + name
	default:
		return "a " + name
	}
}

// typeName is the JSON type of a decoded value.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	default:
		return "object"
	}
}

// oneOf lists allowed values, as many as are read in passing, and guesses which was meant.
func oneOf(want []any, got any) string {
	if len(want) == 1 {
		return "must be " + show(want[0])
	}
	var shown, texts []string
	size := 0
	for _, v := range want {
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
		if item := show(v); size < 160 {
			shown = append(shown, item)
			size += len(item) + 2
		}
	}
	message := "must be one of " + strings.Join(shown, ", ")
	if more := len(want) - len(shown); more > 0 {
		message += fmt.Sprintf(" or %d more", more)
	}
	if text, ok := got.(string); ok {
		if near, ok := Nearest(text, texts); ok {
			message += ": did you mean " + quote(near) + "?"
		}
	}
	return message
}

// show writes a value as JSON, cut to what fits a sentence.
func show(v any) string {
	if text, ok := v.(string); ok {
		return quote(text)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "a value" // not reached for decoded JSON
	}
	return printable(cut(string(data), 40))
}

// number writes an exact decimal, cut to what fits a sentence.
func number(r *big.Rat) string {
	if r.IsInt() {
		return cut(r.Num().String(), 40)
	}
	if digits, exact := r.FloatPrec(); exact {
		return cut(r.FloatString(digits), 40)
	}
	return cut(r.FloatString(20), 40)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// wrongFormat names the format and shows one that is right.
func wrongFormat(name string) string {
	examples := map[string]string{
		"date-time": "a date and time with zone, like 2026-01-31T09:30:00Z",
		"date":      "a date, like 2026-01-31",
		"time":      "a time with zone, like 09:30:00Z",
		"duration":  "an ISO 8601 duration, like PT90S or P3D",
		"email":     "an e-mail address, like ada@example.org",
		"uri":       "an absolute URI, like https://example.org/a",
		"iri":       "an absolute IRI, like https://example.org/a",
		"uuid":      "a UUID, like 123e4567-e89b-12d3-a456-426614174000",
		"ipv4":      "an IPv4 address, like 192.0.2.1",
		"ipv6":      "an IPv6 address, like 2001:db8::1",
		"hostname":  "a host name, like www.example.org",
		"regex":     "a regular expression",
	}
	if example, ok := examples[name]; ok {
		return "must be " + example
	}
	return "must have the format " + quote(name)
}
