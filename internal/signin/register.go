package signin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// described is what this program says of itself, to whoever registers it and in the document at its URL.
func (c *Client) described(redirect string) oauthex.ClientRegistrationMetadata {
	kind := "web"
	if u, err := url.Parse(redirect); err == nil && isLoopback(u.Hostname()) {
		kind = "native"
	}
	return oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{redirect}, TokenEndpointAuthMethod: methodNone,
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		ClientName: c.o.Name, SoftwareVersion: c.o.Version, ApplicationType: kind,
	}
}

// Metadata answers the document that describes this program at its own https URL (OAuth Client ID Metadata Document), as JSON.
func (c *Client) Metadata(address, redirect string) ([]byte, error) {
	return json.Marshal(struct {
		ClientID string `json:"client_id"`
		oauthex.ClientRegistrationMetadata
	}{address, c.described(redirect)})
}

// identify answers who this program is at an authorization server: the client of the configuration, the document, or one that is
// registered, now where there is none yet.
func (c *Client) identify(ctx context.Context, s Server, p *place, redirect string) (by identity, err error) {
	methods := p.meta.TokenEndpointAuthMethodsSupported
	if s.ClientID != "" {
		if s.ClientSecret != "" && s.Issuer == "" {
			// The server says where its tokens come from, and could have a secret sent wherever it likes.
			return by, faultf("oauth.client_secret is sent to one authorization server alone: set oauth.issuer, to %s if it was made there", short(p.meta.Issuer))
		}
		if err := errors.Join(judgeSecret(s.ClientID, maxAddress), judgeSecret(s.ClientSecret, maxToken)); err != nil {
			return by, err
		}
		by = identity{s.ClientID, s.ClientSecret, methodNone}
		if s.ClientSecret != "" {
			by.Method = methodBasic // which every server has to take (RFC 6749 section 2.3.1)
			if len(methods) > 0 && !slices.Contains(methods, methodBasic) && slices.Contains(methods, methodPost) {
				by.Method = methodPost
			}
		}
		return by, nil
	}
	if p.meta.ClientIDMetadataDocumentSupported && c.o.Document != nil {
		if address := c.o.Document(); address != "" {
			return identity{ID: address, Method: methodNone}, nil
		}
	}
	err = c.o.Sealed.Alone(ctx, s.sealedName(), func() error {
		r, err := c.load(s.Key)
		if err != nil {
			r = record{} // damaged: what is registered now takes its place
		}
		if r.Registration.fits(p.meta.Issuer, redirect, c.o.Now()) {
			by = r.Registration.Client
			return nil
		}
		made, err := c.register(ctx, p, redirect)
		if err != nil {
			return err
		}
		r.Registration, by = made, made.Client
		return c.store(s.Key, r)
	})
	return by, err
}

// register registers this program (RFC 7591).
func (c *Client) register(ctx context.Context, p *place, redirect string) (*registration, error) {
	if p.meta.RegistrationEndpoint == "" {
		return nil, faultf("the authorization server %s registers no clients by itself: register one there with the redirect URL %s, and set oauth.client_id", short(p.meta.Issuer), redirect)
	}
	about := c.described(redirect)
	about.TokenEndpointAuthMethod = methodFor(p.meta.TokenEndpointAuthMethodsSupported)
	body, err := json.Marshal(about)
	if err != nil {
		return nil, fmt.Errorf("describing the client: %w", err)
	}
	if err := judgeAddress(p.meta.RegistrationEndpoint, p.reach); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.meta.RegistrationEndpoint, bytes.NewReader(body))
	if err != nil {
		return nil, faultf("%s is no URL", short(p.meta.RegistrationEndpoint))
	}
	req.Header.Set("Content-Type", "application/json")
	a, err := c.web.send(req, p.reach)
	if err != nil {
		return nil, err
	}
	switch {
	case a.status == http.StatusCreated || a.status == http.StatusOK:
	case a.status >= 500 || a.status == http.StatusTooManyRequests:
		return nil, &fault{words: fmt.Sprintf("%s answers %d to a registration", req.URL.Host, a.status), transient: true}
	default:
		var refused oauthex.ClientRegistrationError
		why := ""
		if json.Unmarshal(a.body, &refused) == nil && refused.ErrorCode != "" {
			why = " and " + knownCode(refused.ErrorCode)
			if refused.ErrorDescription != "" {
				why += ", saying " + short(refused.ErrorDescription)
			}
		}
		return nil, faultf("%s answers a registration %d%s: register a client there with the redirect URL %s, and set oauth.client_id", req.URL.Host, a.status, why, redirect)
	}
	return c.registered(a.body, about, p, redirect)
}

// registered judges the answer to a registration.
func (c *Client) registered(body []byte, asked oauthex.ClientRegistrationMetadata, p *place, redirect string) (*registration, error) {
	host := hostOf(p.meta.RegistrationEndpoint)
	var got oauthex.ClientRegistrationResponse
	if json.Unmarshal(body, &got) != nil || got.ClientID == "" {
		return nil, faultf("%s answers a registration with no client", host)
	}
	if err := errors.Join(judgeSecret(got.ClientID, maxAddress), judgeSecret(got.ClientSecret, maxToken)); err != nil {
		return nil, err
	}
	if len(got.RedirectURIs) > 0 && !slices.Contains(got.RedirectURIs, redirect) {
		return nil, faultf("%s has registered another redirect URL than %s", host, redirect)
	}
	by := identity{got.ClientID, got.ClientSecret, got.TokenEndpointAuthMethod}
	if by.Method == "" {
		by.Method = asked.TokenEndpointAuthMethod
	}
	switch {
	case by.Method == methodNone || by.Secret == "":
		by = identity{ID: got.ClientID, Method: methodNone}
	case by.Method != methodBasic && by.Method != methodPost:
		return nil, faultf("%s wants a client to show who it is in a way that this program does not know: %s", host, short(by.Method))
	}
	return &registration{Issuer: p.meta.Issuer, Redirect: redirect, Client: by, Until: got.ClientSecretExpiresAt}, nil
}

// methodFor answers how a client that is being registered is to show who it is. What is not said is [methodBasic] (RFC 8414 section 2).
func methodFor(supported []string) string {
	for _, method := range []string{methodNone, methodBasic, methodPost} {
		if slices.Contains(supported, method) {
			return method
		}
	}
	return methodBasic
}
