package clients_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// bearer sends the owner's token with every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// dial connects with the SDK in Go, asking for a version where one is given. The end
// of the test closes the session.
func dial(t *testing.T, s *drive.Spawned, overHTTP bool, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	var transport mcp.Transport = &mcp.CommandTransport{Command: exec.Command(os.Getenv(programEnv), "mcp", "--data", s.Data)}
	if overHTTP {
		transport = &mcp.StreamableClientTransport{
			Endpoint: s.URL + "/operator/mcp", HTTPClient: &http.Client{Transport: bearer{s.Token}},
		}
	}
	var options *mcp.ClientSessionOptions
	if version != "" {
		options = &mcp.ClientSessionOptions{ProtocolVersion: version}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "clients-test", Version: "1"}, o)
	// The context of a test ends before its cleanup, which closes the session.
	session, err := client.Connect(context.WithoutCancel(t.Context()), transport, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("closing the session: %v", err)
		}
	})
	return session
}

// golang lists and calls with the SDK in Go.
func golang(s *drive.Spawned, version string) func(*testing.T, bool) seen {
	return func(t *testing.T, overHTTP bool) seen {
		t.Helper()
		session := dial(t, s, overHTTP, version, nil)
		hello := session.InitializeResult()
		got := seen{Version: hello.ProtocolVersion, Instructions: hello.Instructions}
		got.Server.Name = hello.ServerInfo.Name
		for tool, err := range session.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			got.Tools = append(got.Tools, convert[sentTool](t, tool))
		}
		for _, c := range made() {
			res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.Name, Arguments: c.Arguments})
			var refused *jsonrpc.Error
			switch {
			case errors.As(err, &refused):
				got.Calls = append(got.Calls, seenCall{Code: int(refused.Code)})
			case err != nil:
				t.Fatal(err)
			default:
				got.Calls = append(got.Calls, convert[seenCall](t, map[string]any{"result": res}))
			}
		}
		return got
	}
}

// convert carries a value of the library into one of ours, by way of its JSON.
func convert[T any](t *testing.T, v any) T {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return parse[T](t, data)
}
