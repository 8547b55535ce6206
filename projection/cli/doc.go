// Package cli is the command line: every capability is called with flags read
// from its schema, listed, shown and inspected, through the same door as on every
// other surface.
//
// `call -o json` writes the body that HTTP would, byte for byte; a refusal exits
// with the status of its code and says on standard error what to do. Whatever came
// from elsewhere (results, descriptions, names of fields) is shown with control
// and invisible characters escaped.
//
// Where a server runs, or how one is started in-process, is the caller's matter:
// [Options] has an Open function that answers a [Session]. Further commands are
// given as plain values; no type of the command library crosses this package's
// edge.
package cli
