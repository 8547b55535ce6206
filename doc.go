// Package holotype builds a server out of packs of capabilities: HTTP, MCP and a
// command line over one registry, with the tools of configured MCP servers
// bridged into it.
//
//	srv := holotype.New(holotype.Options{Name: "acme", Packs: []capabilities.Bound{tickets.Pack.Bind(deps)}})
//	os.Exit(srv.Command().Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
//
// [Server.Command] is the whole program with its commands. A program that has a
// router of its own mounts [Server.Handler]; one that is started by an assistant
// calls [Server.ServeStdio].
package holotype
