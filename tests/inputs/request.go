package inputs

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Request is an input as the route of its capability takes it.
type Request struct {
	Method string
	Path   string // with its query, below the prefix of all routes
	Header map[string]string
	Body   string
}

// HTTP writes an input as a request to a tool's own route, or says why none can carry
// it.
func (in Input) HTTP(tool Tool) (Request, Reason) {
	if tool.Route == "" || tool.AliasOf != "" {
		return Request{}, NoRoute
	}
	method, path, _ := strings.Cut(tool.Route, " ")
	r := Request{Method: method, Path: path, Header: map[string]string{}, Body: in.In}
	fields, ok := Members(in.In)
	if !ok && (strings.Contains(path, "{") || method == http.MethodGet) {
		return Request{}, PathWhole // such a text needs a capability with all of its fields in the body
	}
	if ok {
		fields = inHeaders(r.Header, fields)
	}
	if strings.Contains(path, "{") || method == http.MethodGet || len(r.Header) > 0 {
		var why Reason
		if r.Path, fields, why = inPath(tool, path, fields); why != "" {
			return Request{}, why
		}
		r.Body = ""
		if len(fields) > 0 {
			r.Body = Object(fields)
		}
	}
	if method == http.MethodGet {
		query, why := inQuery(tool, fields)
		if why != "" {
			return Request{}, why
		}
		if r.Body = ""; query != "" {
			r.Path += "?" + query
		}
	}
	if in.DryRun {
		sep := "?"
		if strings.Contains(r.Path, "?") {
			sep = "&"
		}
		r.Path += sep + "dry_run=true"
	}
	if r.Body != "" {
		r.Header["Content-Type"] = "application/json"
	}
	return r, ""
}

// inHeaders moves the preconditions out of an object into their headers.
func inHeaders(header map[string]string, fields []Member) []Member {
	return slices.DeleteFunc(slices.Clone(fields), func(m Member) bool {
		switch {
		case m.Key == "if_match" && m.Value[0] == '"':
			header["If-Match"] = string(m.Value)
		case m.Key == "if_match" && m.Value[0] >= '0' && m.Value[0] <= '9':
			header["If-Match"] = `"` + string(m.Value) + `"`
		case m.Key == "if_none_match" && string(m.Value) == "true":
			header["If-None-Match"] = "*"
		default:
			return false
		}
		return true
	})
}

// inPath moves the fields of the path out of an object into the path.
func inPath(tool Tool, path string, fields []Member) (string, []Member, Reason) {
	for {
		from, to := strings.IndexByte(path, '{'), strings.IndexByte(path, '}')
		if from < 0 {
			return path, fields, ""
		}
		name := path[from+1 : to]
		i := slices.IndexFunc(fields, func(m Member) bool { return m.Key == name })
		if i < 0 {
			return "", nil, PathWhole
		}
		s, _ := tool.Field(name)
		text, ok := AsText(s, fields[i].Value)
		if !ok {
			return "", nil, TextOnly
		}
		path = path[:from] + url.PathEscape(text) + path[to+1:]
		fields = slices.Delete(slices.Clone(fields), i, i+1)
	}
}

// inQuery writes fields as a query: form style, exploded.
func inQuery(tool Tool, fields []Member) (string, Reason) {
	var parts []string
	for _, m := range fields {
		s, _ := tool.Field(m.Key) // whatever an unknown field is, it is refused
		values := []json.RawMessage{m.Value}
		if item, list := tool.Scalars(s); list {
			if m.Value[0] != '[' {
				return "", TextOnly
			}
			s, values = item, nil
			if err := json.Unmarshal(m.Value, &values); err != nil || len(values) == 0 {
				return "", NoEmptyList
			}
		}
		for _, v := range values {
			text, ok := AsText(s, v)
			if !ok {
				return "", TextOnly
			}
			parts = append(parts, url.QueryEscape(m.Key)+"="+url.QueryEscape(text))
		}
	}
	return strings.Join(parts, "&"), ""
}
