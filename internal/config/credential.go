package config

// NamesCredential reports whether a key of env or headers, or a flag of a program without its dashes, is that of a credential by its name.
func NamesCredential(key string) bool { return saysSecret(key) }

// NoCredential reports a value that is no credential whatever its key is called: a number, a truth value.
func NoCredential(value string) bool { return saysNothing(value) }
