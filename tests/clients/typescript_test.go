package clients_test

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// The client in TypeScript that the product generates calls a live server, from its
// sources, as Node runs them.
func TestTypeScriptClient(t *testing.T) {
	packages(t)
	node := newNode(t)
	s := drive.Spawn(t, os.Getenv(programEnv))
	cmd := exec.CommandContext(t.Context(), node, "typescript.ts", s.URL, s.Token)
	var out, errw bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errw
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &errw)
	}
	if tried := parse[[]string](t, out.Bytes()); len(tried) != 16 {
		t.Errorf("it tried %q", tried)
	}
}
