package generators_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/tests/drive"
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

// tool is what get_tool says about one.
type tool struct {
	Name     string `json:"name"`
	Route    string `json:"route"`
	AliasOf  string `json:"alias_of"`
	Examples []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"examples"`
}

// tools are the tools that have a route, by name.
func tools(t *testing.T, r *drive.Running) map[string]tool {
	t.Helper()
	var list struct{ Items []tool }
	if err := json.Unmarshal(r.Get(t, "/api/v1/tools?limit=1000"), &list); err != nil {
		t.Fatal(err)
	}
	all := map[string]tool{}
	for _, row := range list.Items {
		var one tool
		if err := json.Unmarshal(r.Get(t, "/api/v1/tools/"+row.Name), &one); err != nil {
			t.Fatal(err)
		}
		if one.AliasOf == "" {
			all[one.Name] = one
		}
	}
	return all
}

// request writes arguments as a request to a tool's route. Arguments that are no
// object are a body as they stand.
func request(t *testing.T, r *drive.Running, to tool, arguments string) exchange {
	t.Helper()
	method, path, _ := strings.Cut(to.Route, " ")
	e := exchange{Method: method, Header: http.Header{"Authorization": {"Bearer " + r.Token}}, Body: []byte(arguments)}
	var fields map[string]json.RawMessage
	if (strings.Contains(path, "{") || method == http.MethodGet) && json.Unmarshal(e.Body, &fields) != nil {
		t.Fatalf("%s has fields in its path or query: %s", to.Name, arguments)
	}
	for key, value := range fields {
		if place := "{" + key + "}"; strings.Contains(path, place) {
			path = strings.ReplaceAll(path, place, url.PathEscape(plain(t, value)))
			delete(fields, key)
		}
	}
	switch {
	case method == http.MethodGet:
		query := url.Values{}
		for key, value := range fields {
			items := []json.RawMessage{value}
			if value[0] == '[' && json.Unmarshal(value, &items) != nil {
				t.Fatalf("no list: %s", value)
			}
			for _, one := range items {
				query.Add(key, plain(t, one))
			}
		}
		e.Body = nil
		if len(query) > 0 {
			path += "?" + query.Encode()
		}
	case fields != nil && len(fields) == 0:
		e.Body = nil
	case fields != nil:
		body, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		e.Body = body
	}
	if len(e.Body) > 0 {
		e.Header.Set("Content-Type", "application/json")
	}
	e.URL = r.URL + "/api/v1" + path
	return e
}

// plain is a JSON value as text in a path or a query.
func plain(t *testing.T, value json.RawMessage) string {
	t.Helper()
	if value[0] != '"' {
		return string(value)
	}
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		t.Fatal(err)
	}
	return s
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
