// Package gate decides by the rules of the configuration who may see and call what. One
// decision filters every list and guards every call.
//
// A rule can only take away. A call has to pass the scopes of its caller and then every
// rule that is for it: those for everybody, those of the principal, those of the seat.
package gate
