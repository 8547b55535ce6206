// Package powercut cuts the power of a computer on which SQLite writes, as far as its
// files are concerned: it records what happens to them below SQLite, and makes them as
// they may be after a cut at any moment of the recording.
//
// What a file has for certain is what it had when it was last synced. A name is in its
// folder for certain, or gone from it, when the folder was synced after that. Of all
// else nothing may have come to the disk, or any part of it, in any order.
//
// SQLite calls it in place of its usual file system, and it calls that. It needs cgo, and
// works for one recording of a process at a time.
package powercut
