package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A server that goes on with a call that it was told to give up, and asks, is heard by
// nobody else: not until it has answered that call, or the time of a call is over.
func TestACallThatIsGivenUpStillAsks(t *testing.T) {
	const limit = time.Minute
	conf := Server{Name: "desk", Relay: Relay{Roots: true}, CallTimeout: limit}
	var clock atomic.Int64
	sent, replies := make(chan string, 64), make(chan string, 8)
	keep := func(line []byte) {
		if strings.Contains(string(line), `"id":"q"`) {
			replies <- string(line)
			return
		}
		sent <- string(line)
	}
	m := newMux(func(_ context.Context, line []byte) (bool, error) { keep(line); return true, nil }, keep, keep)
	m.calls.relay, m.calls.server = conf.Relay, conf.Name
	client := make(slow, 1)
	of := func(person string) *courier {
		return &courier{
			sp: &spec{conf: conf, secrets: newMasker(conf)}, log: slog.New(slog.DiscardHandler), person: person,
			now: func() time.Time { return time.Unix(0, clock.Load()) }, asks: client, ctx: t.Context(),
		}
	}
	// call makes a call, and answers its id and what ends it with an answer.
	call := func(ctx context.Context, person string) (id string, ended chan error) {
		c, ended := of(person), make(chan error, 1)
		go func() {
			_, err := m.roundTrip(ctx, request{method: "tools/call", tool: "t", courier: c})
			c.finish()
			ended <- err
		}()
		var line struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(<-sent), &line); err != nil {
			t.Fatal(err)
		}
		return string(line.ID), ended
	}
	answer := func(id string) { m.deliver([]byte(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)) }
	// heard reports whether the server's question reaches the client of the person's call.
	heard := func(person string) bool {
		t.Helper()
		id, ended := call(t.Context(), person)
		client <- `{"roots":[]}`
		m.deliver([]byte(`{"jsonrpc":"2.0","id":"q","method":"roots/list"}`))
		said := <-replies
		answer(id)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if strings.Contains(said, `"result"`) {
			return true
		}
		<-client // which nobody asked
		if !strings.Contains(said, "a call of somebody else's was given up") {
			t.Errorf("it is refused with %s", said)
		}
		return false
	}
	giveUp := func(person string) (id string) {
		ctx, cancel := context.WithCancel(t.Context())
		id, ended := call(ctx, person)
		cancel()
		if err := <-ended; err == nil {
			t.Error("the call that is given up has an answer")
		}
		if line := <-sent; !strings.Contains(line, "notifications/cancelled") {
			t.Errorf("the server is sent %s", line)
		}
		return id
	}
	want := func(what string, got, want bool) {
		t.Helper()
		if got != want {
			t.Errorf("%s: heard is %v, want %v", what, got, want)
		}
	}
	want("nothing was given up", heard("b"), true)
	id := giveUp("a")
	want("another person's", heard("b"), false)
	want("a person who cannot be told", heard(""), false)
	want("the person's own", heard("a"), true)
	answer(id)
	want("it is answered after all", heard("b"), true)
	giveUp("a")
	clock.Add(int64(limit) - 1)
	want("its time is not over", heard("b"), false)
	clock.Add(1)
	want("its time is over", heard("b"), true)
	var ids []string
	for range maxGivenUp + 3 {
		ids = append(ids, giveUp("b"))
	}
	want("one of more than are kept, which may be anybody's", heard("b"), false)
	for _, id := range ids {
		answer(id)
	}
	want("one of those is not answered, as far as is known", heard("b"), false)
	clock.Add(int64(limit))
	want("the time of all of them is over", heard("b"), true)
	if n := len(m.calls.given); n != 0 {
		t.Errorf("%d are kept for nothing", n)
	}
}

// An answer that comes at the moment at which its call is given up leaves nothing.
func TestAnAnswerAtTheMomentOfGivingUp(t *testing.T) {
	conf := Server{Name: "desk", Relay: Relay{Roots: true}}
	for i := range 200 {
		var m *mux
		delivered := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		send := func(_ context.Context, line []byte) (bool, error) {
			var one struct{ ID json.RawMessage }
			if err := json.Unmarshal(line, &one); err != nil {
				return false, err
			}
			go cancel()
			go func() {
				defer close(delivered)
				m.deliver(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, one.ID))
			}()
			return true, nil
		}
		m = newMux(send, func([]byte) {}, func([]byte) {})
		c := &courier{sp: &spec{conf: conf}, now: func() time.Time { return time.Time{} }, ctx: ctx, person: "a"}
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			_, _ = m.roundTrip(ctx, request{method: "tools/call", tool: "t", courier: c}) // either end will do
		}()
		<-answered
		<-delivered
		if left := len(m.calls.given); left != 0 {
			t.Fatalf("run %d: a call that was answered counts as given up", i)
		}
	}
}
