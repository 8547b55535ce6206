// Command holotype is the server and its command line; see `holotype help`.
package main

import (
	"context"
	"os"

	"github.com/seed-89b9419b/holotype"
)

func main() {
	os.Exit(holotype.New(holotype.Options{}).Command().Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
