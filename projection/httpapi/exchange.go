package httpapi

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// Header keys in the canonical form that net/http's maps use, so that the hot
// path reads and writes the maps directly.
const (
	keyActingFor      = "Acting-For"
	keyAccept         = "Accept"
	keyAllow          = "Allow"
	keyAuthorization  = "Authorization"
	keyCacheControl   = "Cache-Control"
	keyConnection     = "Connection"
	keyContentLength  = "Content-Length"
	keyContentType    = "Content-Type"
	keyCoding         = "Content-Encoding"
	keyIdempotency    = "Idempotency-Key"
	keyIfMatch        = "If-Match"
	keyIfNoneMatch    = "If-None-Match"
	keyNoSniff        = "X-Content-Type-Options"
	keyOrigin         = "Origin"
	keyReferrerPolicy = "Referrer-Policy"
	keyRequestID      = "X-Request-Id"
	keyRetryAfter     = "Retry-After"
	keyFetchSite      = "Sec-Fetch-Site"
	keyVary           = "Vary"
	keyAuthenticate   = "Www-Authenticate"
)

// constant header values, shared by all answers and never changed: net/http only
// reads them.
type headerValues struct{ json, problem, html, noStore []string }

func newHeaderValues() headerValues {
	return headerValues{
		json:    []string{"application/json"},
		problem: []string{"application/problem+json"},
		html:    []string{"text/html; charset=utf-8"},
		noStore: []string{noStore},
	}
}

// exchange is one request on its way through the server, and the ResponseWriter of
// its answer: one allocation that holds all that is known of it.
type exchange struct {
	http.ResponseWriter
	s         *Server
	id        [1]string // the request id, as a header value
	intake    *intake   // the body, nil without one
	reserved  int64     // bytes of the room for large bodies
	holder    string    // whose they are
	principal *capabilities.Principal
	session   bool // the principal signed in from a browser
	secure    bool // the caller came over TLS
	wrote     bool
	params    *chi.RouteParams // the fields of the path
	operation operation
}

// begin notes that the answer begins. One that does not wait for the whole body is
// the last on its connection: where the next request begins is not known.
func (x *exchange) begin(status int) {
	if !x.wrote {
		x.s.answered.count(status)
	}
	if !x.wrote && x.intake.unread() && x.intake.http1 {
		x.Header()[keyConnection] = []string{"close"}
	}
	if !x.wrote {
		x.unstored(x.Header())
	}
	x.wrote = true
}

// WriteHeader begins the answer.
func (x *exchange) WriteHeader(status int) {
	x.begin(status)
	x.ResponseWriter.WriteHeader(status)
}

// Write begins the answer, or goes on with it.
func (x *exchange) Write(b []byte) (int, error) {
	x.begin(http.StatusOK)
	return x.ResponseWriter.Write(b)
}

// Flush sends what was written, for streams behind the router.
func (x *exchange) Flush() {
	x.begin(http.StatusOK)
	// A writer that cannot flush buffers; there is nothing to do about it here.
	_ = http.NewResponseController(x.ResponseWriter).Flush()
}

// Unwrap answers the server's own writer, for [http.ResponseController].
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// requestID answers the caller's own request id where it is well formed, else a
// fresh one: a random word of this process and a count, which is unique without a
// draw of randomness a request. It is no secret.
func (s *Server) requestID(h http.Header) string {
	if v := h[keyRequestID]; len(v) == 1 && wellFormedID(v[0]) {
		return v[0]
	}
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
	id := s.idWord
	count := s.idCount.Add(1)
	for i := len(id) - 1; count > 0 && id[i] != '-'; i-- {
		id[i] = digits[count&31]
		count >>= 5
	}
	return string(id[:])
}

func wellFormedID(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// send writes a whole answer. A HEAD gets its headers alone.
func (x *exchange) send(r *http.Request, status int, contentType []string, body []byte) {
	h := x.Header()
	h[keyContentType] = contentType
	if r.Method == http.MethodHead || len(body) > 2048 || x.intake.unread() { // else net/http counts by itself
		h[keyContentLength] = []string{strconv.Itoa(len(body))}
	}
	x.WriteHeader(status)
	if r.Method != http.MethodHead {
		// A write fails when the caller has gone; nobody is left to be told.
		_, _ = x.Write(body)
	}
}

// json answers 200 with a JSON body.
func (x *exchange) json(r *http.Request, body []byte) {
	x.send(r, http.StatusOK, x.s.values.json, body)
}

// refuse answers a refusal with the status of its code.
func (x *exchange) refuse(r *http.Request, e *capabilities.Error) {
	e = lapsed(r, e)
	x.problem(r, e, e.Info().Status)
}

// problem answers a refusal as problem+json (RFC 9457).
func (x *exchange) problem(r *http.Request, e *capabilities.Error, status int) {
	h := x.Header()
	if e.RetryAfter > 0 {
		h[keyRetryAfter] = []string{strconv.FormatInt(wire.RetryAfterSeconds(e.RetryAfter), 10)}
	}
	if status == http.StatusUnauthorized && h[keyAuthenticate] == nil {
		x.challenge(r, "")
	}
	x.send(r, status, x.s.values.problem, wire.ProblemBelow(x.s.o.BasePath, e, status, x.id[0]))
}

// rescue turns a panic of this package, or of a mounted handler, into a refusal.
// It is deferred around every request.
func (x *exchange) rescue(r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares the value itself
		panic(p) //nolint:forbidigo // net/http's own way to end a request
	}
	x.s.o.Log.LogAttrs(r.Context(), slog.LevelError, "http_panicked", slog.String("request_id", x.id[0]),
		slog.String("method", r.Method), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
	if x.wrote {
		panic(http.ErrAbortHandler) //nolint:forbidigo // half an answer must not look whole
	}
	x.refuse(r, x.s.failed(x.id[0]))
}

// failed is the refusal of what is our own fault: its text is fixed.
func (s *Server) failed(requestID string) *capabilities.Error {
	return capabilities.Refuse(capabilities.InternalError,
		"this server failed; its operator finds the cause in the log under request %s", requestID)
}

// refusal answers the refusal in err's chain. Any other error is ours: it is
// logged and never shown.
func (x *exchange) refusal(r *http.Request, event string, err error) *capabilities.Error {
	if e, ok := capabilities.AsError(err); ok {
		return e
	}
	//nolint:sloglint // every caller passes a constant
	x.s.o.Log.LogAttrs(r.Context(), slog.LevelError, event, slog.String("request_id", x.id[0]), slog.String("error", err.Error()))
	return x.s.failed(x.id[0])
}
