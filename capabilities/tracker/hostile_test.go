package tracker_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// atOnce makes all calls at the same time and answers how each ended.
func (w *world) atOnce(calls ...[2]string) []error {
	ended := make([]error, len(calls))
	start := make(chan struct{})
	var group sync.WaitGroup
	for i, c := range calls {
		group.Go(func() {
			<-start
			_, ended[i] = w.call(c[0], c[1])
		})
	}
	close(start)
	group.Wait()
	return ended
}

// codes answers how calls ended, sorted: "" for one that was answered.
func codes(ended []error) []capabilities.Code {
	var all []capabilities.Code
	for _, err := range ended {
		var e *capabilities.Error
		switch {
		case err == nil:
			all = append(all, "")
		case errors.As(err, &e):
			all = append(all, e.Code)
		default:
			all = append(all, capabilities.Code(err.Error()))
		}
	}
	slices.Sort(all)
	return all
}

// Each of a ring goes under the next one at the same time: the last to come is refused.
func TestParentsNeverGoRound(t *testing.T) {
	w := seeded(t)
	const ring = 5
	for range ring {
		w.do("create_work_item", `{"project":"WEB","title":"a"}`)
	}
	var calls [][2]string
	for i := range ring {
		calls = append(calls, [2]string{"update_work_item", fmt.Sprintf(`{"item":"WEB-%d","parent":"WEB-%d"}`, i+1, (i+1)%ring+1)})
	}
	for round := range 4 {
		if got := codes(w.atOnce(calls...)); !slices.Equal(got, []capabilities.Code{"", "", "", "", capabilities.Invalid}) {
			t.Fatalf("round %d: %q", round, got)
		}
		tops := 0
		for i := range ring {
			key, steps := fmt.Sprintf("WEB-%d", i+1), 0
			for ; steps <= ring; steps++ {
				parent, ok := w.do("get_work_item", `{"item":"`+key+`"}`)["parent"].(string)
				if !ok {
					break
				}
				key = parent
			}
			if steps == 0 {
				tops++
			}
			if steps > ring {
				t.Fatalf("round %d: the parents of WEB-%d go round", round, i+1)
			}
		}
		if tops != 1 {
			t.Errorf("round %d: %d items stand at the top", round, tops)
		}
		for i := range ring {
			w.do("update_work_item", fmt.Sprintf(`{"item":"WEB-%d","parent":null}`, i+1))
		}
	}
}

// Of calls that exclude each other, one is answered.
func TestOneOfTwoWins(t *testing.T) {
	w := seeded(t)
	for round := range 8 {
		a := w.do("create_work_item", `{"project":"WEB","title":"a","ask":"ana"}`)["key"].(string)
		b := w.do("create_work_item", `{"project":"WEB","title":"b"}`)["key"].(string)
		c := w.do("create_work_item", `{"project":"WEB","title":"c"}`)["key"].(string)
		w.do("remove_work_item", `{"item":"`+c+`"}`)
		answer := [2]string{"comment_on_work_item", `{"item":"` + a + `","body":"Yes.","answers":1}`}
		if got := codes(w.atOnce(answer, answer, answer)); !slices.Equal(got, []capabilities.Code{"", "already_answered", "already_answered"}) {
			t.Errorf("round %d, three answers: %q", round, got)
		}
		got := codes(w.atOnce([2]string{"merge_work_item", `{"item":"` + a + `","into":"` + b + `"}`}, [2]string{"merge_work_item", `{"item":"` + b + `","into":"` + a + `"}`}))
		if !slices.Equal(got, []capabilities.Code{"", capabilities.Invalid}) {
			t.Errorf("round %d, merged both ways: %q", round, got)
		}
		got = codes(w.atOnce([2]string{"restore_work_item", `{"item":"` + c + `"}`}, [2]string{"purge_work_item", `{"item":"` + c + `"}`}))
		_, err := w.call("get_work_item", `{"item":"`+c+`"}`)
		restored := slices.Equal(got, []capabilities.Code{"", capabilities.Conflict}) && err == nil
		purged := slices.Equal(got, []capabilities.Code{"", capabilities.NotFound}) && err != nil
		if !restored && !purged {
			t.Errorf("round %d, restored and purged: %q, then %v", round, got, err)
		}
		got = codes(w.atOnce([2]string{"create_label", fmt.Sprintf(`{"project":"WEB","name":"l%d"}`, round)}, [2]string{"create_label", fmt.Sprintf(`{"project":"WEB","name":"L%d"}`, round)}))
		if !slices.Equal(got, []capabilities.Code{"", capabilities.Exists}) {
			t.Errorf("round %d, two labels: %q", round, got)
		}
		file := [2]string{"write_project_file", fmt.Sprintf(`{"project":"WEB","path":"f%d","text":"%d","if_version":0}`, round, round)}
		if got := codes(w.atOnce(file, file)); !slices.Equal(got, []capabilities.Code{"", capabilities.StaleVersion}) {
			t.Errorf("round %d, two files: %q", round, got)
		}
		update := [2]string{"update_work_item", `{"item":"` + b + `","status":"in_review","if_match":1}`}
		for _, code := range codes(w.atOnce(update, update)) {
			if code != "" && code != capabilities.StaleVersion {
				t.Errorf("round %d, two updates: %q", round, code)
			}
		}
	}
}

// What is refused says what to send instead.
func TestRefusalsSayWhatToSend(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"a"}`)
	w.do("write_project_file", `{"project":"WEB","path":"a","text":"x"}`)
	for _, c := range []struct {
		capability, in string
		code           capabilities.Code
		says           string
	}{
		{"update_work_item", `{"item":"WEB-1","parent":"WEB-1"}`, capabilities.Invalid, "name an item outside of it"},
		{"update_work_item", `{"item":"WEB-1","parent":"WEB-9"}`, capabilities.Invalid, "list_work_items has the keys"},
		{"update_work_item", `{"item":"WEB-1","status":"open"}`, capabilities.Invalid, "in_progress"},
		{"update_work_item", `{"item":"WEB-1","status":"done","if_match":7}`, capabilities.StaleVersion, "has version 1, not 7: read it again with get_work_item"},
		{"update_work_item", `{"item":"WEB-1","status":"done","if_match":9007199254740993}`, capabilities.StaleVersion, "not 9007199254740993"},
		{"update_work_item", `{"item":"WEB-1","status":"done","if_match":1.5}`, capabilities.Invalid, "integer"},
		{"update_work_item", `{"item":"WEB-1","status":"done","if_match":0}`, capabilities.Invalid, "1"},
		{"update_work_item", `{"item":"WEB-1","status":"done","if_match":99999999999999999999}`, capabilities.Invalid, ""},
		{"update_work_item", `{"item":"WEB-1","status":"done","if_match":1e400}`, capabilities.Invalid, ""},
		{"update_work_item", `{"item":"WEB-1","title":"a\ud800"}`, capabilities.Invalid, "surrogate"},
		{"update_work_item", `{"item":"WEB-1","title":"\udc00a"}`, capabilities.Invalid, "surrogate"},
		{"update_work_item", `{"item":"WEB-1","description":"a\rb"}`, capabilities.Invalid, "tabs and ends of lines alone"},
		{"update_work_item", `{"item":"WEB-1","title":"invoice\u202efdp.exe"}`, capabilities.Invalid, "leave it out"},
		{"update_work_item", `{"item":"WEB-1","title":"a\u0000"}`, capabilities.Invalid, "send one line of plain text"},
		{"move_work_item", `{"item":"WEB-1","project":"WEB"}`, capabilities.Invalid, "name another project"},
		{"merge_work_item", `{"item":"WEB-1","into":"WEB-1"}`, capabilities.Invalid, "name an item outside of it"},
		{"merge_work_item", `{"item":"WEB-1","into":"WEB-9"}`, capabilities.Invalid, "list_work_items has the keys"},
		{"write_project_file", `{"project":"WEB","path":"../x","text":"x"}`, capabilities.Invalid, "name the folder itself"},
		{"write_project_file", `{"project":"WEB","path":"a\\b","text":"x"}`, capabilities.Invalid, `part folders with "/"`},
		{"write_project_file", `{"project":"WEB","path":"a","text":"y","if_version":3}`, capabilities.StaleVersion, "read it again with read_project_file"},
		{"write_project_file", `{"project":"WEB","path":"b","text":"y","if_version":3}`, capabilities.StaleVersion, "send if_version 0"},
		{"write_project_file", `{"project":"WEB","path":"b","text":"` + strings.Repeat("x", 4<<20-200) + `"}`, capabilities.TooLarge, "send less, or part it"},
		{"write_project_file", `{"project":"WEB","path":"b","base64":"YQ==\n"}`, capabilities.Invalid, "standard alphabet with padding and without line breaks"},
		{"list_work_items", `{"limit":0}`, capabilities.Invalid, "1"},
		{"list_work_items", `{"limit":1001}`, capabilities.Invalid, "1000"},
		{"list_work_items", `{"cursor":"` + strings.Repeat("A", 5000) + `"}`, capabilities.Invalid, "send next_cursor of the page before"},
		{"search_work_items", `{"query":""}`, capabilities.Invalid, ""},
		{"search_work_items", `{"query":"` + strings.Repeat("x", 1001) + `"}`, capabilities.Invalid, "1000"},
		{"search_work_items", `{"query":"a","offset":2001}`, capabilities.Invalid, "2000"},
		{"remove_label", `{"project":"WEB","name":"none"}`, capabilities.NotFound, "list_labels has the names"},
	} {
		e := w.refused(c.capability, c.in, c.code, "")
		if !strings.Contains(e.Message, c.says) || !strings.Contains(e.Message, ": ") {
			t.Errorf("%s %.200s says %q, want %q in it", c.capability, c.in, e.Message, c.says)
		}
	}
	w.do("update_work_item", `{"item":"WEB-1","title":"a","if_match":1}`)
	for _, version := range []string{"1.0", "1e0", "10e-1", `"1"`, "true", "-1", "-0"} {
		w.refused("update_work_item", `{"item":"WEB-1","title":"b","if_match":`+version+`}`, capabilities.Invalid, "/if_match")
	}
}

func TestMostLabels(t *testing.T) {
	w := seeded(t)
	names := func(from, to int) string {
		var all []string
		for i := from; i < to; i++ {
			all = append(all, fmt.Sprintf("l%d", i))
		}
		raw, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	w.refused("create_work_item", `{"project":"WEB","title":"a","labels_create_missing":true,"labels":`+names(0, 33)+`}`, capabilities.Invalid, "/labels")
	w.refused("create_work_item", `{"project":"WEB","title":"a","labels_create_missing":true,"labels":`+names(0, 5_000)+`}`, capabilities.Invalid, "/labels")
	w.do("create_work_item", `{"project":"WEB","title":"a","labels_create_missing":true,"labels":`+names(0, 32)+`}`)
	w.refused("update_work_item", `{"item":"WEB-1","labels_create_missing":true,"add_labels":["more"]}`, capabilities.Invalid, "/add_labels")
	if got := w.all("list_labels", `{"project":"WEB"}`, "name"); len(got) != 32 {
		t.Errorf("the refused calls left %d labels", len(got))
	}
	w.do("update_work_item", `{"item":"WEB-1","labels_create_missing":true,"add_labels":["more"],"remove_labels":["l0"]}`)
}

// Every list takes its own cursors, and nothing else for one.
func TestCursorsAreOfTheirList(t *testing.T) {
	w := seeded(t)
	for i := range 3 {
		w.do("create_label", fmt.Sprintf(`{"project":"WEB","name":"l%d"}`, i))
		w.do("create_work_item", `{"project":"WEB","title":"a"}`)
		w.do("comment_on_work_item", `{"item":"WEB-1","body":"x"}`)
		w.do("write_project_file", fmt.Sprintf(`{"project":"WEB","path":"f%d","text":"x"}`, i))
		w.do("write_project_file", fmt.Sprintf(`{"project":"WEB","path":"f","text":"x%d"}`, i))
		w.do("create_work_item", `{"project":"APP","title":"gone"}`)
		w.do("remove_work_item", fmt.Sprintf(`{"item":"APP-%d"}`, i+1))
	}
	lists := map[string]string{
		"list_projects": `{`, "list_labels": `{"project":"WEB",`, "list_work_items": `{`, "list_trash": `{`, "list_comments": `{"item":"WEB-1",`,
		"list_work_item_history": `{"item":"WEB-1",`, "list_activity": `{`, "list_project_files": `{"project":"WEB",`,
		"list_project_file_versions": `{"project":"WEB","path":"f",`,
	}
	cursors := map[string]string{}
	for c := range w.reg.All() {
		if !strings.HasPrefix(c.Name(), "list_") {
			continue
		}
		in, known := lists[c.Name()]
		if !known {
			t.Errorf("%s is a list that this test does not know", c.Name())
			continue
		}
		cursor, ok := w.do(c.Name(), in+`"limit":1}`)["next_cursor"].(string)
		if !ok {
			t.Fatalf("%s has one page", c.Name())
		}
		cursors[c.Name()] = cursor
		for _, limit := range []string{"0", "-1", "1001", "1.5", `"1"`, "null", "1e30"} {
			w.refused(c.Name(), in+`"limit":`+limit+`}`, capabilities.Invalid, "/limit")
		}
	}
	for name, in := range lists {
		for of, cursor := range cursors {
			if of != name {
				w.refused(name, in+`"cursor":"`+cursor+`"}`, capabilities.Invalid, "/cursor")
				continue
			}
			w.do(name, in+`"cursor":"`+cursor+`"}`)
			for i := 0; i < len(cursor); i += 3 {
				other := byte('A')
				if cursor[i] == other {
					other = 'B'
				}
				w.refused(name, in+`"cursor":"`+cursor[:i]+string(other)+cursor[i+1:]+`"}`, capabilities.Invalid, "/cursor")
			}
		}
	}
}

// Whatever people write comes back as it was written, and is found.
func TestTextsOfEveryScript(t *testing.T) {
	w := seeded(t)
	quote := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for title, word := range map[string]string{
		"שלום עולם":                           "עולם",
		"مرحبا بالعالم":                       "مرحبا",
		"دفترهای می\u200cخواهم":               "دفترهای",
		"family 👨‍👩‍👧‍👦 astronaut 🧑🏽‍🚀 astro": "astro",
		"日本語 の 題":                             "題",
		"e\u0301cole":                         "école",
		"x = \"a\" AND b* -c":                 "c",
		"<script>alert(1)</script>":           "script",
		"ﬁn \u00ad soft":                      "soft",
	} {
		key := w.do("create_work_item", `{"project":"WEB","title":`+quote(title)+`,"description":`+quote("a\r\n\tb\r\n"+title)+`}`)["key"]
		got := w.do("get_work_item", `{"item":"`+key.(string)+`"}`)
		if got["title"] != title || got["description"] != "a\r\n\tb\r\n"+title {
			t.Errorf("%q came back as %q and %q", title, got["title"], got["description"])
		}
		found := w.do("search_work_items", `{"query":`+quote(word)+`}`)["items"].([]any)
		if !slices.ContainsFunc(found, func(it any) bool { return at(t, it, "key") == key }) {
			t.Errorf("%q is not found by %q", title, word)
		}
		w.do("comment_on_work_item", `{"item":"`+key.(string)+`","body":`+quote(title)+`}`)
		w.do("create_label", `{"project":"WEB","name":`+quote(title)+`}`)
	}
	for _, mark := range []string{"\u200e", "\u200f", "\u061c", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"} {
		w.refused("create_work_item", `{"project":"WEB","title":`+quote("שלום"+mark)+`}`, capabilities.Invalid, "/title")
		w.refused("write_project_file", `{"project":"WEB","path":`+quote("a"+mark)+`,"text":""}`, capabilities.Invalid, "/path")
	}
}

// What is syntax elsewhere is words here.
func TestQueriesAreWords(t *testing.T) {
	w := seeded(t)
	w.do("create_work_item", `{"project":"WEB","title":"zebra crossing"}`)
	w.do("create_work_item", `{"project":"WEB","title":"zebras near harbour"}`)
	w.do("create_work_item", `{"project":"WEB","title":"harbour not zebra and title or"}`)
	for query, want := range map[string][]string{
		`zebra`: {"WEB-1", "WEB-3"}, `"zebra crossing"`: {"WEB-1"}, `"crossing zebra"`: {"WEB-1"}, `zebra*`: {"WEB-1", "WEB-3"}, `zeb*`: nil,
		`-zebra`: {"WEB-1", "WEB-3"}, `^zebra`: {"WEB-1", "WEB-3"}, `title:zebra`: {"WEB-3"}, `{title body}:zebra`: nil, `zebra NOT harbour`: {"WEB-3"},
		`zebra OR harbour`: {"WEB-3"}, `zebra AND harbour`: {"WEB-3"}, `NEAR(zebra harbour)`: nil, `NEAR(zebras, 2)`: nil, `zebra + crossing`: {"WEB-1"},
		`"`: nil, `""`: nil, `*`: nil, `-`: nil, `( ) { } : ^`: nil, `'; DROP TABLE tracker_items; --`: nil, `zebra"; zebra`: {"WEB-1", "WEB-3"},
		strings.Repeat("zebra ", 160): {"WEB-1", "WEB-3"}, "zebra\u0000crossing": {"WEB-1"}, `%`: nil, `zebr_`: nil, `\`: nil,
	} {
		raw, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, it := range w.do("search_work_items", string(raw))["items"].([]any) {
			got = append(got, at(t, it, "key").(string))
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%.60q (-want +got):\n%s", query, diff)
		}
	}
}

func TestContentOfEveryKind(t *testing.T) {
	w := seeded(t)
	for name, data := range map[string][]byte{
		"nothing": {}, "a null": {0}, "no UTF-8": {0xff, 0xfe, 0xc0}, "line ends": []byte("a\r\nb\rc\n"), "half a character": []byte("日")[:2],
		"the most": []byte(strings.Repeat("\x00\xff", 1<<20)),
	} {
		raw, err := json.Marshal(map[string]any{"project": "WEB", "path": name, "base64": data})
		if err != nil {
			t.Fatal(err)
		}
		w.do("write_project_file", string(raw))
		var got []byte
		for offset := 0.0; ; {
			page := w.do("read_project_file", fmt.Sprintf(`{"project":"WEB","path":%q,"encoding":"base64","offset":%.0f,"limit":1048576}`, name, offset))
			part, err := base64.StdEncoding.DecodeString(page["content"].(string))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, part...)
			next, more := page["next_offset"].(float64)
			if !more {
				break
			}
			offset = next
		}
		if string(got) != string(data) {
			t.Errorf("%s: %d bytes came back as %d", name, len(data), len(got))
		}
	}
	for _, text := range []string{"YQ", "YQ=", "YQ===", "YR==", "-_8=", "Y Q==", "YQ==YQ==", "====", "é"} {
		w.refused("write_project_file", `{"project":"WEB","path":"x","base64":"`+text+`"}`, capabilities.Invalid, "/base64")
	}
	w.do("write_project_file", `{"project":"WEB","path":"x","base64":""}`)
	w.refused("write_project_file", `{"project":"WEB","path":"y","base64":"`+base64.StdEncoding.EncodeToString(make([]byte, 2<<20+1))+`"}`, capabilities.TooLarge, "")
	for _, path := range []string{"a/./b", "./a", "a/.", "a/../../b", "a/b/..", "...//", "//a", "/", "\u0000", "a/ ", " ", "\u00a0a"} {
		raw, err := json.Marshal(map[string]string{"project": "WEB", "path": path, "text": "x"})
		if err != nil {
			t.Fatal(err)
		}
		w.refused("write_project_file", string(raw), capabilities.Invalid, "/path")
	}
}
