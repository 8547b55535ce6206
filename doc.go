// Package holotype builds a program out of packs of capabilities: HTTP, MCP and a
// command line over one registry, with the tools of configured MCP servers bridged
// into it.
//
//	srv := holotype.New(holotype.Options{Name: "acme", Packs: []capabilities.Bound{tickets.Pack.Bind(deps)}})
//	os.Exit(srv.Command().Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
//
// [Server.Command] is the whole program with its commands: serve, mcp, call, tools,
// and generate, which writes the descriptions, the OpenAPI document, the reference
// and the cards of the program below the folder it runs in. A program that has a
// router of its own mounts [Server.Handler] in it; one that is started by an MCP
// client calls [Server.ServeStdio].
//
// A pack is tested with [Options.Data] set to [InMemory]: its handles with types,
// with the server as the door they call through ([Server.Invoke]); what an MCP client
// gets, with [Server.Client]; its examples, with [Server.RunExamples]. Nothing listens
// and nothing is written.
package holotype
