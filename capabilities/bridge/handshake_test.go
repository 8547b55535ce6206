package bridge_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// A server that starts slowly answers server/discover after initialize was sent, and a
// warm one at once. "cold FILE" does the first until FILE is there, which it makes.
func TestASlowServerOfTheNewEra(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, mode string
		first      bool // of the new era already
	}{
		{"that takes initialize", "cold-both ", false},
		{"that does not", "cold-modern ", true}, // it is started once more, warm
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := bridge.Options{Servers: []bridge.Server{watched(t, "s", c.mode+filepath.Join(t.TempDir(), "warm"), "die")}}
			o.Servers[0].StartupTimeout = 30 * time.Second
			bridge.ProbeTime(&o, 8*time.Second)
			bridge.After(&o, func(time.Duration) <-chan time.Time { return time.After(0) })
			h := runWith(t, o)
			if st := h.status(0); st.State != bridge.StateReady || st.Modern != c.first {
				t.Fatalf("status %+v", st)
			}
			if n := len(h.log.of("server_failed")); n != 0 {
				t.Errorf("it failed %d times", n)
			}
			// What answered late is asked again at the next start.
			h.die("s__die")
			awaitLog(t, h, "server_restarted", 1)
			if st := h.status(0); !st.Modern {
				t.Errorf("it is taken for one of the old era: %+v", st)
			}
		})
	}
}

// die has a server exit.
func (h *harness) die(tool string) {
	h.t.Helper()
	if _, err := h.call(tool, `{}`); err == nil {
		h.t.Error("a call that ends its server is answered")
	}
}

// A server that is silent is not asked again, until another version of it is there.
func TestSilenceIsRememberedOfOneVersion(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "version")
	o := bridge.Options{Servers: []bridge.Server{watched(t, "s", "versions "+file, "die", "probes")}}
	bridge.ProbeTime(&o, 4*time.Second)
	bridge.After(&o, func(time.Duration) <-chan time.Time { return time.After(0) })
	h := runWith(t, o)
	for n, want := range []string{"", "legacy", "legacy", "modern"} {
		// The first start is version 1, silent. The second is that again. The third is
		// version 2, which is not asked; the fourth is asked and answers.
		if n > 0 {
			h.die("s__die")
			awaitLog(t, h, "server_restarted", n)
		}
		st := h.status(0)
		if st.Modern != (want == "modern") {
			t.Errorf("start %d: version %s, modern %v", n+1, st.ServerNumber, st.Modern)
		}
	}
	if n := h.must("s__probes", `{}`); n != "1 0 0 1" {
		t.Errorf("server/discover was sent %s times in the four starts", n)
	}
}
