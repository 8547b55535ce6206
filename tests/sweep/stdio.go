package sweep

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// stdio speaks MCP as a principal on two streams: the handshake, the lists, and every tool
// that reads, well and badly.
func (s *sweep) stdio(ctx context.Context, who Principal) error {
	if who.Stdio == nil {
		return nil
	}
	fromHere, toServer := io.Pipe()
	fromServer, toHere := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := who.Stdio(ctx, fromHere, toHere)
		_ = toHere.CloseWithError(errors.Join(err, io.EOF))
		_ = fromHere.Close() // whoever writes still is told
		ended <- err
	}()
	c := &streams{s: s, a: asked{who.Name, MCP, "standard streams"}, in: toServer, out: make(chan string, 64)}
	// A server may answer what nobody waits for, before it reads on.
	go func() {
		defer close(c.out)
		from := bufio.NewReader(fromServer)
		for {
			said, err := from.ReadString('\n')
			if said != "" {
				c.out <- said
			}
			if err != nil {
				return
			}
		}
	}()
	c.talk(who)
	_ = toServer.Close()
	for said := range c.out {
		s.judge(c.a, "messages", said)
	}
	if err := <-ended; err != nil {
		s.judge(asked{who.Name, MCP, "the end of a session on standard streams"}, "error", err.Error())
	}
	if c.err != nil {
		return fmt.Errorf("speaking MCP on standard streams as %s: %w", who.Name, c.err)
	}
	return nil
}

// streams are the client's ends of a session on standard streams.
type streams struct {
	s   *sweep
	a   asked
	in  io.Writer
	out chan string
	id  int
	err error
}

func (c *streams) talk(who Principal) {
	c.do("initialize", json.RawMessage(handshake))
	c.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, list := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		c.do(list, json.RawMessage("{}"))
	}
	own := c.s.own[who.Name]
	c.write(`{"jsonrpc":` + own)
	c.do("tools/call", map[string]string{"name": own})
	for _, name := range c.s.order {
		t := c.s.tools[name]
		if t.reads {
			c.do("tools/call", map[string]any{"name": name, "arguments": json.RawMessage(c.s.good(t)[0])})
		}
		if t.reads || !t.bridged || c.s.CallWrites {
			c.do("tools/call", map[string]any{"name": name, "arguments": json.RawMessage(c.s.bad(t, own)[0])})
		}
	}
}

func (c *streams) write(line string) {
	if c.err != nil {
		return
	}
	c.s.report.Asked++
	_, c.err = io.WriteString(c.in, line+"\n")
}

// do sends a request and reads up to its answer.
func (c *streams) do(method string, params any) {
	c.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		c.err = errors.Join(c.err, err)
		return
	}
	c.write(string(line))
	a := c.a
	a.request = "standard streams: " + method + clipped(string(line))
	for c.err == nil {
		said, more := <-c.out
		if !more {
			c.err = io.ErrUnexpectedEOF
			return
		}
		c.s.judge(a, "messages", said)
		var m struct {
			ID     *int
			Method string
		}
		if json.Unmarshal([]byte(said), &m) == nil && m.ID != nil && *m.ID == c.id && m.Method == "" {
			return
		}
	}
}
