package bridge_test

import (
	"net/http"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// TestConnectionsThatCloseWhenTheyAreUsedAgain: what changes nothing is sent once
// more over another connection, anything else is not.
func TestConnectionsThatCloseWhenTheyAreUsedAgain(t *testing.T) {
	for _, c := range []struct {
		name, tool string
		closes     int // connections in a row
		arrives    int
		fails      bool
	}{
		{"a read", "h__look", 1, 2, false},
		{"a writer", "h__echo", 1, 1, true},
		{"a read that nothing answers", "h__look", 100, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newHTTPFake(t, func(f *httpFake, w http.ResponseWriter, _ *http.Request, _ rpc) bool {
				f.mu.Lock()
				n := f.calls
				f.mu.Unlock()
				if n > c.closes {
					return false
				}
				conn, _, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return false
				}
				return conn.Close() == nil
			})
			h := run(t, httpServer(f.URL))
			if !c.fails {
				h.must(c.tool, `{}`)
			} else if e := h.refusal(c.tool, `{}`, capabilities.Unavailable); e.MaybeApplied != (c.tool == "h__echo") {
				t.Errorf("maybe applied: %v", e.MaybeApplied)
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			if c.arrives > 0 && f.calls != c.arrives {
				t.Errorf("arrived %d times, want %d", f.calls, c.arrives)
			}
			if f.calls > 8 {
				t.Errorf("sent %d times", f.calls)
			}
		})
	}
}
