package holotype_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
)

// built answers a program whose build declares these capabilities beside the native
// ones.
func built(data string, names ...string) *holotype.Server {
	type none struct{}
	pack := capabilities.NewPack[none](capabilities.PackInfo{Name: "some", Title: "Some", Summary: "Some capabilities."})
	for _, name := range names {
		capabilities.Declare(pack, capabilities.Spec{
			Name: name, Title: "One", Summary: "Do one.", Effect: capabilities.Read(capabilities.Local), Route: "GET /" + name,
		}, func(context.Context, none, none) (none, error) { return none{}, nil })
	}
	return holotype.New(holotype.Options{Name: "acme", Version: "1.0.0", Data: data, Packs: []capabilities.Bound{pack.Bind(none{})}})
}

// TestAnotherBuildThatAnswersSaysSo has an old build serve, and a new one of the same
// version attach to it.
func TestAnotherBuildThatAnswersSaysSo(t *testing.T) {
	data := t.TempDir()
	old := built(data, "one")
	if _, err := old.Handler(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := old.Close(); err != nil {
			t.Error(err)
		}
	}()
	for name, tc := range map[string]struct {
		server *holotype.Server
		other  bool
	}{"a newer build": {built(data, "one", "two"), true}, "the same build": {built(data, "one"), false}} {
		t.Run(name, func(t *testing.T) {
			var out, errw bytes.Buffer
			status := tc.server.Command().Run(t.Context(), []string{"call", "two"}, strings.NewReader(""), &out, &errw)
			want := `the acme that runs is of another build than this one, and has no capability named "two": stop it, and start it again`
			if status != 3 || strings.Contains(errw.String(), want) != tc.other {
				t.Errorf("exit %d: %s", status, errw.String())
			}
			errw.Reset()
			hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
			status = tc.server.Command().Run(t.Context(), []string{"mcp"}, strings.NewReader(hello+"\n"), &out, &errw)
			var answer struct {
				Result struct {
					Instructions string `json:"instructions"`
				} `json:"result"`
			}
			if err := json.NewDecoder(&out).Decode(&answer); err != nil || status != 0 {
				t.Fatalf("exit %d, %v: %s", status, err, errw.String())
			}
			if got := answer.Result.Instructions; strings.Contains(got, "is of another build than the program") != tc.other || !strings.Contains(got, "acme 1.0.0 answers here") {
				t.Errorf("got %q", got)
			}
		})
	}
}
