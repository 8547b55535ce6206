package cli_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/remote"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// attached is a session with a server behind a socket.
type attached struct {
	*remote.Client
	principal *capabilities.Principal
}

func (attached) Attached() bool { return true }

func (a attached) Principal() *capabilities.Principal { return a.principal }
func (a attached) Close() error                       { return nil }

// TestASocketChangesNothing: a command line says the same whether the server is in
// its process or behind the socket of a data directory.
func TestASocketChangesNothing(t *testing.T) {
	here := newWorld(t)
	dir, err := os.MkdirTemp("", "h") //nolint:usetesting // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: remote.Handler(remote.Options{Door: here.door, Viewer: here.views, Principal: here.principal, Absent: here.absentFrom, Version: "1"})}
	done := make(chan struct{})
	go func() { _ = srv.Serve(l); close(done) }()
	defer func() { _ = srv.Close(); <-done }()
	far := cli.New(cli.Options{
		Name: "holotype", Codes: here.codes,
		Open: func(ctx context.Context, _ cli.OpenRequest) (cli.Session, error) {
			c := remote.Dial(func(ctx context.Context) (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, "unix", path) }, "1")
			return attached{c, here.principal}, c.Refresh(ctx)
		},
	})
	for _, line := range []string{
		"tools", "tools -o json", "tools add_note", "tools far__mystery -o json", "inspect -o json", "call add_note --help", "call far__mystery --help",
		"call picture -o json", "call far__echo --n 9007199254740993 -o json", "call far__echo --n 9007199254740993", "call list_notes",
		"call read_note --title x --refuse jammed", "call read_note --count 9 --big x", "call far__fail", "call nope", "call soon__echo", "tools soon__echo", "call admin_only", "call new_note --title x",
		"call destroy_note --title x", "call destroy_note --title x --yes -o json", `call read_note --json {"title":"a","title":"b"}`,
		"__complete call far__echo --type=", "__complete call a",
	} {
		var out, errw bytes.Buffer
		exit := far.Run(t.Context(), strings.Fields(line), strings.NewReader(""), &out, &errw)
		want := newWorld(t).run(strings.Fields(line)...)
		if diff := cmp.Diff(want, answer{exit, out.String(), errw.String()}, cmp.AllowUnexported(answer{})); diff != "" {
			t.Errorf("%s: (-in this process +behind a socket)\n%s", line, diff)
		}
	}
}
