// Package card generates one golden file a capability that shows every projection
// of it: the catalogue row, the MCP tool as on the wire, the OpenAPI operation and
// the help of the command line. Who reviews a change of a declaration reads one
// small diff.
package card

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/markdown"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// Folder is where [Files] belong in a repository.
const Folder = "tests/testdata/cards"

// Files answers the card of every builtin of a registry, old names included, by
// path relative to the output folder. program is the name of the command, document the
// OpenAPI document of the registry, as JSON.
func Files(program string, reg *capabilities.Registry, document []byte) (map[string][]byte, error) {
	help := cli.New(cli.Options{Name: program, Codes: reg.Codes()})
	operations := operationsOf(document)
	files := map[string][]byte{}
	for c := range reg.All() {
		if c.Bridged() {
			continue
		}
		text, err := card(help, operations, c)
		if err != nil {
			return nil, fmt.Errorf("the card of %s: %w", c.Name(), err)
		}
		files[fmt.Sprintf("%s/%s.md", Folder, c.Name())] = text
	}
	return files, nil
}

func card(help *cli.CLI, operations map[string]json.RawMessage, c *capabilities.Capability) ([]byte, error) {
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
		op, ok := operations[r.Method+" "+r.Path]
		if !ok {
			return nil, fmt.Errorf("the document has no operation %s", r)
		}
		p.Section("HTTP: " + markdown.Code(r.Method+" /api/v1"+r.Path))
		p.JSON(op)
	}
	text, err := help.Help(c)
	if err != nil {
		return nil, fmt.Errorf("its help: %w", err)
	}
	p.Section("Command line")
	p.Fence("text", text)
	return p.Bytes(), nil
}

// operationsOf cuts a document into its operations, by their methods and paths.
func operationsOf(document []byte) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for path, item := range rawjson.Members(rawjson.Member(document, "paths")) {
		for method, operation := range rawjson.Members(item) {
			all[strings.ToUpper(method)+" "+path] = operation
		}
	}
	return all
}
