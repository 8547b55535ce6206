package mcpserver

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// What is refused over HTTP is refused in one of two forms. A POST carries a message,
// and what is wrong with it or with the request around it is a JSON-RPC error, whose
// data is the problem that every other route would answer. A request that carries no
// message, and one that nobody's credential stands behind, is answered with the
// problem itself (RFC 9457).

// problemOf writes a refusal as RFC 9457 problem+json.
func (f *front) problemOf(e *capabilities.Error, status int) []byte {
	return wire.ProblemBelow(f.below, e, status, capabilities.NewRequestID())
}

// problem answers RFC 9457 problem+json.
func (f *front) problem(w http.ResponseWriter, e *capabilities.Error, status int) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	write(w, f.problemOf(e, status))
}

// refuse answers a request in the form of its kind, where no message was read, or
// none that is to be named.
func (f *front) refuse(w http.ResponseWriter, r *http.Request, e *capabilities.Error, status int) {
	if r.Method != http.MethodPost {
		f.problem(w, e, status)
		return
	}
	code := int64(jsonrpc.CodeInvalidRequest)
	if status >= http.StatusInternalServerError {
		code = jsonrpc.CodeInternalError
	}
	f.refuseMessage(w, nil, &jsonrpc.Error{Code: code, Message: e.Message, Data: f.problemOf(e, status)}, status)
}

// refuseMessage answers a message that is not carried out. An error without data is
// one of the message's own making, and "invalid" for us.
func (f *front) refuseMessage(w http.ResponseWriter, id json.RawMessage, e *jsonrpc.Error, status int) {
	if e.Data == nil {
		own := *e
		own.Data = f.problemOf(capabilities.Refuse(capabilities.Invalid, "%s", e.Message), status)
		e = &own
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	write(w, failure(id, e))
}

// unsupported says that a version is none of ours (2026-07-28, error codes).
func (s *Server) unsupported(version string) *jsonrpc.Error {
	data, err := json.Marshal(mcp.UnsupportedProtocolVersionData{Supported: s.versions, Requested: clip(version)})
	if err != nil { // two texts cannot fail
		data = nil
	}
	return &jsonrpc.Error{Code: mcp.CodeUnsupportedProtocolVersion, Message: "the protocol version is not one of this server's", Data: data}
}

// write sends parts of a body. A caller that is gone is nobody to tell.
func write(w io.Writer, parts ...[]byte) {
	for _, p := range parts {
		if _, err := w.Write(p); err != nil {
			return
		}
	}
}
