package parity_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// shown is one example as the documentation of a running server shows it.
type shown struct {
	tool inputs.Tool
	inputs.Example
	blocks map[string]string // by what stands above them: "curl", "Go"
}

// readShown takes the examples off the pages of the documentation.
func readShown(t *testing.T, r *running) []shown {
	t.Helper()
	var all []shown
	for _, name := range slices.Sorted(maps.Keys(r.tools)) {
		tool := r.tools[name]
		if tool.AliasOf != "" || len(tool.Examples) == 0 {
			continue
		}
		page := r.Get(t, "/docs/reference/capabilities/"+name+".md")
		blocks := blocksOf(page)
		if len(blocks) != len(tool.Examples) {
			t.Fatalf("the page of %s shows %d examples, and there are %d", name, len(blocks), len(tool.Examples))
		}
		for i, e := range tool.Examples {
			all = append(all, shown{tool, e, blocks[i]})
		}
	}
	return all
}

// blocksOf answers the code blocks below each heading of a page's examples.
func blocksOf(page []byte) []map[string]string {
	var all []map[string]string
	label := ""
	for n := goldmark.New().Parser().Parse(text.NewReader(page)).FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 3 {
				all = append(all, map[string]string{})
			}
		case *ast.Paragraph:
			label = string(n.Lines().Value(page))
		case *ast.FencedCodeBlock:
			if name, ok := strings.CutSuffix(strings.TrimSpace(label), ":"); ok && len(all) > 0 {
				all[len(all)-1][name] = string(n.Lines().Value(page))
				label = ""
			}
		}
	}
	return all
}

// relay hands each request on to the server, below the number of its example, with the
// writes of the store as dry runs, so that every example meets the same. It keeps what
// was sent and how it was answered.
type relay struct {
	examples []shown
	next     http.Handler

	mu   sync.Mutex
	seen map[int][]seen
}

type seen struct {
	method, path string
	query        url.Values
	match        []string // the conditions
	body         any
	code         string // of the refusal; "" where it was answered
	raw          string
}

// ServeHTTP takes /N/api/v1/... for the example N.
func (s *relay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	n, err := strconv.Atoi(number)
	body, bodyErr := io.ReadAll(r.Body)
	if err != nil || bodyErr != nil || n >= len(s.examples) {
		http.Error(w, "no example", http.StatusTeapot)
		return
	}
	one := seen{method: r.Method, path: "/" + rest, query: r.URL.Query(), body: valueOf(body), match: append(r.Header.Values("If-Match"), r.Header.Values("If-None-Match")...)}
	r = r.Clone(r.Context())
	r.URL.RawPath = "/" + rest
	r.URL.Path, _ = url.PathUnescape(r.URL.RawPath)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if s.examples[n].tool.Receipts() && r.Method != http.MethodGet {
		q := r.URL.Query()
		q.Set("dry_run", "true")
		r.URL.RawQuery = q.Encode()
	}
	answer := httptest.NewRecorder()
	s.next.ServeHTTP(answer, r)
	one.raw = answer.Body.String()
	if answer.Code >= http.StatusBadRequest {
		var problem struct{ Code string }
		_ = json.Unmarshal(answer.Body.Bytes(), &problem)
		one.code = "none, with status " + strconv.Itoa(answer.Code)
		if problem.Code != "" {
			one.code = problem.Code
		}
	}
	s.mu.Lock()
	s.seen[n] = append(s.seen[n], one)
	s.mu.Unlock()
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

func valueOf(body []byte) any {
	if len(body) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(body)
	}
	return v
}

// Every example of the documentation runs as it is shown there, with curl, in
// TypeScript and in Go: all three send the same request, and it is answered as the page
// says. What is shown for the command line and for MCP are the arguments that every
// way is tried with beside this.
func TestExamplesOfTheDocumentationRun(t *testing.T) {
	for _, program := range []string{"curl", "node", "go", "sh"} {
		if _, err := exec.LookPath(program); err != nil && os.Getenv("CI") != "true" {
			t.Skipf("there is no %s", program)
		}
	}
	r := start(t)
	if err := tracker.Seed(t.Context(), commands{t, r}, capabilities.OwnerPrincipal()); err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(r.URL)
	if err != nil {
		t.Fatal(err)
	}
	examples := readShown(t, r)
	if len(examples) < 50 {
		t.Fatalf("only %d examples are shown", len(examples))
	}
	for _, e := range examples {
		sameArguments(t, e)
	}
	var first map[int][]seen
	for _, language := range []struct {
		name string
		run  func(t *testing.T, token string, texts []string)
	}{{"curl", runShell}, {"TypeScript", runNode}, {"Go", runGo}} {
		forward := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) }}
		between := &relay{examples: examples, next: forward, seen: map[int][]seen{}}
		web := httptest.NewServer(between)
		var texts []string
		for i, e := range examples {
			texts = append(texts, strings.ReplaceAll(e.blocks[language.name], "http://127.0.0.1:4280", fmt.Sprintf("%s/%d", web.URL, i)))
		}
		language.run(t, r.Token, texts)
		web.Close()
		for i, e := range examples {
			name := fmt.Sprintf("%s/%s in %s", e.tool.Name, e.Name, language.name)
			if len(between.seen[i]) != 1 {
				t.Errorf("%s sends %d requests: %s", name, len(between.seen[i]), e.blocks[language.name])
				continue
			}
			got := between.seen[i][0]
			if got.code != e.Refuses {
				t.Errorf("%s: the code is %q, want %q: %.300s", name, got.code, e.Refuses, got.raw)
			}
			if first != nil && len(first[i]) == 1 && !sameRequest(first[i][0], got) {
				t.Errorf("%s sends %+v, and curl %+v", name, got, first[i][0])
			}
		}
		if first == nil {
			first = between.seen
		}
	}
}

func sameRequest(a, b seen) bool {
	return a.method == b.method && a.path == b.path && reflect.DeepEqual(a.query, b.query) && reflect.DeepEqual(a.body, b.body) && slices.Equal(a.match, b.match)
}

// sameArguments fails unless the command line and the message of MCP that are shown
// carry the arguments of the example.
func sameArguments(t *testing.T, e shown) {
	t.Helper()
	var message struct {
		Method string
		Params struct {
			Name      string
			Arguments json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(e.blocks["MCP"]), &message); err != nil || message.Method != "tools/call" || message.Params.Name != e.tool.Name ||
		!reflect.DeepEqual(valueOf(message.Params.Arguments), valueOf(e.Arguments)) {
		t.Errorf("%s/%s: the page shows MCP %s, %v", e.tool.Name, e.Name, e.blocks["MCP"], err)
	}
	line, arguments, _ := strings.Cut(strings.TrimSpace(e.blocks["Command line"]), " --json ")
	if line != "holotype call "+e.tool.Name {
		t.Errorf("%s/%s: the page shows the command %s", e.tool.Name, e.Name, line)
	}
	quoted := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(arguments, "'"), "'"), `'\''`, "'")
	if !reflect.DeepEqual(valueOf([]byte(quoted)), valueOf(e.Arguments)) {
		t.Errorf("%s/%s: the page shows the arguments %s", e.tool.Name, e.Name, arguments)
	}
}

func runShell(t *testing.T, token string, texts []string) {
	t.Helper()
	command(t, token, "sh", "-euc", strings.Join(texts, "\n"))
}

func runNode(t *testing.T, token string, texts []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "examples.mjs")
	write(t, file, "{\n"+strings.Join(texts, "}\n{\n")+"}\n")
	command(t, token, "node", file)
}

func runGo(t *testing.T, token string, texts []string) {
	t.Helper()
	var b, calls strings.Builder
	b.WriteString("package main\n\nimport (\n\"io\"\n\"log\"\n\"net/http\"\n\"os\"\n\"strings\"\n)\n\nvar _ = strings.NewReader\n\n")
	for i, text := range texts {
		fmt.Fprintf(&b, "func example%d() error {\n%s}\n\n", i, text)
		fmt.Fprintf(&calls, "example%d,\n", i)
	}
	fmt.Fprintf(&b, "func main() {\nfor _, f := range []func() error{\n%s} {\nif err := f(); err != nil {\nlog.Fatal(err)\n}\n}\n}\n", calls.String())
	file := filepath.Join(t.TempDir(), "main.go")
	write(t, file, b.String())
	command(t, token, "go", "run", file)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func command(t *testing.T, token, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), "TOKEN="+token, "GOFLAGS=", "GOWORK=off")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%.4000s", name, err, out.String())
	}
}
