package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
)

// httpCase is one request, which both sides answer alike.
type httpCase struct {
	name, method, url, body string
	calls                   int
	goal                    float64
}

func httpCases() []httpCase {
	return []httpCase{
		{"POST, 1 field", "POST", "/api/v1/notes", noteArguments, 10_000, 1.0},
		{"POST, 15 fields", "POST", "/api/v1/tickets", ticketArguments, 4_000, 1.0},
		{"POST, path + 15 fields of every kind, echoed", "POST", "/api/v1/projects/WEB/tickets", everyArguments, 2_000, 1.0},
		{"GET, path + 3 query", "GET", "/api/v1/tickets/WEB?state=open&limit=50&blocked=true", "", 10_000, 1.1},
	}
}

// measureHTTP compares whole chains in one process, without a network.
func measureHTTP(_ context.Context, p *plan) (*table, error) {
	t := newTable("A projected HTTP route against one written by hand",
		"The whole chain of a route (request id, Host and Origin, bearer token, router, door with two more interceptors, audit, "+
			"validation, handler, encoding) against `huma.Register` on chi behind the same bearer check, which keeps no audit: "+
			"a row of every call, written to disk in batches beside the calls and waited for at the end of a round, is part of ours alone. In process, without a network; "+
			"both answer the same JSON. The last rows are of a program that keeps neither a store nor an audit (the option NoStore), as the other side does.",
		"route", "CPU", "by hand", "ratio of CPU", "of time", "goal", "", "bytes", "by hand", "allocations", "by hand")
	for _, store := range []bool{true, false} {
		if err := measureRoutes(p, t, store); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// measureRoutes adds the rows of the product with a store and an audit, or those without.
func measureRoutes(p *plan, t *table, store bool) (err error) {
	ours, token, end, err := projected(p, store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	theirs := byHand(token)
	settle := func() error { return nil }
	if store { // who reads the audit waits for every row
		settle = httpCase{method: "GET", url: "/api/v1/calls?limit=1"}.drive(token, ours)
	}
	for _, c := range httpCases() {
		if err := alike(c, token, ours, theirs); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		r, err := compare(p.rounds, p.count(c.calls), here(c.drive(token, ours), settle), here(c.drive(token, theirs), func() error { return nil }))
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		cpu := r.ratio(cpuTime)
		name, goal, ok := c.name, atMost(c.goal), met(cpu.mid <= c.goal)
		if !store {
			name, goal, ok = name+", nothing kept", "", ""
		}
		t.row(name, nanos(middle(r.ours, cpuTime)), nanos(middle(r.theirs, cpuTime)), cpu.text(), r.ratio(wallTime).text(), goal, ok,
			count(middle(r.ours, heapBytes)), count(middle(r.theirs, heapBytes)), count(middle(r.ours, heapCount)), count(middle(r.theirs, heapCount)))
	}
	return nil
}

func (c httpCase) request(token string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), c.method, "http://127.0.0.1"+c.url, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", "*/*")
	r.Header.Set("User-Agent", "bench")
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// drive answers a function that sends the request once.
func (c httpCase) drive(token string, h http.Handler) func() error {
	base, reader, w := c.request(token), bytes.NewReader(nil), &sink{header: http.Header{}}
	return func() error {
		r := *base
		if c.body != "" {
			reader.Reset([]byte(c.body))
			r.Body, r.ContentLength = io.NopCloser(reader), int64(len(c.body))
		}
		clear(w.header)
		w.status = http.StatusOK
		h.ServeHTTP(w, &r)
		if w.status != http.StatusOK {
			return fmt.Errorf("%s %s answered %d", c.method, c.url, w.status)
		}
		return nil
	}
}

// sink is a ResponseWriter that keeps nothing but the status.
type sink struct {
	header http.Header
	status int
}

// Header answers the header, which is reused.
func (s *sink) Header() http.Header { return s.header }

// WriteHeader keeps the status.
func (s *sink) WriteHeader(status int) { s.status = status }

// Write takes everything.
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }

// alike fails unless both sides answer the request with the same JSON.
func alike(c httpCase, token string, ours, theirs http.Handler) error {
	var answers [2]any
	for i, h := range []http.Handler{ours, theirs} {
		r := c.request(token)
		if c.body != "" {
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader([]byte(c.body))), int64(len(c.body))
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			return fmt.Errorf("answered %d: %s", w.Code, w.Body)
		}
		d := json.NewDecoder(w.Body)
		d.UseNumber()
		if err := d.Decode(&answers[i]); err != nil {
			return err
		}
	}
	if !reflect.DeepEqual(answers[0], answers[1]) {
		return fmt.Errorf("the sides answer differently: %v and %v", answers[0], answers[1])
	}
	return nil
}
