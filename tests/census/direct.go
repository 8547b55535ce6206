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
	"slices"
	"strings"
	"syscall"
	"time"
)

// A tool is one entry of a tools/list, its parts as they stood on the wire.
type tool struct {
	Name        string                     `json:"name"`
	Input       json.RawMessage            `json:"inputSchema"`
	Output      json.RawMessage            `json:"outputSchema"`
	Annotations json.RawMessage            `json:"annotations"`
	members     map[string]json.RawMessage // all of it
	bytes       int                        // as it was sent
}

// direct is what a server says when nothing stands before it.
type direct struct {
	tools []tool
	stop  string // what ended it
	// version is the newest of the protocol that it speaks. It is asked without a limit of time,
	// which inspect has for it: a busy machine changes nothing.
	version string
	// How many there are of what is no tool; nil where the server does not offer any.
	resources, templates, prompts *int
	answer                        json.RawMessage // to the call of its entry
}

// stepTime is how long a server has to end before the next means are used, as it is in
// the product.
const stepTime = 2 * time.Second

// ask starts a server for the versions that it speaks, and once more to walk its lists and
// make the call of its entry.
func (l *launch) ask(ctx context.Context) (*direct, error) {
	d := &direct{}
	if _, err := l.talk(ctx, d.discover); err != nil {
		return nil, err
	}
	var err error
	d.stop, err = l.talk(ctx, func(s *session) error { return d.read(s, l.call) })
	if err != nil {
		return nil, err
	}
	return d, nil
}

// talk starts a server, talks with it and ends it. It answers what ended it.
func (l *launch) talk(ctx context.Context, with func(s *session) error) (stop string, err error) {
	cmd := exec.CommandContext(ctx, l.command[0], l.command[1:]...)
	cmd.Env = l.environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = stepTime
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	hung := time.AfterFunc(l.limit, func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it has ended meanwhile
	})
	err = with(&session{in: in, out: bufio.NewReader(out)})
	hung.Stop()
	stop = end(cmd, in)
	if err != nil {
		return stop, fmt.Errorf("asked directly: %w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	return stop, nil
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

// hello is what a client of the handshake era begins with. It can do what a bridge says that
// it can: there are servers that list other tools to one that cannot.
const hello = `{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"census","version":"1"}}`

// discover asks for the versions of a server as a client of [modern] begins. There are servers
// that give no answer, and so a second request follows at once: whatever comes to that is the end.
func (d *direct) discover(s *session) error {
	const params = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + modern +
		`","io.modelcontextprotocol/clientInfo":{"name":"census","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":0,"method":"server/discover","params":%s}`+"\n", params); err != nil {
		return fmt.Errorf("sending server/discover: %w", err)
	}
	_, err := s.exchange("initialize", hello)
	if slices.Contains(s.discovered, modern) {
		d.version = modern
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, errRefused) {
		return nil // it ends, or takes no handshake any more, without naming a version
	}
	return err
}

// read shakes hands, reads every page of every list, and makes a call.
func (d *direct) read(s *session, c *call) error {
	result, err := s.exchange("initialize", hello)
	if err != nil {
		return err
	}
	if d.version == "" {
		if err := json.Unmarshal(object(result)["protocolVersion"], &d.version); err != nil {
			return fmt.Errorf("reading the version: %w", err)
		}
	}
	if _, err := io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	entries, err := s.walk("tools/list", "tools")
	if err != nil {
		return err
	}
	if d.tools, err = tools(entries); err != nil {
		return err
	}
	offers := object(object(result)["capabilities"])
	for _, one := range []struct {
		offer, method, key string
		into               **int
	}{
		{"resources", "resources/list", "resources", &d.resources},
		{"resources", "resources/templates/list", "resourceTemplates", &d.templates},
		{"prompts", "prompts/list", "prompts", &d.prompts},
	} {
		if offers[one.offer] == nil {
			continue
		}
		// One that offers them and refuses to list them has none to count.
		if all, err := s.walk(one.method, one.key); err == nil {
			n := len(all)
			*one.into = &n
		} else if !errors.Is(err, errRefused) {
			return err
		}
	}
	if c != nil {
		d.answer, err = s.exchange("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, c.Tool, c.Arguments))
	}
	return err
}

// session is the pipes of a server.
type session struct {
	in  io.Writer
	out *bufio.Reader
	id  int
	// discovered are the versions that server/discover is answered with.
	discovered []string
}

// walk answers the entries of every page of a list.
func (s *session) walk(method, key string) ([]json.RawMessage, error) {
	var all []json.RawMessage
	for params := "{}"; ; {
		result, err := s.exchange(method, params)
		if err != nil {
			return nil, err
		}
		next, err := page(result, key, &all)
		if err != nil || next == "" {
			return all, err
		}
		params = `{"cursor":` + next + `}`
	}
}

// page adds the entries of one answer and answers the cursor of the next page, as JSON.
func page(result json.RawMessage, key string, all *[]json.RawMessage) (next string, err error) {
	members := object(result)
	var entries []json.RawMessage
	if err := json.Unmarshal(members[key], &entries); err != nil {
		return "", fmt.Errorf("reading a list of %s: %w", key, err)
	}
	*all = append(*all, entries...)
	s := string(members["nextCursor"])
	if s == "" || s == "null" || s == `""` {
		return "", nil
	}
	if len(entries) == 0 {
		return "", errors.New("a page of the list is empty, and says that there is another")
	}
	return s, nil
}

// tools reads entries of a tools/list.
func tools(entries []json.RawMessage) ([]tool, error) {
	all := make([]tool, len(entries))
	for i, entry := range entries {
		if err := json.Unmarshal(entry, &all[i]); err != nil {
			return nil, fmt.Errorf("reading a tool: %w", err)
		}
		all[i].members, all[i].bytes = object(entry), len(entry)
	}
	return all, nil
}

// errRefused is that of a request that is answered with an error.
var errRefused = errors.New("it is refused")

// exchange sends one request and reads up to its answer, over everything else that a
// server writes.
func (s *session) exchange(method, params string) (json.RawMessage, error) {
	s.id++
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.id, method, params); err != nil {
		return nil, fmt.Errorf("sending %s: %w", method, err)
	}
	for {
		line, err := s.out.ReadBytes('\n')
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
		if json.Unmarshal(line, &m) == nil && string(m.ID) == "0" && m.Result != nil {
			_ = json.Unmarshal(object(m.Result)["supportedVersions"], &s.discovered) // one that is malformed supports none
		}
		if json.Unmarshal(line, &m) != nil || m.Version != "2.0" || m.Method != "" || strings.TrimSpace(string(m.ID)) != fmt.Sprint(s.id) {
			continue
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %w: %.300s", method, errRefused, m.Error)
		}
		return m.Result, nil
	}
}
