package main

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
)

// behindBearer lets through what carries the token: the check that the hand-written
// side makes.
func behindBearer(token string, next http.Handler) http.Handler {
	want := []byte(token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(got), want) != 1 {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// body is a request's or an answer's body as huma wants it.
type body[T any] struct{ Body T }

// byHand are the measured routes as huma's documentation writes them: one type and
// one handler a route, behind a bearer check.
func byHand(token string) http.Handler {
	mux := chi.NewMux()
	mux.Use(func(next http.Handler) http.Handler { return behindBearer(token, next) })
	config := huma.DefaultConfig("bench", "1")
	// Without the $schema member, which answers would carry otherwise, and without documents.
	config.CreateHooks, config.DocsPath, config.OpenAPIPath, config.SchemasPath = nil, "", "", ""
	api := humachi.New(mux, config)
	huma.Post(api, "/api/v1/notes", func(_ context.Context, in *body[Note]) (*body[Noted], error) {
		return &body[Noted]{takeNote(in.Body)}, nil
	})
	huma.Post(api, "/api/v1/tickets", func(_ context.Context, in *body[Ticket]) (*body[Filed], error) {
		return &body[Filed]{file(in.Body)}, nil
	})
	huma.Get(api, "/api/v1/tickets/{project}", func(_ context.Context, in *Lookup) (*body[Filed], error) {
		return &body[Filed]{lookUp(*in)}, nil
	})
	huma.Post(api, "/api/v1/projects/{project}/tickets", func(_ context.Context, in *everyInput) (*body[everyOutput], error) {
		return &body[everyOutput]{echoEvery(in)}, nil
	})
	return mux
}

// everyInput is the fixture's file_ticket written for huma.
type everyInput struct {
	Project string `path:"project" minLength:"1" maxLength:"40"`
	Body    everyTicket
}

type everyTicket struct {
	Title    string         `json:"title" minLength:"1" maxLength:"200"`
	Kind     string         `json:"kind" enum:"bug,idea,question"`
	Text     string         `json:"body,omitempty"`
	Priority int            `json:"priority,omitempty" minimum:"1" maximum:"5" default:"3"`
	Estimate float64        `json:"estimate,omitempty" minimum:"0"`
	Public   bool           `json:"public,omitempty"`
	Labels   []string       `json:"labels,omitempty" maxItems:"10"`
	External int64          `json:"external,omitempty"`
	Small    uint8          `json:"small,omitempty"`
	Due      string         `json:"due,omitempty" format:"date"`
	Link     string         `json:"link,omitempty" format:"uri"`
	Assignee *string        `json:"assignee,omitempty" maxLength:"40"`
	Parent   *string        `json:"parent,omitempty"`
	Steps    []everyStep    `json:"steps,omitempty"`
	Facts    map[string]int `json:"facts,omitempty"`
	Extra    any            `json:"extra,omitempty"`
}

type everyStep struct {
	Text  string      `json:"text" minLength:"1"`
	Done  bool        `json:"done,omitempty"`
	Steps []everyStep `json:"steps,omitempty"`
}

type everyOutput struct {
	Ticket struct {
		Project string `json:"project"`
		everyTicket
	} `json:"ticket"`
	Labels   []string          `json:"labels"`
	Watchers map[string]string `json:"watchers"`
}

func echoEvery(in *everyInput) everyOutput {
	out := everyOutput{Labels: in.Body.Labels, Watchers: map[string]string{}}
	out.Ticket.Project, out.Ticket.everyTicket = in.Project, in.Body
	if out.Labels == nil {
		out.Labels = []string{}
	}
	return out
}
