package bridge

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// heard is a courier of a client that wants to know what is logged, with what it is told.
func heard(t *testing.T, client, level string, clock *time.Time) (*courier, *[]string) {
	t.Helper()
	conf := Server{Name: "desk", Relay: Relay{Logging: true}, Secrets: map[string]string{"TOKEN": "s3cret-of-the-server"}}
	told := &[]string{}
	return &courier{
		sp: &spec{conf: conf, secrets: newMasker(conf)}, now: func() time.Time { return *clock },
		logs: &capabilities.LogReader{Client: client, Level: level, Tell: func(params json.RawMessage) { *told = append(*told, string(params)) }},
	}, told
}

func logged(level, data string) message {
	return message{method: noteMessage, params: json.RawMessage(fmt.Sprintf(`{"level":%q,"logger":"db","data":%s,"_meta":{"x":1}}`, level, data))}
}

// What is logged goes under the server's name to the client that asked for it, without its
// secrets and byte for byte, and to nobody where it may be about another.
func TestWhatIsLoggedIsTold(t *testing.T) {
	clock := time.Unix(1_800_000_000, 0)
	c, told := heard(t, "a", "warning", &clock)
	s := &calls{}
	end := s.begin(c)
	s.note(logged("info", `1`))
	s.note(logged("error", `{"n":9007199254740993,"t":"s3cret-of-the-server"}`))
	s.note(message{method: noteMessage, params: json.RawMessage(`{"level":"error","logger":"s3cret-of-the-server/x","data":1}`)})
	s.note(message{method: noteMessage, params: json.RawMessage(`{"level":"error"}`)})
	s.note(message{method: noteMessage, params: json.RawMessage(`7`)})
	other, otherTold := heard(t, "b", "debug", &clock)
	endOther := s.begin(other)
	s.note(logged("error", `"of whom?"`))
	endOther()
	s.note(logged("warning", `2`))
	end()
	s.note(logged("error", `"of nobody"`))
	c.finish()
	other.finish()
	want := []string{`{"logger":"desk/db","level":"error","data":{"n":9007199254740993,"t":"[hidden]"}}`, `{"logger":"desk/[hidden]/x","level":"error","data":1}`, `{"logger":"desk/db","level":"warning","data":2}`}
	if d := cmp.Diff(want, *told); d != "" {
		t.Errorf("told (-want +got)\n%s", d)
	}
	if len(*otherTold) != 0 {
		t.Errorf("the other client is told %q", *otherTold)
	}
}

// So much is told, and how much is not.
func TestWhatIsLoggedIsBounded(t *testing.T) {
	clock := time.Unix(1_800_000_000, 0)
	c, told := heard(t, "a", "debug", &clock)
	for range 150 {
		c.logMessage(logged("info", `1`).params)
	}
	if c.logged.messages != maxLogPerSecond {
		t.Errorf("%d are told within a second", c.logged.messages)
	}
	for range 20 {
		clock = clock.Add(time.Second)
		for range 60 {
			c.logMessage(logged("info", `1`).params)
		}
	}
	c.logMessage(logged("info", `"`+strings.Repeat("x", maxLogMessage)+`"`).params)
	c.finish()
	if len(*told) != maxLogMessages+1 {
		t.Errorf("%d are told in all", len(*told)-1)
	}
	if got, want := (*told)[len(*told)-1], `"351 more messages of this call are left out`; !strings.Contains(got, want) {
		t.Errorf("told at last %s", got)
	}
	before := len(*told)
	if c.logMessage(logged("info", `1`).params); len(*told) != before {
		t.Error("told after its call")
	}
}
