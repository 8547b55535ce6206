package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// identity reads the idempotent identity of a call off Idempotency-Key: 1 to 128
// visible ASCII characters.
func identity(h http.Header) (capabilities.Operation, *capabilities.Error) {
	keys, sent := h[keyIdempotency]
	if !sent {
		return capabilities.Operation{}, nil
	}
	if len(keys) != 1 || !capabilities.ValidKey(keys[0]) {
		return capabilities.Operation{}, capabilities.Refuse(capabilities.OpIDInvalid,
			"Idempotency-Key is not one value of 1 to 128 visible ASCII characters: use a fresh one, such as a UUID")
	}
	return capabilities.Operation{ID: keys[0]}, nil
}

// appendConditions adds if_match and if_none_match from the headers of the same
// names (RFC 9110 section 13.1) to an unfinished object. A write without those
// fields refuses them: a precondition that is not looked at would be a lost update.
func (p *route) appendConditions(b []byte, h http.Header) ([]byte, *capabilities.Error) {
	if tags, sent := h[keyIfMatch]; sent {
		switch {
		case p.ifMatch != nil:
			tag, ok := oneTag(tags)
			if !ok {
				return nil, capabilities.Violates(capabilities.Violation{
					Pointer: "/if_match", Keyword: "format",
					Message: `the header If-Match is not one strong entity tag such as "7"`,
				})
			}
			b = append(comma(b), p.ifMatch.key...)
			b = p.ifMatch.appendText(b, tag)
		case p.writes:
			return nil, p.unconditional("If-Match")
		}
	}
	if tags, sent := h[keyIfNoneMatch]; sent {
		anything := len(tags) == 1 && tags[0] == "*"
		switch {
		case p.ifNoneMatch != nil && anything:
			b = append(comma(b), p.ifNoneMatch.key...)
			text := "*"
			if p.ifNoneMatch.truth {
				text = "true"
			}
			b = p.ifNoneMatch.appendText(b, text)
		case p.ifNoneMatch != nil:
			return nil, capabilities.Violates(capabilities.Violation{
				Pointer: "/if_none_match", Keyword: "const",
				Message: "the header If-None-Match is not *",
			})
		case p.writes:
			return nil, p.unconditional("If-None-Match")
		}
	}
	return b, nil
}

// misplaced refuses a field of these in a body or a query: as in the document, it
// travels as its header and nowhere else.
func (p *route) misplaced(field string) *capabilities.Error {
	header := "If-Match"
	switch {
	case field == "if_match" && p.ifMatch != nil:
	case field == "if_none_match" && p.ifNoneMatch != nil:
		header = "If-None-Match"
	default:
		return nil
	}
	return capabilities.Violates(capabilities.Violation{
		Pointer: "/" + field, Keyword: "additionalProperties", Message: "travels as the header " + header + ": leave it out of the query and the body",
	})
}

// misplacedIn is [route.misplaced] for what a body names. One that cannot be read is
// the validator's to judge.
func (p *route) misplacedIn(body []byte) *capabilities.Error {
	if p.ifMatch == nil && p.ifNoneMatch == nil || !bytes.Contains(body, []byte("match")) && bytes.IndexByte(body, '\\') < 0 {
		return nil
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(body, &fields) // what cannot be read leaves nothing to look at
	for _, name := range []string{"if_match", "if_none_match"} {
		if _, given := fields[name]; given {
			if e := p.misplaced(name); e != nil {
				return e
			}
		}
	}
	return nil
}

func (p *route) unconditional(header string) *capabilities.Error {
	return capabilities.Refuse(capabilities.Invalid, "%s knows no version to compare: leave the header %s out", p.name, header)
}

// oneTag answers what stands in one strong entity tag, or a bare value.
func oneTag(tags []string) (string, bool) {
	if len(tags) != 1 {
		return "", false
	}
	tag := strings.TrimSpace(tags[0])
	if inner, ok := strings.CutPrefix(tag, `"`); ok {
		tag, ok = strings.CutSuffix(inner, `"`)
		return tag, ok && tag != "" && !strings.Contains(tag, `"`) // an empty one would be no condition at all
	}
	return tag, tag != "" && !strings.ContainsAny(tag, `", `)
}

// dryRun reads the query of a route whose fields are in the body: dry_run, on a
// builtin write, and nothing else.
func (p *route) dryRun(query string) (bool, *capabilities.Error) {
	dry, given := false, false
	for query != "" {
		var pair string
		if pair, query, _ = strings.Cut(query, "&"); pair == "" {
			continue
		}
		key, value, e := unpair(pair)
		switch {
		case e != nil:
			return false, e
		case key != "dry_run" || !p.rehearses:
			return false, capabilities.Violates(capabilities.Violation{
				Pointer: "/" + pointerToken(key), Keyword: "additionalProperties",
				Message: "is no query parameter of " + p.name + ": send its fields in the body",
			})
		case given:
			return false, capabilities.Violates(capabilities.Violation{
				Pointer: "/dry_run", Keyword: "duplicate",
				Message: "the query parameter dry_run is given twice: keep one",
			})
		case value != "true" && value != "false":
			return false, capabilities.Violates(capabilities.Violation{
				Pointer: "/dry_run", Keyword: "enum",
				Message: "the query parameter dry_run is true or false",
			})
		}
		dry, given = value == "true", true
	}
	return dry, nil
}

func pointerToken(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(clip(strings.ToValidUTF8(key, "\uFFFD")))
}
