package manifest_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/manifest"
)

// judge answers what a schema of others says of a file.
func judge(t *testing.T, schema string, file []byte) error {
	t.Helper()
	source, err := os.ReadFile("testdata/" + schema)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(source)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("https://example.com/"+schema, doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("https://example.com/" + schema)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(file)))
	if err != nil {
		t.Fatalf("%v in %s", err, file)
	}
	return compiled.Validate(v)
}

// tools are capabilities as a bridged server may name and describe them.
func tools(t *testing.T) []*capabilities.Capability {
	t.Helper()
	var all []*capabilities.Capability
	for name, says := range map[string]string{"far__a": "Says \"a\" & <b>.", "far__b": ""} {
		c, err := capabilities.NewBridged(capabilities.BridgedSpec{
			Name: name, Tool: "a", Server: "far", Summary: says, Input: []byte(`{"type":"object"}`),
			Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func TestFilesAreWhatOthersRead(t *testing.T) {
	whole := manifest.About{
		Name: "shop", Version: "1.2.3", Summary: "Sells things", Homepage: "https://github.com/someone/shop", License: "MIT", URL: "https://shop.example/", MCPPath: "/mcp",
	}
	for name, change := range map[string]func(*manifest.About){
		"as it is":                 func(*manifest.About) {},
		"without a homepage":       func(a *manifest.About) { a.Homepage = "" },
		"with a site of its own":   func(a *manifest.About) { a.Homepage = "https://www.shop.example:8443/about?x=1" },
		"with an odd site":         func(a *manifest.About) { a.Homepage = "https://sh_öp.example" },
		"with a long summary":      func(a *manifest.About) { a.Summary = strings.Repeat("ä", 200) },
		"with a version that says": func(a *manifest.About) { a.Version = "dev" },
		"on this machine":          func(a *manifest.About) { a.URL = "http://127.0.0.1:4280" },
		"with an odd name":         func(a *manifest.About) { a.Name = "My_Shop.x" },
	} {
		t.Run(name, func(t *testing.T) {
			a := whole
			change(&a)
			files, err := manifest.Files(a, tools(t))
			if err != nil {
				t.Fatal(err)
			}
			if err := judge(t, "server.schema.json", files[manifest.ServerPath]); err != nil {
				t.Errorf("server.json: %v", err)
			}
			if err := judge(t, "mcpb.schema.json", files[manifest.BundlePath]); err != nil {
				t.Errorf("manifest.json: %v", err)
			}
		})
	}
}

func TestServerFile(t *testing.T) {
	for homepage, want := range map[string]string{
		"https://github.com/someone/shop":   "io.github.someone/shop",
		"https://github.com/someone/shop/":  "io.github.someone/shop",
		"https://github.com/someone":        "com.github/shop",
		"https://github.com/azAZ09-_@/shop": "io.github.azAZ09---/shop",
		"https://gitlab.com/someone/shop":   "io.gitlab.someone/shop",
		"https://www.shop.example/a/b":      "example.shop.www/shop",
		"https://shop.example/a":            "example.shop/shop",
		"":                                  "localhost/shop",
	} {
		files, err := manifest.Files(manifest.About{Name: "shop", Version: "1", Summary: "s", Homepage: homepage, URL: "https://shop.example/", MCPPath: "/mcp"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Name       string
			Repository *struct{ URL, Source string }
			Remotes    []struct{ URL string }
		}
		if err := json.Unmarshal(files[manifest.ServerPath], &got); err != nil {
			t.Fatal(err)
		}
		if got.Name != want || got.Remotes[0].URL != "https://shop.example/mcp" || (got.Repository != nil) != strings.HasPrefix(want, "io.git") {
			t.Errorf("of %q it is %s", homepage, files[manifest.ServerPath])
		}
	}
}

// What a registry takes of a summary is a hundred characters, the last of them a sign where it
// was longer.
func TestLongSummariesAreClipped(t *testing.T) {
	fits := strings.Repeat("ä", 100)
	for summary, want := range map[string]string{"short": "short", fits: fits, fits + "b": strings.Repeat("ä", 99) + "…"} {
		files, err := manifest.Files(manifest.About{Name: "shop", Version: "1", Summary: summary, URL: "https://shop.example/", MCPPath: "/mcp"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Description string }
		if err := json.Unmarshal(files[manifest.ServerPath], &got); err != nil || got.Description != want {
			t.Errorf("of %q it is %q, %v", summary, got.Description, err)
		}
	}
}

func TestBundleListsTheTools(t *testing.T) {
	files, err := manifest.Files(manifest.About{Name: "shop", Version: "1", Summary: "s", URL: "http://x"}, tools(t)[:1])
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tools  []map[string]string
		Server struct {
			Config struct{ Args []string } `json:"mcp_config"`
		}
	}
	if err := json.Unmarshal(files[manifest.BundlePath], &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Tools) != 1 || got.Tools[0]["name"] == "" || !cmp.Equal(got.Server.Config.Args, []string{"mcp"}) {
		t.Errorf("it is %s", files[manifest.BundlePath])
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	for _, url := range []string{"", "shop.example", "ftp://shop.example", "https://", "https://{host}", "https://shop example", "://"} {
		if _, err := manifest.Files(manifest.About{Name: "shop", Version: "1", Summary: "s", URL: url}, nil); err == nil {
			t.Errorf("%q is where a server is reached", url)
		}
	}
}

// The schemas that judge are not ones that admit everything.
func TestSchemasBite(t *testing.T) {
	for schema, file := range map[string]string{"server.schema.json": `{"name":"shop","description":"","version":"1"}`, "mcpb.schema.json": `{"name":"shop"}`} {
		if judge(t, schema, []byte(file)) == nil {
			t.Errorf("%s admits %s", schema, file)
		}
	}
}
