package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// listing is what the surfaces list to one principal.
type listing struct {
	mcp      map[string]json.RawMessage // the tools as they stood on the wire
	http     map[string]operation
	commands map[string]bool            // nil where there is no command line
	schemas  map[string]json.RawMessage // the components of the OpenAPI document
}

// operation is a capability as the OpenAPI document has it.
type operation struct {
	ID        string          `json:"operationId"`
	Source    string          `json:"x-holotype-source"`
	Effect    json.RawMessage `json:"x-holotype-effect"`
	Hints     json.RawMessage `json:"x-holotype-hints"`
	Responses map[string]struct {
		Content map[string]struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

// anywhere reports whether any surface lists a name.
func (l listing) anywhere(name string) bool {
	_, mcp := l.mcp[name]
	_, http := l.http[name]
	return mcp || http || l.commands[name]
}

// lists reads what the surfaces list to the owner.
func (r *run) lists(ctx context.Context) (err error) {
	if r.list, err = r.listed(ctx, r.Token); err != nil {
		return err
	}
	if r.Run != nil {
		var out, errw bytes.Buffer
		if status := r.Run(ctx, []string{"__complete", "call", ""}, strings.NewReader(""), &out, &errw); status != 0 {
			return fmt.Errorf("asking the command line what can be called: exit status %d: %s", status, clip(errw.Bytes()))
		}
		r.list.commands = map[string]bool{}
		for line := range strings.Lines(out.String()) {
			if name, _, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				r.list.commands[name] = true
			}
		}
	}
	for c := range r.Registry.All() {
		tool := inputs.Tool{Name: c.Name(), AliasOf: c.AliasOf(), Answers: c.Answers().String()}
		if route := c.Route(); !route.IsZero() {
			tool.Route = route.String()
		}
		if err := json.Unmarshal(c.Input().Raw(), &tool.Input); err != nil {
			return fmt.Errorf("the input schema of %s: %w", c.Name(), err)
		}
		r.tools[c.Name()] = tool
	}
	return nil
}

// listed reads the lists of MCP and of the OpenAPI document as the holder of a token.
func (r *run) listed(ctx context.Context, token string) (l listing, err error) {
	if l.mcp, err = r.toolsList(ctx, token); err != nil {
		return l, err
	}
	got, err := r.ask(ctx, token, http.MethodGet, "/openapi.json", nil, nil)
	if err != nil {
		return l, err
	}
	var document struct {
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Components struct {
			Schemas map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(got.body, &document); err != nil || got.status != http.StatusOK {
		return l, fmt.Errorf("reading /openapi.json: status %d: %w", got.status, err)
	}
	l.http, l.schemas = map[string]operation{}, document.Components.Schemas
	for _, path := range document.Paths {
		for _, raw := range path {
			var o operation
			if json.Unmarshal(raw, &o) == nil && o.ID != "" && o.Source != "" {
				l.http[o.ID] = o
			}
		}
	}
	return l, nil
}

// toolsList reads a whole tools/list, each tool as it stood on the wire.
func (r *run) toolsList(ctx context.Context, token string) (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	for cursor := ""; ; {
		params := `{"_meta":` + fmt.Sprintf(meta, "") + `}`
		if cursor != "" {
			params = fmt.Sprintf(`{"cursor":%q,`, cursor) + params[1:]
		}
		got, err := r.rpc(ctx, token, "tools/list", "", params)
		if err != nil {
			return nil, err
		}
		var m struct {
			Result struct {
				Tools []json.RawMessage `json:"tools"`
				Next  string            `json:"nextCursor"`
			} `json:"result"`
		}
		if err := json.Unmarshal(got.body, &m); err != nil || m.Result.Tools == nil {
			return nil, fmt.Errorf("tools/list answers no list, status %d: %s", got.status, clip(got.body))
		}
		for _, raw := range m.Result.Tools {
			var t struct {
				Name string `json:"name"`
			}
			if err := json.Unmarshal(raw, &t); err != nil {
				return nil, fmt.Errorf("a tool of tools/list: %w", err)
			}
			all[t.Name] = raw
		}
		if cursor = m.Result.Next; cursor == "" {
			return all, nil
		}
	}
}

// judgeLists: every surface lists the same to the owner, and of the declarations only what
// needs something that is not there is on none.
func (r *run) judgeLists(context.Context) error {
	names := map[string]bool{}
	for name := range r.list.mcp {
		names[name] = true
	}
	for name := range r.list.http {
		names[name] = true
	}
	for name := range r.list.commands {
		names[name] = true
	}
	for c := range r.Registry.All() {
		if !names[c.Name()] && !c.Conditional() {
			r.found(Listed, c.Name(), "it is declared and on no list")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		r.judged(Listed, 1)
		if r.bridged(name) {
			continue // the document has them one server at a time
		}
		if _, ok := r.list.mcp[name]; !ok {
			r.found(Listed, name, "it is not in tools/list, and elsewhere it is listed")
		}
		c, known := r.Registry.Find(name)
		if known && c.AliasOf() != "" {
			continue // it has no route, and the command line does not offer it
		}
		if known && !c.Route().IsZero() {
			if _, ok := r.list.http[name]; !ok {
				r.found(Listed, name, "it is not in the OpenAPI document, and elsewhere it is listed")
			}
		}
		if r.list.commands != nil && !r.list.commands[name] {
			r.found(Listed, name, "the command line does not know it, and elsewhere it is listed")
		}
	}
	for _, x := range slices.Concat(r.calls, r.wrong) {
		for _, a := range x.answers {
			r.judged(Listed, 1)
			if a.code == capabilities.Forbidden || a.code == capabilities.Unauthenticated || strings.Contains(string(a.raw), `"code":-32602`) {
				r.found(Listed, x.c.Name(), "it is listed, and over %s a call is refused: %s", a.way, clip(a.raw))
			}
		}
	}
	return nil
}

func (r *run) bridged(name string) bool {
	c, declared := r.Registry.Find(name)
	return strings.Contains(name, "__") && (!declared || c.Bridged())
}

// judgeOthers: what another principal is listed can be called and what it is not cannot,
// and its lists agree. The calls have arguments that nothing takes: whoever may call is
// told what is wrong with them.
func (r *run) judgeOthers(ctx context.Context) error {
	for _, p := range r.others {
		l, err := r.listed(ctx, p.Token)
		if err != nil {
			return fmt.Errorf("as %s: %w", p.Name, err)
		}
		for c := range r.Registry.All() {
			name := c.Name()
			if c.AliasOf() != "" || !r.list.anywhere(name) {
				continue
			}
			r.judged(Listed, 1)
			_, mcp := l.mcp[name]
			if _, http := l.http[name]; http != mcp && !c.Route().IsZero() {
				r.found(Listed, name, "to %s it is in tools/list: %v, in the OpenAPI document: %v", p.Name, mcp, http)
			}
			a, err := r.callMCP(ctx, p.Token, name, `{"`+stranger+`":true}`, false)
			if err != nil {
				return err
			}
			if refused := a.code == capabilities.Forbidden || a.unheard != ""; refused == mcp {
				r.found(Listed, name, "to %s it is listed: %v, and a call is answered with %q: %s", p.Name, mcp, a.code, clip(a.raw))
			}
		}
	}
	return nil
}
