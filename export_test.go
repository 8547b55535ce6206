package holotype

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"testing"
)

// Within names a data directory as a bridged child is told of it.
func Within(dir string) string { return within(dir) }

// WebServer answers the server that the command serve runs.
func WebServer(ctx context.Context, h http.Handler, log *slog.Logger) *http.Server {
	return webServer(ctx, h, log)
}

// Paced answers connections as the command serve has them.
func Paced(l net.Listener) net.Listener { return pacedListener{l} }

// Reachable answers the address by which a listener is reached.
func Reachable(listen string) string { return reachable(listen) }

// AwaitServers waits until the bridged servers of a server in this process have started, or
// failed to.
func AwaitServers(t *testing.T, s *Server) {
	t.Helper()
	s.mu.Lock()
	e := s.engine
	s.mu.Unlock()
	if err := e.bridge.WaitStarted(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// ClientGone reports whether the command mcp takes an error for the end of its client.
func ClientGone(err error) bool { return clientGone(err) }
