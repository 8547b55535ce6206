package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// How values are written into a request: the table "style values" of OpenAPI 3.1.1, which
// corrects that of 3.0.

// A part of a value: of a list without a key, of an object with one.
type part struct{ key, text string }

// A shape is what a value is as a whole.
type shape byte

const (
	scalar shape = iota
	list
	object
)

// parts takes a value apart. What nests deeper than a parameter can say is refused.
func parts(raw json.RawMessage) (s shape, all []part, err error) {
	switch rawjson.Kind(raw) {
	case '[':
		for _, one := range rawjson.Elements(raw) {
			text, err := textOf(one)
			if err != nil {
				return list, nil, err
			}
			all = append(all, part{"", text})
		}
		return list, all, nil
	case '{':
		for key, one := range rawjson.Members(raw) {
			if rawjson.Kind(one) == 'n' {
				continue
			}
			text, err := textOf(one)
			if err != nil {
				return object, nil, err
			}
			all = append(all, part{key, text})
		}
		return object, all, nil
	}
	text, err := textOf(raw)
	return scalar, []part{{"", text}}, err
}

func textOf(raw json.RawMessage) (string, error) {
	switch rawjson.Kind(raw) {
	case '"':
		text, _ := rawjson.String(raw)
		return text, nil
	case '{', '[':
		return "", errors.New("nests deeper than can be written there")
	case 'n':
		return "", errors.New("has null where a value has to stand")
	}
	return string(raw), nil
}

// partsOf is parts of what a parameter is given.
func (p *parameter) partsOf(raw json.RawMessage) (shape, []part, error) {
	if !p.asJSON {
		return parts(raw)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return scalar, nil, errors.New("is no JSON")
	}
	return scalar, []part{{"", compact.String()}}, nil
}

// inPath writes a value into its segment of a path, which it does not leave.
func (p *parameter) inPath(raw json.RawMessage) (string, error) {
	s, all, err := p.partsOf(raw)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", errors.New("is empty, and stands in a path")
	}
	for i, one := range all {
		if err := errors.Join(stays(one.text), staysKey(s, one.key)); err != nil {
			return "", err
		}
		all[i] = part{escape(one.key, ""), escape(one.text, "")}
	}
	switch name := escape(p.name, ""); p.style {
	case "label":
		if p.explode {
			return "." + join(all, ".", "="), nil
		}
		return "." + join(all, ",", ","), nil
	case "matrix":
		switch {
		case s == scalar || !p.explode:
			return ";" + name + "=" + join(all, ",", ","), nil
		case s == list:
			return ";" + name + "=" + join(all, ";"+name+"=", ""), nil
		}
		return ";" + join(all, ";", "="), nil
	}
	if p.explode {
		return join(all, ",", "="), nil
	}
	return join(all, ",", ","), nil
}

func staysKey(s shape, key string) error {
	if s != object {
		return nil
	}
	return stays(key)
}

// stays refuses a text that could lead out of the segment of a path that it stands in, here
// or at a server that reads a path twice.
func stays(text string) error {
	lower := strings.ToLower(text)
	switch {
	case text == "":
		return errors.New("is empty, and stands in a path")
	case text == "." || text == "..":
		return errors.New("is . or .., which leads to another path")
	case strings.ContainsAny(text, `/\`):
		return errors.New("has a slash, which leads to another path")
	case strings.Contains(lower, "%2f"), strings.Contains(lower, "%5c"), strings.Contains(lower, "%2e"):
		return errors.New("has an encoded slash or dot, which may lead to another path")
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("has a control character, and stands in a path")
	}
	return nil
}

// leaves refuses an object whose keys are parameters themselves where one of them is that of
// the credential, which the configuration gives.
func (p *parameter) leaves(raw json.RawMessage, credential string) error {
	if credential == "" || p.style != "form" || !p.explode || p.asJSON {
		return nil
	}
	for key := range rawjson.Members(raw) {
		if strings.EqualFold(key, credential) { // some servers read names so
			return fmt.Errorf("has the key %q, which the configuration gives", short(key, 100))
		}
	}
	return nil
}

// inQuery appends a value to the parts of a query.
func (p *parameter) inQuery(query []string, raw json.RawMessage) ([]string, error) {
	s, all, err := p.partsOf(raw)
	if err != nil {
		return nil, err
	}
	keep := ""
	if p.reserved { // but for what a query is made of
		keep = ":/?@!$'()*,;"
	}
	name := escape(p.name, "")
	for i, one := range all {
		all[i] = part{escape(one.key, keep), escape(one.text, keep)}
	}
	switch {
	case p.style == "deepObject" && s != object:
		return nil, errors.New("is no object, which the style deepObject is for")
	case s == scalar:
		return append(query, name+"="+all[0].text), nil
	case len(all) == 0:
		return query, nil
	case p.style == "deepObject":
		for _, one := range all {
			query = append(query, name+"%5B"+one.key+"%5D="+one.text)
		}
		return query, nil
	case p.explode:
		for _, one := range all {
			if s == list {
				one.key = name
			}
			query = append(query, one.key+"="+one.text)
		}
		return query, nil
	}
	between := cmp.Or(map[string]string{"spaceDelimited": "%20", "pipeDelimited": "%7C"}[p.style], ",")
	return append(query, name+"="+join(all, between, between)), nil
}

// inHeader writes a value into a header.
func (p *parameter) inHeader(raw json.RawMessage) (string, error) {
	_, all, err := p.partsOf(raw)
	if err != nil {
		return "", err
	}
	equals := ","
	if p.explode {
		equals = "="
	}
	text := join(all, ",", equals)
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return "", errors.New("has a line break or another control character, which no header can carry")
	}
	return strings.TrimSpace(text), nil
}

// join writes parts: between them, and between a key and its value.
func join(all []part, between, equals string) string {
	var b strings.Builder
	for i, one := range all {
		if i > 0 {
			b.WriteString(between)
		}
		if one.key != "" {
			b.WriteString(one.key + equals)
		}
		b.WriteString(one.text)
	}
	return b.String()
}

// form writes a body of the form type. A list is repeated, and what nests is JSON, as the
// standard says of a body without an encoding.
func form(raw json.RawMessage) ([]byte, error) {
	if rawjson.Kind(raw) != '{' {
		return nil, errors.New("is no object, which a form is made of")
	}
	var all []string
	add := func(key string, one json.RawMessage) {
		text, err := textOf(one)
		if err != nil {
			text = string(one)
		}
		all = append(all, url.QueryEscape(key)+"="+url.QueryEscape(text))
	}
	for key, value := range rawjson.Members(raw) {
		switch rawjson.Kind(value) {
		case 'n':
		case '[':
			for _, one := range rawjson.Elements(value) {
				add(key, one)
			}
		default:
			add(key, value)
		}
	}
	return []byte(strings.Join(all, "&")), nil
}

// escape percent-encodes every byte but the unreserved ones (RFC 3986, section 2.3) and
// those to keep.
func escape(s, keep string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// literal encodes what of a path is no parameter, and leaves what is encoded already.
func literal(s string) string { return escape(s, "/%:@!$&'()*+,;=") }
