// Command bench prints how fast Holotype is: every figure stands beside that of a
// baseline which was measured in the same run, in turns, and what counts is the
// ratio of the two.
//
//	go run -tags sqlite_fts5 ./tests/bench          # the table, on standard output
//	go run -tags sqlite_fts5 ./tests/bench -write   # and into docs/speed.md
//	go run -tags sqlite_fts5 ./tests/bench -only http,mcp -rounds 5
//
// The section reads fills a store of 100,000 items and 1,000,000 changes first; a quick
// run takes a smaller one with -items.
//
// Every measurement has a fixed count of calls and a fixed count of rounds; a ratio
// is the median of the rounds' ratios. The time of the processor stands beside the
// time on the clock, because it moves less when the machine has other work. No test
// judges a time: the goals stand in the table and so does what misses them.
//
// The program starts itself for the other side of a comparison (`bench child ...`)
// and builds cmd/holotype for what is measured from outside.
package main
