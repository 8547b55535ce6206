package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// An Authorizer gives what one instance of a server over HTTP is authorized by, in place of a
// configured Authorization header: an access token that changes. It is safe for concurrent
// use.
type Authorizer interface {
	// Authorization answers the value of the Authorization header (RFC 9110 section 11.6.2) of
	// the next request; "" sends none, so that a server that wants one says so. It may wait
	// for a token to be refreshed. The error is ctx's alone.
	Authorization(ctx context.Context) (string, error)
	// Refused is told that the server answered a request that carried value with the status
	// 401 or 403 and these WWW-Authenticate headers. It reports whether the request is worth
	// sending once more, with what Authorization answers then.
	Refused(ctx context.Context, value string, status int, challenges []string) (again bool)
	// Wants answers what there is to do before the server can be used, as a clause that follows
	// its name, such as "waits for a sign-in: run holotype login files"; "" when nothing is.
	Wants() string
	// Secrets answers every token that is held now: none may be in what a caller is answered.
	Secrets() []string
}

// errUnauthorized says that a request was not sent, for it was not known in time what it is
// authorized by.
var errUnauthorized = errors.New("its access token was not there in time")

// authorized sends a request with the token of the moment. A server that refuses it has done
// nothing of what was asked, whatever the method is (RFC 9110 section 15.5.2, RFC 6750
// section 3.1): the request goes once more, where that is worth it and its body can be had
// again.
func (c *httpClient) authorized(req *http.Request) (resp *http.Response, itself bool, err error) {
	ctx := req.Context()
	value, err := c.auth.Authorization(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", errUnauthorized, err)
	}
	resp, itself, err = c.once(req, value)
	if err != nil || itself || !refusesToken(resp) {
		return resp, itself, err
	}
	if !c.auth.Refused(ctx, value, resp.StatusCode, resp.Header.Values(headerChallenge)) {
		return resp, itself, nil
	}
	again := req.Clone(ctx)
	switch {
	case req.Body == nil || req.Body == http.NoBody:
	case req.GetBody == nil:
		return resp, itself, nil
	default:
		if again.Body, err = req.GetBody(); err != nil {
			return resp, itself, nil //nolint:nilerr // the refusal is the answer
		}
	}
	if value, err = c.auth.Authorization(ctx); err != nil {
		if again.Body != nil {
			_ = again.Body.Close()
		}
		return resp, itself, nil
	}
	// The connection can be used again once this is read.
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorBody)
	_ = resp.Body.Close()
	resp, itself, err = c.once(again, value)
	if err == nil && !itself && refusesToken(resp) {
		// It is not sent a third time; what there is to do is kept for whoever asks.
		_ = c.auth.Refused(ctx, value, resp.StatusCode, resp.Header.Values(headerChallenge))
	}
	return resp, itself, err
}

// refusesToken reports whether an answer is about the token, and not about what it was to do:
// a 403 is where it says that the token is for less (RFC 6750 section 3.1).
func refusesToken(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		return true
	case http.StatusForbidden:
		for _, challenge := range resp.Header.Values(headerChallenge) {
			if strings.Contains(strings.ToLower(challenge), "insufficient_scope") {
				return true
			}
		}
	}
	return false
}

// wants answers what a person has to do before the server takes what it refused with resp;
// "" for nothing, or nothing that is known here.
func (c *httpClient) wants(resp *http.Response) string {
	if c == nil || c.auth == nil || !refusesToken(resp) {
		return ""
	}
	return c.auth.Wants()
}
