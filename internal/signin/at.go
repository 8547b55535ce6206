package signin

import "context"

// At is an [Account] as whoever reaches its server at one URL has it. An account outlasts a change of the configuration; calls that go on under
// the URL before then get nothing that is for the one after, and what is said there does not count for it.
type At struct {
	account *Account
	url     string
}

// At answers the account for those who reach its server at a URL.
func (a *Account) At(url string) At { return At{a, url} }

// Authorization is [Account.Authorization]; "" while another URL is configured.
func (at At) Authorization(ctx context.Context) (string, error) {
	a := at.account
	if _, err := a.Authorization(ctx); err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.server.URL != at.url {
		return "", nil
	}
	return a.header, nil // that of the same moment
}

// Refused is [Account.Refused]; false while another URL is configured.
func (at At) Refused(ctx context.Context, value string, status int, challenges []string) (again bool) {
	return at.here() && at.account.Refused(ctx, value, status, challenges)
}

// Wants is [Account.Wants]; "" while another URL is configured.
func (at At) Wants() string {
	if !at.here() {
		return ""
	}
	return at.account.Wants()
}

// Secrets is [Account.Secrets].
func (at At) Secrets() []string { return at.account.Secrets() }

// here reports whether its URL is the one that is configured.
func (at At) here() bool {
	at.account.mu.Lock()
	defer at.account.mu.Unlock()
	return at.account.server.URL == at.url
}
