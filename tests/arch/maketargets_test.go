package arch_test

import (
	"os/exec"
	"strings"
	"testing"
)

// make run listens where its arguments say, and serve is told once.
func TestRunListensWhereItIsTold(t *testing.T) {
	for args, want := range map[string]string{
		"":                           "--listen 127.0.0.1:4280",
		"ARGS=--debug":               "--listen 127.0.0.1:4280 --debug",
		"LISTEN=127.0.0.1:9":         "--listen 127.0.0.1:9",
		"ARGS=--listen 127.0.0.1:9":  "--listen 127.0.0.1:9",
		"ARGS=--listen=127.0.0.1:9":  "--listen=127.0.0.1:9",
		"ARGS=--data d --listen a:1": "--data d --listen a:1",
	} {
		words := []string{"--no-print-directory", "-n", "-C", "../..", "run"}
		if args != "" {
			words = append(words, args)
		}
		out, err := exec.CommandContext(t.Context(), "make", words...).CombinedOutput()
		if err != nil {
			t.Fatalf("make %q: %v\n%s", words, err, out)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if got := strings.Join(strings.Fields(lines[len(lines)-1]), " "); got != "bin/holotype serve "+want {
			t.Errorf("make run %s runs %q, want bin/holotype serve %s", args, got, want)
		}
	}
}
