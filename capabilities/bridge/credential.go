package bridge

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// headerAuthorization carries a credential (RFC 9110, section 11.6.2).
const headerAuthorization = "Authorization"

// headerChallenge says what a server wants in place of the credential it refused
// (RFC 9110, section 11.6.1).
const headerChallenge = "Www-Authenticate"

// maxChallenge bounds what of a challenge stands in a reason.
const maxChallenge = 300

// isCredential reports whether a server refused who we are. It is never passed on as
// a refusal of our caller's own credential, who could do nothing about it.
func isCredential(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// refusedCredential is the clause for a refusal of ours. given says that there was a
// credential to refuse.
func refusedCredential(given bool, status int, challenge string) string {
	text := "refused the credential it was given"
	switch {
	case given:
	case status == http.StatusForbidden:
		text = "refused the request, which carried no credential"
	default:
		text = "asks for a credential, and none is configured"
	}
	text += fmt.Sprintf(" (HTTP status %d)", status)
	if challenge = strings.TrimSpace(printable([]byte(challenge))); challenge != "" {
		text += "; it wants " + bounded(challenge, maxChallenge)
	}
	return text
}

// judge keeps the state of a running server in step with what became of a request:
// one that refuses our credential waits for another, and stays reachable: the refusal
// may be about one tool.
func (s *supervisor) judge(ctx context.Context, l *link, f *failure) {
	if f == nil || f.credential == 0 {
		return
	}
	news, reason := false, oneLine(s.redact(f.text))
	s.set(func() {
		if s.link == l {
			news = s.state == StateReady
			s.state, s.phase, s.reason = StateHeld, phaseCall, reason
			s.refused.Store(true)
		}
	})
	if news {
		s.log.WarnContext(ctx, "server_credential_refused", "reason", reason)
	}
}

// answered says that the server served a request.
func (s *supervisor) answered() {
	s.lastAnswer.Store(s.o.Now().UnixNano())
	if !s.refused.Load() {
		return
	}
	s.set(func() {
		if s.refused.Store(false); s.link != nil && s.state == StateHeld {
			s.state, s.phase, s.reason = StateReady, "", ""
		}
	})
}
