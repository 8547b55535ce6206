package cli_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"

// TestHolderOutlivesItsClient breaks the streams of an mcp that holds the data
// directory, as the crash of its client does: whoever attached to it goes on, and it
// ends in order when they have left.
func TestHolderOutlivesItsClient(t *testing.T) {
	data := t.TempDir()
	holder := exec.CommandContext(context.WithoutCancel(t.Context()), "holotype", "mcp", "--data", data, "--debug")
	hin, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	holder.Stdout, holder.Stderr = write, write
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if err := write.Close(); err != nil { // the holder's own alone: its end is the end of what is read
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- holder.Wait() }()
	t.Cleanup(func() { _ = holder.Process.Kill() }) // it has ended, unless the test failed
	tell(t, hin, hello)
	for lines := bufio.NewReader(read); ; { // its log stands on the same pipe
		if line := next(t, lines); strings.HasPrefix(line, "{") {
			break
		}
	}

	attached := exec.CommandContext(t.Context(), "holotype", "mcp", "--data", data)
	ain, err := attached.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	aout, err := attached.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := attached.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(aout)
	tell(t, ain, hello)
	next(t, answers)

	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range 10 { // each answer meets the broken pipe
		if _, err := fmt.Fprintf(hin, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i+1); err != nil {
			break // it has stopped reading
		}
	}
	if err := hin.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		t.Fatalf("the holder ended with %v while a client was attached", err)
	case <-time.After(time.Second):
	}
	tell(t, ain, `{"jsonrpc":"2.0","id":7,"method":"ping"}`+"\n")
	if line := next(t, answers); !strings.Contains(line, `"id":7,"result"`) {
		t.Errorf("the attached client was answered %s", line)
	}
	if err := ain.Close(); err != nil {
		t.Fatal(err)
	}
	if err := attached.Wait(); err != nil {
		t.Errorf("the attached client ended with %v", err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the holder ended with %v", err)
		}
	case <-time.After(stopTime):
		t.Error("the holder stays when the last client has left")
	}
}

func tell(t *testing.T, w io.Writer, line string) {
	t.Helper()
	if _, err := io.WriteString(w, line); err != nil {
		t.Fatal(err)
	}
}

func next(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return line
}
