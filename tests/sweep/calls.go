package sweep

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// mostGood is how many good calls the first principal makes of a tool by its route, and
// mostOthers how many each other one does.
const (
	mostGood   = 8
	mostOthers = 3
)

// look calls what reads as a principal, so that others can be asked about what it sees.
func (s *sweep) look(ctx context.Context, who Principal) error {
	for _, name := range s.order {
		t := s.tools[name]
		if !t.reads {
			continue
		}
		for _, arguments := range first(s.good(t), mostGood/2) {
			if _, err := s.byRoute(ctx, who, t, arguments, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// calls has a principal call every tool: a read with whatever arguments were found, a
// write in a dry run, and all of them with arguments that nothing takes.
func (s *sweep) calls(ctx context.Context, who Principal) error {
	c, err := s.client(ctx, who, "/operator/mcp")
	if err != nil {
		return err
	}
	defer c.listen(ctx)()
	for _, name := range s.order {
		t := s.tools[name]
		let := true
		if dry := !t.reads && t.dry; t.reads || dry || s.CallWrites && t.bridged {
			t.called = true
			most := mostOthers
			if who.Name == s.Principals[0].Name {
				most = mostGood
			}
			all := first(s.good(t), most)
			for _, arguments := range all {
				got, err := s.byRoute(ctx, who, t, arguments, dry)
				if err != nil {
					return err
				}
				// Whoever is not let in is not, whatever is sent.
				if let = got.status != http.StatusUnauthorized && got.status != http.StatusForbidden; !let {
					break
				}
			}
			c.call(ctx, name, all[0], dry)
		}
		if t.bridged && !t.reads && !s.CallWrites {
			continue // its own schema may take anything
		}
		bad := s.bad(t, s.own[who.Name])
		for i, arguments := range bad {
			if i > 0 && !let {
				break
			}
			if err := s.byName(ctx, who, name, arguments); err != nil {
				return err
			}
		}
		c.call(ctx, name, bad[len(bad)-1], false)
	}
	return c.err
}

func first(all []string, most int) []string { return all[:min(most, len(all))] }

// byName calls a tool at the address that takes all of them.
func (s *sweep) byName(ctx context.Context, who Principal, name, arguments string) error {
	_, err := s.ask(ctx, request{
		who: who, surface: HTTP, label: "POST /operator/act/" + name + clipped(arguments), method: http.MethodPost, path: "/operator/act/" + pathEscape(name),
		header: asJSON("Idempotency-Key", probe()), body: arguments,
	})
	return err
}

// byRoute calls a tool by its own route.
func (s *sweep) byRoute(ctx context.Context, who Principal, t *operation, arguments string, dry bool) (answer, error) {
	path, query, body := t.path, url.Values{}, map[string]json.RawMessage{}
	for name, raw := range membersOf([]byte(arguments)) {
		switch t.in[name] {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", pathEscape(textOf(raw)))
		case "query":
			for _, one := range textsOf(raw) {
				query.Add(name, one)
			}
		default:
			body[name] = raw
		}
	}
	q := request{who: who, surface: HTTP, label: t.method + " " + t.path + clipped(arguments), method: t.method, path: path, header: asJSON()}
	if t.method != http.MethodGet {
		q.body = object(body)
	}
	if dry {
		query.Set("dry_run", "true")
	}
	if len(query) > 0 {
		q.path += "?" + query.Encode()
	}
	got, err := s.ask(ctx, q)
	if err == nil && got.status == http.StatusOK {
		s.harvest.add(got.body)
	}
	return got, err
}

// textOf writes a value the way a path and a query have it.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

func textsOf(raw json.RawMessage) (all []string) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return []string{textOf(raw)}
	}
	for _, one := range list {
		all = append(all, textOf(one))
	}
	return all
}

// clipped is how much of what was sent stands in a report.
func clipped(text string) string {
	const most = 120
	if len(text) > most {
		text = text[:most] + "..."
	}
	return " " + text
}
