package bridge_test

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// TestWhatLeftTheGroupIsNotLeftBehind: a process in a session of its own, whose parent
// is gone, ends with its server all the same.
func TestWhatLeftTheGroupIsNotLeftBehind(t *testing.T) {
	needsEnvirons(t)
	t.Parallel()
	h := run(t, fakeServer(t, "s", "daemon"))
	inner := 0
	for ctx := h.deadline(); inner == 0; {
		for _, r := range h.log.of("server_stderr") {
			line, _ := r["line"].(string)
			if text, ok := strings.CutPrefix(line, "inner "); ok {
				inner, _ = strconv.Atoi(text)
			}
		}
		select {
		case <-ctx.Done():
			t.Fatal("the server says nothing of its process")
		case <-time.After(2 * time.Millisecond):
		}
	}
	if !alive(inner) {
		t.Fatalf("process %d does not run", inner)
	}
	h.stop()
	awaitGone(t, inner)
}

func TestEndLeftovers(t *testing.T) {
	needsEnvirons(t)
	const name = "BRIDGE_TEST_LEFT"
	mark := name + "=" + strconv.Itoa(os.Getpid())
	start := func(env, script string) *exec.Cmd {
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), env}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait() // it is killed
		}()
		t.Cleanup(func() {
			_ = cmd.Process.Kill() // it may have ended
			<-ended
		})
		return cmd
	}
	polite := start(mark, "exec sleep 600")
	deaf := start(mark, "trap '' TERM; while :; do sleep 600; done")
	other := start(mark+"0", "exec sleep 600")
	inArguments := start("OTHER=1", "sleep 600; : "+mark)
	t.Setenv(name, strconv.Itoa(os.Getpid())) // this process is spared, whatever it carries
	ended := bridge.EndLeftovers(mark)
	for ctx := time.Now().Add(30 * time.Second); ended < 2 && time.Now().Before(ctx); {
		ended += bridge.EndLeftovers(mark) // a shell takes a moment to be what it was started as
	}
	if ended < 2 {
		t.Errorf("%d were ended", ended)
	}
	awaitGone(t, polite.Process.Pid)
	awaitGone(t, deaf.Process.Pid)
	if !alive(other.Process.Pid) || !alive(inArguments.Process.Pid) {
		t.Error("one that does not carry the variable was ended")
	}
	if n := bridge.EndLeftovers(mark); n != 0 {
		t.Errorf("%d more were ended", n)
	}
}

// needsEnvirons skips where the system does not tell the environment of a process.
func needsEnvirons(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the environment of a process")
	}
}
