package bridge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// putsTools are those of a fake that asks: see fake.puts.
var putsTools = tools("put", "put-many", "take-back", "hold", "held", "released", "declared")

// puts serves the calls of a fake that asks during them. The argument "line" is what it
// writes; it hears what it is answered under the id "q".
func (f *fake) puts(m rpc, line string) {
	heard := make(chan string, 64)
	switch m.Params.Name {
	case "put", "take-back", "put-many":
		f.mu.Lock()
		f.replies[`"q"`] = heard
		f.mu.Unlock()
	}
	hear := func(limit time.Duration) string {
		select {
		case a := <-heard:
			return a
		case <-time.After(limit):
			return "no answer"
		}
	}
	switch m.Params.Name {
	case "put":
		raw(line + "\n")
		answer := hear(15 * time.Second)
		if strings.Contains(line, `"theirs"`) {
			raw(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"theirs"}}` + "\n")
			raw(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"nobody's"}}` + "\n")
		}
		f.ok(m, text(answer))
	case "put-many":
		answer := ""
		for range 33 {
			raw(line + "\n")
			answer = hear(15 * time.Second)
		}
		f.ok(m, text(answer))
	case "take-back":
		raw(line + "\n" + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}` + "\n")
		f.ok(m, text(hear(200*time.Millisecond)))
	case "hold": // until it is cancelled
		f.mu.Lock()
		defer f.mu.Unlock()
		f.holds++
	case "held", "released":
		for {
			f.mu.Lock()
			there := f.holds > 0
			f.mu.Unlock()
			if there == (m.Params.Name == "held") {
				break
			}
			time.Sleep(time.Millisecond)
		}
		f.ok(m, text("ok"))
	case "declared":
		var in struct {
			Params struct{ Capabilities json.RawMessage }
		}
		_ = json.Unmarshal([]byte(f.opening), &in)
		f.ok(m, text(string(in.Params.Capabilities)))
	}
}

// answerOf hands the body of a request on, and the answers to questions aside.
func answerOf(r *http.Request, answers chan<- string) *http.Request {
	body, _ := io.ReadAll(r.Body)
	var m rpc
	if json.Unmarshal(body, &m) == nil && m.Method == "" && fmt.Sprint(string(m.ID)) == "7" {
		answers <- string(body)
		body = []byte(`{"jsonrpc":"2.0","method":"notifications/none"}`)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r
}
