package generators_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/seed-89b9419b/holotype/tests/drive"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// exchange is a request and its answer, as the validator of the Go module reads them.
type exchange struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
	Answer answer      `json:"answer"`
}

type answer struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

// verdict is what the document does not allow of an exchange.
type verdict struct {
	Request  []string `json:"request"`
	Response []string `json:"response"`
}

// tools are the tools that have a route, by name.
func tools(t *testing.T, r *drive.Running) map[string]inputs.Tool {
	t.Helper()
	var list struct{ Items []inputs.Tool }
	if err := json.Unmarshal(r.Get(t, "/api/v1/tools?limit=1000"), &list); err != nil {
		t.Fatal(err)
	}
	all := map[string]inputs.Tool{}
	for _, row := range list.Items {
		var one inputs.Tool
		if err := json.Unmarshal(r.Get(t, "/api/v1/tools/"+row.Name), &one); err != nil {
			t.Fatal(err)
		}
		if one.AliasOf == "" {
			all[one.Name] = one
		}
	}
	return all
}

// send sends a request and notes the answer.
func (e *exchange) send(t *testing.T) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), e.Method, e.URL, bytes.NewReader(e.Body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = e.Header.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // it is read to its end below
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	e.Answer = answer{resp.StatusCode, resp.Header, body}
}

// code is the code of a refusal, "" of a result.
func (e *exchange) code(t *testing.T) string {
	t.Helper()
	if e.Answer.Status < http.StatusBadRequest {
		return ""
	}
	var p struct{ Code string }
	if err := json.Unmarshal(e.Answer.Body, &p); err != nil || p.Code == "" {
		t.Fatalf("%s %s: no refusal: %d %s", e.Method, e.URL, e.Answer.Status, e.Answer.Body)
	}
	return p.Code
}

// malformed says that the server refused the request for what it is: a document has
// something to say on that. What the handlers refuse is beyond it.
func (e *exchange) malformed(t *testing.T) bool {
	t.Helper()
	return slices.Contains([]string{"invalid", "op_id_invalid", "too_large", "unauthenticated"}, e.code(t))
}
