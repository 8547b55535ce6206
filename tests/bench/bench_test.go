package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What is compared is the same work: both sides answer every request alike.
func TestSidesAnswerAlike(t *testing.T) {
	ours, token, end, err := projected(&plan{dir: t.TempDir()}, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	theirs := byHand(token)
	for _, c := range httpCases() {
		t.Run(c.name, func(t *testing.T) {
			if err := alike(c, token, ours, theirs); err != nil {
				t.Error(err)
			}
			if err := alike(c, token, ours, behindBearer("another", theirs)); err == nil {
				t.Error("a side that refuses counts as one that answers")
			}
		})
	}
}

func TestSDKServesTheSameTools(t *testing.T) {
	if _, err := sdkServer(); err != nil {
		t.Fatal(err)
	}
}

func TestComparisonTakesTurns(t *testing.T) {
	turns := ""
	side := func(name string, wall time.Duration) side {
		return func(n int) (usage, error) {
			turns += name
			return usage{calls: n, wall: wall * time.Duration(n)}, nil
		}
	}
	c, err := compare(3, 10, side("a", 30), side("b", 60))
	if err != nil {
		t.Fatal(err)
	}
	if want := "ab" + "ab" + "ba" + "ab"; turns != want {
		t.Errorf("turns %s, want %s", turns, want)
	}
	if got, want := c.ratio(wallTime), (ratio{0.5, 0.5, 0.5}); got != want {
		t.Errorf("ratio %v, want %v", got, want)
	}
	if got := c.ratio(cpuTime); got != (ratio{}) || got.text() != "-" {
		t.Errorf("a figure nobody could read gives %v", got)
	}
	if _, err := compare(1, 1, side("a", 1), func(int) (usage, error) { return usage{}, errors.New("down") }); err == nil {
		t.Error("a side that fails is compared")
	}
}

func TestMedianAndQuartiles(t *testing.T) {
	for name, c := range map[string]struct {
		all              []float64
		middle, low, top float64
	}{
		"none": {},
		"one":  {[]float64{3}, 3, 3, 3},
		"odd":  {[]float64{9, 1, 5}, 5, 1, 9},
		"even": {[]float64{4, 1, 2, 9}, 3, 2, 4},
		"many": {[]float64{8, 7, 6, 5, 4, 3, 2, 1}, 4.5, 3, 6},
	} {
		t.Run(name, func(t *testing.T) {
			low, top := quartiles(c.all)
			if diff := cmp.Diff([]float64{c.middle, c.low, c.top}, []float64{median(c.all), low, top}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The page keeps what another program measured, and nothing else of the old one.
func TestPageKeepsWhatOthersMeasured(t *testing.T) {
	r := &report{machine: "here"}
	if got, want := r.page("# Speed\n\nold\n"), preface+"Measured on: here.\n"; got != want {
		t.Errorf("the page is %q, want %q", got, want)
	}
	if got, want := r.page("# Speed\n\nold\n"+beside+"\nkept\n"), preface+"Measured on: here.\n"+beside+"\nkept\n"; got != want {
		t.Errorf("the page is %q, want %q", got, want)
	}
}

// The fake server answers what a bridge asks, one answer a line.
func TestFakeServer(t *testing.T) {
	const tools = pageSize + 1
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"1000"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"text":"\"a\"\n"}}}`,
	}, "\n")
	var out, heard bytes.Buffer
	if err := (fakeServer{tools: tools, heard: &heard}).serve(strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if heard.Len() != 5 {
		t.Errorf("it heard %d of 5 messages", heard.Len())
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(lines) != 4 {
		t.Fatalf("%d answers to 4 requests", len(lines))
	}
	for i, line := range lines {
		if err := good(line, i+1); err != nil {
			t.Error(err)
		}
	}
	if n := bytes.Count(lines[1], []byte(`"inputSchema"`)); n != pageSize || cursorOf(lines[1]) != `"1000"` {
		t.Errorf("the first page has %d tools and the cursor %s", n, cursorOf(lines[1]))
	}
	if n := bytes.Count(lines[2], []byte(`"inputSchema"`)); n != 1 || cursorOf(lines[2]) != "" {
		t.Errorf("the last page has %d tools and the cursor %s", n, cursorOf(lines[2]))
	}
	if err := echoed(lines[3], "\"a\"\n"); err != nil {
		t.Error(err)
	}
}

// The programs whose generation is measured are of one surface but for what the second
// takes less of.
func TestWideProgramsDiffer(t *testing.T) {
	dir := t.TempDir()
	run := func(n int, args ...string) (int, string) {
		var out, errs bytes.Buffer
		status := wide(n).Command().Run(t.Context(), args, strings.NewReader(""), &out, &errs)
		return status, out.String() + errs.String()
	}
	if status, said := run(20, "generate", "--out", dir); status != 0 {
		t.Fatal(said)
	}
	file := dir + "/openapi/surface.json"
	if status, said := run(20, "surface", "diff", file); status != 0 || !strings.Contains(said, "nothing changed") {
		t.Errorf("the same program exits %d: %s", status, said)
	}
	if status, said := run(-20, "surface", "diff", file); status != 1 || strings.Count(said, "input-narrowed") != 8 {
		t.Errorf("one that takes less exits %d with %d changes: %s", status, strings.Count(said, "input-narrowed"), said)
	}
}
