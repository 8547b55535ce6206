// Package adopt proposes one configuration of Holotype in the place of the servers that
// clients have in their own files: the same server of two clients once, each under a name
// of its own, with every credential moved to the secrets and a reference in its place.
//
// It reads nothing and writes nothing: what it is given was read, and what it answers is
// for the caller to show or to write.
package adopt
