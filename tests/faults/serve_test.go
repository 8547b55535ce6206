package faults_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// serveVariable names the file with a whole answer to tools/list, or "healthy".
const serveVariable = "FAULTS_SERVE"

const echoTool = `{"name":"echo","description":"Returns its text","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`

// serve is a server that breaks nothing. It answers tools/list with the bytes of the
// file, and every call with the text of its arguments.
func serve(file string, in io.Reader, out io.Writer) error {
	list := json.RawMessage(`{"tools":[` + echoTool + `]}`)
	if file != "healthy" {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var recorded struct{ Result json.RawMessage }
		if err := json.Unmarshal(data, &recorded); err != nil {
			return err
		}
		list = recorded.Result
	}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Arguments struct{ Text string } }
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		if m.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"method not found"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"healthy","version":"1"}}`
		case "tools/list":
			answer = `"result":` + string(list)
		case "tools/call":
			text, err := json.Marshal(m.Params.Arguments.Text)
			if err != nil {
				return err
			}
			answer = `"result":{"content":[{"type":"text","text":` + string(text) + `}]}`
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer); err != nil {
			return err
		}
	}
}
