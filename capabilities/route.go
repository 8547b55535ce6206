package capabilities

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Route is a parsed HTTP route, relative to /api/v1.
type Route struct {
	Method string
	Path   string   // "/projects/{project}/work-items"
	Fields []string // the input fields that stand in the path, in order
}

// IsZero reports whether there is no route.
func (r Route) IsZero() bool { return r.Method == "" }

// String answers "METHOD /path".
func (r Route) String() string { return r.Method + " " + r.Path }

var (
	routeSegment = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	routeField   = regexp.MustCompile(`^\{[a-z][a-z0-9_]*\}$`)
)

// parseRoute reads "METHOD /path/{field}". A field fills a whole segment, so
// that a value can never reach into a neighbour.
func parseRoute(text string) (Route, error) {
	method, path, ok := strings.Cut(text, " ")
	if !ok || !strings.HasPrefix(path, "/") || path == "/" {
		return Route{}, fmt.Errorf("route %q is not of the form \"METHOD /path/{field}\"", text)
	}
	if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method) {
		return Route{}, fmt.Errorf("route %q: method %q is not GET, POST, PUT, PATCH or DELETE", text, method)
	}
	r := Route{Method: method, Path: path}
	for seg := range strings.SplitSeq(path[1:], "/") {
		switch {
		case routeField.MatchString(seg):
			name := seg[1 : len(seg)-1]
			if slices.Contains(r.Fields, name) {
				return Route{}, fmt.Errorf("route %q names the field %q twice", text, name)
			}
			r.Fields = append(r.Fields, name)
		case !routeSegment.MatchString(seg):
			return Route{}, fmt.Errorf("route %q: segment %q is neither lower-case words with dashes nor one {field}", text, seg)
		}
	}
	return r, nil
}

// shape is the path with its fields unnamed: two routes of one shape collide.
func (r Route) shape() string {
	segs := strings.Split(r.Path, "/")
	for i, s := range segs {
		if strings.HasPrefix(s, "{") {
			segs[i] = "{}"
		}
	}
	return r.Method + " " + strings.Join(segs, "/")
}
