// Package parity_test sends one corpus of inputs, good and bad, to every surface of
// one running server and compares what comes back: the same structured result, or
// the same code with the same violations in the same words.
package parity_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/fixture"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// said is what one way answered, in the terms that all ways share.
type said struct {
	code       capabilities.Code // "" for a result
	message    string
	violations []capabilities.Violation
	maybe      bool
	retry      int64
	structured json.RawMessage
	content    json.RawMessage // content blocks, where the way carries them
	body       []byte          // what a program reads over HTTP or from the command line
	raw        []byte          // everything that came back
}

// soakVariable has the heavy inputs sent, too: make soak sets it.
const soakVariable = "HOLOTYPE_PARITY_SOAK"

func TestParity(t *testing.T) {
	r := start(t)
	ways := r.ways(t)
	names := map[string]bool{}
	for _, in := range inputs.Corpus() {
		if names[in.Name] {
			t.Errorf("two inputs are named %q", in.Name)
		}
		names[in.Name] = true
		if in.Heavy && os.Getenv(soakVariable) == "" {
			continue
		}
		t.Run(in.Name, func(t *testing.T) { compare(t, in, ways) })
	}
	if len(names) < 120 {
		t.Errorf("the corpus has only %d inputs", len(names))
	}
}

// compare sends one input every way and compares the answers with the corpus and
// with each other.
func compare(t *testing.T, in inputs.Input, ways []way) {
	t.Helper()
	var first *said
	var bodies [][]byte
	heard := 0
	for _, w := range ways {
		got, why := w.send(t, in)
		if want := in.Cannot[w.family]; why != want {
			t.Errorf("%s: it could not be said because %q, the corpus has %q (answer %s)", w.name, why, want, clip(got.raw))
			continue
		}
		if bytes.Contains(got.raw, []byte(fixture.ErrPlain.Error())) {
			t.Errorf("%s shows the text of an error that claims no code: %s", w.name, clip(got.raw))
		}
		if why != "" {
			continue
		}
		heard++
		check(t, w.name, in, got)
		if first == nil {
			first = &got
		} else if !in.OwnWords {
			agree(t, in, ways[0].name, w.name, *first, got)
		}
		if got.body != nil {
			bodies = append(bodies, got.body)
		}
	}
	if heard < 2 {
		t.Errorf("only %d ways carry this input: it shows no parity", heard)
	}
	for _, b := range bodies {
		if !bytes.Equal(b, bodies[0]) {
			t.Errorf("HTTP and the command line differ:\n%s\n%s", bodies[0], b)
		}
	}
}

// check compares one answer with the corpus.
func check(t *testing.T, way string, in inputs.Input, got said) {
	t.Helper()
	if got.code != in.Code {
		t.Errorf("%s: code %q, want %q: %s", way, got.code, in.Code, clip(got.raw))
		return
	}
	if in.Code == "" {
		if in.Want == "" {
			return // an example has no answer written beside it
		}
		if diff := differs(t, []byte(in.Want), got.structured); diff != "" {
			t.Errorf("%s: the result differs (-want +got):\n%s", way, diff)
		}
		return
	}
	var at []string
	for _, v := range got.violations {
		at = append(at, v.Pointer+" "+v.Keyword)
		if strings.TrimSpace(v.Message) == "" {
			t.Errorf("%s: the violation at %q says nothing", way, v.Pointer)
		}
	}
	if !slices.Equal(at, in.At) {
		t.Errorf("%s: violations %q, want %q: %s", way, at, in.At, clip(got.raw))
	}
	if got.message == "" || !strings.Contains(sentences(got), in.Says) {
		t.Errorf("%s: it says %q, want %q in it", way, sentences(got), in.Says)
	}
	if got.maybe != in.Maybe || got.retry != in.Retry {
		t.Errorf("%s: maybe_applied %v, retry %d s; want %v, %d s", way, got.maybe, got.retry, in.Maybe, in.Retry)
	}
}

// agree compares two answers to one input in everything the corpus leaves open.
func agree(t *testing.T, in inputs.Input, a, b string, x, y said) {
	t.Helper()
	if in.OwnOffset {
		x, y = withoutOffset(x), withoutOffset(y)
	}
	if diff := cmp.Diff(x.violations, y.violations); diff != "" {
		t.Errorf("%s and %s differ (-%s +%s):\n%s", a, b, a, b, diff)
	}
	if x.message != y.message {
		t.Errorf("%s says %q, %s says %q", a, x.message, b, y.message)
	}
	if in.Code == "" && in.Want == "" && x.structured != nil {
		if diff := differs(t, x.structured, y.structured); diff != "" {
			t.Errorf("the results differ (-%s +%s):\n%s", a, b, diff)
		}
	}
	if x.content != nil && y.content != nil {
		if diff := differs(t, x.content, y.content); diff != "" {
			t.Errorf("the content blocks differ (-%s +%s):\n%s", a, b, diff)
		}
	}
}

// sentences are everything a refusal says.
func sentences(s said) string {
	all := []string{s.message}
	for _, v := range s.violations {
		all = append(all, v.Message)
	}
	return strings.Join(all, "\n")
}

// differs compares two JSON texts by value, with every digit of their numbers. It
// compares text and not trees: the library of diffs takes twice as long for every
// level of nesting.
func differs(t *testing.T, want, got []byte) string {
	t.Helper()
	return cmp.Diff(laidOut(t, want), laidOut(t, got))
}

// laidOut writes JSON with its keys sorted, a value a line.
func laidOut(t *testing.T, data []byte) string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Errorf("reading %s: %v", clip(data), err)
		return ""
	}
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Error(err)
	}
	return string(out)
}

func clip(b []byte) string {
	if len(b) > 1500 {
		return string(b[:1500]) + "..."
	}
	return string(b)
}

// offset is where a fault stands in the text that a surface received.
var offset = regexp.MustCompile(`, byte \d+\)`)

// withoutOffset takes the offset of a fault out of what was said: over HTTP the
// fields of a path and a query stand elsewhere in the text.
func withoutOffset(s said) said {
	s.message = offset.ReplaceAllString(s.message, ", byte N)")
	s.violations = slices.Clone(s.violations)
	for i := range s.violations {
		s.violations[i].Message = offset.ReplaceAllString(s.violations[i].Message, ", byte N)")
	}
	return s
}

// settled takes a request's own id, which an internal error names, out of a
// sentence.
func settled(text, requestID string) string {
	if requestID == "" {
		return text
	}
	return strings.ReplaceAll(text, requestID, "REQUEST")
}
