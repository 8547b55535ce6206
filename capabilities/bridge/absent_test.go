package bridge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

func TestNamesThatAreNotThereYet(t *testing.T) {
	h := run(t, fakeServer(t, "good", "good"), bridge.Server{Name: "Odd One", Command: "no-such-command"})
	odd := h.status(1).Prefix
	reader := &capabilities.Principal{ID: "r", Kind: capabilities.Operator, Scopes: []string{"Odd One:read"}}
	writer := &capabilities.Principal{ID: "w", Kind: capabilities.Operator, Scopes: []string{"Odd One:write"}}
	other := &capabilities.Principal{ID: "o", Kind: capabilities.Operator, Scopes: []string{"good:write"}}
	for _, tc := range []struct {
		name, tool string
		who        *capabilities.Principal
		known      bool
	}{
		{"a tool of a server that failed", odd + "any", capabilities.OwnerPrincipal(), true},
		{"for who may read from it", odd + "any", reader, true},
		{"for who may write to it", odd + "any", writer, true},
		{"not for who may do neither", odd + "any", other, false},
		{"not for nobody", odd + "any", nil, false},
		{"a tool that a running server has not", "good__any", capabilities.OwnerPrincipal(), false},
		{"a name of no server", "bad__any", capabilities.OwnerPrincipal(), false},
	} {
		e := h.Absent(tc.who, tc.tool)
		if (e != nil) != tc.known {
			t.Errorf("%s: %v", tc.name, e)
			continue
		}
		if tc.known && (e.Code != capabilities.Unavailable || !strings.Contains(e.Message, `server "Odd One" is not running: it cannot be started`) || e.RetryAfter <= 0) {
			t.Errorf("%s: %+v", tc.name, e)
		}
	}
	if e := h.AbsentAt(capabilities.OwnerPrincipal(), "Odd One", "any"); e == nil || e.Code != capabilities.Unavailable {
		t.Errorf("by its server: %v", e)
	}
	if e := h.AbsentAt(capabilities.OwnerPrincipal(), "nobody", "any"); e != nil {
		t.Errorf("of no server: %v", e)
	}
}

// TestServersThatHaveNotToldWhatTheyOffer: a client that connects now may be served more
// later.
func TestServersThatHaveNotToldWhatTheyOffer(t *testing.T) {
	h := run(t, fakeServer(t, "good", "good"),
		bridge.Server{Name: "odd", Command: "no-such-command", Relay: bridge.Relay{Prompts: true}},
		bridge.Server{Name: "also", Command: "no-such-command"},
		bridge.Server{Name: "seated", Seat: "desk", Command: "no-such-command", Relay: bridge.Relay{Resources: true}},
		bridge.Server{Name: "waits", Command: "no-such-command", Relay: bridge.Relay{Resources: true}, Unresolved: []string{"the variable TOKEN is not set"}})
	for _, tc := range []struct {
		name    string
		who     *capabilities.Principal
		servers int
		methods string
	}{
		{"the owner", capabilities.OwnerPrincipal(), 2, "[prompts/list prompts/get completion/complete]"},
		{"who may read from one", &capabilities.Principal{ID: "r", Scopes: []string{"also:read"}}, 1, "[]"},
		{"who may do nothing with any", &capabilities.Principal{ID: "o", Scopes: []string{"good:write"}}, 0, "[]"},
		{"nobody", nil, 0, "[]"},
		{"a seat", &capabilities.Principal{ID: "s", Seat: "desk", Scopes: []string{"seated:read"}}, 1, "[resources/list resources/templates/list resources/read resources/subscribe resources/unsubscribe completion/complete]"},
	} {
		all, methods := h.Awaited(tc.who), []string{}
		for _, one := range all {
			for _, c := range one.Relays {
				methods = append(methods, c.Method())
			}
		}
		if len(all) != tc.servers || fmt.Sprint(methods) != tc.methods {
			t.Errorf("%s awaits %d servers with %v, want %d with %s", tc.name, len(all), methods, tc.servers, tc.methods)
		}
	}
}

// TestAServerThatWentDownKnowsItsTools: its list is known, so that a name which is not
// on it is a mistake and not a matter of waiting.
func TestAServerThatWentDownKnowsItsTools(t *testing.T) {
	h := run(t, fakeServer(t, "s", "crash-call"))
	if _, err := h.call("s__echo", `{}`); err == nil {
		t.Fatal("the server did not die")
	}
	if e := h.Absent(capabilities.OwnerPrincipal(), "s__other"); e != nil {
		t.Errorf("a name it never had: %v", e)
	}
}
