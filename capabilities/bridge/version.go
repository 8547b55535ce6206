package bridge

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var versionGrammar = regexp.MustCompile(`\b20[0-9]{2}-[0-9]{2}-[0-9]{2}\b`)

// olderVersion answers the newest protocol version with a handshake that a refusal
// names, we speak and was not the one asked for; "" for none. Servers say which
// versions they take in a sentence, in the error's data, or not at all.
func olderVersion(text []byte, asked string) string {
	best := ""
	for _, v := range versionGrammar.FindAll(text, -1) {
		v := string(v)
		if v != asked && v < modernVersion && v > best && slices.Contains(mcp.SupportedProtocolVersions(), v) {
			best = v
		}
	}
	return best
}

// versionIn is [olderVersion] of an error of the handshake.
func versionIn(err error, asked string) string {
	var said *jsonrpc.Error
	if !errors.As(err, &said) {
		return ""
	}
	return olderVersion(append([]byte(said.Message+" "), said.Data...), asked)
}

// keep remembers what a refusal says that the SDK drops.
func (t *tap) keep(resp *http.Response) {
	if c := resp.Header.Get(headerChallenge); c != "" {
		t.challenge.Store(&c)
	}
	wanted := t.client.wants(resp)
	t.wanted.Store(&wanted)
	if resp.StatusCode != http.StatusBadRequest {
		return
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	rest := resp.Body
	resp.Body = readCloser{io.MultiReader(bytes.NewReader(body), rest), rest}
	if err != nil {
		return
	}
	asked := resp.Request.Header.Get(headerVersion)
	if asked == "" {
		asked = legacyVersion
	}
	if v := olderVersion(body, asked); v != "" {
		t.version.Store(&v)
	}
}

// wants answers what there is to do about the last refusal; "" when that is not known.
func (t *tap) wants() string {
	if w := t.wanted.Load(); w != nil {
		return *w
	}
	return ""
}

type readCloser struct {
	io.Reader
	io.Closer
}

// offered answers the version that the server named when it refused ours, or "".
func (t *tap) offered() string {
	if v := t.version.Load(); v != nil {
		return *v
	}
	return ""
}
