package holotype

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen"
	"github.com/seed-89b9419b/holotype/codegen/manifest"
	"github.com/seed-89b9419b/holotype/codegen/openapi"
	"github.com/seed-89b9419b/holotype/codegen/reference"
	"github.com/seed-89b9419b/holotype/codegen/site"
	"github.com/seed-89b9419b/holotype/codegen/tsclient"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// The folders of what is generated of a running configuration alone.
const (
	manualFolder     = "man/man1"
	completionFolder = "completions"
)

// mcpPath is where MCP is served, for whoever reaches the server over HTTP.
const mcpPath = "/operator/mcp"

// generatedRunning answers the files of the configuration as it runs, in the server of the
// data directory or in this process: bridged tools are in them, and what the configuration
// leaves out is not.
func (s *Server) generatedRunning(ctx context.Context, inv cli.Invocation) (set codegen.Set, err error) {
	session, err := s.open(ctx, cli.OpenRequest{Data: inv.Data, Config: inv.Config, MCPConfig: inv.Text("mcp-config"), Err: inv.Err, All: true})
	if err != nil {
		return set, err
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	reg, err := s.registryOf(session.View(session.Principal()))
	if err != nil {
		return set, err
	}
	return s.generatedOf(reg, inv.Text("url"))
}

// registryOf answers the registry of what a view lists: the packs that are served, and the
// bridged tools.
func (s *Server) registryOf(v *capabilities.View) (*capabilities.Registry, error) {
	if err := s.o.check(); err != nil {
		return nil, err
	}
	served := map[string]bool{}
	byServer := map[string][]*capabilities.Capability{}
	for _, c := range v.Listed {
		if c.Bridged() {
			byServer[c.Server()] = append(byServer[c.Server()], c)
		} else {
			served[c.Pack()] = true
		}
	}
	reg, err := capabilities.Assemble(slices.DeleteFunc(s.describedPacks(), func(b capabilities.Bound) bool { return !served[b.Info().Name] })...)
	if err != nil {
		return nil, err
	}
	live := capabilities.NewLive(reg)
	for _, server := range slices.Sorted(maps.Keys(byServer)) {
		live.Replace("", server, byServer[server])
	}
	return live.Registry(), nil
}

// generatedOf answers everything that is written of a registry, bridged tools included.
func (s *Server) generatedOf(reg *capabilities.Registry, url string) (codegen.Set, error) {
	var set codegen.Set
	api, err := openapi.Files(openapi.About{Title: s.o.Name, Version: s.o.Version, Homepage: s.o.Homepage, License: s.o.License, Bridged: true}, reg)
	if err != nil {
		return set, err
	}
	client, err := s.client(api[openapi.JSONPath], reg)
	if err != nil {
		return set, err
	}
	pages, err := reference.Files(s.o.Name, reg)
	if err != nil {
		return set, err
	}
	listed, err := site.Files(s.o.Name, reg, pages)
	if err != nil {
		return set, err
	}
	bridged := reference.Bridged(s.o.Name, reg)
	maps.Copy(pages, bridged)
	if len(bridged) > 0 {
		llms := reference.Folder + site.MapPath
		listed[llms] = append(listed[llms], "\n## Bridged tools\n\n- [Bridged tools]("+path.Base(reference.BridgedPath)+"): The tools of the MCP servers that the configuration bridges.\n"...)
	}
	all := slices.Collect(reg.All())
	found, err := manifest.Files(manifest.About{
		Name: s.o.Name, Version: s.o.Version, Summary: s.o.Summary, Homepage: s.o.Homepage, License: s.o.License,
		URL: url, MCPPath: mcpPath,
	}, all)
	if err != nil {
		return set, err
	}
	program := s.Command().cli
	manual, err := program.Manual(slices.DeleteFunc(all, func(c *capabilities.Capability) bool { return c.AliasOf() != "" }))
	if err != nil {
		return set, err
	}
	scripts, err := program.Completions()
	if err != nil {
		return set, err
	}
	set.Kept = tsclient.Kept()
	return set, errors.Join(
		set.Add(api, openapi.Folder), set.Add(client, tsclient.Folder), set.Add(pages, reference.Folder), set.Add(listed), set.Add(found),
		set.Add(below(manualFolder, manual), manualFolder), set.Add(below(completionFolder, scripts)),
	)
}

// below answers files in a folder.
func below(folder string, files map[string][]byte) map[string][]byte {
	moved := map[string][]byte{}
	for name, data := range files {
		moved[path.Join(folder, name)] = data
	}
	return moved
}
