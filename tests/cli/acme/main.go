// Command acme is a program of somebody else's, made of the fixture. It is started a
// hundred times, and so has no native pack but the one that its commands need.
package main

import (
	"context"
	"os"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

func main() {
	server := holotype.New(holotype.Options{
		Name: "acme", Version: "9.8.7", NativePacks: []string{system.Pack.Describe().Info().Name}, Packs: []capabilities.Bound{fixture.Pack.Bind(fixture.Deps{})},
	})
	os.Exit(server.Command().Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
