// Package card generates one golden file a capability that shows every projection
// of it: the catalogue row, the MCP tool as on the wire, the OpenAPI operation and
// the help of the command line. Who reviews a change of a declaration reads one
// small diff.
package card

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
	"github.com/seed-89b9419b/holotype/internal/wire"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
	"github.com/seed-89b9419b/holotype/projection/cli"
	"github.com/seed-89b9419b/holotype/projection/httpapi/openapi"
)

// Folder is where [Files] belong in a repository.
const Folder = "tests/testdata/cards"

// Files answers the card of every builtin of a registry, old names included, by
// path relative to the output folder. program is the name of the command.
func Files(program string, reg *capabilities.Registry) (map[string][]byte, error) {
	views := capabilities.NewViews(capabilities.NewLive(reg), everything{})
	help := cli.New(cli.Options{
		Name: program, Codes: reg.Codes(),
		Open: func(context.Context, cli.OpenRequest) (cli.Session, error) { return described{views}, nil },
	})
	files := map[string][]byte{}
	for c := range reg.All() {
		if c.Bridged() {
			continue
		}
		text, err := card(help, reg, c)
		if err != nil {
			return nil, fmt.Errorf("the card of %s: %w", c.Name(), err)
		}
		files[fmt.Sprintf("%s/%s.md", Folder, c.Name())] = text
	}
	return files, nil
}

func card(help *cli.CLI, reg *capabilities.Registry, c *capabilities.Capability) ([]byte, error) {
	p := markdown.NewPage(markdown.Marker+".", markdown.Code(c.Name()))
	p.Para(markdown.Text(c.Summary()))
	row, err := capabilities.Encode(catalogue.RowOf(c))
	if err != nil {
		return nil, err
	}
	p.Section("Catalogue row")
	p.JSON(row)
	p.Section("MCP tool")
	p.JSON(wire.KeyedTool(c))
	if r := c.Route(); !r.IsZero() {
		op, err := operation(reg, c)
		if err != nil {
			return nil, err
		}
		p.Section("HTTP: " + markdown.Code(r.Method+" /api/v1"+r.Path))
		p.JSON(op)
	}
	var out, errw bytes.Buffer
	if code := help.Run(context.Background(), []string{"call", c.Name(), "--help"}, strings.NewReader(""), &out, &errw); code != 0 {
		return nil, fmt.Errorf("its help exits %d: %s", code, errw.String())
	}
	p.Section("Command line")
	p.Fence("text", out.String())
	return p.Bytes(), nil
}

// operation cuts the one operation of a capability out of its document.
func operation(reg *capabilities.Registry, c *capabilities.Capability) (json.RawMessage, error) {
	doc, err := openapi.Document(openapi.Options{Title: "card", Version: "0", Packs: reg.Packs(), Codes: reg.Codes()}, []*capabilities.Capability{c})
	if err != nil {
		return nil, err
	}
	var d struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		return nil, err
	}
	r := c.Route()
	op, ok := d.Paths[r.Path][strings.ToLower(r.Method)]
	if !ok {
		return nil, fmt.Errorf("the document has no operation %s", r)
	}
	return op, nil
}

// everything is a gate that hides nothing.
type everything struct{}

func (everything) Decide(*capabilities.Principal, *capabilities.Capability) *capabilities.Rule {
	return nil
}

// described is a session over capabilities that are bound to nothing.
type described struct{ *capabilities.Views }

func (described) Invoke(_ context.Context, call capabilities.Call) (*capabilities.Result, error) {
	return nil, capabilities.Refuse(capabilities.Unavailable, "%s is only described here", call.Name)
}

func (described) Principal() *capabilities.Principal { return capabilities.OwnerPrincipal() }

func (described) Absent(context.Context, string) error { return nil }

func (described) Attached() bool { return true }

func (described) Close() error { return nil }
