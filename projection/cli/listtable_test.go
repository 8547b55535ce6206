package cli

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

type listedInput struct{}

// listedItem is an item of a list with fields of every kind.
type listedItem struct {
	Key       string         `json:"key" jsonschema_description:"Key."`
	ID        string         `json:"id" jsonschema_description:"ID."`
	Version   int64          `json:"version" jsonschema_description:"Version."`
	Title     string         `json:"title" jsonschema_description:"Title."`
	Status    listedStatus   `json:"status" jsonschema_description:"Status."`
	Assignee  string         `json:"assignee,omitempty" jsonschema_description:"Assignee."`
	Labels    []string       `json:"labels" jsonschema_description:"Labels."`
	Parts     []listedPart   `json:"parts" jsonschema_description:"Parts."`
	Links     map[string]int `json:"links" jsonschema_description:"Links."`
	UpdatedAt string         `json:"updated_at" jsonschema_description:"When."`
	UpdatedBy string         `json:"updated_by" jsonschema_description:"Who."`
}

type listedPart struct {
	Text string `json:"text" jsonschema_description:"Text."`
}

type listedStatus string

func (listedStatus) SchemaEnum() []string { return []string{"triage", "in_progress"} }

type listedOutput struct {
	capabilities.Page[listedItem]
	Mode string `json:"mode,omitempty" jsonschema_description:"Mode."`
}

func listOf(t *testing.T) *capabilities.Capability {
	t.Helper()
	pack := capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "things", Title: "Things", Summary: "Things."})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "list_things", Title: "List", Summary: "List things.", Effect: capabilities.Read(capabilities.Local), Route: "GET /things",
	}, func(context.Context, struct{}, listedInput) (out listedOutput, err error) { return out, nil })
	reg, err := capabilities.Assemble(pack.Bind(struct{}{}))
	if err != nil {
		t.Fatal(err)
	}
	c, _ := reg.Find("list_things")
	return c
}

func shownList(t *testing.T, c *capabilities.Capability, answer string, room int, cut bool) string {
	t.Helper()
	n, err := parseTree([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	p := &printer{w: &b}
	if !p.listed(n, listFields(c), room, cut) {
		t.Fatalf("%.100s is no list", answer)
	}
	return b.String()
}

const (
	sparse = `{"items":[{"key":"WEB-1","id":"wi_1","version":1,"title":"a","status":"triage","labels":[],"parts":[],"links":{},"updated_at":"2026-01-31T09:00:00.123Z","updated_by":"kim"}]}`
	full   = `{"items":[{"key":"WEB-1","id":"wi_1","version":1,"title":"Login loops on Safari: sign in,\nand the form comes back","status":"in_progress","assignee":"kim",` +
		`"labels":["bug","a\u001b[2J"],"parts":[{"text":"x"}],"links":{"a":1},"updated_at":"2026-01-31T09:00:00.123Z","updated_by":"kim"}],"next_cursor":"abc","mode":"keyword"}`
)

// The columns of a list follow from its schema and the room there is: what stands in it
// changes nothing.
func TestColumnsOfAListDoNotFollowItsValues(t *testing.T) {
	c := listOf(t)
	for room, want := range map[int][]string{
		60:  {"KEY", "TITLE", "STATUS", "ASSIGNEE", "LABELS"},
		80:  {"KEY", "TITLE", "STATUS", "ASSIGNEE", "LABELS", "UPDATED_AT"},
		200: {"KEY", "ID", "VERSION", "TITLE", "STATUS", "ASSIGNEE", "LABELS", "UPDATED_AT", "UPDATED_BY"},
	} {
		for _, answer := range []string{sparse, full} {
			head, _, _ := strings.Cut(shownList(t, c, answer, room, true), "\n")
			if diff := cmp.Diff(want, strings.Fields(head)); diff != "" {
				t.Errorf("%d columns of %.40s (-want +got):\n%s", room, answer, diff)
			}
		}
	}
}

func TestListOnATerminalKeepsToItsWidth(t *testing.T) {
	c := listOf(t)
	for _, room := range []int{40, 80, 120} {
		rows, _, _ := strings.Cut(shownList(t, c, full, room, true), "\n\n")
		for line := range strings.Lines(rows + "\n") {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > room {
				t.Errorf("%d columns: a line has %d: %s", room, n, line)
			}
		}
	}
	const want = `KEY    TITLE                  STATUS       ASSIGNEE  LABELS  UPDATED_AT
WEB-1  Login loops on Safari: sign in,\nand the form comes back  in_progress  kim       bug, a\u001b[2J  2026-01-31 09:00:00Z

mode  keyword

next page: the same, and --cursor abc
`
	got := shownList(t, c, full, 80, false)
	if squeeze(got) != squeeze(want) {
		t.Errorf("behind a pipe (-want +got):\n%s", cmp.Diff(squeeze(want), squeeze(got)))
	}
	if got := shownList(t, c, full, 80, true); !strings.Contains(got, "…") || !strings.Contains(got, "not shown: parts, links, updated_by, version, id; -o json has everything") {
		t.Errorf("on a terminal:\n%s", got)
	}
	if got := shownList(t, c, `{"items":[]}`, 80, true); got != "none\n" {
		t.Errorf("an empty list:\n%s", got)
	}
}

// What fits is not cut, and what does not loses no more than it has to.
func TestCellsAreCutToTheRoom(t *testing.T) {
	long := strings.Repeat("x", 60)
	for room, want := range map[int]string{60 + gap + 1: long, 60 + gap: long[:58] + "…", 59 + gap: long[:57] + "…"} {
		rows := [][]string{{"A", "B"}, {long, "y"}}
		cutCells(rows, room)
		if rows[1][0] != want || rows[1][1] != "y" {
			t.Errorf("%d columns: %q", room, rows[1])
		}
	}
}

// squeeze makes one space of many.
func squeeze(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "\n")
}

func TestANumberNeedsTheRoomOfANumber(t *testing.T) {
	if c := columnOf(0, schema.Property{Name: "id", Types: []string{"integer"}}); c.room != numberRoom || c.rank != 0 {
		t.Errorf("an id that counts has rank %d and the room %d", c.rank, c.room)
	}
	if c := columnOf(1, schema.Property{Name: "id", Types: []string{"string"}}); c.room != madeRoom {
		t.Errorf("an id that is made up has the room %d", c.room)
	}
}
