package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A tool is one entry of a tools/list, its parts as they stood on the wire.
type tool struct {
	Name        string          `json:"name"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	Annotations json.RawMessage `json:"annotations"`
}

// direct is what a server says when nothing stands before it.
type direct struct {
	tools []tool
	stop  string // what ended it
}

// stepTime is how long a server has to end before the next means are used, as it is in
// the product.
const stepTime = 2 * time.Second

// ask starts a server, walks its tools/list and ends it.
func (l *launch) ask(ctx context.Context) (*direct, error) {
	cmd := exec.CommandContext(ctx, l.command[0], l.command[1:]...)
	cmd.Env = l.environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = stepTime
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	hung := time.AfterFunc(l.limit, func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it has ended meanwhile
	})
	d := &direct{}
	d.tools, err = walk(in, bufio.NewReader(out))
	hung.Stop()
	d.stop = end(cmd, in)
	if err != nil {
		return nil, fmt.Errorf("asked directly: %w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	return d, nil
}

// environment is as little as a program needs, and what its entry adds.
func (l *launch) environment() []string {
	env := []string{"PATH=" + os.Getenv("PATH")}
	for name, value := range l.env {
		env = append(env, name+"="+value)
	}
	return env
}

// end ends a process: by its input, by SIGTERM, by SIGKILL. It answers what it took.
func end(cmd *exec.Cmd, in io.Closer) string {
	_ = in.Close() // it may have closed its end
	gone := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended is not judged here
		close(gone)
	}()
	how := "input closed"
	for _, next := range []struct {
		name   string
		signal syscall.Signal
	}{{"SIGTERM", syscall.SIGTERM}, {"SIGKILL", syscall.SIGKILL}} {
		select {
		case <-gone:
			return how
		case <-time.After(stepTime):
		}
		how = next.name
		_ = syscall.Kill(-cmd.Process.Pid, next.signal) // it has ended meanwhile
	}
	<-gone
	return how
}

// walk shakes hands and reads every page of the list.
func walk(in io.Writer, out *bufio.Reader) ([]tool, error) {
	const hello = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"corpus","version":"1"}}`
	if _, err := exchange(in, out, 1, "initialize", hello); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return nil, err
	}
	var all []tool
	params := "{}"
	for id := 2; ; id++ {
		result, err := exchange(in, out, id, "tools/list", params)
		if err != nil {
			return nil, err
		}
		next, err := page(result, &all)
		if err != nil || next == "" {
			return all, err
		}
		params = `{"cursor":` + next + `}`
	}
}

// page adds the tools of one answer and answers the cursor of the next page, as JSON.
func page(result json.RawMessage, all *[]tool) (next string, err error) {
	var one struct {
		Tools []tool          `json:"tools"`
		Next  json.RawMessage `json:"nextCursor"`
	}
	if err := json.Unmarshal(result, &one); err != nil {
		return "", fmt.Errorf("reading a list: %w", err)
	}
	if len(one.Tools) == 0 && one.Next != nil {
		return "", errors.New("a page of the list is empty, and says that there is another")
	}
	*all = append(*all, one.Tools...)
	if s := string(one.Next); s != "" && s != "null" && s != `""` {
		return s, nil
	}
	return "", nil
}

// exchange sends one request and reads up to its answer, over everything else that a
// server writes.
func exchange(in io.Writer, out *bufio.Reader, id int, method, params string) (json.RawMessage, error) {
	if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
		return nil, fmt.Errorf("sending %s: %w", method, err)
	}
	for {
		line, err := out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("waiting for the answer to %s: %w", method, err)
		}
		var m struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Method  string          `json:"method"`
			Result  json.RawMessage `json:"result"`
			Error   json.RawMessage `json:"error"`
		}
		if json.Unmarshal(line, &m) != nil || m.Version != "2.0" || m.Method != "" || strings.TrimSpace(string(m.ID)) != fmt.Sprint(id) {
			continue
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s is refused: %.300s", method, m.Error)
		}
		return m.Result, nil
	}
}
