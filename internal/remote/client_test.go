package remote_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/remote"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

func TestViewCrossesWhole(t *testing.T) {
	f := newFixture(t)
	c := attach(t, remote.Handler(f.options()))
	want, got := f.views.View(holder()), c.View(nil)
	if len(want.Listed) != 4 || len(want.Hidden) != 1 {
		t.Fatalf("the fixture has %d listed and %d hidden", len(want.Listed), len(want.Hidden))
	}
	if got.Digest != want.Digest || len(got.Listed) != len(want.Listed) || len(got.Hidden) != len(want.Hidden) {
		t.Fatalf("got %d listed, %d hidden, digest %q; want %d, %d, %q", len(got.Listed), len(got.Hidden), got.Digest, len(want.Listed), len(want.Hidden), want.Digest)
	}
	for i, w := range want.Listed {
		g, rule, ok := c.Find(nil, w.Name())
		if !ok || rule != nil || g != got.Listed[i] {
			t.Errorf("%s: found %v, rule %v", w.Name(), ok, rule)
			continue
		}
		if diff := cmp.Diff(w.Descriptor(), g.Descriptor(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", w.Name(), diff)
		}
		if diff := cmp.Diff(string(wire.Tool(w)), string(wire.Tool(g))); diff != "" {
			t.Errorf("%s: tool (-want +got)\n%s", w.Name(), diff)
		}
	}
	_, rule, ok := c.Find(nil, "secret")
	if !ok || rule == nil || *rule != want.Hidden[0].Rule {
		t.Errorf("hidden: got %v, %v", rule, ok)
	}
	if _, _, ok := c.Find(nil, "nope"); ok {
		t.Error("a name in no view was found")
	}
}

func TestViewIsEmptyBeforeRefreshAndTellsOfChange(t *testing.T) {
	f := newFixture(t)
	c := remote.Dial(serve(t, remote.Handler(f.options())), "1.2.3")
	if n := len(c.View(nil).Listed); n != 0 {
		t.Fatalf("%d capabilities before the first refresh", n)
	}
	told := 0
	cancel := c.Subscribe(func() { told++ })
	refresh := func() {
		t.Helper()
		if err := c.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	refresh()
	refresh()
	if told != 1 {
		t.Errorf("told %d times of one change", told)
	}
	f.live.Replace("", "far", nil)
	refresh()
	if told != 2 {
		t.Errorf("told %d times of two changes", told)
	}
	cancel()
	f.live.Replace("", "far", []*capabilities.Capability{bridged(t)})
	refresh()
	if told != 2 {
		t.Error("told after it was cancelled")
	}
}

func TestResultsCrossToTheByte(t *testing.T) {
	f := newFixture(t)
	c := attach(t, remote.Handler(f.options()))
	for _, call := range []capabilities.Call{
		{Name: "far__get", Arguments: []byte(bridgedArguments)},
		{Name: "write", Arguments: []byte(`{"big":9007199254740993}`), Operation: capabilities.Operation{ID: "op-1", DryRun: true}},
		{Name: "wr"},
	} {
		local := call
		local.Principal = holder()
		want, err := f.door.Invoke(t.Context(), local)
		if err != nil {
			t.Fatal(err)
		}
		// The holder decides who calls.
		call.Principal = &capabilities.Principal{ID: "mallory", Scopes: []string{capabilities.ScopeAdmin}}
		got, err := c.Invoke(t.Context(), call)
		if err != nil {
			t.Fatalf("%s: %v", call.Name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", call.Name, diff)
		}
	}
}

func TestRefusalsCrossWhole(t *testing.T) {
	f := newFixture(t)
	c := attach(t, remote.Handler(f.options()))
	cases := []struct {
		name string
		call capabilities.Call
		code capabilities.Code
		exit int
	}{
		{"a pack's own code", capabilities.Call{Name: "write", Arguments: []byte(`{"how":"jammed"}`)}, "jammed", 5},
		{"two violations", capabilities.Call{Name: "write", Arguments: []byte(`{"how":1,"bog":2}`)}, capabilities.Invalid, 2},
		{"a duplicate key", capabilities.Call{Name: "write", Arguments: []byte(`{"how":"","how":""}`)}, capabilities.Invalid, 2},
		{"invalid UTF-8", capabilities.Call{Name: "write", Arguments: []byte("{\"how\":\"\xff\"}")}, capabilities.Invalid, 2},
		{"no JSON at all", capabilities.Call{Name: "write", Arguments: []byte(`{`)}, capabilities.Invalid, 2},
		{"a name in no view", capabilities.Call{Name: "nope"}, capabilities.NotFound, 3},
		{"a hidden name", capabilities.Call{Name: "secret"}, capabilities.Forbidden, 4},
		{"words of a server", capabilities.Call{Name: "far__get", Arguments: []byte(`{}`)}, capabilities.UpstreamError, 1},
		{"over the limit", capabilities.Call{Name: "write", Arguments: []byte(`{"how":"` + strings.Repeat("x", capabilities.MaxArguments) + `"}`)}, capabilities.TooLarge, 2},
		{"far over the limit", capabilities.Call{Name: "write", Arguments: []byte(`{"how":"` + strings.Repeat("x", 4*capabilities.MaxArguments) + `"}`)}, capabilities.TooLarge, 2},
	}
	for _, tc := range cases {
		local := tc.call
		local.Principal, local.RequestID = holder(), "r1"
		tc.call.RequestID = "r1"
		_, werr := f.door.Invoke(t.Context(), local)
		_, gerr := c.Invoke(t.Context(), tc.call)
		want, _ := capabilities.AsError(werr)
		got, ok := capabilities.AsError(gerr)
		if !ok || got.Code != tc.code || got.Info().Exit != tc.exit {
			t.Errorf("%s: got %v, want code %s and exit %d", tc.name, gerr, tc.code, tc.exit)
			continue
		}
		if diff := cmp.Diff(string(wire.Problem(want, 400, "r1")), string(wire.Problem(got, 400, "r1"))); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tc.name, diff)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(capabilities.Error{})); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tc.name, diff)
		}
		if errors.Is(gerr, capabilities.ErrUnknownCapability) != errors.Is(werr, capabilities.ErrUnknownCapability) {
			t.Errorf("%s: the chain lost ErrUnknownCapability", tc.name)
		}
	}
}

func TestProgressCrosses(t *testing.T) {
	c := attach(t, remote.Handler(newFixture(t).options()))
	var got []capabilities.Progress
	_, err := c.Invoke(t.Context(), capabilities.Call{
		Name: "read", Arguments: []byte(`{"how":"report"}`), Progress: func(p capabilities.Progress) { got = append(got, p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]capabilities.Progress{{Value: 1, Total: 2, Message: "half"}}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := c.Invoke(t.Context(), capabilities.Call{Name: "read", Arguments: []byte(`{"how":"report"}`)}); err != nil {
		t.Errorf("a caller that asked for no progress: %v", err)
	}
}

func TestLeavingCancelsTheCall(t *testing.T) {
	f := newFixture(t)
	c := attach(t, remote.Handler(f.options()))
	for _, tc := range []struct {
		name string
		code capabilities.Code
	}{{"write", capabilities.UnknownOutcome}, {"read", capabilities.Timeout}} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-f.deps.started
			cancel()
		}()
		_, err := c.Invoke(ctx, capabilities.Call{Name: tc.name, Arguments: []byte(`{"how":"wait"}`)})
		if e, ok := capabilities.AsError(err); !ok || e.Code != tc.code || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want %s because of the cancellation", tc.name, err, tc.code)
		}
		if err := <-f.deps.stopped; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the handler saw %v", tc.name, err)
		}
	}
}

// dropper serves the view and breaks off every call.
func dropper(f *fixture) http.Handler {
	whole := remote.Handler(f.options())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			panic(http.ErrAbortHandler)
		}
		whole.ServeHTTP(w, r)
	})
}

func TestLostAnswersSayWhatMayHaveHappened(t *testing.T) {
	c := attach(t, dropper(newFixture(t)))
	for _, tc := range []struct {
		name  string
		code  capabilities.Code
		maybe bool
	}{
		{"write", capabilities.UnknownOutcome, false},
		{"wr", capabilities.UnknownOutcome, false},
		{"read", capabilities.Unavailable, false},
		{"far__get", capabilities.Unavailable, true},
		{"never_heard_of", capabilities.UnknownOutcome, false},
	} {
		_, err := c.Invoke(t.Context(), capabilities.Call{Name: tc.name})
		if e, ok := capabilities.AsError(err); !ok || e.Code != tc.code || e.MaybeApplied != tc.maybe {
			t.Errorf("%s: got %#v, want %s, maybe applied %v", tc.name, err, tc.code, tc.maybe)
		}
	}
}

func TestNoConnectionMeansNothingWasSent(t *testing.T) {
	c := remote.Dial(func(context.Context) (net.Conn, error) { return nil, errors.New("no such file") }, "1")
	_, call := c.Invoke(t.Context(), capabilities.Call{Name: "write"})
	for what, err := range map[string]error{"call": call, "refresh": c.Refresh(t.Context()), "pipe": c.PipeMCP(t.Context(), remote.NewSession(strings.NewReader(""), nil))} {
		if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable || e.MaybeApplied {
			t.Errorf("%s: got %v, want unavailable with nothing applied", what, err)
		}
	}
}

func TestOtherVersionsAreToldApart(t *testing.T) {
	o := newFixture(t).options()
	o.ServeMCP = echoMCP
	for _, tc := range []struct {
		name string
		h    http.Handler
		want []string // words the sentence must have
	}{
		{"another version", remote.Handler(o), []string{"1.2.3", "2.0.0"}},
		{"another program", http.NotFoundHandler(), []string{"no holotype"}},
	} {
		c := remote.Dial(serve(t, tc.h), "2.0.0")
		_, call := c.Invoke(t.Context(), capabilities.Call{Name: "write"})
		for what, err := range map[string]error{"call": call, "refresh": c.Refresh(t.Context()), "pipe": c.PipeMCP(t.Context(), remote.NewSession(strings.NewReader(""), nil))} {
			e, ok := capabilities.AsError(err)
			if !ok || e.Code != capabilities.Unavailable {
				t.Errorf("%s: %s: got %v, want unavailable", tc.name, what, err)
				continue
			}
			for _, w := range tc.want {
				if !strings.Contains(e.Message, w) {
					t.Errorf("%s: %s: %q does not name %q", tc.name, what, e.Message, w)
				}
			}
		}
	}
}

func TestHandlerRefusesOtherRequests(t *testing.T) {
	dial := serve(t, remote.Handler(newFixture(t).options()))
	hc := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }, DisableKeepAlives: true,
	}}
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
	}{
		{"a call that is no JSON", http.MethodPost, "/v1/call", "{", http.StatusBadRequest},
		{"a session without upgrade", http.MethodPost, "/v1/mcp", "", http.StatusUpgradeRequired},
		{"an unknown path", http.MethodGet, "/v1/nope", "", http.StatusNotFound},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tc.method, "http://x"+tc.path, strings.NewReader(tc.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Holotype-Version", "1.2.3")
		resp, err := hc.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tc.status {
			t.Errorf("%s: got status %d, want %d", tc.name, resp.StatusCode, tc.status)
		}
	}
}

// refusing lists everything and refuses what reads.
type refusing struct{}

func (refusing) Decide(_ *capabilities.Principal, c *capabilities.Capability) *capabilities.Rule {
	if c.Name() != "read" {
		return nil
	}
	return &capabilities.Rule{Reason: "refused", Message: "not today", Listed: true}
}

func TestWhatIsListedAndRefusedCrosses(t *testing.T) {
	f := newFixture(t)
	f.views = capabilities.NewViews(f.live, refusing{})
	c := attach(t, remote.Handler(f.options()))
	want, got := f.views.View(holder()), c.View(nil)
	if len(want.Refused) != 1 || len(got.Refused) != 1 || len(got.Listed) != len(want.Listed) || len(got.Hidden) != 0 {
		t.Fatalf("%d of %d are refused, want 1 of %d", len(got.Refused), len(got.Listed), len(want.Listed))
	}
	if diff := cmp.Diff(want.Refused[0].Rule, got.Refused[0].Rule); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	found, rule, ok := c.Find(nil, "read")
	if !ok || rule == nil || *rule != want.Refused[0].Rule || found != got.Refused[0].Capability {
		t.Errorf("found %v, rule %v", ok, rule)
	}
}

// asking lets everything pass and has a person approve what reads.
type asking struct{ capabilities.Scopes }

func (asking) NeedsApproval(_ *capabilities.Principal, c *capabilities.Capability) (capabilities.ApprovalNeed, bool) {
	return capabilities.ApprovalNeed{Path: "gate.approve[0]"}, c.Name() == "read"
}

// What a person has to approve is told, and keeps nobody from the call.
func TestWhatWaitsForAPersonCrosses(t *testing.T) {
	f := newFixture(t)
	f.views = capabilities.NewViews(f.live, asking{})
	c := attach(t, remote.Handler(f.options()))
	want, got := f.views.View(holder()), c.View(nil)
	if len(want.Refused) != 1 || len(got.Refused) != 1 {
		t.Fatalf("%d of %d wait, want one", len(got.Refused), len(got.Listed))
	}
	if diff := cmp.Diff(want.Refused[0].Rule, got.Refused[0].Rule); diff != "" || got.Refused[0].Rule.Reason != capabilities.ReasonApproval {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, rule, ok := c.Find(nil, "read"); !ok || rule != nil {
		t.Errorf("the call is kept away by %v", rule)
	}
}
