package ratelimit_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/ratelimit"
)

type nothing struct{}

type answer struct {
	Text string `json:"text" jsonschema_description:"Text."`
}

// shop is a door with a read and a write, under limits, and a clock.
type shop struct {
	*capabilities.Door
	calls *ratelimit.Calls
	at    time.Time
}

func (s *shop) now() time.Time { return s.at }

func open(t testing.TB, yaml string) *shop {
	t.Helper()
	pack := capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "shop", Title: "Shop", Summary: "Sells."})
	serve := func(context.Context, struct{}, nothing) (answer, error) { return answer{"x"}, nil }
	capabilities.Declare(pack, capabilities.Spec{Name: "read", Title: "Read", Summary: "Read.", Effect: capabilities.Read(capabilities.Local), Route: "GET /read"}, serve)
	capabilities.Declare(pack, capabilities.Spec{Name: "write", Title: "Write", Summary: "Write.", Effect: capabilities.Append(capabilities.Local), Route: "POST /write"}, serve)
	reg, err := capabilities.Assemble(pack.Bind(struct{}{}))
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{at: time.Unix(1_000_000, 0)}
	s.calls = ratelimit.NewCalls(s.now)
	s.configure(t, yaml)
	s.Door = capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Interceptors: []capabilities.Interceptor{s.calls.Interceptor()},
	})
	return s
}

func (s *shop) configure(t testing.TB, yaml string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "holotype.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Options{Path: path, Lookup: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	s.calls.Put(c)
}

// until makes calls until one is refused, and answers how many were let in and the
// refusal.
func (s *shop) until(t *testing.T, who *capabilities.Principal, name string, most int) (let int, refusal *capabilities.Error) {
	t.Helper()
	for range most {
		_, err := s.Invoke(t.Context(), capabilities.Call{Name: name, Principal: who})
		if err != nil {
			e, ok := capabilities.AsError(err)
			if !ok || e.Code != capabilities.RateLimited || e.RetryAfter <= 0 {
				t.Fatalf("%s is answered %v", name, err)
			}
			return let, e
		}
		let++
	}
	return let, nil
}

func TestWhoIsLimitedByWhat(t *testing.T) {
	all := []string{"*", capabilities.ScopeAdmin}
	owner := capabilities.OwnerPrincipal()
	ownerAt := capabilities.OwnerPrincipal()
	ownerAt.Seat = "desk"
	ana := &capabilities.Principal{ID: "ana", Kind: capabilities.Person, Scopes: all, Credential: "tok_a"}
	tok := &capabilities.Principal{ID: "tok_1", Kind: capabilities.Operator, Scopes: all, Credential: "tok_1"}
	desk := &capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Scopes: all, Credential: "tok_d"}
	const most = 50
	base := "people: [{id: ana}]\n"
	for name, c := range map[string]struct {
		yaml, call string
		who        *capabilities.Principal
		want       int
		says       string
	}{
		"no limits":                         {"", "write", tok, most, ""},
		"everybody's":                       {"rate_limits: {calls_per_minute: 4}", "read", tok, 4, "the token tok_1 is limited to 4 calls a minute, 4 of them at once (rate_limits in"},
		"a burst":                           {"rate_limits: {calls_per_minute: 40, burst: 3}", "read", ana, 3, `the person "ana" is limited to 40 calls a minute, 3 of them`},
		"not the owner's":                   {"rate_limits: {calls_per_minute: 4}", "read", owner, most, ""},
		"the owner's own":                   {"principals: [{id: owner, rate_limits: {calls_per_minute: 5}}]", "read", owner, 5, "the owner is limited to 5 calls a minute, 5 of them at once (principals[0].rate_limits in"},
		"the owner's own is nobody else's":  {"principals: [{id: owner, rate_limits: {calls_per_minute: 5}}]", "read", ana, most, ""},
		"writes":                            {"rate_limits: {writes_per_minute: 2}", "write", tok, 2, "limited to 2 writes a minute"},
		"writes, and a read":                {"rate_limits: {writes_per_minute: 2}", "read", tok, most, ""},
		"writes are calls":                  {"rate_limits: {writes_per_minute: 20, calls_per_minute: 3}", "write", tok, 3, "limited to 3 calls a minute"},
		"a person's own, higher":            {"rate_limits: {calls_per_minute: 2}\nprincipals: [{id: person:ana, rate_limits: {calls_per_minute: 9}}]", "read", ana, 9, "(principals[0].rate_limits in"},
		"a token's own, higher":             {"rate_limits: {calls_per_minute: 2}\nprincipals: [{id: token:tok_1, rate_limits: {calls_per_minute: 9}}]", "read", tok, 9, "(principals[0].rate_limits in"},
		"a bound token's, on top":           {"rate_limits: {calls_per_minute: 9}\nprincipals: [{id: token:tok_a, rate_limits: {calls_per_minute: 2}}]", "read", ana, 2, "the token tok_a is limited to 2"},
		"a bound token's lifts nothing":     {"rate_limits: {calls_per_minute: 2}\nprincipals: [{id: token:tok_a, rate_limits: {calls_per_minute: 9}}]", "read", ana, 2, `the person "ana"`},
		"a seat's":                          {"rate_limits: {calls_per_minute: 2}\nseats: [{id: desk, rate_limits: {calls_per_minute: 6}}]", "read", desk, 6, `the seat "desk" is limited to 6 calls a minute, 6 of them at once (seats[0].rate_limits in`},
		"a seat's, for the owner in it":     {"seats: [{id: desk, rate_limits: {calls_per_minute: 6}}]", "read", ownerAt, 6, `the seat "desk"`},
		"everybody's, for the owner seated": {"rate_limits: {calls_per_minute: 2}\nseats: [{id: desk}]", "read", ownerAt, most, ""},
	} {
		t.Run(name, func(t *testing.T) {
			let, refusal := open(t, base+c.yaml).until(t, c.who, c.call, most)
			if let != c.want || (refusal != nil) != (c.says != "") {
				t.Fatalf("%d calls were let in and then %v, want %d", let, refusal, c.want)
			}
			if refusal != nil && !strings.Contains(refusal.Message, c.says) {
				t.Errorf("the refusal is %q, want %q in it", refusal.Message, c.says)
			}
		})
	}
}

// A bucket is one's own, two tokens of one seat share it, and it fills with time.
func TestWhoSharesALimit(t *testing.T) {
	s := open(t, "rate_limits: {calls_per_minute: 2}\nseats: [{id: desk}]\n")
	first := &capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Scopes: []string{"*"}, Credential: "tok_1"}
	second := &capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Scopes: []string{"shop:*"}, Credential: "tok_2"}
	named := &capabilities.Principal{ID: "desk", Kind: capabilities.Person, Scopes: []string{"*"}, Credential: "tok_3"}
	if let, _ := s.until(t, first, "read", 1); let != 1 {
		t.Fatal("the first call is refused")
	}
	let, refusal := s.until(t, second, "read", 5)
	if let != 1 || refusal == nil || refusal.RetryAfter != 30*time.Second {
		t.Fatalf("the other token of the seat was let in %d times, and then %+v; want once, and to wait 30s", let, refusal)
	}
	if let, _ := s.until(t, named, "read", 2); let != 2 {
		t.Errorf("a person of the seat's name was let in %d times, want 2", let)
	}
	s.at = s.at.Add(30 * time.Second)
	if let, _ := s.until(t, first, "read", 5); let != 1 {
		t.Errorf("after the wait %d calls were let in, want 1", let)
	}
	s.configure(t, "rate_limits: {calls_per_minute: 60000}\nseats: [{id: desk}]\n")
	s.at = s.at.Add(time.Second)
	if let, _ := s.until(t, first, "read", 50); let != 50 {
		t.Errorf("under a higher limit %d calls were let in, want 50", let)
	}
	s.configure(t, "seats: [{id: desk}]\n")
	if let, _ := s.until(t, first, "read", 100); let != 100 {
		t.Errorf("without limits %d calls were let in, want 100", let)
	}
}

// A write that is over its own limit takes nothing of the other.
func TestARefusedWriteTakesNothing(t *testing.T) {
	s := open(t, "rate_limits: {calls_per_minute: 5, writes_per_minute: 1}\n")
	who := &capabilities.Principal{ID: "tok_1", Kind: capabilities.Operator, Scopes: []string{"*"}, Credential: "tok_1"}
	for range 10 {
		s.until(t, who, "write", 1)
	}
	if let, _ := s.until(t, who, "read", 10); let != 4 {
		t.Errorf("%d reads were let in beside one write and refused ones, want 4", let)
	}
}

func TestAnInterceptorAllocatesNothing(t *testing.T) {
	for name, yaml := range map[string]string{"no limits": "", "within the limits": "rate_limits: {calls_per_minute: 1000000, writes_per_minute: 1000000}\nseats: [{id: desk}]\n"} {
		s := open(t, yaml)
		reads := 0
		h := s.calls.Interceptor().Wrap(func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
			reads++
			return nil, nil
		})
		c := capabilityOf(t)
		inv := &capabilities.Invocation{Call: capabilities.Call{Principal: &capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Credential: "tok_1"}}, Capability: c}
		if n := testing.AllocsPerRun(100, func() {
			if _, err := h(t.Context(), inv); err != nil {
				t.Error(err)
			}
		}); n != 0 || reads == 0 {
			t.Errorf("%s: %v allocations, %d calls", name, n, reads)
		}
	}
}

func capabilityOf(t *testing.T) *capabilities.Capability {
	t.Helper()
	pack := capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "one", Title: "One", Summary: "One."})
	capabilities.Declare(pack, capabilities.Spec{Name: "act", Title: "Act", Summary: "Act.", Effect: capabilities.Append(capabilities.Local), Route: "POST /act"},
		func(context.Context, struct{}, nothing) (answer, error) { return answer{}, nil })
	reg, err := capabilities.Assemble(pack.Bind(struct{}{}))
	if err != nil {
		t.Fatal(err)
	}
	c, _ := reg.Find("act")
	return c
}
