package bridge

import (
	"encoding/json"
	"strings"
	"testing"
)

// A question that comes while nothing runs has nobody to go to, and is answered.
func TestAQuestionWithoutACall(t *testing.T) {
	s := calls{relay: Relay{Roots: true}}
	var answers []string
	say := func(line []byte) { answers = append(answers, string(line)) }
	for _, method := range []string{methodRoots, methodSample, "ping"} {
		s.request(message{id: json.RawMessage("3"), method: method}, replies{say, say})
	}
	want := []string{`"no call runs that this could belong to`, `"this client does not serve sampling/createMessage"`, `"result":{}`}
	for i, one := range want {
		if len(answers) != len(want) || !strings.Contains(answers[i], one) {
			t.Errorf("answered %q, want %s", answers, one)
		}
	}
}
