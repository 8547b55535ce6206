package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A question that comes while nothing runs has nobody to go to, and is answered.
func TestAQuestionWithoutACall(t *testing.T) {
	s := calls{server: "desk", relay: Relay{Roots: true}}
	var answers []string
	say := func(line []byte) { answers = append(answers, string(line)) }
	for _, method := range []string{methodRoots, methodSample, "tasks/list", "ping"} {
		s.request(message{id: json.RawMessage("3"), method: method}, replies{say, say})
	}
	want := []string{
		`"no call runs that this could belong to`, `"sampling/createMessage is not relayed for the server \"desk\": its operator switches it on with relay.sampling"`,
		`"this client does not serve tasks/list"`, `"result":{}`,
	}
	for i, one := range want {
		if len(answers) != len(want) || !strings.Contains(answers[i], one) {
			t.Errorf("answered %q, want %s", answers, one)
		}
	}
}

// slow is a client whose user answers when told to, whatever became of the question.
type slow chan string

func (slow) Takes(string, json.RawMessage) bool { return true }
func (slow) Client() string                     { return "a" }
func (slow) Tell(string, json.RawMessage)       {}
func (s slow) Ask(_ context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(<-s), nil
}

// A server may use the id of a question that it took back again at once. What comes of the
// first one then is no answer to the second.
func TestAnIDThatIsUsedAgain(t *testing.T) {
	answers := make(chan string, 2)
	say := func(line []byte) { answers <- string(line) }
	client := make(slow)
	conf := Server{Relay: Relay{Roots: true}}
	c := &courier{sp: &spec{conf: conf, secrets: newMasker(conf)}, log: slog.New(slog.DiscardHandler), now: time.Now, asks: client, ctx: t.Context()}
	ask := func() { c.take(message{id: json.RawMessage("1"), method: methodRoots}, replies{say, say}) }
	ask()
	if !c.withdraw("1") {
		t.Fatal("the question is not open")
	}
	client <- `{"of":"the first"}`
	<-c.running.Idle()
	ask()
	client <- `{"of":"the second"}`
	<-c.running.Idle()
	ask() // and taken back with the next one open
	c.withdraw("1")
	ask()
	client <- `{"of":"either"}`
	client <- `{"of":"either"}`
	c.finish()
	close(answers)
	var got []string
	for a := range answers {
		got = append(got, a)
	}
	if len(got) != 2 || !strings.Contains(got[0], "the second") {
		t.Errorf("answered %q, want one answer to the second question and one to the fourth", got)
	}
}

// A server that has no room for another subscription has it as soon as nobody listens to one.
func TestRoomForASubscription(t *testing.T) {
	told := make(chan string, 4)
	server := mcp.NewServer(&mcp.Implementation{Name: "upstream"}, &mcp.ServerOptions{
		SubscribeHandler:   func(_ context.Context, r *mcp.SubscribeRequest) error { told <- "+" + r.Params.URI; return nil },
		UnsubscribeHandler: func(_ context.Context, r *mcp.UnsubscribeRequest) error { told <- "-" + r.Params.URI; return nil },
	})
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "bridge"}, nil).Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // the test is over
	gone := ""
	s := newSupervisor(&spec{conf: Server{Name: "one"}}, &Options{
		Log: slog.New(slog.DiscardHandler), Now: time.Now, Listened: func(server, uri string) bool { return server == "one" && uri != gone },
	})
	l := &link{session: session}
	s.subscribed = map[string]*link{}
	for i := range maxSubscribed {
		s.subscribed[fmt.Sprint("x:", i)] = l
	}
	more := json.RawMessage(`{"uri":"x:more"}`)
	if err := s.subscribe(t.Context(), l, more); err == nil || !strings.Contains(err.Error(), "no more are taken") {
		t.Errorf("with no room it is answered %v", err)
	}
	gone = "x:7"
	if err := s.subscribe(t.Context(), l, more); err != nil {
		t.Errorf("with somebody gone it is answered %v", err)
	}
	if got := []string{<-told, <-told}; got[0] != "-x:7" || got[1] != "+x:more" || len(s.subscribed) != maxSubscribed {
		t.Errorf("the server is told %v, and %d are subscribed to", got, len(s.subscribed))
	}
}
