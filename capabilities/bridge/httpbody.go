package bridge

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// maxRetryDelay caps how long a server may make us wait before we resume.
const maxRetryDelay = 5 * time.Second

// A body is what a server answers a request with: one JSON document, or a stream
// of events that may break off and be resumed.
type body struct {
	resp       *http.Response
	events     *eventReader // nil for a JSON document
	lastEvent  string
	progressed bool // an event came since the last renewal
	retry      time.Duration
}

func newBody(resp *http.Response) *body {
	b := &body{}
	b.renew(resp)
	return b
}

func (b *body) renew(resp *http.Response) {
	b.resp, b.events = resp, nil
	if mediaType(resp) == typeEvents {
		b.events = newEventReader(resp.Body, maxMessage)
	}
}

// sniff corrects the kind of a body by its first byte, which it waits for: servers
// name one kind and send the other.
func (b *body) sniff() {
	if b.events != nil {
		if first, err := b.events.in.Peek(1); err == nil && (first[0] == '{' || first[0] == '[') {
			b.resp.Body = readCloser{&limitReader{io.NopCloser(b.events.in), maxMessage}, b.resp.Body}
			b.events = nil
		}
		return
	}
	in := bufio.NewReaderSize(b.resp.Body, 16<<10)
	b.resp.Body = readCloser{in, b.resp.Body}
	for _, field := range []string{"event:", "data:", "id:", "retry:"} {
		if head, err := in.Peek(len(field)); err == nil && string(head) == field {
			b.events = newEventReader(in, maxMessage)
			return
		}
	}
}

// delay is how long to wait before the stream is resumed.
func (b *body) delay() time.Duration {
	if b.retry > 0 {
		return min(b.retry, maxRetryDelay)
	}
	return time.Second
}

// mediaType answers the type of a response without its parameters.
func mediaType(resp *http.Response) string {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// errNoAnswer says that a response ended without the answer it was for.
var errNoAnswer = errors.New("no answer in the response")

// readAnswer reads until the response that wanted recognises, and hands whatever
// else it meets to aside, which may be nil. It answers a *failure for an answer
// that is there and cannot be used, and another error for one that is not there.
func readAnswer(b *body, wanted func(message) bool, aside func(message)) (message, error) {
	b.sniff()
	if b.events == nil {
		return readDocument(b.resp, wanted, aside)
	}
	for {
		ev, err := b.events.next()
		switch {
		case errors.Is(err, errTooLarge):
			return message{}, tooLarge()
		case err != nil:
			return message{}, err
		}
		if ev.hasID {
			b.lastEvent, b.progressed = ev.id, true
		}
		if ev.retry > 0 {
			b.retry = ev.retry
		}
		if ev.name != "" && ev.name != "message" || len(ev.data) == 0 {
			continue
		}
		if m, err := pick(ev.data, wanted, aside); err == nil || !errors.Is(err, errNoAnswer) {
			return m, err
		}
	}
}

// readDocument reads an answer that is one document. Types are not trusted: a
// server that forgot to name JSON is understood, a page of HTML is not.
func readDocument(resp *http.Response, wanted func(message) bool, aside func(message)) (message, error) {
	data, err := io.ReadAll(resp.Body)
	switch {
	case errors.Is(err, errTooLarge):
		return message{}, tooLarge()
	case err != nil:
		return message{}, err
	}
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if len(data) == 0 {
		return message{}, broken("answered with HTTP status %d and nothing else", resp.StatusCode)
	}
	if k := data[0]; k != '{' && k != '[' {
		return message{}, broken("answered with %s where a JSON-RPC message belongs", kindName(resp))
	}
	m, err := pick(data, wanted, aside)
	if errors.Is(err, errNoAnswer) {
		return message{}, broken("answered with a document that is no answer to the request")
	}
	return m, err
}

func kindName(resp *http.Response) string {
	if t := mediaType(resp); t != "" {
		return bounded(printable([]byte(t)), 80)
	}
	return "a document without a type"
}

// pick finds the wanted response in the bytes of a document or an event.
func pick(data []byte, wanted func(message) bool, aside func(message)) (found message, err error) {
	err = errNoAnswer
	eachMessage(data, func(m message) {
		switch {
		case m.isResponse() && wanted(m):
			found, err = m, nil
		case !m.isResponse() && aside != nil:
			aside(m)
		}
	}, func(b *brokenAnswer) {
		if wanted(message{id: b.id}) {
			err = ofBroken(b)
		}
	})
	return found, err
}
