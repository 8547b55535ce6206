package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// The versions of the protocol that a client of the product speaks here: one with a
// session, and one without.
const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

func versions() []string { return []string{legacy, modern} }

// client is a hand-written client of the product.
type client struct {
	product *product
	version string
	session string // of a legacy one
}

// connect shakes hands where the version has it.
func (p *product) connect(ctx context.Context, version string) (*client, error) {
	c := &client{product: p, version: version}
	if version == modern {
		return c, nil
	}
	header := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"census","version":"1"}}}`
	_, got, err := p.send(ctx, http.MethodPost, "/operator/mcp", header, []byte(hello))
	if err != nil {
		return nil, err
	}
	c.session = got.Get("Mcp-Session-Id")
	_, _, err = p.send(ctx, http.MethodPost, "/operator/mcp", c.header("", ""), []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return c, err
}

// header answers the fields of a request for a method, of one thing by its name.
func (c *client) header(method, name string) map[string]string {
	header := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": c.version}
	if c.session != "" {
		header["Mcp-Session-Id"] = c.session
	}
	if c.version == modern {
		header["Mcp-Method"] = method
		if name != "" {
			header["Mcp-Name"] = name
		}
	}
	return header
}

// ask answers the result of one request. params are members, each with a comma behind it.
func (c *client) ask(ctx context.Context, method, name, params string) (json.RawMessage, error) {
	const meta = `{"io.modelcontextprotocol/protocolVersion":"` + modern +
		`","io.modelcontextprotocol/clientInfo":{"name":"census","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	about := meta
	if c.version != modern {
		about = "{}"
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":%q,"params":{%s"_meta":%s}}`, method, params, about)
	answer, _, err := c.product.send(ctx, http.MethodPost, "/operator/mcp", c.header(method, name), []byte(body))
	if err != nil {
		return nil, err
	}
	var m struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(message(answer), &m); err != nil || m.Error != nil {
		return nil, fmt.Errorf("to a client of %s the product answers %s with %.300s", c.version, method, answer)
	}
	return m.Result, nil
}

// message answers the last message of an answer, which came as JSON or as events.
func message(answer []byte) []byte {
	last := answer
	for line := range bytes.Lines(answer) {
		if event, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			last = event
		}
	}
	return last
}

// list walks tools/list and answers the tools whose names begin with a prefix.
func (c *client) list(ctx context.Context, prefix string) ([]tool, error) {
	var entries []json.RawMessage
	for cursor := ""; ; {
		result, err := c.ask(ctx, "tools/list", "", cursor)
		if err != nil {
			return nil, err
		}
		next, err := page(result, "tools", &entries)
		if err != nil {
			return nil, err
		}
		if next == "" {
			break
		}
		cursor = `"cursor":` + next + `,`
	}
	all, err := tools(entries)
	if err != nil {
		return nil, err
	}
	var ours []tool
	for _, one := range all {
		if strings.HasPrefix(one.Name, prefix) {
			ours = append(ours, one)
		}
	}
	return ours, nil
}
