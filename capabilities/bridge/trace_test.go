package bridge_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

const (
	traceID   = "00-0af7651916cd43dd8448eb211c80319c-"
	cameWith  = traceID + "b7ad6b7169203331-01"
	goesWith  = traceID + "00000000000000aa-01"
	itsVendor = "vendor=1"
)

// told keeps what a bridge tells of the calls it sends.
type told struct {
	mu    sync.Mutex
	to    []bridge.Recipient
	ended []string
}

// sending gives every call a span of its own.
func (o *told) sending(inv *capabilities.Invocation, to bridge.Recipient) (capabilities.Trace, func(error)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.to = append(o.to, to)
	next := inv.Trace
	next.Span = [8]byte{7: 0xaa}
	return next, func(err error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.ended = append(o.ended, capabilities.EndedAs(err))
	}
}

func (h *harness) traced(name string, t capabilities.Trace) error {
	_, err := h.door.Invoke(h.deadline(), capabilities.Call{Name: name, Principal: capabilities.OwnerPrincipal(), Trace: t})
	return err
}

// TestATraceGoesToTheServer sends calls with and without a trace over streamable HTTP, where
// somebody watches and where nobody does.
func TestATraceGoesToTheServer(t *testing.T) {
	for _, tc := range []struct {
		name           string
		watched        bool
		trace          capabilities.Trace
		parent, vendor string
	}{
		{"of a caller", false, capabilities.ParseTrace(cameWith, itsVendor), cameWith, itsVendor},
		{"of a caller, with a span of ours", true, capabilities.ParseTrace(cameWith, itsVendor), goesWith, itsVendor},
		{"without a state", true, capabilities.ParseTrace(cameWith, ""), goesWith, ""},
		{"none", false, capabilities.Trace{}, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var mu sync.Mutex
			var header http.Header
			var meta [2]string
			f := newHTTPFake(t, func(_ *httpFake, _ http.ResponseWriter, r *http.Request, m rpc) bool {
				mu.Lock()
				defer mu.Unlock()
				header = r.Header.Clone()
				meta = [2]string{m.Params.Meta.Parent, m.Params.Meta.State}
				return false
			})
			o, w := bridge.Options{Servers: []bridge.Server{httpServer(f.URL)}}, &told{}
			if tc.watched {
				o.Sending = w.sending
			}
			if err := runWith(t, o).traced("h__echo", tc.trace); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if header.Get("Traceparent") != tc.parent || header.Get("Tracestate") != tc.vendor {
				t.Errorf("the headers have %q, %q", header.Get("Traceparent"), header.Get("Tracestate"))
			}
			if meta != [2]string{tc.parent, tc.vendor} {
				t.Errorf("the _meta has %q", meta)
			}
			if tc.watched {
				if diff := cmp.Diff([]bridge.Recipient{{Key: bridge.Key{Server: "h"}, Tool: "echo", Transport: "http", Version: "2025-11-25"}}, w.to); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff([]string{"ok"}, w.ended); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// TestWhoWatchesIsToldHowACallEnded has a server fail, in its own words and otherwise.
func TestWhoWatchesIsToldHowACallEnded(t *testing.T) {
	for name, tc := range map[string]struct {
		answer string
		want   string
	}{
		"a result that is an error": {`{"content":[{"type":"text","text":"no"}],"isError":true}`, "upstream_error"},
		"a good one":                {`{"content":[]}`, "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHTTPFake(t, func(_ *httpFake, rw http.ResponseWriter, _ *http.Request, m rpc) bool {
				answer(rw, m, tc.answer)
				return true
			})
			w := &told{}
			h := runWith(t, bridge.Options{Servers: []bridge.Server{httpServer(f.URL)}, Sending: w.sending})
			if err := h.traced("h__echo", capabilities.Trace{}); capabilities.EndedAs(err) != tc.want {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff([]string{tc.want}, w.ended); diff != "" {
				t.Error(diff)
			}
			if loads := h.Loads(); len(loads) != 1 || loads[0].State != bridge.StateReady || loads[0].Tools != 2 || loads[0].Running != 0 {
				t.Errorf("%+v", loads)
			}
		})
	}
}

// TestACallThatIsNotSentIsNotTold refuses a call before it is sent.
func TestACallThatIsNotSentIsNotTold(t *testing.T) {
	f := newHTTPFake(t, nil)
	w := &told{}
	s := httpServer(f.URL)
	s.Limits.CallsPerMinute = 1
	h := runWith(t, bridge.Options{Servers: []bridge.Server{s}, Sending: w.sending})
	for range 3 {
		_, _ = h.door.Invoke(t.Context(), capabilities.Call{Name: "h__echo", Principal: capabilities.OwnerPrincipal()}) // the limit refuses two
	}
	if len(w.to) != 1 || len(w.ended) != 1 {
		t.Errorf("%d calls are told, %d ended", len(w.to), len(w.ended))
	}
}
