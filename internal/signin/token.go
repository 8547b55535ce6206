package signin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// tokens are what a token endpoint has answered.
type tokens struct {
	access, refresh string
	lives           time.Duration
	scopes          []string // nil where it was not said
}

// Format writes what it is.
func (tokens) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "tokens") }

// errNoEndpoint says that what answered is no token endpoint.
var errNoEndpoint = errors.New("there is no token endpoint")

// askToken asks a token endpoint. The error is a [tokenRefusal], or a [fault].
func (c *Client) askToken(ctx context.Context, endpoint string, by identity, most reach, form url.Values) (tokens, error) {
	a, err := c.post(ctx, endpoint, by, most, form)
	if err != nil {
		return tokens{}, err
	}
	host := hostOf(endpoint)
	var body struct {
		AccessToken  string          `json:"access_token"`
		TokenType    string          `json:"token_type"`
		ExpiresIn    json.RawMessage `json:"expires_in"`
		RefreshToken string          `json:"refresh_token"`
		Scope        *string         `json:"scope"`
		Error        string          `json:"error"`
	}
	read := json.Unmarshal(a.body, &body) == nil
	switch {
	case a.status >= 500 || a.status == http.StatusTooManyRequests || a.status == http.StatusRequestTimeout:
		return tokens{}, &fault{words: fmt.Sprintf("%s answers %d", host, a.status), transient: true}
	case a.status != http.StatusOK && read && body.Error != "" && isTokenRefusal(a.status, body.Error):
		return tokens{}, &tokenRefusal{knownCode(body.Error), host}
	case a.status != http.StatusOK:
		return tokens{}, &fault{words: fmt.Sprintf("%s answers %d in place of a token", host, a.status), cause: errNoEndpoint}
	case !read:
		return tokens{}, &fault{words: host + " answers something that is no token", transient: true}
	case !strings.EqualFold(body.TokenType, "Bearer"):
		return tokens{}, faultf("%s answers a token that is no bearer token", host)
	}
	out := tokens{access: body.AccessToken, refresh: body.RefreshToken, lives: lifeOf(body.ExpiresIn)}
	if err := judgeToken(out.access); err != nil {
		return tokens{}, err
	}
	if out.refresh != "" {
		if err := judgeToken(out.refresh); err != nil {
			return tokens{}, err
		}
	}
	if body.Scope != nil {
		if out.scopes = scopeTokens(*body.Scope); out.scopes == nil {
			out.scopes = []string{}
		}
	}
	return out, nil
}

// post sends a form by which a client shows that it is itself (RFC 6749 section 2.3.1).
func (c *Client) post(ctx context.Context, endpoint string, by identity, most reach, form url.Values) (answer, error) {
	if err := judgeAddress(endpoint, most); err != nil {
		return answer{}, err
	}
	switch by.Method {
	case methodPost:
		form.Set("client_secret", by.Secret)
		form.Set("client_id", by.ID)
	case methodNone:
		form.Set("client_id", by.ID)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return answer{}, faultf("%s is no URL", short(endpoint))
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if by.Method == methodBasic {
		req.SetBasicAuth(url.QueryEscape(by.ID), url.QueryEscape(by.Secret))
	}
	return c.web.send(req, most)
}

// lifeOf reads expires_in, which some servers write as a text; 0 is not known.
func lifeOf(raw json.RawMessage) time.Duration {
	const most = 10 * 365 * 24 * time.Hour
	seconds, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err != nil || !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, most.Seconds()) * float64(time.Second))
}

// knownCode answers a word of RFC 6749 section 5.2, RFC 8707 or RFC 7591, so that nothing else of an answer gets anywhere.
func knownCode(code string) string {
	switch code {
	case "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_target",
		"access_denied", "server_error", "temporarily_unavailable",
		"invalid_redirect_uri", "invalid_client_metadata", "invalid_software_statement", "unapproved_software_statement":
		return code
	}
	return ownError
}

const ownError = "an error of its own"

// isTokenRefusal reports whether an error is a token endpoint's (RFC 6749 section 5.2). What stands in front of one, or for a while in its
// place, has words and a member of that name as well, and must not end a sign-in by them.
func isTokenRefusal(status int, code string) bool {
	return status == http.StatusBadRequest || status == http.StatusUnauthorized || knownCode(code) != ownError
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "its authorization server"
	}
	return u.Host
}
