package holotype_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
)

var address = regexp.MustCompile(`serves (http://\S+)`)

// Whoever waits for calls when the server stops is answered with what there is.
func TestStopAnswersWhoeverWaitsForCalls(t *testing.T) {
	data := t.TempDir()
	waits := make(chan struct{}, 1)
	s := holotype.New(quiet(holotype.Options{Data: data, Interceptors: []capabilities.Interceptor{{
		Name: "seen", Stage: capabilities.StageGate, Wrap: func(next capabilities.Handler) capabilities.Handler {
			return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
				if inv.Capability.Name() == "list_calls" {
					waits <- struct{}{}
				}
				return next(ctx, inv)
			}
		},
	}}}))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	in, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		code := s.Command().Run(ctx, []string{"serve", "--listen", "127.0.0.1:0"}, strings.NewReader(""), out, io.Discard)
		_ = out.Close()
		ended <- code
	}()
	url := ""
	for lines := bufio.NewScanner(in); url == "" && lines.Scan(); {
		if m := address.FindStringSubmatch(lines.Text()); m != nil {
			url = m[1]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, in) }()
	token, err := os.ReadFile(filepath.Join(data, "owner.token"))
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		status int
		page   capabilities.Page[json.RawMessage]
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		var a answer
		defer func() { answered <- a }()
		req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, url+"/api/v1/calls?after=1000000&wait_seconds=60", nil)
		if err != nil {
			a.err = err
			return
		}
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			a.err = err
			return
		}
		defer func() { _ = resp.Body.Close() }()
		a.status, a.err = resp.StatusCode, json.NewDecoder(resp.Body).Decode(&a.page)
	}()
	<-waits
	stop()
	if a := <-answered; a.err != nil || a.status != http.StatusOK || a.page.Items == nil || len(a.page.Items) != 0 {
		t.Errorf("answered %d %v (%v)", a.status, a.page, a.err)
	}
	if code := <-ended; code != 0 {
		t.Errorf("serve ended with %d", code)
	}
}

// A program without a store says so where one is needed, and nowhere else.
func TestCommandsWithoutAStore(t *testing.T) {
	s := holotype.New(holotype.Options{Data: t.TempDir(), NoStore: true})
	run := func(args ...string) (int, string) {
		var errw bytes.Buffer
		return s.Command().Run(t.Context(), args, strings.NewReader(""), io.Discard, &errw), errw.String()
	}
	if code, said := run("call", "list_tools"); code != 0 || said != "" {
		t.Errorf("what needs none ends with %d and says %q", code, said)
	}
	if code, said := run("call", "list_projects"); code != 1 || !strings.Contains(said, "list_projects needs a store") {
		t.Errorf("what needs one ends with %d and says %q", code, said)
	}
}
