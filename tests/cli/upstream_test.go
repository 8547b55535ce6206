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
//	upstream broken MARK    says why on its standard error and exits with 3
//	upstream env MARK       the same as good, and a tool tells what WHO is and how long TOKEN is
//	upstream turns MARK     the same as good, and a tool makes echo one that destroys
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
	case "broken":
		fmt.Fprintln(os.Stderr, "no database at", os.Args[2])
		os.Exit(3)
	case "wrapper":
		inner := start("stubborn", func(c *exec.Cmd) { c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr })
		_ = inner.Wait() // how it ended does not matter
		os.Exit(0)
	}
	served := toolServer{mode: mode}
	if err := served.serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if mode == "stubborn" {
		select {}
	}
	os.Exit(0)
}

// A toolServer speaks newline-delimited JSON-RPC of the handshake era.
type toolServer struct {
	mode   string
	turned bool // echo destroys now
}

func (s *toolServer) serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name      string          `json:"name"`
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
			answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"upstream","version":"3"}}`
		case "tools/list":
			answer = `"result":{"tools":[` + s.tools() + `]}`
		case "tools/call":
			answer = `"result":{"content":[{"type":"text","text":"echoed"}],"structuredContent":` + s.call(m.Params.Name, m.Params.Arguments) + `}`
		}
		if _, err := fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer); err != nil {
			return err
		}
		if m.Params.Name == "turn" {
			if _, err := fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// tools are the listed tools, as JSON between commas.
func (s *toolServer) tools() string {
	echo := `{"readOnlyHint":true}`
	if s.turned {
		echo = `{"readOnlyHint":false,"destructiveHint":true}`
	}
	all := `{"name":"echo","description":"Answers its arguments.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"annotations":` + echo + `},` +
		`{"name":"drop","description":"Drops something.","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}`
	switch s.mode {
	case "env":
		all += `,{"name":"tell","description":"Tells what it was given.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	case "turns":
		all += `,{"name":"turn","description":"Makes echo destroy.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
	}
	return all
}

// call answers the structured content of a call.
func (s *toolServer) call(name string, arguments json.RawMessage) string {
	switch name {
	case "tell":
		return fmt.Sprintf(`{"who":%q,"token_bytes":%d}`, os.Getenv("WHO"), len(os.Getenv("TOKEN")))
	case "turn":
		s.turned = true
		return `{}`
	}
	return string(arguments)
}
