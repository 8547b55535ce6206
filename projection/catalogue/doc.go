// Package catalogue is the operator's projection: one row a capability, with
// where it comes from, its effect, every hint and why it has its value, where it
// delivers, what it costs on the wire.
package catalogue
