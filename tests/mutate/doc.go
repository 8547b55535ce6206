// Command mutate changes packages in one place at a time, runs the tests, and says which
// changes no test noticed:
//
//	go run -tags sqlite_fts5 ./tests/mutate -sample 8 -seed 1 ./capabilities/... ./codegen/surface
//
// It makes the changes that gremlins makes by default, a `<` that becomes a `<=` or a `>=`,
// a `==` that becomes a `!=`, a `+` that becomes a `-`, but where gremlins tries all of a
// package it draws: every change of a package is equally likely, and the seed decides. The
// draw for eight begins with the draw for four, so a larger one costs the difference. A
// change that does not compile is drawn again; the types say which those are. Nothing is
// written into the tree: the compiler reads the changed files from elsewhere.
//
// All changes of a package are compiled into it at once, each behind a number that the
// environment of the test binary turns on. So the tests are built once for all of them, and
// say which changes they come past: one that they do not is not run for. What cannot stand
// behind a number, such as a constant, is built alone. A run ends at the first test that
// fails, and when it takes much longer than without a change.
//
// The tests of the package judge a change. What they do not notice is put to the packages
// that use it, if -users says so; a change that one of these notices counts as noticed, and
// the table says how many did. What is explained in docs/mutation.md means the same and
// does not count. The table has the score of each package, and between which percentages
// that of all its changes lies. The exit status is 1 if fewer than -at-least percent of all
// were noticed, or if a package is below even at the upper end of where its score lies.
package main
