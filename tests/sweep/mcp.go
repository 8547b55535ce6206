package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// The protocol versions that are spoken, one of each era: with a handshake and sessions,
// and without.
const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

const handshake = `{"protocolVersion":"` + legacy + `","capabilities":{},"clientInfo":{"name":"sweep","version":"1"}}`

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + modern + `","io.modelcontextprotocol/clientInfo":{"name":"sweep","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}%s}`

// client speaks MCP as a principal, in both eras. What fails first stands in err.
type client struct {
	s       *sweep
	who     Principal
	address string
	session string // of the era of handshakes; "" where none was opened
	id      int
	err     error
}

// client opens a session at an address of MCP.
func (s *sweep) client(ctx context.Context, who Principal, address string) (*client, error) {
	c := &client{s: s, who: who, address: address}
	got := c.post(ctx, "initialize", asJSON(), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":`+handshake+`}`)
	if c.session = got.header.Get("Mcp-Session-Id"); c.session != "" {
		c.post(ctx, "initialized", c.inSession(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return c, c.err
}

// listen reads, until stop, the events that are sent to the session by themselves.
func (c *client) listen(ctx context.Context) (stop func()) {
	if c.session == "" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	heard := make(chan answer, 1)
	header := c.inSession()
	header.Set("Accept", "text/event-stream")
	go func() {
		got, _ := c.s.send(ctx, request{who: c.who, method: http.MethodGet, path: c.address, header: header}) // it ends when it is stopped
		heard <- got
	}()
	return func() {
		cancel()
		got := <-heard
		a := asked{c.who.Name, MCP, c.address + " " + legacy + " events"}
		c.s.judge(a, "headers", headText(got))
		c.s.judge(a, "body", got.body)
	}
}

func (c *client) inSession() http.Header {
	return asJSON("Mcp-Session-Id", c.session, "Mcp-Protocol-Version", legacy)
}

func (c *client) post(ctx context.Context, label string, header http.Header, message string) answer {
	got, err := c.s.ask(ctx, request{who: c.who, surface: MCP, label: c.address + " " + label, method: http.MethodPost, path: c.address, header: header, body: message})
	if err != nil && c.err == nil {
		c.err = err
	}
	return got
}

// do sends a request in both eras, and answers the results that came.
func (c *client) do(ctx context.Context, method, name string, params map[string]any, more, label string) (results []string) {
	raw, err := json.Marshal(params)
	if err != nil {
		c.err = fmt.Errorf("the parameters of %s: %w", method, err)
		return nil
	}
	members := strings.TrimSuffix(strings.TrimPrefix(string(raw), "{"), "}")
	if members != "" {
		members += ","
	}
	c.id++
	header := asJSON("Mcp-Protocol-Version", modern, "Mcp-Method", method)
	if name != "" {
		header.Set("Mcp-Name", name)
	}
	line := func(meta string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, c.id, method, members, meta)
	}
	got := c.post(ctx, modern+" "+label, header, line(fmt.Sprintf(meta, more)))
	results = append(results, resultOf(got))
	if c.session != "" {
		got := c.post(ctx, legacy+" "+label, c.inSession(), line(`"_meta":{`+strings.TrimPrefix(more, ",")+`}`))
		results = append(results, resultOf(got))
	}
	for _, r := range results {
		c.s.harvest.add(r)
	}
	return results
}

// call calls a tool in both eras. Arguments that are no object are sent as they are.
func (c *client) call(ctx context.Context, name, arguments string, dry bool) {
	more := ""
	if dry {
		more = `,"holotype/dry_run":true`
	}
	c.do(ctx, "tools/call", name, map[string]any{"name": name, "arguments": json.RawMessage(arguments)}, more, name+clipped(arguments))
}

// resultOf answers the result in an answer, which came as JSON or as events.
func resultOf(a answer) string {
	text := a.body
	if _, events, ok := strings.Cut(text, "data: "); ok && strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
		text = events[strings.LastIndex(events, "data: ")+1:]
		text = strings.TrimPrefix(text, "ata: ")
	}
	var m struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return ""
	}
	return string(m.Result)
}

// protocol asks as a principal for all that MCP has beside calls, at every address, and for
// the document of every server.
func (s *sweep) protocol(ctx context.Context, who Principal) error {
	addresses := []string{"/operator/mcp", "/operator/mcp/readonly", "/operator/mcp/find", "/seats/" + probe() + "/mcp", "/seats/" + probe() + "/mcp/find", "/operator/mcp/x/" + probe()}
	for _, group := range s.groups() {
		for _, form := range []string{".json", ".yaml"} {
			if _, err := s.get(ctx, who, "/openapi/"+pathEscape(group)+form); err != nil {
				return err
			}
		}
		addresses = append(addresses, "/operator/mcp/x/"+pathEscape(group))
	}
	addresses = append(addresses, who.Addresses...)
	for i, address := range addresses {
		c, err := s.client(ctx, who, address)
		if err != nil {
			return err
		}
		c.do(ctx, "tools/list", "", nil, "", "tools/list")
		if i > 0 && i < len(addresses)-len(who.Addresses) {
			continue
		}
		c.rest(ctx)
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

// rest asks for what is no tool.
func (c *client) rest(ctx context.Context) {
	c.do(ctx, "server/discover", "", nil, "", "server/discover")
	c.do(ctx, "ping", "", nil, "", "ping")
	c.do(ctx, "logging/setLevel", "", map[string]any{"level": "debug"}, "", "logging/setLevel")
	c.do(ctx, "resources/templates/list", "", nil, "", "resources/templates/list")
	prompts := c.do(ctx, "prompts/list", "", nil, "", "prompts/list")
	for _, name := range append(namesIn(prompts, "prompts", "name"), probe()) {
		c.do(ctx, "prompts/get", name, map[string]any{"name": name, "arguments": map[string]string{}}, "", "prompts/get "+name)
		c.do(ctx, "completion/complete", "", map[string]any{"ref": map[string]string{"type": "ref/prompt", "name": name}, "argument": map[string]string{"name": "x", "value": ""}}, "", "completion/complete "+name)
	}
	resources := c.do(ctx, "resources/list", "", nil, "", "resources/list")
	for _, uri := range append(namesIn(resources, "resources", "uri"), "probe://"+probe()) {
		c.do(ctx, "resources/read", uri, map[string]any{"uri": uri}, "", "resources/read "+uri)
		c.do(ctx, "resources/subscribe", uri, map[string]any{"uri": uri}, "", "resources/subscribe "+uri)
	}
	c.do(ctx, "tasks/list", "", nil, "", "tasks/list")
	c.do(ctx, probe(), "", nil, "", "an unknown method")
}

// namesIn answers a member of all that the lists hold.
func namesIn(results []string, list, member string) (names []string) {
	for _, r := range results {
		var page map[string]json.RawMessage
		if json.Unmarshal([]byte(r), &page) != nil {
			continue
		}
		var all []map[string]json.RawMessage
		if json.Unmarshal(page[list], &all) != nil {
			continue
		}
		for _, one := range all {
			names = append(names, textOf(one[member]))
		}
	}
	return names
}
