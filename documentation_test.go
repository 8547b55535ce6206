package holotype_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
)

var mapLink = regexp.MustCompile(`(?m)^- \[.*?\]\((/[^)\s]+)\)`)

// The documentation of a running server needs no credential, and every link on each of
// its pages leads somewhere, down to the heading. So does what programs are told: every
// line of /llms.txt, and the address that a refusal has as its type.
func TestTheDocumentationHoldsTogether(t *testing.T) {
	server := holotype.New(holotype.Options{Data: holotype.InMemory, Log: slog.New(slog.DiscardHandler), Lookup: func(string) (string, bool) { return "", false }})
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	h, err := server.Handler()
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:4280"+path, nil)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	pages := map[string]*docPage{}
	from := map[string]string{"/docs": "the start"}
	for queue := []string{"/docs"}; len(queue) > 0; queue = queue[1:] {
		address := queue[0]
		if pages[address] != nil {
			continue
		}
		w := get(address)
		pages[address] = readDocPage(w)
		if w.Code != http.StatusOK {
			t.Errorf("%s, linked from %s: %d", address, from[address], w.Code)
			continue
		}
		for _, to := range pages[address].links {
			if strings.HasPrefix(to, "https://") {
				continue
			}
			target, _, _ := strings.Cut(to, "#")
			if target != "" && !strings.HasPrefix(target, "/docs") && target != "/" && target != "/openapi.json" {
				if answer := get(target); answer.Code != http.StatusOK {
					t.Errorf("%s links to %s: %d", address, to, answer.Code)
				}
			}
			if strings.HasPrefix(target, "/docs") && from[target] == "" {
				from[target] = address
				queue = append(queue, target)
			}
		}
	}
	if len(pages) < 200 {
		t.Errorf("only %d pages are reached", len(pages))
	}
	for address, page := range pages {
		for _, to := range page.links {
			target, fragment, ok := strings.Cut(to, "#")
			if target == "" {
				target = address
			}
			if at := pages[target]; ok && at != nil && !at.ids[fragment] {
				t.Errorf("%s links to %s, which has no such heading", address, to)
			}
		}
	}
	named := mapLink.FindAllStringSubmatch(get("/llms.txt").Body.String(), -1)
	for _, m := range named {
		if w := get(m[1]); w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/markdown") {
			t.Errorf("/llms.txt links to %s: %d %s", m[1], w.Code, w.Header().Get("Content-Type"))
		}
	}
	if len(named) < 200 || get("/llms-full.txt").Code != http.StatusOK {
		t.Errorf("/llms.txt has %d lines", len(named))
	}
	refused := get("/api/v1/projects")
	var problem struct{ Type string }
	if err := json.Unmarshal(refused.Body.Bytes(), &problem); err != nil || refused.Code != http.StatusUnauthorized || pages[problem.Type] == nil && get(problem.Type).Code != http.StatusOK {
		t.Errorf("a refusal has the type %q, %v", problem.Type, err)
	}
	for _, code := range capabilities.BaseCodes() {
		if w := get("/docs/codes/" + string(code.Code)); w.Code != http.StatusOK {
			t.Errorf("the type of %s leads nowhere: %d", code.Code, w.Code)
		}
	}
}

// docPage is what links need to know of one page.
type docPage struct {
	links []string
	ids   map[string]bool
}

func readDocPage(w *httptest.ResponseRecorder) *docPage {
	s := &docPage{ids: map[string]bool{}}
	if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		return s
	}
	for _, name := range []string{"href", "src", "action"} {
		s.links = append(s.links, attributes(w.Body.String(), name)...)
	}
	for _, id := range attributes(w.Body.String(), "id") {
		s.ids[id] = true
	}
	return s
}

// attributes answers the values of an attribute of a page. A regular expression takes
// many times as long under the race detector.
func attributes(body, name string) []string {
	var all []string
	for _, rest := range strings.Split(body, " "+name+`="`)[1:] {
		value, _, _ := strings.Cut(rest, `"`)
		all = append(all, strings.ReplaceAll(value, "&amp;", "&"))
	}
	return all
}
