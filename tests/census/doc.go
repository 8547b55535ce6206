// Command census takes MCP servers that other people published on npm, each of a
// pinned version and checked by its hash, and compares what they say with what the
// product makes of it:
//
//	go run -tags sqlite_fts5 ./tests/census -holotype bin/holotype -docs docs
//	go run -tags sqlite_fts5 ./tests/census -holotype bin/holotype -only playwright
//
// Every server is installed once, without any script of a package, into a cache outside
// the repository, and then started without the network where the system can take it away
// (in a network namespace of its own, unshare on Linux), and without an account: where it
// insists on a credential it gets a made-up word. It is asked directly, by a hand-written
// client; behind `holotype serve`, by one client of 2025-11-25 and one of 2026-07-28; and
// by `holotype inspect`. To both clients the product must list as many tools as the server
// does, with the words, icons, hints and _meta that it sent and no other, and with its
// schemas byte for byte but for the repairs that the catalogue names. Where servers.json
// names a call that changes nothing, its answer must be the same everywhere. The product
// must stop cleanly, and no process of the server may be left. The table says so for each,
// and the exit status for all. A server that does not start offline stands below the table
// with the reason.
//
// With -docs it writes docs/census.md, where nothing depends on the day, the machine or
// its speed: two runs write the same bytes. The list of a server that names the day or its
// directory is refused for that reason.
//
// It needs node, npm and, for the first run, the network. Its test does the same with
// three small servers, and with all of them where HOLOTYPE_CENSUS is set.
package main
