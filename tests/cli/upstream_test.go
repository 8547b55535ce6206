package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// upstream is an MCP server that scripts bridge. Its first argument says how it
// behaves; the rest mark it in a list of processes.
//
//	upstream good MARK      serves two tools and ends with its input
//	upstream stubborn MARK  the same, ignores signals and the end of its input, and has a child that does too
//	upstream wrapper MARK   starts a stubborn one on its own streams and waits for it, as a package runner does
//	upstream daemon MARK    the same as good, and leaves a child in a session of its own
//	upstream child MARK     is such a child
func upstream() {
	mode := os.Args[1]
	if mode == "stubborn" || mode == "child" {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	start := func(mode string, with func(*exec.Cmd)) *exec.Cmd {
		child := exec.Command(os.Args[0], mode, os.Args[2])
		with(child)
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return child
	}
	switch mode {
	case "child":
		select {}
	case "stubborn":
		start("child", func(*exec.Cmd) {})
	case "daemon":
		start("child", func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} })
	case "wrapper":
		inner := start("stubborn", func(c *exec.Cmd) { c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr })
		_ = inner.Wait() // how it ended does not matter
		os.Exit(0)
	}
	if err := serveTools(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if mode == "stubborn" {
		select {}
	}
	os.Exit(0)
}

// serveTools speaks newline-delimited JSON-RPC of the handshake era.
func serveTools(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Arguments json.RawMessage `json:"arguments"`
			} `json:"params"`
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return err
		}
		if m.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"not served"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"upstream","version":"3"}}`
		case "tools/list":
			answer = `"result":{"tools":[{"name":"echo","description":"Answers its arguments.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"annotations":{"readOnlyHint":true}},` +
				`{"name":"drop","description":"Drops something.","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}]}`
		case "tools/call":
			answer = `"result":{"content":[{"type":"text","text":"echoed"}],"structuredContent":` + string(m.Params.Arguments) + `}`
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer); err != nil {
			return err
		}
	}
	return lines.Err()
}
