package oauth

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// fetchTime bounds one question to an issuer, its metadata included.
	fetchTime = 5 * time.Second
	// maxBody bounds what an answer may have, unpacked.
	maxBody = 512 << 10
)

// newClient answers a client that goes nowhere but where it is told to: where keys stand
// is said by the configuration, or by metadata of the issuer, and by no redirect.
func newClient(transport http.RoundTripper) *http.Client {
	if transport == nil {
		transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConns: 2, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: fetchTime, MaxResponseHeaderBytes: 64 << 10,
		}
	}
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// get fetches a JSON document.
func get(ctx context.Context, client *http.Client, address string) (body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", address, err)
	}
	r.Header.Set("Accept", "application/json")
	res, err := client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("asking the authorization server: %w", err)
	}
	defer func() { _ = res.Body.Close() }() // what was read is judged by itself
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", address, res.Status)
	}
	body, err = io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", address, err)
	case len(body) > maxBody:
		return nil, fmt.Errorf("%s answers over %d bytes", address, maxBody)
	}
	return body, nil
}
