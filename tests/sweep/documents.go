package sweep

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// entries are the addresses that a server has by what it is; all others are linked from
// them, or stand in the documents.
func entries() []string {
	return []string{
		"/", "/docs", "/docs/", "/docs.md", "/openapi.json", "/openapi.yaml", "/livez", "/readyz", "/login", "/login?token=" + probe(),
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/operator/mcp", "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration",
		"/robots.txt", "/favicon.ico",
	}
}

// mostPages is how many pages of a server are read as one principal, those nearest to
// its entries first.
const mostPages = 120

var (
	link    = regexp.MustCompile(`(?:href|src|action)="([^"#]+)`)
	address = regexp.MustCompile(`"(/[a-z0-9._~/{}-]+\.(?:json|yaml|md|txt))"`)
)

// documents reads every page and document that a principal gets to, and learns the tools
// from those of OpenAPI.
func (s *sweep) documents(ctx context.Context, who Principal) error {
	queue, had := entries(), map[string]bool{}
	for len(queue) > 0 && len(had) < mostPages {
		path := queue[0]
		queue = queue[1:]
		if had[path] {
			continue
		}
		had[path] = true
		got, err := s.get(ctx, who, path)
		if err != nil {
			return err
		}
		if got.status == http.StatusOK {
			s.learn(got.body, path)
		}
		if s.linked[got.body] {
			continue // a page that all have leads nowhere else for this one
		}
		s.linked[got.body] = true
		queue = append(queue, linksOf(path, got)...)
	}
	return nil
}

// groups answers the packs and the servers whose tools are known.
func (s *sweep) groups() (names []string) {
	for _, t := range s.tools {
		names = append(names, t.group)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// linksOf answers the addresses of this server that an answer names.
func linksOf(path string, a answer) (all []string) {
	var found [][]string
	switch kind := a.header.Get("Content-Type"); {
	case strings.Contains(kind, "html"):
		found = link.FindAllStringSubmatch(a.body, -1)
	case strings.Contains(kind, "json") && len(a.body) < 16<<10:
		found = address.FindAllStringSubmatch(a.body, -1)
	}
	if to := a.header.Get("Location"); to != "" {
		found = append(found, []string{"", to})
	}
	for _, one := range found {
		to := strings.ReplaceAll(one[1], "&amp;", "&")
		switch {
		case strings.Contains(to, ":") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "{} "):
			continue // another site, or a pattern
		case !strings.HasPrefix(to, "/"):
			to = path[:strings.LastIndexByte(path, '/')+1] + to
		}
		all = append(all, cleaned(to))
	}
	return all
}

// cleaned takes the steps back out of a path.
func cleaned(path string) string {
	path, query, more := strings.Cut(path, "?")
	var steps []string
	for step := range strings.SplitSeq(path, "/") {
		switch {
		case step == ".." && len(steps) > 1:
			steps = steps[:len(steps)-1]
		case step != "..":
			steps = append(steps, step)
		}
	}
	path = strings.Join(steps, "/")
	if more {
		path += "?" + query
	}
	return path
}

// operation is a tool as an OpenAPI document has it.
type operation struct {
	name, method, path string
	group              string // the pack or the server that it is of
	bridged, reads     bool
	dry                bool // it can be tried
	in                 map[string]string
	examples           []map[string]json.RawMessage
	schema             schema
	called             bool
}

// schema is as much of a JSON Schema as arguments are made from.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       json.RawMessage   `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Enum       []json.RawMessage `json:"enum"`
	Default    json.RawMessage   `json:"default"`
	OneOf      []schema          `json:"oneOf"`
	AnyOf      []schema          `json:"anyOf"`
	Minimum    *float64          `json:"minimum"`
}

type valueUnder struct {
	Value json.RawMessage `json:"value"`
}

// parameter is one of a document's.
type parameter struct {
	Ref      string                `json:"$ref"`
	Name     string                `json:"name"`
	In       string                `json:"in"`
	Required bool                  `json:"required"`
	Schema   schema                `json:"schema"`
	Examples map[string]valueUnder `json:"examples"`
}

type document struct {
	Servers []struct {
		URL string `json:"url"`
	} `json:"servers"`
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas    map[string]schema    `json:"schemas"`
		Parameters map[string]parameter `json:"parameters"`
	} `json:"components"`
}

// described is an operation as it stands in a document.
type described struct {
	ID          string      `json:"operationId"`
	Source      string      `json:"x-holotype-source"`
	Tags        []string    `json:"tags"`
	Parameters  []parameter `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema   schema                `json:"schema"`
			Example  json.RawMessage       `json:"example"`
			Examples map[string]valueUnder `json:"examples"`
		} `json:"content"`
	} `json:"requestBody"`
	Hints struct {
		ReadOnly *bool `json:"readOnlyHint"`
	} `json:"x-holotype-hints"`
}

// learn takes the tools out of a document of OpenAPI; any other text has none.
func (s *sweep) learn(text, path string) {
	var d document
	if !strings.HasSuffix(path, ".json") || json.Unmarshal([]byte(text), &d) != nil {
		return
	}
	base := ""
	if len(d.Servers) > 0 && strings.HasPrefix(d.Servers[0].URL, "/") {
		base = d.Servers[0].URL
	}
	for path, methods := range d.Paths {
		for method, raw := range methods {
			var o described
			if json.Unmarshal(raw, &o) != nil || o.ID == "" {
				continue // what all methods of a path have
			}
			if s.tools[o.ID] == nil {
				s.tools[o.ID] = d.operation(o, strings.ToUpper(method), base+path)
				s.order = append(s.order, o.ID)
				slices.Sort(s.order)
			}
		}
	}
}

func (d *document) operation(o described, method, path string) *operation {
	t := &operation{
		name: o.ID, method: method, path: path, bridged: o.Source != "builtin" && o.Source != "", in: map[string]string{}, schema: schema{Properties: map[string]schema{}},
		reads: o.Hints.ReadOnly != nil && *o.Hints.ReadOnly,
	}
	if _, server, ok := strings.Cut(o.Source, ":"); ok {
		t.group = server
	} else if len(o.Tags) > 0 {
		t.group = o.Tags[0]
	}
	examples := map[string]map[string]json.RawMessage{}
	take := func(under string, members map[string]json.RawMessage) {
		if examples[under] == nil {
			examples[under] = map[string]json.RawMessage{}
		}
		maps.Copy(examples[under], members)
	}
	for _, p := range o.Parameters {
		if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
			p = d.Components.Parameters[name]
		}
		switch {
		case p.Name == "dry_run":
			t.dry = true
		case p.In == "path" || p.In == "query":
			t.in[p.Name] = p.In
			t.schema.Properties[p.Name] = d.resolve(p.Schema)
			if p.Required {
				t.schema.Required = append(t.schema.Required, p.Name)
			}
			for under, e := range p.Examples {
				take(under, map[string]json.RawMessage{p.Name: e.Value})
			}
		}
	}
	for _, body := range o.RequestBody.Content {
		whole := d.resolve(body.Schema)
		for name, field := range whole.Properties {
			t.schema.Properties[name] = d.resolve(field)
		}
		t.schema.Required = append(t.schema.Required, whole.Required...)
		for under, e := range body.Examples {
			take(under, membersOf(e.Value))
		}
		if body.Example != nil {
			take("", membersOf(body.Example))
		}
	}
	for _, under := range sortedKeys(examples) {
		t.examples = append(t.examples, examples[under])
	}
	return t
}

// resolve follows one reference, and takes the first of several schemas.
func (d *document) resolve(s schema) schema {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		s = d.Components.Schemas[name]
	}
	for _, some := range [][]schema{s.OneOf, s.AnyOf} {
		if s.Type == nil && len(some) > 0 {
			s = d.resolve(some[0])
		}
	}
	return s
}

func membersOf(raw json.RawMessage) (members map[string]json.RawMessage) {
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return members
}
