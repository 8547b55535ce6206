package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Options configure a [Handler].
type Options struct {
	Door   capabilities.Invoker
	Viewer capabilities.Viewer
	// Principal is who every client of the socket is.
	Principal *capabilities.Principal
	// Absent answers the refusal of a name in no view that is known all the same; nil
	// for any other. A nil Absent knows none.
	Absent func(p *capabilities.Principal, name string) *capabilities.Error
	// ServeMCP serves one session of newline-delimited JSON-RPC until in ends or ctx
	// is done; it logs its own failures. nil refuses sessions.
	ServeMCP func(ctx context.Context, in io.Reader, out io.Writer) error
	// ServeSeat answers what serves a session in the position of a seat, "" for none, and
	// whether its list is of the tools of discovery; the error is a refusal when its chain
	// holds an [*capabilities.Error]. A nil ServeSeat has no seats, and whole lists alone.
	ServeSeat func(seat string, discovery bool) (serve func(ctx context.Context, in io.Reader, out io.Writer) error, err error)
	// LoginLink answers a fresh link that signs a browser in as the owner; an error is
	// a refusal when its chain holds an [*capabilities.Error]. A nil LoginLink has none.
	LoginLink func() (string, error)
	// Leave makes the holder let the data directory go soon, to the process that asks;
	// an error is a refusal when its chain holds an [*capabilities.Error]. A nil Leave
	// never does.
	Leave func() error
	// Leaving ends the input of every session when it is closed, as if its client had
	// nothing more to say; the session ends when ServeMCP returns. nil never is.
	Leaving <-chan struct{}
	// Version of this program; clients of any other are refused.
	Version string
	// Build answers a word that tells this build from others of the same version; "", or a
	// nil Build, tells nothing.
	Build func() string
}

// Handler answers what a holder serves on its Unix socket. The caller creates the
// socket, with mode 0600.
func Handler(o Options) http.Handler {
	h := &handler{o}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathView, h.view)
	mux.HandleFunc("GET "+pathAbsent, h.absent)
	mux.HandleFunc("POST "+pathCall, h.call)
	mux.HandleFunc("POST "+pathMCP, h.mcp)
	mux.HandleFunc("POST "+pathLogin, h.login)
	mux.HandleFunc("POST "+pathLeave, h.leave)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(versionHeader, o.Version)
		w.Header().Set(buildHeader, h.build())
		if r.Header.Get(versionHeader) != o.Version {
			http.Error(w, "another version holds this data directory: "+o.Version, http.StatusConflict)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

type handler struct{ o Options }

func (h *handler) build() string {
	if h.o.Build == nil {
		return ""
	}
	return h.o.Build()
}

func (h *handler) view(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	// The client sees a broken answer by itself.
	_ = json.NewEncoder(w).Encode(viewOf(h.o.Viewer.View(h.o.Principal)))
}

func (h *handler) absent(w http.ResponseWriter, r *http.Request) {
	var e event
	if h.o.Absent != nil {
		if refused := h.o.Absent(h.o.Principal, r.URL.Query().Get("name")); refused != nil {
			e.Refusal = refusalOf(refused)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	// The client sees a broken answer by itself.
	_ = json.NewEncoder(w).Encode(e)
}

// login is a POST, because every call makes another link.
func (h *handler) login(w http.ResponseWriter, _ *http.Request) {
	var a login
	var err error = capabilities.Refuse(capabilities.Unavailable, "the process that holds the data directory serves no pages to sign in to")
	if h.o.LoginLink != nil {
		a.Link, err = h.o.LoginLink()
	}
	if err != nil {
		a = login{Refusal: refusalOf(err)}
	}
	w.Header().Set("Content-Type", "application/json")
	// The client sees a broken answer by itself.
	_ = json.NewEncoder(w).Encode(a)
}

func (h *handler) leave(w http.ResponseWriter, _ *http.Request) {
	var a left
	var err error = capabilities.Refuse(capabilities.Unavailable, "the process that holds the data directory does not give it away")
	if h.o.Leave != nil {
		err = h.o.Leave()
	}
	if err != nil {
		a.Refusal = refusalOf(err)
	}
	w.Header().Set("Content-Type", "application/json")
	// The client sees a broken answer by itself.
	_ = json.NewEncoder(w).Encode(a)
}

type answer struct {
	result *capabilities.Result
	err    error
}

func (h *handler) call(w http.ResponseWriter, r *http.Request) {
	var req request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&req); err != nil {
		http.Error(w, fmt.Sprintf("the call cannot be read: %v", err), http.StatusBadRequest)
		return
	}
	// Only once the body is read to its end does the server watch the connection
	// and cancel the context when the client leaves.
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, 1))

	// The handler must not wait for a client that reads slowly: reports beyond the
	// buffer are dropped, and only this goroutine writes.
	reports := make(chan capabilities.Progress, 16)
	call := capabilities.Call{
		Name: req.Name, Arguments: req.Arguments, Principal: h.o.Principal, Surface: capabilities.CLI,
		Operation: capabilities.Operation{ID: req.OpID, DryRun: req.DryRun}, RequestID: req.RequestID, Wait: req.Wait,
	}
	if req.Progress {
		call.Progress = func(p capabilities.Progress) {
			select {
			case reports <- p:
			default:
			}
		}
	}
	done := make(chan answer, 1)
	go func() {
		res, err := h.o.Door.Invoke(r.Context(), call)
		done <- answer{res, err}
	}()

	w.Header().Set("Content-Type", ndjson)
	s := &lines{enc: json.NewEncoder(w), control: http.NewResponseController(w)}
	for {
		select {
		case p := <-reports:
			s.progress(p)
		case a := <-done:
			for len(reports) > 0 {
				s.progress(<-reports)
			}
			if a.err != nil {
				s.write(event{Refusal: refusalOf(a.err)})
				return
			}
			s.write(event{Result: resultOf(a.result)})
			return
		}
	}
}

// lines writes events, each at once. A client that has gone makes writes fail,
// and cancels the call through its context.
type lines struct {
	enc     *json.Encoder
	control *http.ResponseController
}

func (l *lines) progress(p capabilities.Progress) {
	if finite(p.Value) && finite(p.Total) { // JSON has no other numbers
		l.write(event{Progress: &p})
	}
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func (l *lines) write(e event) {
	if l.enc.Encode(e) == nil {
		_ = l.control.Flush()
	}
}

// mcp turns the connection over to a session.
func (h *handler) mcp(w http.ResponseWriter, r *http.Request) {
	if h.o.ServeMCP == nil || r.Header.Get("Upgrade") != mcpProtocol {
		http.Error(w, "this path speaks "+mcpProtocol+" alone", http.StatusUpgradeRequired)
		return
	}
	serve := h.o.ServeMCP
	query := r.URL.Query()
	if seat, discovery := query.Get(seatQuery), query.Get(discoveryQuery) == "true"; seat != "" || discovery {
		var err error = capabilities.Refuse(capabilities.NotFound, "there are no seats here")
		if h.o.ServeSeat != nil {
			serve, err = h.o.ServeSeat(seat, discovery)
		}
		if err != nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			// The client sees a broken answer by itself.
			_ = json.NewEncoder(w).Encode(event{Refusal: refusalOf(err)})
			return
		}
	}
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "this connection cannot be upgraded", http.StatusInternalServerError)
		return
	}
	defer func() { _ = conn.Close() }()
	// A session outlives the time limits of a request.
	if conn.SetDeadline(time.Time{}) != nil {
		return
	}
	_, err = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n%s: %s\r\n%s: %s\r\n\r\n", mcpProtocol, versionHeader, h.o.Version, buildHeader, h.build())
	if err != nil {
		return
	}
	ctx := r.Context()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	early, err := rw.Peek(rw.Reader.Buffered())
	if err != nil { // it is in memory
		return
	}
	served := make(chan struct{})
	defer close(served)
	if half, ok := conn.(interface{ CloseRead() error }); ok {
		go func() {
			select {
			case <-h.o.Leaving:
				_ = half.CloseRead() // one that fails is closed already
			case <-served:
			}
		}()
	}
	_ = serve(ctx, &session{conn, io.MultiReader(bytes.NewReader(early), conn)}, conn) // logs its own failures
}

// session is a connection that was turned over, what came with the request before
// the rest. It is not read through the server's own reader, which cancels the
// request's context at the end of the input: a client that has written its requests
// and closed its half still waits for the answers.
type session struct {
	net.Conn
	in io.Reader
}

// Read reads what came with the request, then the connection.
func (s *session) Read(p []byte) (int, error) { return s.in.Read(p) }
