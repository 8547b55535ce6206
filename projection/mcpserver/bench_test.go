package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/mcpserver"
)

// WideInput has 15 fields.
type WideInput struct {
	A string   `json:"a" jsonschema_description:"A."`
	B string   `json:"b" jsonschema_description:"B."`
	C string   `json:"c" jsonschema_description:"C."`
	D string   `json:"d" jsonschema_description:"D."`
	E string   `json:"e" jsonschema_description:"E."`
	F int      `json:"f" jsonschema_description:"F."`
	G int      `json:"g" jsonschema_description:"G."`
	H int      `json:"h" jsonschema_description:"H."`
	I float64  `json:"i" jsonschema_description:"I."`
	J float64  `json:"j" jsonschema_description:"J."`
	K bool     `json:"k" jsonschema_description:"K."`
	L bool     `json:"l" jsonschema_description:"L."`
	M []string `json:"m" jsonschema_description:"M."`
	N []int    `json:"n" jsonschema_description:"N."`
	O string   `json:"o,omitempty" jsonschema_description:"O."`
}

const wide = `{"a":"alpha","b":"beta","c":"gamma","d":"delta","e":"epsilon","f":1,"g":2,"h":3,"i":1.5,"j":2.5,"k":true,"l":false,"m":["x","y"],"n":[1,2,3],"o":"omega"}`

// sink is a response writer that counts.
type sink struct {
	header http.Header
	status int
	n      int
}

func (s *sink) Header() http.Header { return s.header }
func (s *sink) WriteHeader(c int)   { s.status = c }
func (s *sink) Flush()              {}
func (s *sink) Write(p []byte) (int, error) {
	s.n += len(p)
	return len(p), nil
}

func post(b *testing.B, h http.Handler, body string, headers []string) *sink {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "/", strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer owner")
	for _, one := range headers {
		name, v, _ := strings.Cut(one, ": ")
		r.Header.Set(name, v)
	}
	w := &sink{header: http.Header{}, status: 200}
	h.ServeHTTP(w, r)
	if w.status != 200 || w.n == 0 {
		b.Fatalf("status %d, %d bytes", w.status, w.n)
	}
	return w
}

// BenchmarkCall is one tools/call of the sessionless era: ours, ours without the
// fast lane, and the protocol library's generic validating AddTool.
func BenchmarkCall(b *testing.B) {
	pack := newPack()
	capabilities.Declare(pack, capabilities.Spec{
		Name: "wide", Title: "Wide", Summary: "Take much.", Effect: capabilities.Read(capabilities.Local), Route: "POST /wide",
	}, func(_ context.Context, _ deps, in WideInput) (EchoOutput, error) { return EchoOutput{Said: in.A}, nil })
	capabilities.Comments(pack, map[string]string{"WideInput": "Much."})
	reg, err := capabilities.Assemble(pack.Bind(deps{}))
	if err != nil {
		b.Fatal(err)
	}
	ours := func(adjust ...func(*mcpserver.Options)) http.Handler {
		f := newFixture(b, append(adjust, func(o *mcpserver.Options) {
			views := capabilities.NewViews(capabilities.NewLive(reg), capabilities.Scopes{})
			o.Viewer = views
			o.Door = capabilities.NewDoor(capabilities.DoorOptions{Viewer: views, Codes: reg.Codes(), Log: o.Log, Now: o.Now})
		})...)
		return f.server.Handler()
	}
	theirs := mcp.NewServer(&mcp.Implementation{Name: "holotype", Version: "1.2.3"}, nil)
	mcp.AddTool(theirs, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in EchoInput) (*mcp.CallToolResult, EchoOutput, error) {
		return nil, EchoOutput{Said: in.Text, Big: in.Big}, nil
	})
	mcp.AddTool(theirs, &mcp.Tool{Name: "wide"}, func(_ context.Context, _ *mcp.CallToolRequest, in WideInput) (*mcp.CallToolResult, EchoOutput, error) {
		return nil, EchoOutput{Said: in.A}, nil
	})
	generic := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return theirs }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	for _, in := range []struct{ tool, args string }{{"echo", `{"text":"hi"}`}, {"wide", wide}} {
		body, headers := modern("1", "tools/call", in.tool, fmt.Sprintf(`"name":%q,"arguments":%s`, in.tool, in.args), "")
		for _, lane := range []struct {
			name string
			h    http.Handler
		}{{"fast", ours()}, {"library", ours(library)}, {"AddTool", generic}} {
			b.Run(in.tool+"/"+lane.name, func(b *testing.B) {
				post(b, lane.h, body, headers)
				b.ReportAllocs()
				for b.Loop() {
					post(b, lane.h, body, headers)
				}
			})
		}
	}
}

// BenchmarkList walks the whole tools/list over a loopback connection: ours, and a
// handler that writes the same pages from memory.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{10, 100, 1_000, 10_000} {
		f := newFixture(b)
		own := len(f.views.View(f.people["owner"]).Listed)
		f.bridge("many", many(b, max(n-own, 1))...)
		fast := f.http()
		_, headers := modern("1", "tools/list", "", "", "")
		walk := func(url string, bodies []string) (pages [][]byte) {
			for _, body := range bodies {
				r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				for _, one := range append(headers, "Content-Type: application/json", "Authorization: Bearer owner") {
					name, v, _ := strings.Cut(one, ": ")
					r.Header.Set(name, v)
				}
				res, err := http.DefaultClient.Do(r)
				if err != nil {
					b.Fatal(err)
				}
				page, err := io.ReadAll(res.Body)
				res.Body.Close()
				if err != nil || res.StatusCode != http.StatusOK {
					b.Fatalf("status %d, %v", res.StatusCode, err)
				}
				pages = append(pages, page)
			}
			return pages
		}
		var bodies []string
		var pages [][]byte
		for cursor, first := "", true; first || cursor != ""; first = false {
			body, _ := modern("1", "tools/list", "", fmt.Sprintf(`"cursor":%q`, cursor), "")
			walk(fast.URL, []string{body}) // the first one is the library's, as an event
			page := walk(fast.URL, []string{body})[0]
			var got struct{ Result struct{ NextCursor string } }
			if err := json.Unmarshal(page, &got); err != nil {
				b.Fatal(err)
			}
			cursor, bodies, pages = got.Result.NextCursor, append(bodies, body), append(pages, page)
		}
		next := 0
		floor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				b.Error(err)
			}
			page := pages[next]
			next = (next + 1) % len(pages)
			w.Header().Set("Content-Length", strconv.Itoa(len(page)))
			if _, err := w.Write(page); err != nil {
				b.Error(err)
			}
		}))
		for _, lane := range []struct{ name, url string }{{"fast", fast.URL}, {"floor", floor.URL}} {
			b.Run(fmt.Sprintf("%d/%s", n, lane.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					size := 0
					for _, p := range walk(lane.url, bodies) {
						size += len(p)
					}
					b.SetBytes(int64(size))
				}
			})
		}
		floor.Close()
	}
}
