package identity

// Known answers how many tokens are remembered.
func (k *Tokens) Known() int {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return len(k.known)
}

// Statements are those that the package runs, by their names.
func Statements() map[string]string {
	return map[string]string{"selectByHash": selectByHash, "selectByID": selectByID, "selectPage": selectPage, "revokeToken": revokeToken}
}

// Mint answers a token that nobody was given.
func Mint() string { return mint() }
