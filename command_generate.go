package holotype

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/seed-89b9419b/holotype/codegen"
	"github.com/seed-89b9419b/holotype/codegen/card"
	"github.com/seed-89b9419b/holotype/codegen/comments"
	"github.com/seed-89b9419b/holotype/codegen/openapi"
	"github.com/seed-89b9419b/holotype/codegen/reference"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

func (s *Server) generateCommand() cli.Command {
	return cli.Command{
		Name:  "generate",
		Short: "Write the generated files of the declared capabilities",
		Long: "Writes the OpenAPI document, the reference and the cards of every declared capability below --out.\n" +
			"With the argument comments it writes comments_gen.go of every pack of this module instead: the Go comments of\n" +
			"its types, which are the descriptions that every surface shows. Run that first, then generate.",
		Args:    "[comments]",
		MaxArgs: 1,
		Flags: []cli.Flag{
			{Name: "check", Usage: "write nothing and fail when a file is not fresh", Kind: cli.Switch},
			{Name: "out", Usage: "the `folder` to write below", Default: "."},
		},
		Run: func(_ context.Context, inv cli.Invocation) error {
			set, err := s.generated(inv)
			if err != nil {
				return err
			}
			if inv.Switch("check") {
				return codegen.Check(inv.Text("out"), set)
			}
			touched, err := codegen.Write(inv.Text("out"), set)
			for _, path := range touched {
				if _, err := fmt.Fprintln(inv.Out, path); err != nil {
					return err
				}
			}
			return err
		},
	}
}

func (s *Server) generated(inv cli.Invocation) (codegen.Set, error) {
	switch {
	case len(inv.Args) == 0:
		return s.Generate()
	case inv.Args[0] == "comments":
		return s.generatedComments(inv.Text("out"))
	}
	return codegen.Set{}, cli.Usage("generate takes no argument but comments, not %q", inv.Args[0])
}

// Generate answers the generated files of the declared capabilities.
func (s *Server) Generate() (codegen.Set, error) {
	var set codegen.Set
	reg, err := s.described()
	if err != nil {
		return set, err
	}
	api, err := openapi.Files(openapi.About{Title: s.o.Name, Version: s.o.Version, Homepage: s.o.Homepage, License: s.o.License}, reg)
	if err != nil {
		return set, err
	}
	if err := set.Add(api, openapi.Folder); err != nil {
		return set, err
	}
	ref, err := reference.Files(s.o.Name, reg)
	if err != nil {
		return set, err
	}
	if err := set.Add(ref, reference.Folder); err != nil {
		return set, err
	}
	cards, err := card.Files(s.o.Name, reg)
	if err != nil {
		return set, err
	}
	return set, set.Add(cards, card.Folder)
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
