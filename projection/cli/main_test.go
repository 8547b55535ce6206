package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// TestMain makes this binary the server that inspect is tested with: started with a
// list of tools in its environment, it serves them and exits.
func TestMain(m *testing.M) {
	if tools := os.Getenv("FAKE_TOOLS"); tools != "" {
		serveFake(tools)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func serveFake(tools string) {
	fmt.Fprintln(os.Stderr, "started \x1b[2J with", os.Getenv("HANDED"))
	if banner := os.Getenv("FAKE_BANNER"); banner != "" {
		fmt.Println(banner)
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Capabilities struct{ Elicitation json.RawMessage }
			}
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"no such method"}`
		switch m.Method {
		case "initialize":
			if asking := os.Getenv("FAKE_ASKING_TOOL"); asking != "" && m.Params.Capabilities.Elicitation != nil {
				tools += "," + asking
			}
			answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake\u001b[2J","version":"3"}}`
		case "tools/list":
			answer = `"result":{"tools":[` + tools + `]}`
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
	}
}
