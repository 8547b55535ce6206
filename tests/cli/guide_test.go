package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

var (
	commands = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	refused  = regexp.MustCompile(`^(.*\S) +# refused: ([a-z_]+)$`)
	serves   = regexp.MustCompile(`serves (http://\S+)`)
)

// TestGuideToTheTracker runs the commands of the guide as they stand there, one after the
// other, against a server of their own: each does what the page says, or is refused as it says.
func TestGuideToTheTracker(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.FromSlash("../../docs/tracker.md"))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	env := append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+filepath.Join(home, "data"), "XDG_CONFIG_HOME="+filepath.Join(home, "config"))
	url := served(t, env)
	token, err := os.ReadFile(filepath.Join(home, "data", "holotype", "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "TOKEN="+strings.TrimSpace(string(token)))
	ran := 0
	for _, block := range commands.FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(block[1]) {
			line, code := strings.TrimSuffix(line, "\n"), ""
			if m := refused.FindStringSubmatch(line); m != nil {
				line, code = m[1], m[2]
			}
			cmd := exec.CommandContext(t.Context(), "bash", "-c", "set -o pipefail; "+strings.ReplaceAll(line, "http://127.0.0.1:4280", url))
			var out, errw bytes.Buffer
			cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = home, env, &out, &errw
			err := cmd.Run()
			said := out.String() + errw.String()
			failed := err != nil || strings.Contains(said, `"status":4`) || strings.Contains(said, `"status":5`)
			switch {
			case code == "" && failed:
				t.Fatalf("%s\n%v: %s", line, err, said)
			case code != "" && (!failed || !strings.Contains(said, code)):
				t.Errorf("%s\nis not refused with %s: %s", line, code, said)
			}
			ran++
		}
	}
	if ran < 30 {
		t.Errorf("the guide has %d commands", ran)
	}
}

// served starts a server and answers its address. It ends with the test.
func served(t *testing.T, env []string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "holotype", "serve", "--listen", "127.0.0.1:0")
	cmd.Env, cmd.Stderr = env, t.Output()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url := make(chan string, 1)
	read := make(chan error, 1)
	go func() {
		lines := bufio.NewScanner(said)
		for lines.Scan() {
			if m := serves.FindStringSubmatch(lines.Text()); m != nil {
				url <- m[1]
			}
		}
		_, err := io.Copy(io.Discard, said)
		close(url)
		read <- err
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		if err := <-read; err != nil {
			t.Errorf("reading what the server says: %v", err)
		}
		_ = cmd.Wait() // how it ends is the script stop's
	})
	address, ok := <-url
	if !ok {
		t.Fatal(fmt.Errorf("the server said no address"))
	}
	return address
}
