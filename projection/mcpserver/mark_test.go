package mcpserver_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

const mark = "MARKOFTHISSERVER"

func marked(o *mcpserver.Options) { o.Mark = mark }

// A request with the server's own mark comes from the server itself.
func TestAServerThatBridgesItselfIsRefused(t *testing.T) {
	f := newFixture(t, marked)
	url := f.http().URL
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, tc := range []struct {
		name, method, body, mark string
		status                   int
		media, rpc               string
	}{
		{"initialize", "POST", initialize, mark, 403, "application/json", "-32600"},
		{"any message", "POST", list, mark, 403, "application/json", "-32600"},
		{"no message", "GET", "", mark, 403, "application/problem+json", ""},
		{"another server", "POST", initialize, "MARKOFANOTHERONE", 200, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := send(t, tc.method, url, tc.body, "Holotype-Mark: "+tc.mark)
			if e.status != tc.status || e.rpc(t) != tc.rpc || tc.media != "" && e.contentType != tc.media {
				t.Fatalf("status %d, %s, error %s: %s", e.status, e.contentType, e.rpc(t), e.messages)
			}
			if tc.status == 200 {
				if e.header.Get("Holotype-Mark") != "" {
					t.Error("it takes another server for itself")
				}
				return
			}
			if e.code(t) != "forbidden" || e.header.Get("Holotype-Mark") != mark {
				t.Errorf("code %v, mark %q: %s", e.code(t), e.header.Get("Holotype-Mark"), e.messages)
			}
			const says = "this server is bridging itself: take the entry with this address out of its MCP servers"
			said := rawjson.Member(e.messages[0], "detail")
			if tc.rpc != "" {
				said = rawjson.Member(rawjson.Member(e.messages[0], "error"), "message")
			}
			if text, _ := rawjson.String(said); text != says {
				t.Errorf("it says %s", said)
			}
		})
	}
}

// A list says whose it is, in both eras and both lanes; without a mark nothing is said.
func TestAListSaysWhoseItIs(t *testing.T) {
	for name, adjust := range map[string][]func(*mcpserver.Options){
		"": {func(*mcpserver.Options) {}}, mark: {marked}, "in the library's lane": {marked, library},
	} {
		want := mark
		if name == "" {
			want = ""
		}
		f := newFixture(t, adjust...)
		url := f.http().URL
		learn(t, url)
		body, headers := modern("1", "tools/list", "", "", "")
		for era, e := range map[string]exchange{
			"handshake":   send(t, "POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, open(t, url)),
			"sessionless": send(t, "POST", url, body, headers...),
		} {
			meta := rawjson.Member(rawjson.Member(e.messages[len(e.messages)-1], "result"), "_meta")
			got, _ := rawjson.String(rawjson.Member(meta, "holotype/mark"))
			var server struct{ Name, Version string }
			if era == "sessionless" {
				if err := json.Unmarshal(rawjson.Member(meta, "io.modelcontextprotocol/serverInfo"), &server); err != nil {
					t.Fatalf("%s: %v", meta, err)
				}
				server.Name += " " + server.Version
			}
			if diff := cmp.Diff(want, got); diff != "" || era == "sessionless" && server.Name != "holotype 1.2.3" {
				t.Errorf("%q, %s: %s", name, era, meta)
			}
		}
	}
}
