package cli_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// exits runs a program that must end with an exit status: exits 3 holotype call x.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var status *exec.ExitError
		if !errors.As(err, &status) {
			ts.Fatalf("%v", err)
		}
		got = status.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// background starts a program under a name: background server holotype serve.
func background(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: background NAME PROGRAM [ARGUMENT...]")
	}
	path := args[1]
	for dir := range strings.SplitSeq(ts.Getenv("PATH"), string(filepath.ListSeparator)) {
		if info, err := os.Stat(filepath.Join(dir, args[1])); err == nil && !info.IsDir() {
			path = filepath.Join(dir, args[1])
			break
		}
	}
	p := newProcess(exec.Command(path, args[2:]...))
	p.cmd.Dir = ts.MkAbs(".")
	p.cmd.Env = []string{
		"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "XDG_DATA_HOME=" + ts.Getenv("XDG_DATA_HOME"), "TMPDIR=" + ts.Getenv("TMPDIR"), "GORACE=" + goRace,
	}
	in, err := p.cmd.StdinPipe()
	ts.Check(err)
	p.in = in
	ts.Check(p.start())
	ts.Defer(p.kill)
	named(ts)[args[0]] = p
}

type running struct{}

func named(ts *testscript.TestScript) map[string]*process {
	all, ok := ts.Value(running{}).(map[string]*process)
	if !ok {
		ts.Fatalf("no processes are kept")
	}
	return all
}

func find(ts *testscript.TestScript, name string) *process {
	p, ok := named(ts)[name]
	if !ok {
		ts.Fatalf("nothing runs under the name %s", name)
	}
	return p
}

// await waits until a program has written something: await server stdout 'serves'.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: await NAME stdout|stderr PATTERN")
	}
	p := find(ts, args[0])
	from := p.out
	if args[1] == "stderr" {
		from = p.err
	}
	if !from.Await(regexp.MustCompile(args[2])) {
		ts.Fatalf("%s ended, or wrote nothing more in time; it wrote\n%s\n%s", args[0], p.out.Text(), p.err.Text())
	}
}

// say writes a file to the input of a program: say session hello.jsonl.
func say(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: say NAME FILE")
	}
	_, err := io.WriteString(find(ts, args[0]).in, ts.ReadFile(args[1]))
	ts.Check(err)
}

// hangup ends the input of a program: hangup session.
func hangup(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hangup NAME")
	}
	ts.Check(find(ts, args[0]).in.Close())
}

// signalTo signals a program: signal server TERM.
func signalTo(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL, "HUP": syscall.SIGHUP}
	if neg || len(args) != 2 || signals[args[1]] == 0 {
		ts.Fatalf("usage: signal NAME TERM|INT|KILL|HUP")
	}
	ts.Check(find(ts, args[0]).cmd.Process.Signal(signals[args[1]]))
}

// ended waits until a program has ended, 8 seconds at most, and checks its exit
// status: ended server 0. What it wrote can be matched after.
func ended(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ended NAME STATUS")
	}
	p := find(ts, args[0])
	if !p.wait() {
		ts.Fatalf("%s runs on; it wrote\n%s\n%s", args[0], p.out.Text(), p.err.Text())
	}
	_, err := io.WriteString(ts.Stdout(), p.out.Text())
	ts.Check(err)
	_, err = io.WriteString(ts.Stderr(), p.err.Text())
	ts.Check(err)
	if got := strconv.Itoa(p.cmd.ProcessState.ExitCode()); got != args[1] {
		ts.Fatalf("exit status %s, want %s", got, args[1])
	}
}

var address = regexp.MustCompile(`http://[0-9.]+:[0-9]+`)

// fetch reads a path of a server: fetch server 200 /livez, with the token in a file
// where one is named.
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: fetch NAME STATUS PATH [TOKEN-FILE]")
	}
	token := ""
	if len(args) == 4 {
		token = args[3]
	}
	request(ts, args[0], args[1], http.MethodGet, args[2], token, "", nil)
}

// send sends a request to a server with the token in a file: send server 200 PUT /path
// TOKEN-FILE body.json, and with headers where some are named, each NAME:VALUE. The file
// of the body is - where there is none.
func send(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 6 {
		ts.Fatalf("usage: send NAME STATUS METHOD PATH TOKEN-FILE BODY-FILE [HEADER...]")
	}
	body := ""
	if args[5] != "-" {
		body = ts.ReadFile(args[5])
	}
	request(ts, args[0], args[1], args[2], args[3], args[4], body, args[6:])
}

// request sends a request, writes the body of the answer and checks its status.
func request(ts *testscript.TestScript, name, status, method, path, tokenFile, body string, headers []string) {
	p := find(ts, name)
	if !p.out.Await(address) {
		ts.Fatalf("%s does not say where it serves; it wrote\n%s\n%s", name, p.out.Text(), p.err.Text())
	}
	req, err := http.NewRequest(method, address.FindString(p.out.Text())+path, strings.NewReader(body))
	ts.Check(err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if tokenFile != "" {
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(ts.ReadFile(tokenFile)))
	}
	for _, h := range headers {
		key, value, _ := strings.Cut(h, ":")
		req.Header.Set(key, strings.TrimSpace(value))
	}
	resp, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(ts.Stdout(), resp.Body)
	ts.Check(err)
	if got := strconv.Itoa(resp.StatusCode); got != status {
		ts.Fatalf("status %s, want %s", got, status)
	}
}

// gone checks that no process is left whose command line holds a text.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] gone TEXT")
	}
	if left := processesWith(ts, args[0]); neg != (len(left) > 0) {
		ts.Fatalf("processes with %s:\n%s", args[0], strings.Join(left, ""))
	}
}

// leaves waits until no process is left whose command line holds a text.
func leaves(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: leaves TEXT")
	}
	for end := time.Now().Add(4 * stopTime); ; time.Sleep(20 * time.Millisecond) {
		left := processesWith(ts, args[0])
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("processes with %s:\n%s", args[0], strings.Join(left, ""))
		}
	}
}

func processesWith(ts *testscript.TestScript, text string) []string {
	list, err := exec.Command("ps", "-axww", "-o", "pid=,stat=,args=").Output()
	ts.Check(err)
	var found []string
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		if strings.Contains(line, text) && len(fields) > 2 && !strings.HasPrefix(fields[1], "Z") {
			found = append(found, line)
		}
	}
	return found
}
