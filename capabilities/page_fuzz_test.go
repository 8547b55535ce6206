package capabilities_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// FuzzPaginate: whatever a caller sends as a cursor is a page of the list or a
// refusal, and following the cursors from there ends, in order, with every item behind.
func FuzzPaginate(f *testing.F) {
	for _, cursor := range []string{"", "YQ", "a", "====", "MDAy", "_w", "MDAy\n", "//"} {
		f.Add(cursor, 3)
		f.Add(cursor, -1)
	}
	var items []string
	for i := range 300 {
		items = append(items, fmt.Sprintf("%03d", (i*7)%300))
	}
	f.Fuzz(func(t *testing.T, cursor string, limit int) {
		if limit > 0 && limit < 3 {
			limit = 3 // walks of three hundred pages show nothing more
		}
		var got []string
		in := capabilities.PageInput{Cursor: cursor, Limit: limit}
		for pages := 0; ; pages++ {
			page, err := capabilities.Paginate(items, in, func(s string) string { return s })
			if err != nil {
				if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Invalid || pages > 0 {
					t.Fatalf("page %d, cursor %q: %v", pages, in.Cursor, err)
				}
				return
			}
			got = append(got, page.Items...)
			if page.NextCursor == "" {
				break
			}
			if len(page.Items) == 0 || pages > len(items) {
				t.Fatalf("cursor %q leads nowhere", in.Cursor)
			}
			in.Cursor = page.NextCursor
		}
		want := slices.Sorted(slices.Values(items))
		if !slices.Equal(got, want[len(want)-len(got):]) || cursor == "" && len(got) != len(want) {
			t.Fatalf("cursor %q, limit %d: %d items, from %v on", cursor, limit, len(got), got[:min(len(got), 3)])
		}
	})
}

// A cursor is good where a page had it, and nowhere else.
func TestCursorOfNoPage(t *testing.T) {
	ask := lists(t)
	page, err := ask("list_words", `{"limit":1}`)
	if err != nil || page.NextCursor == "" {
		t.Fatalf("the first page: %v, %v", page, err)
	}
	good := page.NextCursor
	for name, cursor := range map[string]string{
		"a name in base64":     base64.RawURLEncoding.EncodeToString([]byte("a")),
		"a long one in base64": base64.RawURLEncoding.EncodeToString([]byte("create_work_item")),
		"base64 of zeros":      base64.RawURLEncoding.EncodeToString(make([]byte, 16)),
		"cut":                  good[:len(good)-1],
		"longer":               good + "A",
		"with a line break":    good[:4] + "\n" + good[4:],
		"padded":               good + "=",
		"no base64":            "%%%%",
		"a number":             "100",
	} {
		if _, err := ask("list_words", fmt.Sprintf(`{"cursor":%q}`, cursor)); !foreign(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range good {
		other := []byte(good)
		other[i] = 'A' + (other[i]-'A'+1)%26
		if _, err := ask("list_words", fmt.Sprintf(`{"cursor":%q}`, other)); string(other) != good && !foreign(err) {
			t.Errorf("%s, which differs at %d: %v", other, i, err)
		}
	}
}

// A cursor is one of a list as it was asked for: with other arguments it is refused,
// and it does not matter how the same ones are written.
func TestCursorsBelongToWhatWasAskedFor(t *testing.T) {
	ask := lists(t)
	page, err := ask("list_words", `{"limit":1,"than":["x","y"]}`)
	if err != nil || page.NextCursor == "" {
		t.Fatalf("the first page: %v, %v", page, err)
	}
	cursor := page.NextCursor
	for name, c := range map[string]struct {
		list, in string
		want     []string // nil for a refusal
	}{
		"the same":                  {"list_words", `{"than":["x","y"],"limit":1,"cursor":%q}`, []string{"b"}},
		"another limit":             {"list_words", `{"than":["x","y"],"limit":9,"cursor":%q}`, []string{"b", "c"}},
		"in another order":          {"list_words", `{"cursor":%q, "than" : ["\u0078","y"]}`, []string{"b", "c"}},
		"with a default spelt out":  {"list_words", `{"cursor":%q,"than":["x","y"],"order":"up"}`, []string{"b", "c"}},
		"by an old name":            {"words", `{"than":["x","y"],"cursor":%q}`, []string{"b", "c"}},
		"without a filter":          {"list_words", `{"cursor":%q}`, nil},
		"another filter":            {"list_words", `{"than":["x"],"cursor":%q}`, nil},
		"another order":             {"list_words", `{"than":["x","y"],"order":"down","cursor":%q}`, nil},
		"another list":              {"list_texts", `{"than":["x","y"],"cursor":%q}`, nil},
		"another list, not its own": {"list_texts", `{"cursor":%q}`, nil},
	} {
		page, err := ask(c.list, fmt.Sprintf(c.in, cursor))
		if c.want == nil && !foreign(err) || c.want != nil && (err != nil || !slices.Equal(page.Items, c.want)) {
			t.Errorf("%s: %v, %v; want %v", name, page.Items, err, c.want)
		}
	}
}

func foreign(err error) bool {
	e, ok := capabilities.AsError(err)
	return ok && e.Code == capabilities.Invalid && len(e.Violations) == 1 && e.Violations[0].Pointer == "/cursor"
}

type listInput struct {
	capabilities.PageInput
	Than  []string `json:"than,omitempty" jsonschema_description:"Which."`
	Order string   `json:"order,omitempty" jsonschema:"default=up" jsonschema_description:"Order."`
}

// lists answers a door with two lists of the words a, b and c, each of which changes the
// arguments it gets before it makes its page.
func lists(t *testing.T) func(name, in string) (capabilities.Page[string], error) {
	t.Helper()
	pack := capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "words", Title: "Words", Summary: "Words."})
	for _, name := range []string{"list_words", "list_texts"} {
		spec := capabilities.Spec{Name: name, Title: "List", Summary: "List words.", Effect: capabilities.Read(capabilities.Local), Route: "POST /" + strings.ReplaceAll(name, "_", "-")}
		if name == "list_words" {
			spec.Aliases = []capabilities.Alias{{Name: "words", Since: "0.1", Until: "1.0"}}
		}
		capabilities.Declare(pack, spec, func(_ context.Context, _ struct{}, in listInput) (capabilities.Page[string], error) {
			slices.Reverse(in.Than)
			in.Order = ""
			return capabilities.Paginate([]string{"c", "a", "b"}, in.PageInput, func(s string) string { return s })
		})
	}
	reg, err := capabilities.Assemble(pack.Bind(struct{}{}))
	if err != nil {
		t.Fatal(err)
	}
	door := capabilities.NewDoor(capabilities.DoorOptions{
		Viewer: capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{}), Codes: reg.Codes(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	return func(name, in string) (page capabilities.Page[string], err error) {
		res, err := door.Invoke(t.Context(), capabilities.Call{Name: name, Arguments: []byte(in), Principal: capabilities.OwnerPrincipal()})
		if err != nil {
			return page, err
		}
		return page, json.Unmarshal(res.Structured, &page)
	}
}
