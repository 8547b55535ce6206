// Package postgres is the engine of a store on PostgreSQL 14 or newer: what several
// servers share.
//
// It speaks to the server through a driver of its own on top of pgconn, because three
// things have to be decided below package sql. Statements whose result nobody looks at
// are sent together with the next one, so that the one write lock is held for few round
// trips. What a statement of a pack would do is asked of the server, which plans it
// without running it, before it runs: see [Engine.Grant]. And a COMMIT that the server
// answers with ROLLBACK is an error.
package postgres
