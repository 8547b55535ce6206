// Command corpus takes MCP servers that other people published on npm, each of a
// pinned version, and compares what they say with what the product makes of it:
//
//	go run -tags sqlite_fts5 ./tests/corpus -holotype bin/holotype
//	go run -tags sqlite_fts5 ./tests/corpus -holotype bin/holotype -only playwright
//
// Every server is installed once, into a cache outside the repository, and then
// started without the network where the system can take it away, and without an
// account: where it insists on a credential it gets the word "placeholder". It is asked
// three times: directly, by a hand-written client; behind `holotype serve`; and by
// `holotype inspect`. The product must list as many tools as the server does, with the
// hints that it sent and no other, and with its schemas byte for byte but for the
// repairs that the catalogue names; it must stop cleanly, and no process of the server
// may be left. The table says so for each, and the exit status for all. A server that
// does not start offline stands below the table with the reason.
//
// It needs node, npm and, for the first run, the network. Its test does the same with
// three small servers.
package main
