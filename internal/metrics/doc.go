// Package metrics counts what a server does and writes it in the text format of
// Prometheus. One table says which metrics there are, what they mean and which labels
// they have; the reference is written from it.
//
// What callers send and get, and who they are, is in none of them. The number of
// series is bounded, whatever is bridged and whatever is called.
package metrics
