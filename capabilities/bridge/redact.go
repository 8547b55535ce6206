package bridge

import (
	"net/url"
	"slices"
	"strings"
)

// MinSecret is the least length, in bytes, of a configured value that is masked: shorter
// ones are words such as "true" or "prod", which say nothing and would riddle
// every line. Whoever configures a shorter secret has to be told.
const MinSecret = 8

// redactor answers a function that masks every configured value of a server's
// environment and headers, what its variables stood for, and the credentials in its
// url, by value: lists of suspicious names always miss one. It guards what we write to logs and reasons.
func redactor(s Server) func(string) string {
	var secrets []string
	add := func(v string) {
		if len(v) >= MinSecret {
			secrets = append(secrets, v, url.QueryEscape(v))
		}
	}
	for _, v := range s.Env {
		add(v)
	}
	for _, v := range s.Headers {
		add(v)
		if _, token, ok := strings.Cut(v, " "); ok { // "Bearer x"
			add(token)
		}
	}
	// A variable may stand within a longer value, or in the path of the url.
	for name, v := range s.Secrets {
		if !slices.Contains(hostVariables(), name) && !isPlace(v) {
			add(v)
		}
	}
	if u, err := url.Parse(s.URL); err == nil {
		add(u.User.Username())
		if p, ok := u.User.Password(); ok {
			add(p)
		}
		for _, values := range u.Query() {
			for _, v := range values {
				add(v)
			}
		}
	}
	if len(secrets) == 0 {
		return func(s string) string { return s }
	}
	// The longest first: of two that overlap the whole has to go.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, v := range slices.Compact(secrets) {
		pairs = append(pairs, v, "[hidden]")
	}
	r := strings.NewReplacer(pairs...)
	return r.Replace
}
