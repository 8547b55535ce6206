package clients_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/drive"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// waitsEnv makes this program the one of [serveWaits].
const waitsEnv = "CLIENTS_TEST_WAITS"

// serveWaits is a program that serves the fixture and tells on its standard error how
// every call of wait_for ends.
func serveWaits(args []string) int {
	told := capabilities.Interceptor{Name: "told", Stage: capabilities.StageAudit, Wrap: func(next capabilities.Handler) capabilities.Handler {
		return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
			res, err := next(ctx, inv)
			var in fixture.WaitForInput
			if json.Unmarshal(inv.Arguments, &in) == nil && in.Forever {
				fmt.Fprintf(os.Stderr, "waited %d steps, cancelled %t\n", in.Steps, errors.Is(ctx.Err(), context.Canceled))
			}
			return res, err
		}
	}}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	server := holotype.New(holotype.Options{
		Packs: []capabilities.Bound{fixture.Pack.Bind(fixture.Deps{})}, Interceptors: []capabilities.Interceptor{told},
	})
	return server.Command().Run(ctx, args, os.Stdin, os.Stdout, os.Stderr)
}

// waits are two calls of a client: one that reports steps and goes on until it is
// cancelled, which it is at the last of them, and one after it. (Steps that come with
// the answer in one read are lost in both libraries of JavaScript, which forget a
// call before they have told of it; so the call that is listened to has no answer.)
type waits struct {
	Forever call `json:"forever"`
	After   call `json:"after"`
}

// waited is what the client saw of [waits].
type waited struct {
	Version string `json:"version"`
	Heard   []step `json:"heard"`
	// Cancelled is whether the cancelled call ended for the client without an answer.
	Cancelled bool `json:"cancelled"`
	// After is the answer to a call behind it.
	After seenCall `json:"after"`
}

// step is one report of progress.
type step struct {
	Progress, Total float64
	Message         string
}

// Progress comes to a client in order, under the token that its library chose, and a
// call that it cancels is cancelled here: over both transports, in every era.
func TestProgressAndCancellation(t *testing.T) {
	packages(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(waitsEnv, "yes")
	s := drive.Spawn(t, self)
	cases := 2
	for _, c := range []struct {
		name, version string
		connect       func(t *testing.T, overHTTP bool, w waits, cancelled func()) waited
	}{
		{"typescript sdk 1", drive.Legacy, waitsInJavaScript(s, "sdk", "")},
		{"typescript client 2, legacy", drive.Legacy, waitsInJavaScript(s, "client", "legacy")},
		{"typescript client 2, auto", drive.Modern, waitsInJavaScript(s, "client", "auto")},
		{"go sdk, legacy", drive.Legacy, waitsInGo(s, drive.Legacy)},
		{"go sdk", drive.Modern, waitsInGo(s, "")},
	} {
		for transport, overHTTP := range map[string]bool{"http": true, "stdio": false} {
			cases++
			steps := cases // name the call in what the server tells
			t.Run(c.name+" over "+transport, func(t *testing.T) {
				t.Parallel()
				w := waits{
					Forever: call{"wait_for", map[string]any{"steps": steps, "forever": true}},
					After:   call{"wait_for", map[string]any{"steps": steps}},
				}
				got := c.connect(t, overHTTP, w, func() {
					t.Helper()
					if !s.Log.Await(regexp.MustCompile(fmt.Sprintf(`waited %d steps, cancelled true\n`, steps))) {
						t.Errorf("the call was not cancelled:\n%s", s.Log.Text())
					}
				})
				if got.Version != c.version {
					t.Errorf("agreed on %q, want %q", got.Version, c.version)
				}
				var want []step
				for i := range steps {
					want = append(want, step{float64(i + 1), float64(steps), "step"})
				}
				if diff := cmp.Diff(want, got.Heard); diff != "" {
					t.Errorf("progress (-want +got):\n%s", diff)
				}
				if !got.Cancelled {
					t.Error("the cancelled call was answered")
				}
				if r := got.After.Result; r == nil || r.IsError || parse[struct{ Steps int }](t, r.Structured).Steps != steps {
					t.Errorf("the next call answers %+v", got.After)
				}
			})
		}
	}
}

// waitsInJavaScript has one of the two libraries make the calls. It says what it saw
// and stays until cancelled returns.
func waitsInJavaScript(s *drive.Spawned, library, era string) func(*testing.T, bool, waits, func()) waited {
	return func(t *testing.T, overHTTP bool, w waits, cancelled func()) waited {
		t.Helper()
		spec := reach(s, overHTTP)
		spec["library"], spec["era"], spec["waits"] = library, era, w
		cmd, errw := client(t, spec)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadBytes('\n')
		if err == nil {
			cancelled()
		}
		if ended := errors.Join(in.Close(), cmd.Wait()); ended != nil || err != nil {
			t.Fatalf("%v, %v\n%s", err, ended, errw.String())
		}
		return parse[waited](t, line)
	}
}

// reach says how a client in JavaScript gets to the server.
func reach(s *drive.Spawned, overHTTP bool) map[string]any {
	if overHTTP {
		return map[string]any{"url": s.URL + "/operator/mcp", "token": s.Token}
	}
	return map[string]any{"command": os.Getenv(programEnv), "args": []string{"mcp", "--data", s.Data}}
}

// client answers the client in JavaScript that a specification describes, and what it
// will write to its standard error.
func client(t *testing.T, spec map[string]any) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	errw := &bytes.Buffer{}
	cmd := exec.Command("node", "client.mjs", string(text))
	cmd.Stderr = errw
	return cmd, errw
}

// waitsInGo has the SDK in Go make the calls.
func waitsInGo(s *drive.Spawned, version string) func(*testing.T, bool, waits, func()) waited {
	return func(t *testing.T, overHTTP bool, w waits, cancelled func()) waited {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		heard := make(chan step, 100)
		session := dial(t, s, overHTTP, version, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
				if r.Params.ProgressToken != "forever" {
					return
				}
				heard <- step{r.Params.Progress, r.Params.Total, r.Params.Message}
				if r.Params.Progress == r.Params.Total {
					cancel()
				}
			},
		})
		got := waited{Version: session.InitializeResult().ProtocolVersion}
		forever := &mcp.CallToolParams{Name: w.Forever.Name, Arguments: w.Forever.Arguments}
		forever.SetProgressToken("forever")
		_, err := session.CallTool(ctx, forever)
		got.Cancelled = errors.Is(err, context.Canceled)
		for len(heard) > 0 { // it was cancelled at the last of them
			got.Heard = append(got.Heard, <-heard)
		}
		cancelled()
		res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: w.After.Name, Arguments: w.After.Arguments})
		if err != nil {
			t.Fatal(err)
		}
		got.After = convert[seenCall](t, map[string]any{"result": res})
		return got
	}
}
