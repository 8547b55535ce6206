package httpapi

import (
	"net/url"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// appendQuery adds the fields of a query string to an unfinished object of
// arguments, in their order. A scalar is one parameter; an array is its parameter
// repeated (form style, exploded). A parameter that is no field is written as the
// field it claims to be, and a scalar given twice is written twice, so that the
// validator refuses both as it does in a body.
func (p *route) appendQuery(b []byte, query string) ([]byte, *capabilities.Error) {
	var written []bool
	if p.lists > 0 {
		written = make([]bool, p.lists)
	}
	for query != "" {
		here := query
		var pair string
		if pair, query, _ = strings.Cut(query, "&"); pair == "" {
			continue
		}
		key, value, e := unpair(pair)
		if e != nil {
			return nil, e
		}
		a, known := p.query[key]
		switch {
		case !known:
			if e := p.misplaced(key); e != nil {
				return nil, e
			}
			b = append(appendString(comma(b), key), ':')
			b = appendString(b, value)
		case a.item == nil:
			b = append(comma(b), a.key...)
			b = a.appendText(b, value)
		case !written[a.list]:
			written[a.list] = true
			b = append(comma(b), a.key...)
			if b, e = a.appendList(b, key, here); e != nil {
				return nil, e
			}
		}
	}
	return b, nil
}

// appendList writes an array: every value that a query gives under the key.
func (a *argument) appendList(b []byte, key, query string) ([]byte, *capabilities.Error) {
	b = append(b, '[')
	for first := true; query != ""; {
		var pair string
		if pair, query, _ = strings.Cut(query, "&"); pair == "" {
			continue
		}
		k, value, e := unpair(pair)
		if e != nil {
			return nil, e
		}
		if k != key {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = a.item.appendText(b, value)
	}
	return append(b, ']'), nil
}

// unpair splits and decodes one key=value of a query.
func unpair(pair string) (key, value string, e *capabilities.Error) {
	key, value, _ = strings.Cut(pair, "=")
	key, err := unescape(key)
	if err == nil {
		value, err = unescape(value)
	}
	if err != nil {
		return "", "", capabilities.Violates(capabilities.Violation{
			Keyword: "syntax", Message: "the query holds a malformed escape: write a percent sign as %25",
		})
	}
	return key, value, nil
}

func unescape(s string) (string, error) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, nil
	}
	return url.QueryUnescape(s)
}

// comma parts the next member of an unfinished object from the one before.
func comma(b []byte) []byte {
	if len(b) > 1 {
		b = append(b, ',')
	}
	return b
}
