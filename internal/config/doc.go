// Package config is the one loader of Holotype's configuration and the only place that reads the process environment.
//
// [Load] reads one YAML file and, when it is named, one JSON file that an MCP client already has. It is strict: a key that
// nothing honours is refused with file, line and the nearest known key, and every fault of both files is reported at once. What
// it accepts is written down once, as the field tables of fields.go and clients.go: the decoder walks them and [Schema] prints
// them.
//
// ${NAME} stands for a variable in the values of env and headers and in url, nowhere else. A server whose variables do not all
// resolve is held back, with the reason in [Server.Unresolved]; it never starts with an empty string in the place of a secret.
// No fault, notice or reason quotes a value, because any value may be a secret.
package config
