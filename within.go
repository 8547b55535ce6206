package holotype

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// withinVariable tells a bridged child, and everything that it starts, by which data
// directory's server it was started. A client's file that starts `mcp` and is also what
// the server bridges would otherwise make it serve its own tools to itself, again and
// again. It also tells the next holder what one that was killed left running.
const withinVariable = "HOLOTYPE_WITHIN"

// errWithin ends an mcp command that its own server started.
var errWithin = errors.New("this command was started by the server it would attach to: take its own entry out of the MCP servers that the server bridges")

// within names a data directory without telling its path; "" for none.
func within(dir string) string {
	if dir == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:8])
}

// within is what the place's children are told; "" in memory.
func (p *place) within() string {
	if p.tokenFile == "" {
		return ""
	}
	return within(filepath.Dir(p.tokenFile))
}

// mark tells the place's server from all others, on every machine: two of them may have
// data directories of the same path. It stays as long as the owner's token does, which
// it tells nothing of.
func (p *place) mark() string {
	sum := sha256.Sum256([]byte("mark\n" + p.token))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16])
}

// seal is a secret of the place's server, as long as the owner's token is one, which it
// does not tell.
func (p *place) seal() string {
	sum := sha256.Sum256([]byte("seal\n" + p.token))
	return hex.EncodeToString(sum[:])
}

// marking answers who sends a request with this server's own mark by whom it is
// answered, whatever comes of it otherwise: a server that is an entry of its own has no
// use for a credential, nor for another path. A call is refused before it does anything: it
// would lead here once more.
func marking(h http.Handler, mark string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sent := r.Header[wire.HeaderMark]; len(sent) > 0 && sent[0] == mark {
			w.Header().Set(wire.HeaderMark, mark)
			if strings.HasPrefix(r.URL.Path, "/api/") {
				refused := capabilities.Refuse(capabilities.Forbidden, "this server is calling itself: take the entry that leads here out of its openapi_servers")
				w.Header().Set("Content-Type", "application/problem+json")
				w.WriteHeader(refused.Info().Status)
				_, _ = w.Write(wire.Problem(refused, refused.Info().Status, "")) // it is this server that reads it
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}

// startedByItself reports whether the server of the same data directory started
// this process.
func (s *Server) startedByItself(f files) (bool, error) {
	if s.inMemory(f) {
		return false, nil
	}
	dir, err := s.dir(f)
	if err != nil {
		return false, err
	}
	by, _ := s.o.Lookup(withinVariable)
	return by != "" && by == within(dir.Path()), nil
}
