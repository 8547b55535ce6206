package holotype

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen"
	"github.com/seed-89b9419b/holotype/codegen/card"
	"github.com/seed-89b9419b/holotype/codegen/comments"
	"github.com/seed-89b9419b/holotype/codegen/openapi"
	"github.com/seed-89b9419b/holotype/codegen/reference"
	"github.com/seed-89b9419b/holotype/codegen/site"
	"github.com/seed-89b9419b/holotype/codegen/surface"
	"github.com/seed-89b9419b/holotype/codegen/tsclient"
	"github.com/seed-89b9419b/holotype/codegen/vectors"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

func (s *Server) generateCommand() cli.Command {
	return cli.Command{
		Name:  "generate",
		Short: "Write the generated files of the declared capabilities",
		Long: "Writes the OpenAPI document, the picture of the surface, the reference with its llms.txt, the TypeScript client and the cards of every declared capability below --out.\n" +
			"With the argument comments it writes comments_gen.go of every pack of this module instead: the Go comments of\n" +
			"its types, which are the descriptions that every surface shows. Run that first, then generate. With the argument vectors\n" +
			"it writes the test vectors, which are the same for every program and are for implementations in other languages.\n\n" +
			"With --running it describes the configuration as it runs, bridged tools included, and writes what its users need: the\n" +
			"OpenAPI document, the reference with its llms.txt, the TypeScript client, server.json, the manifest of an MCP bundle,\n" +
			"manual pages and completion scripts. Its servers are started, unless a server of the data directory runs already.",
		Args:    "[comments|vectors]",
		MaxArgs: 1,
		Flags: []cli.Flag{
			{Name: "check", Usage: "write nothing and fail when a file is not fresh", Kind: cli.Switch},
			{Name: "out", Word: "FOLDER", Usage: "the folder to write below; without it, the current one, and --running needs it"},
			{Name: "running", Usage: "describe the configuration as it runs, bridged tools included", Kind: cli.Switch},
			{Name: "url", Word: "URL", Usage: "with --running, where the server is reached, for server.json", Default: "http://" + config.DefaultListen},
			cli.MCPConfigFlag(),
		},
		Run: func(ctx context.Context, inv cli.Invocation) error {
			set, err := s.generated(ctx, inv)
			if err != nil {
				return err
			}
			out := cmp.Or(inv.Text("out"), ".")
			if inv.Switch("check") {
				return codegen.Check(out, set)
			}
			touched, err := codegen.Write(out, set)
			for _, path := range touched {
				if _, err := fmt.Fprintln(inv.Out, path); err != nil {
					return err
				}
			}
			return err
		},
	}
}

func (s *Server) generated(ctx context.Context, inv cli.Invocation) (codegen.Set, error) {
	switch {
	case inv.Switch("running") && len(inv.Args) > 0:
		return codegen.Set{}, cli.Usage("generate --running takes no argument, and was given %q", inv.Args[0])
	case inv.Switch("running") && inv.Text("out") == "":
		return codegen.Set{}, cli.Usage("generate --running needs --out: it writes other files than those of the declared capabilities, to the same paths")
	case inv.Switch("running"):
		return s.generatedRunning(ctx, inv)
	case len(inv.Args) == 0:
		return s.Generate()
	case inv.Args[0] == "comments":
		return s.generatedComments(cmp.Or(inv.Text("out"), "."))
	case inv.Args[0] == "vectors":
		files, err := vectors.Files()
		return codegen.Set{Files: files, Folders: []string{vectors.Folder}}, err
	}
	return codegen.Set{}, cli.Usage("generate takes no argument but comments or vectors, not %q", inv.Args[0])
}

// A part is one generator of the files of the declared capabilities.
type part struct {
	files         func() (map[string][]byte, error)
	folders, kept []string // see [codegen.Set]
}

// Generate answers the generated files of the declared capabilities.
func (s *Server) Generate() (codegen.Set, error) {
	reg, err := s.described()
	if err != nil {
		return codegen.Set{}, err
	}
	document := sync.OnceValues(func() (map[string][]byte, error) {
		return openapi.Files(openapi.About{Title: s.o.Name, Version: s.o.Version, Homepage: s.o.Homepage, License: s.o.License}, reg)
	})
	pages := sync.OnceValues(func() (map[string][]byte, error) { return reference.Files(s.o.Name, reg) })
	return together(
		part{files: document, folders: []string{openapi.Folder}},
		part{files: func() (map[string][]byte, error) { return surface.Files(s.o.Name, s.o.Version, reg) }, kept: []string{surface.Released}}, // beside the document
		part{files: pages, folders: []string{reference.Folder}},
		part{files: of(pages, func(pages map[string][]byte) (map[string][]byte, error) { return site.Files(s.o.Name, reg, pages) })}, // beside the reference
		part{files: of(document, func(api map[string][]byte) (map[string][]byte, error) { return s.client(api[openapi.JSONPath], reg) }), folders: []string{tsclient.Folder}, kept: tsclient.Kept()},
		part{files: of(document, func(api map[string][]byte) (map[string][]byte, error) {
			return card.Files(s.o.Name, reg, api[openapi.JSONPath])
		}), folders: []string{card.Folder}},
	)
}

// of answers a generator that reads what another one made.
func of(first func() (map[string][]byte, error), then func(map[string][]byte) (map[string][]byte, error)) func() (map[string][]byte, error) {
	return func() (map[string][]byte, error) {
		made, err := first()
		if err != nil {
			return nil, err
		}
		return then(made)
	}
}

// together runs generators beside one another and joins what they answer, in their order.
func together(parts ...part) (codegen.Set, error) {
	made := make([]map[string][]byte, len(parts))
	var running errgroup.Group
	for i, p := range parts {
		running.Go(func() (err error) {
			made[i], err = p.files()
			return err
		})
	}
	if err := running.Wait(); err != nil {
		return codegen.Set{}, err
	}
	var set codegen.Set
	for i, p := range parts {
		if err := set.Add(made[i], p.folders...); err != nil {
			return codegen.Set{}, err
		}
		set.Kept = append(set.Kept, p.kept...)
	}
	return set, nil
}

// client answers the TypeScript client of a document.
func (s *Server) client(doc []byte, reg *capabilities.Registry) (map[string][]byte, error) {
	return tsclient.Files(tsclient.About{
		Name: s.o.Name, Version: s.o.Version, Homepage: s.o.Homepage, License: s.o.License, Keyless: s.o.NoStore,
	}, doc, reg.Codes())
}

// generatedComments answers comments_gen.go of every pack whose source is in the
// module of dir.
func (s *Server) generatedComments(dir string) (codegen.Set, error) {
	var set codegen.Set
	if err := s.o.check(); err != nil {
		return set, err
	}
	files, err := comments.Files(dir, s.describedPacks()...)
	if err != nil {
		return set, err
	}
	base, err := filepath.Abs(dir)
	if err != nil {
		return set, err
	}
	relative := map[string][]byte{}
	for path, text := range files {
		rel, err := filepath.Rel(base, path)
		if err != nil {
			return set, err
		}
		relative[filepath.ToSlash(rel)] = text
	}
	return set, set.Add(relative)
}
