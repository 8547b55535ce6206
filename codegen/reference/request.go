package reference

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
)

const (
	apiPath = "/api/v1"
	apiURL  = "http://" + config.DefaultListen + apiPath
)

// call is an example as an HTTP request, but for its credential.
type call struct {
	method, address string
	headers         []header
	body            string // JSON; "" for none
}

type header struct{ name, value string }

// callOf writes the arguments of an example as a request of the route of a capability.
// Fields of the path stand in the path and nowhere else, and conditions are headers.
func callOf(c *capabilities.Capability, in string) call {
	r := c.Route()
	fields := map[string]json.RawMessage{}
	if json.Unmarshal([]byte(in), &fields) != nil {
		return call{method: r.Method, address: apiURL + r.Path, body: in}
	}
	path := r.Path
	for _, f := range r.Fields {
		path = strings.ReplaceAll(path, "{"+f+"}", url.PathEscape(plain(fields[f])))
		delete(fields, f)
	}
	one := call{method: r.Method, address: apiURL + path}
	if version, ok := fields["if_match"]; ok {
		one.headers = append(one.headers, header{"If-Match", `"` + plain(version) + `"`})
	}
	if _, ok := fields["if_none_match"]; ok {
		one.headers = append(one.headers, header{"If-None-Match", "*"})
	}
	delete(fields, "if_match")
	delete(fields, "if_none_match")
	if r.Method == http.MethodGet {
		one.address += query(fields)
	} else if raw, err := json.Marshal(fields); err == nil {
		one.body = string(raw)
	}
	return one
}

// query writes fields as a query string, in the order of their names; arrays
// repeat their name (form, explode).
func query(fields map[string]json.RawMessage) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var many []json.RawMessage
		if json.Unmarshal(fields[name], &many) != nil {
			many = []json.RawMessage{fields[name]}
		}
		for _, one := range many {
			parts = append(parts, url.QueryEscape(name)+"="+url.QueryEscape(plain(one)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "?" + strings.Join(parts, "&")
}

// plain is a JSON value as it stands in an address: a string without its quotes.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
}
