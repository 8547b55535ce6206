// Package store keeps what capabilities write: one SQL store with one write path,
// on an engine that is chosen when the program starts.
//
// State tables are the truth. Every write also appends to the log, the table
// changes, in the same transaction: the number of a change is the position of the
// write. The row of log_head gives the numbers out and is the one write lock, so
// that the order of positions is the order of commits, and what a write reads
// before it decides cannot change under it.
//
// A batcher takes the writes that wait, runs each in a savepoint and commits them
// together: one wait for the disk serves many callers. The ledger row of a write,
// which holds its answer, commits with it. So an operation that nobody saw end is
// never lost: whoever asks later finds its answer, or finds that it did not happen.
//
// A capability's effect is enforced here: the statements of a read can read, those
// of an append can also insert, and nothing else. See [Rights].
//
// Handlers use [Write] and [Read] and know nothing of the rest.
package store
