package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// maxAddress bounds the address of a request, which servers do not take any longer.
const maxAddress = 64 << 10

// wrong is the refusal of an argument that cannot be written where it belongs. Names of
// arguments are clean, and stand in a pointer as they are.
func wrong(property string, err error) error {
	return capabilities.Violates(capabilities.Violation{Pointer: "/" + property, Keyword: "parameter", Message: err.Error()})
}

// request makes the request of a call. The error is a refusal of the arguments, or says
// that it is too long; nothing was sent then.
func (op *operation) request(ctx context.Context, at *base, o *Options, arguments json.RawMessage) (*http.Request, error) {
	args := maps.Collect(rawjson.Members(arguments))
	inPath := map[string]string{}
	credential, secret := o.inQuery()
	var query []string
	header := http.Header{"Accept": {op.accept}}
	for i := range op.params {
		p := &op.params[i]
		raw, given := args[p.property]
		if !given || rawjson.Kind(raw) == 'n' && !p.required {
			continue
		}
		var err error
		switch p.in {
		case "path":
			inPath[p.name], err = p.inPath(raw)
		case "query":
			if err = p.leaves(raw, credential); err == nil {
				query, err = p.inQuery(query, raw)
			}
		default:
			var text string
			if text, err = p.inHeader(raw); err == nil {
				header.Set(p.name, text)
			}
		}
		if err != nil {
			return nil, wrong(p.property, err)
		}
	}
	var path strings.Builder
	for _, s := range op.path {
		if s.parameter {
			s.text = inPath[s.text]
		}
		path.WriteString(s.text)
	}
	for part := range strings.SplitSeq(path.String(), "/") { // two values may stand in one segment
		if part == "." || part == ".." {
			return nil, capabilities.Refuse(capabilities.Invalid, "the arguments make the path %s, which leads to another one", short(path.String(), 200))
		}
	}
	if credential != "" {
		query = append(query, escape(credential, "")+"="+escape(secret, ""))
	}
	address, err := at.at(path.String(), strings.Join(query, "&"))
	if err != nil {
		return nil, fmt.Errorf("making the address of %s: %w", op.label, err)
	}
	if n := len(address.RequestURI()); n > maxAddress {
		return nil, bridge.Failed(capabilities.TooLarge, false, "would be asked with an address of %d bytes, at most %d are sent; ask for less", n, maxAddress)
	}
	var body io.Reader
	if raw, given := args[bodyProperty]; given && op.body != nil {
		content := []byte(raw)
		if op.body.form {
			if content, err = form(raw); err != nil {
				return nil, wrong(bodyProperty, err)
			}
		}
		header.Set("Content-Type", op.body.media)
		body = bytes.NewReader(content)
	}
	req, err := http.NewRequestWithContext(ctx, op.method, address.String(), body)
	if err != nil {
		return nil, fmt.Errorf("making the request of %s: %w", op.label, err)
	}
	req.Header = header
	return req, nil
}
