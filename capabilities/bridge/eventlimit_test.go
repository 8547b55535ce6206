package bridge_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// TestAnEventWithoutEndIsNotKept answers the handshake with an event that never ends:
// it is given up at the limit of a message and not read into memory for as long as
// the handshake may take.
func TestAnEventWithoutEndIsNotKept(t *testing.T) {
	var sent atomic.Int64
	line := bytes.Repeat([]byte("x"), 1<<20)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, err := io.WriteString(w, "data: ")
		for err == nil {
			_, err = w.Write(line)
			sent.Add(int64(len(line)))
		}
	}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	s := httpServer(srv.URL)
	s.StartupTimeout = 3 * time.Second
	h := run(t, s)
	if st := h.status(0); st.State != bridge.StateFailed {
		t.Errorf("state %s: %s", st.State, st.Reason)
	}
	if mib := sent.Load() >> 20; mib > 256 {
		t.Errorf("%d MiB of the event were read", mib)
	}
}
