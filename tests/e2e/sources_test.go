package e2e_test

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// words are the four hints of one tool as yes, no or unknown, in the order of
// [spoken].
type words [4]string

// told is what one place says about every tool, by name.
type told map[string]words

// place is somewhere that a server speaks of its tools.
type place struct {
	name string
	told told
	// noOldNames is set where a tool stands once, under its present name.
	noOldNames bool
}

// places asks everywhere.
func places(t *testing.T, r *drive.Running) []place {
	t.Helper()
	var all []place
	for _, s := range r.Speakers(t) {
		all = append(all, place{name: s.Name + ", tools/list", told: ofList(t, s.List(t))})
	}
	rows := r.Get(t, "/api/v1/tools?limit=1000")
	projection := r.Get(t, "/api/v1/projection")
	openapi := r.Get(t, "/openapi.json")
	all = append(all,
		place{name: "GET /api/v1/tools", told: ofRows(t, rows, "items")},
		place{name: "describe_projection over http", told: ofRows(t, projection, "tools")},
		place{name: "/openapi.json", told: ofOpenAPI(t, openapi), noOldNames: true},
		place{name: "the catalogue page", told: ofPage(t, r)},
		place{name: "holotype tools", told: ofRows(t, command(t, r, "tools", "-o", "json"), "items")},
		place{name: "holotype inspect", told: ofRows(t, command(t, r, "inspect", "-o", "json"), "tools")},
	)
	single := told{}
	for name := range ofRows(t, rows, "items") {
		row := r.Get(t, "/api/v1/tools/"+url.PathEscape(name))
		maps.Copy(single, ofRows(t, fmt.Appendf(nil, `{"items":[%s]}`, row), "items"))
	}
	return append(all, place{name: "GET /api/v1/tools/{name}", told: single})
}

func command(t *testing.T, r *drive.Running, line ...string) []byte {
	t.Helper()
	out, errw, exit := r.CLI(t, "", line...)
	if exit != 0 {
		t.Fatalf("holotype %s exits %d: %s", strings.Join(line, " "), exit, errw)
	}
	return out
}

// ofList reads the bytes of a tools/list. A key that is absent is a hint that
// nobody stated; anything but true and false there is a fault.
func ofList(t *testing.T, tools []json.RawMessage) told {
	t.Helper()
	all := told{}
	for _, one := range tools {
		tool := parse[struct {
			Name        string                     `json:"name"`
			Annotations map[string]json.RawMessage `json:"annotations"`
		}](t, one)
		if _, twice := all[tool.Name]; twice {
			t.Errorf("%s is listed twice", tool.Name)
		}
		if tool.Annotations != nil && len(tool.Annotations) == 0 {
			t.Errorf("%s has annotations that say nothing", tool.Name)
		}
		all[tool.Name] = ofHints(t, tool.Name, tool.Annotations)
	}
	return all
}

// ofHints reads an object of hints under the protocol's names.
func ofHints(t *testing.T, tool string, hints map[string]json.RawMessage) words {
	t.Helper()
	var w words
	for i, key := range spoken() {
		raw, stated := hints[key]
		switch {
		case !stated:
			w[i] = "unknown"
		case string(raw) == "true":
			w[i] = "yes"
		case string(raw) == "false":
			w[i] = "no"
		default:
			t.Errorf("%s: %s is %s", tool, key, raw)
		}
	}
	return w
}

// ofRows reads rows of the catalogue out of one member of an answer.
func ofRows(t *testing.T, data []byte, member string) told {
	t.Helper()
	type hint struct {
		Value string `json:"value"`
	}
	rows := parse[[]struct {
		Name  string `json:"name"`
		Hints struct {
			ReadOnly    hint `json:"read_only"`
			Destructive hint `json:"destructive"`
			Idempotent  hint `json:"idempotent"`
			OpenWorld   hint `json:"open_world"`
		} `json:"hints"`
	}](t, parse[map[string]json.RawMessage](t, data)[member])
	all := told{}
	for _, row := range rows {
		if _, twice := all[row.Name]; twice {
			t.Errorf("%s has two rows", row.Name)
		}
		h := row.Hints
		all[row.Name] = words{h.ReadOnly.Value, h.Destructive.Value, h.Idempotent.Value, h.OpenWorld.Value}
	}
	return all
}

// ofOpenAPI reads every operation of a document.
func ofOpenAPI(t *testing.T, data []byte) told {
	t.Helper()
	doc := parse[struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}](t, data)
	all := told{}
	for path, methods := range doc.Paths {
		for method, raw := range methods {
			if method == "parameters" || method == "summary" || method == "description" {
				continue
			}
			op := parse[struct {
				ID    string                     `json:"operationId"`
				Hints map[string]json.RawMessage `json:"x-holotype-hints"`
			}](t, raw)
			if _, twice := all[op.ID]; twice || op.ID == "" {
				t.Errorf("%s %s has the operationId %q", method, path, op.ID)
			}
			all[op.ID] = ofHints(t, op.ID, op.Hints)
		}
	}
	return all
}

var (
	// A row of a tool, and none of what a list costs.
	tableRow = regexp.MustCompile(`(?s)<tr>\s*<th scope="row">\s*((?:<a class="name"[^>]*>)?<code>.*?)</tr>`)
	rowName  = regexp.MustCompile(`<code>([^<]*)</code>`)
	rowHint  = regexp.MustCompile(`<span class="hint (yes|no|unknown)">`)
)

// ofPage reads every page of the catalogue, as a browser shows it.
func ofPage(t *testing.T, r *drive.Running) told {
	t.Helper()
	all := told{}
	for n := 0; ; n++ {
		page := r.Get(t, fmt.Sprintf("/?page=%d", n))
		rows := tableRow.FindAllSubmatch(page, -1)
		for _, row := range rows {
			name := html.UnescapeString(string(rowName.FindSubmatch(row[1])[1]))
			hints := rowHint.FindAllSubmatch(row[1], -1)
			if _, twice := all[name]; twice || len(hints) != 4 {
				t.Fatalf("the row of %s stands twice, or has %d hints", name, len(hints))
			}
			var w words
			for i := range w {
				w[i] = string(hints[i][1])
			}
			all[name] = w
		}
		if !strings.Contains(string(page), `rel="next"`) {
			return all
		}
	}
}
