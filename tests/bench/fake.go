package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

// fakeTool is tool i of the server that is bridged: the first echoes, the rest are
// as long as tools are.
func fakeTool(i int) string {
	if i == 0 {
		return `{"name":"echo","description":"Echo the text back.","inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"Text to echo back unchanged."}},"required":["text"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`
	}
	return fmt.Sprintf(`{"name":"collection_%05d_list","description":"List the records of collection %d, newest first. Returns a page of rows and a cursor; makes no change to the collection.",`+
		`"inputSchema":{"type":"object","properties":{"project":{"type":"string","description":"Project slug the request applies to."},`+
		`"limit":{"type":"integer","minimum":1,"maximum":500,"description":"Largest number of rows to return."},`+
		`"state":{"type":"string","enum":["open","closed","all"],"description":"Which records to include."},`+
		`"cursor":{"type":"string","description":"Opaque cursor of page %d."}},"required":["project"]},`+
		`"annotations":{"title":"Records of collection %d","readOnlyHint":true,"openWorldHint":false}}`, i, i, i, i)
}

// fakeServer is an MCP server on two streams, with hand-written messages and as little
// work as can be: what is measured is who stands in front of it.
type fakeServer struct {
	tools int
	slow  time.Duration // before it answers the handshake
	heard io.Writer     // gets one byte for every message
}

// newFake reads the arguments of `child fake`; what is missing is nothing.
func newFake(tools, slow, heard string) (f fakeServer, err error) {
	f.heard = io.Discard
	if f.tools, err = strconv.Atoi(tools); err != nil {
		return f, err
	}
	if slow != "" {
		if f.slow, err = time.ParseDuration(slow); err != nil {
			return f, err
		}
	}
	if heard != "" {
		f.heard, err = os.OpenFile(heard, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	}
	return f, err
}

// serve answers until the input ends.
func (f fakeServer) serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	var answers bytes.Buffer
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := f.answer(&answers, line); err != nil {
				return err
			}
		}
		if lines.Buffered() == 0 || err != nil {
			if _, err := answers.WriteTo(out); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (f fakeServer) answer(w *bytes.Buffer, line []byte) error {
	if _, err := f.heard.Write([]byte{'.'}); err != nil {
		return err
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Cursor    string `json:"cursor"`
			Arguments struct {
				Text json.RawMessage `json:"text"`
			} `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return fmt.Errorf("the fake server was sent %.200q: %w", line, err)
	}
	if m.ID == nil {
		return nil
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,`, m.ID)
	switch m.Method {
	case "initialize":
		time.Sleep(f.slow)
		w.WriteString(`"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`)
	case "ping":
		w.WriteString(`"result":{}`)
	case "tools/list":
		writeFakePage(w, f.tools, m.Params.Cursor)
	case "tools/call":
		w.WriteString(`"result":{"content":[{"type":"text","text":`)
		w.Write(m.Params.Arguments.Text)
		w.WriteString(`}]}`)
	default:
		w.WriteString(`"error":{"code":-32601,"message":"method not found"}`)
	}
	w.WriteString("}\n")
	return nil
}

// pageSize is how many tools a page has, on every side.
const pageSize = 1000

func writeFakePage(w *bytes.Buffer, tools int, cursor string) {
	from, err := strconv.Atoi(cursor)
	if err != nil {
		from = 0 // the first page has no cursor
	}
	to := min(from+pageSize, tools)
	w.WriteString(`"result":{"tools":[`)
	for i := from; i < to; i++ {
		if i > from {
			w.WriteByte(',')
		}
		w.WriteString(fakeTool(i))
	}
	w.WriteByte(']')
	if to < tools {
		fmt.Fprintf(w, `,"nextCursor":"%d"`, to)
	}
	w.WriteByte('}')
}
