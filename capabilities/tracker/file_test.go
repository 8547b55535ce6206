package tracker_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestFiles(t *testing.T) {
	w := seeded(t)
	out := w.do("write_project_file", `{"project":"WEB","path":"notes/a.md","text":"one","type":"text/Markdown; charset=UTF-8"}`)
	if out["version"] != 1.0 || out["outcome"] != "applied" || out["path"] != "notes/a.md" {
		t.Errorf("write_project_file answers %v", out)
	}
	same := w.do("write_project_file", `{"project":"WEB","path":"notes/a.md","text":"one","type":"text/markdown;charset=UTF-8"}`)
	if same["version"] != 1.0 || same["outcome"] != "unchanged" {
		t.Errorf("the same content answers %v", same)
	}
	if out := w.do("write_project_file", `{"project":"WEB","path":"notes/a.md","text":"one","type":"text/plain"}`); out["version"] != 2.0 || out["outcome"] != "applied" {
		t.Errorf("another type answers %v", out)
	}
	w.do("write_project_file", `{"project":"WEB","path":"notes/a.md","base64":"dHdv","if_version":2}`)
	w.refused("write_project_file", `{"project":"WEB","path":"notes/a.md","text":"x","if_version":2}`, capabilities.StaleVersion, "")
	w.refused("write_project_file", `{"project":"WEB","path":"notes/a.md","text":"x","if_version":0}`, capabilities.StaleVersion, "")
	w.refused("write_project_file", `{"project":"WEB","path":"new","text":"x","if_version":1}`, capabilities.StaleVersion, "")
	for version, want := range map[int]string{0: "two", 1: "one", 2: "one", 3: "two"} {
		in := `{"project":"WEB","path":"notes/a.md"}`
		if version > 0 {
			in = fmt.Sprintf(`{"project":"WEB","path":"notes/a.md","version":%d}`, version)
		}
		if got := w.do("read_project_file", in); got["content"] != want {
			t.Errorf("version %d is %v", version, got)
		}
	}
	w.refused("read_project_file", `{"project":"WEB","path":"notes/a.md","version":4}`, capabilities.NotFound, "")
	var versions []float64
	for _, v := range w.do("list_project_file_versions", `{"project":"WEB","path":"notes/a.md"}`)["items"].([]any) {
		versions = append(versions, at(t, v, "version").(float64))
	}
	if !slices.Equal(versions, []float64{3, 2, 1}) {
		t.Errorf("the versions are %v", versions)
	}
	w.do("write_project_file", `{"project":"APP","path":"keeps","text":"two"}`)
	w.do("write_project_file", `{"project":"WEB","path":"empty","text":""}`)
	if got := w.do("read_project_file", `{"project":"WEB","path":"empty"}`); got["content"] != "" || got["size"] != 0.0 {
		t.Errorf("the empty file is %v", got)
	}
	w.refused("remove_project_file", `{"project":"WEB","path":"notes/a.md","if_version":1}`, capabilities.StaleVersion, "")
	w.do("remove_project_file", `{"project":"WEB","path":"notes/a.md"}`)
	for _, name := range []string{"read_project_file", "remove_project_file", "list_project_file_versions"} {
		w.refused(name, `{"project":"WEB","path":"notes/a.md"}`, capabilities.NotFound, "")
	}
	if got := w.do("read_project_file", `{"project":"APP","path":"keeps"}`); got["content"] != "two" {
		t.Errorf("a file with the content of a removed one is %v", got)
	}
	out = w.do("write_project_file", `{"project":"WEB","path":"notes/a.md","text":"again","if_version":0}`)
	if out["version"].(float64) <= 3 {
		t.Errorf("a version was given out again: %v", out)
	}
	w.refused("read_project_file", `{"project":"WEB","path":"notes/a.md","version":1}`, capabilities.NotFound, "")
	w.refused("write_project_file", `{"project":"WEB","path":"notes/a.md","text":"x","if_version":1}`, capabilities.StaleVersion, "")
	w.refused("write_project_file", `{"project":"WEB","path":"x"}`, capabilities.Invalid, "/text")
	w.refused("write_project_file", `{"project":"WEB","path":"x","text":"a","base64":"YQ=="}`, capabilities.Invalid, "/base64")
	w.refused("write_project_file", `{"project":"WEB","path":"x","base64":"YQ"}`, capabilities.Invalid, "/base64")
	w.refused("write_project_file", `{"project":"WEB","path":"x","text":"a","type":"markdown text"}`, capabilities.Invalid, "/type")
	w.refused("write_project_file", `{"project":"NONE","path":"x","text":"a"}`, capabilities.NotFound, "")
	w.refused("write_project_file", `{"project":"WEB","path":"x","text":"`+strings.Repeat("x", 2<<20+1)+`"}`, capabilities.TooLarge, "")
}

func TestPaths(t *testing.T) {
	w := seeded(t)
	for _, path := range []string{
		"../x", "a/../b", "a/..", "..", ".", "./a", "a//b", "/a", "a/", `a\b`, `..\x`, "a\x00b", "a\nb", " a", "a ", "a\u202Eb", "e\u0301", strings.Repeat("é", 257),
	} {
		raw, err := json.Marshal(map[string]string{"project": "WEB", "path": path, "text": "x"})
		if err != nil {
			t.Fatal(err)
		}
		w.refused("write_project_file", string(raw), capabilities.Invalid, "/path")
	}
	paths := []string{"...", "..a/b", ".hidden", "A", "a", "a b/c", "a-b", "a.b", "a/b", "a/b/c", "a0", "ab", "é", "日本/語"}
	for _, path := range paths {
		raw, err := json.Marshal(map[string]string{"project": "WEB", "path": path, "text": "x"})
		if err != nil {
			t.Fatal(err)
		}
		w.do("write_project_file", string(raw))
	}
	slices.Sort(paths)
	for _, limit := range []int{1, 5, 100} {
		if got := w.all("list_project_files", fmt.Sprintf(`{"project":"WEB","limit":%d}`, limit), "path"); !slices.Equal(got, paths) {
			t.Errorf("%d a page, the files are %v, want %v", limit, got, paths)
		}
	}
	if got := w.all("list_project_files", `{"project":"WEB","folder":"a","limit":1}`, "path"); !slices.Equal(got, []string{"a/b", "a/b/c"}) {
		t.Errorf("below a are %v", got)
	}
	w.refused("list_project_files", `{"project":"WEB","folder":"../a"}`, capabilities.Invalid, "/folder")
}

func TestReadAFileByPages(t *testing.T) {
	w := seeded(t)
	text := strings.Repeat("zürich 日本 ", 50)
	raw, err := json.Marshal(map[string]string{"project": "WEB", "path": "t", "text": text})
	if err != nil {
		t.Fatal(err)
	}
	w.do("write_project_file", string(raw))
	for _, encoding := range []string{"text", "base64"} {
		var all strings.Builder
		offset, pages := 0.0, 0
		for ; ; pages++ {
			page := w.do("read_project_file", fmt.Sprintf(`{"project":"WEB","path":"t","offset":%v,"limit":7,"encoding":%q}`, offset, encoding))
			content := page["content"].(string)
			if encoding == "base64" {
				b, err := base64.StdEncoding.DecodeString(content)
				if err != nil {
					t.Fatal(err)
				}
				content = string(b)
			}
			all.WriteString(content)
			if page["next_offset"] == nil {
				break
			}
			offset = page["next_offset"].(float64)
		}
		if all.String() != text || pages < len(text)/7-1 {
			t.Errorf("by pages as %s: %q", encoding, all.String())
		}
	}
	w.refused("read_project_file", `{"project":"WEB","path":"t","offset":2}`, capabilities.Invalid, "/offset")
	w.refused("read_project_file", `{"project":"WEB","path":"t","offset":99999}`, capabilities.Invalid, "/offset")
	w.do("write_project_file", `{"project":"WEB","path":"b","base64":"/wD+"}`)
	w.refused("read_project_file", `{"project":"WEB","path":"b"}`, capabilities.Invalid, "/encoding")
	if got := w.do("read_project_file", `{"project":"WEB","path":"b","encoding":"base64"}`); got["content"] != "/wD+" || got["type"] != "application/octet-stream" {
		t.Errorf("the bytes are %v", got)
	}
}
