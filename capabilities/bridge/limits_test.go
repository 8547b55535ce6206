package bridge_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

func TestOneCallAtATime(t *testing.T) {
	began, end := make(chan struct{}, 10), make(chan struct{})
	fake := newHTTPFake(t, func(_ *httpFake, w http.ResponseWriter, _ *http.Request, m rpc) bool {
		began <- struct{}{}
		<-end
		answer(w, m, text("done"))
		return true
	})
	server := bridge.Server{Name: "slow", URL: fake.URL, Limits: bridge.Limits{ConcurrentCalls: 1}}
	h := run(t, server)
	answers := make(chan error, 3)
	for range cap(answers) {
		go func() {
			_, err := h.call("slow__echo", `{"text":"a"}`)
			answers <- err
		}()
	}
	<-began
	end <- struct{}{}
	if err := <-answers; err != nil {
		t.Error(err)
	}
	<-began
	if n := fake.ran(); n != 2 {
		t.Errorf("%d calls arrived when one had ended", n)
	}
	// Another limit is no other way to start a server, and holds at once.
	server.Limits = bridge.Limits{}
	sameChanges(t, bridge.Changes{Changed: shared("slow")}, h.apply(server))
	go func() {
		_, err := h.call("slow__echo", `{"text":"a"}`)
		answers <- err
	}()
	<-began
	close(end)
	for range 3 {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	if n := fake.count("POST initialize"); n != 1 {
		t.Errorf("it was connected to %d times", n)
	}
}

func TestWhatIsOverALimitIsRefused(t *testing.T) {
	fake := newHTTPFake(t, func(_ *httpFake, w http.ResponseWriter, _ *http.Request, m rpc) bool {
		size := 10
		if strings.Contains(string(m.Params.Arguments), "long") {
			size = 2000
		}
		answer(w, m, text(strings.Repeat("x", size)))
		return true
	})
	h := run(t, bridge.Server{Name: "web", URL: fake.URL, Limits: bridge.Limits{CallsPerMinute: 3, ResultBytes: 1024}})
	h.must("web__echo", `{"text":"short"}`)
	large := h.refusal("web__echo", `{"text":"long"}`, capabilities.TooLarge)
	if !strings.Contains(large.Message, "limit is 1024 (limits.result_bytes)") || !large.MaybeApplied {
		t.Errorf("refused: %+v", large)
	}
	if read := h.refusal("web__look", `{"text":"long"}`, capabilities.TooLarge); read.MaybeApplied {
		t.Errorf("a tool that only reads may have done something: %+v", read)
	}
	often := h.refusal("web__echo", `{"text":"short"}`, capabilities.RateLimited)
	if !strings.Contains(often.Message, "limits.calls_per_minute") || often.MaybeApplied || often.RetryAfter <= 0 {
		t.Errorf("refused: %+v", often)
	}
	if d := cmp.Diff(3, fake.ran()); d != "" {
		t.Errorf("calls that arrived (-want +got)\n%s", d)
	}
}
