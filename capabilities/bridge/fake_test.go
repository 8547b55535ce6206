package bridge_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A rpc is one message as the fake servers read it.
type rpc struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Cursor    string          `json:"cursor"`
		RequestID json.RawMessage `json:"requestId"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      struct {
			Token  json.RawMessage `json:"progressToken"`
			Parent string          `json:"traceparent"`
			State  string          `json:"tracestate"`
		} `json:"_meta"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// A fake is a stdio server that does everything right but for its mode.
type fake struct {
	mode, arg string
	mu        sync.Mutex
	seen      []string // lines of tools/call and notifications/cancelled
	replies   map[string]chan string
	flipped   bool
	lists     int  // requests of tools/list
	held      *rpc // a server/discover that is answered late
	starts    []byte
	opening   string // the line of initialize
	holds     int    // calls that are held
}

const echoTool = `{"name":"echo","description":"Returns its text","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`

func serveFake(mode string) {
	f := &fake{replies: map[string]chan string{}}
	f.mode, f.arg, _ = strings.Cut(mode, " ")
	_, err := os.Stat(f.arg)
	if f.mode == "once" && err == nil { // once FILE: good only when the file is there
		f.mode = "good"
	} else if f.mode == "exit-unless" { // exit-unless FILE
		if err != nil {
			os.Exit(3)
		}
		f.mode = "good"
	}
	f.begin()
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var m rpc
			if json.Unmarshal(line, &m) == nil {
				f.handle(m, string(bytes.TrimSpace(line)))
			}
		}
		if err != nil {
			f.end()
			return
		}
	}
}

func (f *fake) begin() {
	if pid, err := strconv.Atoi(os.Getenv("FAKE_BEFORE")); err == nil && syscall.Kill(pid, 0) == nil {
		fmt.Fprintln(os.Stderr, "the one before me still runs")
	}
	switch f.mode {
	case "junk":
		raw("Demo server v1\n\ufeff\n{\"level\":\"info\"}\n\x00\x00\n42\n   \n")
	case "stderr-flood":
		for range 4000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("WARN something ordinary ", 6))
		}
		fmt.Fprint(os.Stderr, strings.Repeat(".", 1<<20)) // no line end
		fmt.Fprint(os.Stderr, "\n\xff\xfe\x80\n\x1b[2Jcleared\n")
	case "exit-3":
		fmt.Fprintln(os.Stderr, "fatal: cannot open database, token", os.Getenv("FAKE_TOKEN"))
		os.Exit(3)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
	case "wrapper": // like npx: the real server is a child that shares the pipes
		exe, _ := os.Executable()
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), "FAKE_MODE=stubborn")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if cmd.Start() == nil {
			fmt.Fprintln(os.Stderr, "inner", cmd.Process.Pid)
		}
		time.Sleep(time.Minute)
	case "daemon": // starts a process in a session of its own
		exe, _ := os.Executable()
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), "FAKE_MODE=stubborn")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if cmd.Start() == nil {
			fmt.Fprintln(os.Stderr, "inner", cmd.Process.Pid)
		}
	case "slow-writer": // an install that writes while it takes its time
		for range 20 {
			fmt.Fprintln(os.Stderr, "still installing")
			time.Sleep(250 * time.Millisecond)
		}
	}
}

func (f *fake) end() {
	if f.mode == "stubborn" {
		time.Sleep(time.Minute)
	}
}

var out sync.Mutex

func raw(s string) {
	out.Lock()
	defer out.Unlock()
	os.Stdout.WriteString(s)
}

func (f *fake) ok(m rpc, result string) {
	id := string(m.ID)
	if f.mode == "id-string" {
		id = strconv.Quote(id)
	}
	raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result) + f.lineEnd())
}

func (f *fake) lineEnd() string {
	if f.mode == "junk" {
		return "  \r\n[debug] done\n"
	}
	return "\n"
}

func text(s string) string {
	b, _ := json.Marshal(s)
	return `{"content":[{"type":"text","text":` + string(b) + `}]}`
}

func (f *fake) handle(m rpc, line string) {
	switch m.Method {
	case "":
		f.mu.Lock()
		if c := f.replies[string(m.ID)]; c != nil {
			c <- line
		}
		f.mu.Unlock()
	case "server/discover":
		f.discover(m)
	case "initialize":
		f.opening = line
		if f.held != nil { // as one that was slow: it reads both at once
			f.modern(*f.held)
			f.held = nil
		}
		if f.mode == "cold-modern" {
			raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`+"\n", m.ID))
			return
		}
		if f.mode == "hang-init" {
			return
		}
		if f.mode == "version" && !strings.Contains(line, `"`+f.arg+`"`) {
			raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Unsupported protocol version","data":{"supported":["1999-01-01",%q]}}}`+"\n", m.ID, f.arg))
			return
		}
		version, number := "2025-06-18", "1.2.3"
		if f.mode == "version" {
			version = f.arg
		}
		if f.mode == "versions" && f.start() > 2 {
			number = "2"
		}
		f.ok(m, `{"protocolVersion":"`+version+`","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"fake","title":"A fake","version":"`+number+`"}}`)
	case "tools/list":
		f.mu.Lock()
		f.lists++
		f.mu.Unlock()
		f.list(m)
	case "tools/call":
		f.record(line)
		go f.call(m)
	case "notifications/cancelled":
		f.record(line)
		f.mu.Lock()
		f.holds = 0
		f.mu.Unlock()
	}
}

func (f *fake) record(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, line)
}

func (f *fake) discover(m rpc) {
	switch f.mode {
	case "discover-silent":
	case "discover-late": // as one that starts slowly
		if f.flipped {
			raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, m.ID) + f.lineEnd())
		}
		f.flipped = true
	case "discover-exit":
		os.Exit(4)
	case "cold-both", "cold-modern":
		if _, err := os.Stat(f.arg); err == nil {
			f.modern(m)
			return
		}
		_ = os.WriteFile(f.arg, nil, 0o600)
		f.held = &m
	case "versions":
		f.probed()
		if f.start() > 2 {
			f.modern(m)
		}
	case "modern":
		f.modern(m)
	default:
		raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, m.ID) + f.lineEnd())
	}
}

// start answers which start of a "versions FILE" this is: FILE has a digit a start, how
// often it was probed.
func (f *fake) start() int {
	if f.starts == nil {
		before, _ := os.ReadFile(f.arg)
		f.starts = append(before, '0')
		_ = os.WriteFile(f.arg, f.starts, 0o600)
	}
	return len(f.starts)
}

func (f *fake) probed() {
	f.starts[f.start()-1]++
	_ = os.WriteFile(f.arg, f.starts, 0o600)
}

func (f *fake) modern(m rpc) {
	f.ok(m, `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"2"}}}`)
}

func (f *fake) list(m rpc) {
	tools := echoTool
	if extra := os.Getenv("FAKE_TOOLS"); extra != "" {
		tools = strings.ReplaceAll(extra, "\n", " ")
	}
	if file := os.Getenv("FAKE_TOOLS_FILE"); file != "" {
		b, _ := os.ReadFile(file)
		tools = string(b)
	}
	switch f.mode {
	case "flips":
		f.mu.Lock()
		if f.flipped {
			tools += `,{"name":"more","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}}`
		}
		f.mu.Unlock()
	case "hang-list":
		return
	case "puts":
		tools = putsTools
	case "cursor-same":
		f.ok(m, `{"tools":[`+strings.Replace(echoTool, "echo", "echo"+m.Params.Cursor, 1)+`],"nextCursor":"again"}`)
		return
	case "cursor-grow":
		f.ok(m, `{"tools":[],"nextCursor":"`+m.Params.Cursor+`x"}`)
		return
	case "pages":
		n, _ := strconv.Atoi(m.Params.Cursor)
		next := ""
		if n < 2 {
			next = fmt.Sprintf(`,"nextCursor":"%d"`, n+1)
		}
		f.ok(m, fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}]%s}`, n, next))
		return
	case "change":
		f.mu.Lock()
		if f.flipped {
			tools = `{"name":"sync","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}},` + echoTool
		} else {
			tools = `{"name":"sync","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
		}
		f.mu.Unlock()
	}
	f.ok(m, `{"tools":[`+tools+`]}`)
}

func (f *fake) call(m rpc) {
	id := string(m.ID)
	var args struct {
		Text   string `json:"text"`
		Result string `json:"result"` // answered as it stands
		Line   string `json:"line"`   // a whole line; ID stands for the id
		MS     int    `json:"ms"`
	}
	_ = json.Unmarshal(m.Params.Arguments, &args)
	if file := os.Getenv("FAKE_SENT_FILE"); file != "" { // which outlives this process
		if f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			fmt.Fprintln(f, m.Params.Name)
			f.Close()
		}
	}
	time.Sleep(time.Duration(args.MS) * time.Millisecond)
	switch m.Params.Name {
	case "seen":
		f.mu.Lock()
		b, _ := json.Marshal(f.seen)
		f.mu.Unlock()
		f.ok(m, text(string(b)))
		return
	case "env":
		b, _ := json.Marshal(os.Environ())
		f.ok(m, text(string(b)))
		return
	case "pid":
		f.ok(m, text(strconv.Itoa(os.Getpid())))
		return
	case "changes": // a storm of them, and the list is another one every time
		f.mu.Lock()
		f.flipped = !f.flipped
		f.mu.Unlock()
		for range 300 {
			raw(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
		}
		f.ok(m, text("ok"))
		return
	case "die":
		os.Exit(5)
	case "probes":
		f.ok(m, text(strings.Join(strings.Split(string(f.starts), ""), " ")))
		return
	case "lists":
		f.mu.Lock()
		n := f.lists
		f.mu.Unlock()
		f.ok(m, text(strconv.Itoa(n)))
		return
	}
	if f.mode == "puts" {
		f.puts(m, args.Line)
		return
	}
	switch {
	case args.Result != "":
		f.ok(m, args.Result)
		return
	case args.Line != "":
		raw(strings.ReplaceAll(args.Line, "ID", id) + "\n")
		return
	}
	switch f.mode {
	case "hang-call":
		return
	case "crash-call":
		fmt.Fprintln(os.Stderr, "panic: runtime error")
		os.Exit(9)
	case "close-stdout":
		os.Stdout.Close()
		time.Sleep(time.Minute)
	case "too-long":
		out.Lock()
		defer out.Unlock()
		fmt.Fprintf(os.Stdout, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, id)
		chunk := bytes.Repeat([]byte("a"), 1<<16)
		for range (17 << 20) >> 16 {
			os.Stdout.Write(chunk)
		}
		if f.arg == "ends" {
			os.Stdout.WriteString("\"}]}}\n")
		}
		return
	case "progress":
		for _, v := range []string{"1", "3", "2", "3", "5"} {
			raw(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%s,"total":5,"message":"step %s"}}`+"\n", m.Params.Meta.Token, v, v))
		}
		raw(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"invented","progress":9}}` + "\n")
	case "storm":
		for i := range 2000 {
			raw(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":"line %d"}}`+"\n", i))
		}
	case "asks":
		answers := make(chan string, 1)
		f.mu.Lock()
		f.replies["9007199254740993"] = answers
		f.mu.Unlock()
		raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":9007199254740993,"method":%q,"params":{}}`+"\n", f.arg))
		select {
		case a := <-answers:
			f.ok(m, text(a))
		case <-time.After(5 * time.Second):
			f.ok(m, text("never answered"))
		}
		return
	case "late":
		time.Sleep(50 * time.Millisecond)
	case "change":
		f.mu.Lock()
		f.flipped = true
		f.mu.Unlock()
		f.ok(m, text("ok"))
		raw(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
		return
	}
	f.ok(m, text("got "+args.Text))
	if f.mode == "progress-after" {
		raw(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`+"\n", m.Params.Meta.Token))
	}
	if f.mode == "die-after-call" {
		os.Exit(0)
	}
}
