package httpapi_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// A client that writes its whole body before it reads anything sees the refusal, and
// not a connection that was reset under it.
func TestABodyOverTheLimitIsRefusedToWhoSendsFirst(t *testing.T) {
	server := httptest.NewServer(serve(t, func(o *httpapi.Options) { o.MCP = http.NotFoundHandler() }))
	defer server.Close()
	for _, path := range []string{"/api/v1/search", "/operator/mcp"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		body := strings.Repeat("x", 2*capabilities.MaxArguments)
		head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
			path, server.Listener.Addr(), "owner", len(body))
		if _, err := conn.Write([]byte(head + body)); err != nil {
			t.Fatalf("%s: the body could not be sent: %v", path, err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: no answer: %v", path, err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: status %d", path, resp.StatusCode)
		}
	}
}
