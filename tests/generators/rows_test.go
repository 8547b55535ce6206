package generators_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/tests/drive"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// row is one request.
type row struct {
	inputs.Input
	with func(*exchange) // changes the request
	exception
}

// exception is why the server and the validator may differ on a request; each is ""
// where they agree.
type exception struct {
	beyond   string // why the server refuses what the document cannot
	stricter string // why the validator refuses what the server takes
	unlisted string // why the document does not have the answer
	either   bool   // they may agree all the same
}

const (
	text64     = "a document has no 64 bits: its whole numbers are of any size"
	textFloat  = "a document has no floats: its numbers are of any size"
	jsonText   = "a document is about values, and not about the text that holds them"
	handler    = "only the handler knows which cursors there are"
	asWritten  = "a document has numbers, and no way to write them"
	exploded   = "the validator reads a repeated parameter one item at a time"
	noUnknowns = "a document lists the parameters it has, and does not close the list"
	ofTheCall  = "the limit is of the whole call"
	asAsked    = "the handler claims a code that is about its arguments"
	itsFloats  = "the validator computes with floats, in which the greatest of 64 bits is one more"
	itsNumbers = "the validator reads numbers into floats"
	notIts     = "the code is for bridged tools alone, and a test makes the handler claim it"
)

// exceptions are the inputs of the corpus on which a document and the server differ.
func exceptions() map[string]exception {
	all := map[string]exception{
		"the greatest of 64 bits":                     {stricter: itsFloats, unlisted: itsFloats},
		"a number of a thousand digits":               {stricter: itsNumbers, unlisted: itsNumbers},
		"the code upstream_error":                     {unlisted: notIts},
		"a query with too many items":                 {beyond: exploded},
		"a query with a field twice":                  {beyond: exploded},
		"a query with a field misspelt":               {beyond: noUnknowns},
		"content blocks with a fault":                 {beyond: noUnknowns},
		"a fraction of zero in a path":                {beyond: asWritten},
		"a query with a number that a float has as 0": {beyond: textFloat},
	}
	for why, names := range map[string][]string{
		jsonText: {
			"a field twice", "a field twice with the same value", "a field twice in two spellings", "a field twice within a map", "a field twice within any JSON",
			"bytes that are no UTF-8", "an overlong encoding", "an encoded half of a pair", "an escaped high half of a pair", "an escaped low half of a pair",
			"65 levels", "a thousand levels", "a path that is no UTF-8", "a query that is no UTF-8",
		},
		handler:   {"a cursor of the same list with one label less", "a cursor that is none", "a cursor that is another text", "a cursor of the tools that is another text", "a cursor of the tools from another list"},
		asWritten: {"a whole number with a fraction of zero", "a whole number with an exponent"},
		ofTheCall: {"a byte too large", "much too large"},
		asAsked:   {"the code invalid", "the code op_id_invalid", "the code too_large", "the code unauthenticated"},
	} {
		for _, name := range names {
			all[name] = exception{beyond: why}
		}
	}
	return all
}

// ofExample answers why a document may not know that an example is refused: it says
// itself that its arguments are, and the handler may be the one who knows.
func ofExample(e inputs.Example) exception {
	if e.Refuses == "invalid" || e.Refuses == "unknown_label" {
		return exception{beyond: "the example says that its arguments are refused, by the schema or by the handler", either: true}
	}
	return exception{}
}

// commands are a door that is reached by command lines.
type commands struct {
	t *testing.T
	r *drive.Running
}

func (c commands) Invoke(_ context.Context, call capabilities.Call) (*capabilities.Result, error) {
	out, errw, exit := c.r.CLI(c.t, string(call.Arguments), "call", call.Name, "-o", "json", "--yes", "--json", "-")
	if exit != 0 {
		return nil, fmt.Errorf("exit status %d: %s", exit, errw)
	}
	return &capabilities.Result{Structured: out}, nil
}

// exchanges sends every example of every capability, every input of the corpus that
// HTTP can carry, and the table below.
func exchanges(t *testing.T, r *drive.Running) ([]row, []exchange) {
	t.Helper()
	known := tools(t, r)
	if err := tracker.Seed(t.Context(), commands{t, r}, capabilities.OwnerPrincipal()); err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, name := range slices.Sorted(maps.Keys(known)) {
		for _, e := range known[name].Examples {
			// Writes of the store are tried, so that each example meets the same.
			in := inputs.Input{Name: name + ", " + e.Name, Call: name, In: string(e.Arguments), DryRun: known[name].Receipts()}
			rows = append(rows, row{Input: in, exception: ofExample(e)})
		}
		if len(known[name].Examples) == 0 {
			rows = append(rows, row{Input: inputs.Input{Name: name + ", nothing", Call: name, In: `{}`}})
		}
	}
	if len(rows) < 30 {
		t.Fatalf("only %d examples", len(rows))
	}
	rest := exceptions()
	for _, in := range inputs.Corpus() {
		if in.Cannot[inputs.OverHTTP] != "" {
			continue
		}
		rows = append(rows, row{Input: in, exception: rest[in.Name]})
		delete(rest, in.Name)
	}
	for name := range rest {
		t.Errorf("no input of the corpus is named %q", name)
	}
	if len(rows) < 150 {
		t.Fatalf("only %d inputs", len(rows))
	}
	rows = append(rows, requests()...)
	all := make([]exchange, len(rows))
	for i, in := range rows {
		sent, why := in.HTTP(known[in.Call])
		if why != "" {
			t.Fatalf("%s: %s", in.Name, why)
		}
		all[i] = exchange{Method: sent.Method, URL: r.URL + "/api/v1" + sent.Path, Header: http.Header{"Authorization": {"Bearer " + r.Token}}, Body: []byte(sent.Body)}
		for key, value := range sent.Header {
			all[i].Header.Set(key, value)
		}
		if in.with != nil {
			in.with(&all[i])
		}
		all[i].send(t)
	}
	return rows, all
}

// requests are those that the corpus has not, most of them wrong around their
// arguments.
func requests() []row {
	const least = `{"project":"W","title":"t","kind":"bug"}`
	header := func(key, value string) func(*exchange) {
		return func(e *exchange) {
			e.Header.Del(key)
			if value != "" {
				e.Header.Set(key, value)
			}
		}
	}
	return []row{
		{Input: inputs.Input{Name: "a full box", Call: "drop_box", In: `{"number":409}`}},
		{Input: inputs.Input{Name: "no credential", Call: "file_ticket", In: least}, with: header("Authorization", "")},
		{Input: inputs.Input{Name: "a bad credential", Call: "file_ticket", In: least}, with: header("Authorization", "Bearer none"), exception: exception{beyond: "a document does not know the tokens"}},
		{Input: inputs.Input{Name: "a key", Call: "file_ticket", In: least}, with: header("Idempotency-Key", "0196f3a2-9f4b-7c1e-8a57-3d2f4b6c8e90")},
		{Input: inputs.Input{Name: "no body", Call: "file_ticket", In: least}, with: func(e *exchange) {
			e.Body = nil
			e.Header.Del("Content-Type")
		}},
		{Input: inputs.Input{Name: "another type of body", Call: "file_ticket", In: least}, with: header("Content-Type", "text/plain")},
		{Input: inputs.Input{Name: "a field of a query twice", Call: "find_tickets", In: `{"project":"P"}`}, with: func(e *exchange) { e.URL += "?score=1&score=2" }, exception: exception{beyond: exploded}},
		{Input: inputs.Input{Name: "too large", Call: "echo_values", In: `{"text":"` + strings.Repeat("a", http.DefaultMaxHeaderBytes<<2) + `"}`}, exception: exception{beyond: ofTheCall}},
	}
}
