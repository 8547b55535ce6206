package httpapi_test

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// held is a door that answers nobody until it is opened.
type held struct {
	open   chan struct{}
	inside atomic.Int64
}

func (h *held) Invoke(_ context.Context, call capabilities.Call) (*capabilities.Result, error) {
	if call.Refusal != nil {
		return nil, call.Refusal
	}
	h.inside.Add(1)
	defer h.inside.Add(-1)
	<-h.open
	return &capabilities.Result{Structured: []byte(`{}`)}, nil
}

// Large bodies take turns, so that they never fill the memory together; small ones do
// not wait for them, and who waits too long is told so and did nothing.
func TestLargeBodiesTakeTurns(t *testing.T) {
	for _, tc := range []struct {
		name    string
		unsized bool // counts as the largest there may be
		size    int
		senders int
		first   int64
	}{{"announced", false, 2 << 20, 10, 8}, {"in pieces", true, 300 << 10, 6, 4}} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				door := &held{open: make(chan struct{})}
				answer := sync.OnceFunc(func() { close(door.open) })
				defer answer()
				f := serve(t, func(o *httpapi.Options) { o.Door = door })
				const items = "/api/v1/projects/WEB/items"
				large, small := `{"title":"`+strings.Repeat("x", tc.size-12)+`"}`, `{"title":"x"}`
				send := func(body string) chan *httptest.ResponseRecorder {
					done := make(chan *httptest.ResponseRecorder, 1)
					go func() {
						w := httptest.NewRecorder()
						r := request("POST", items, body)
						if tc.unsized {
							r.ContentLength = -1
						}
						f.ServeHTTP(w, r)
						done <- w
					}()
					return done
				}
				var all []chan *httptest.ResponseRecorder
				for range tc.senders {
					all = append(all, send(large))
				}
				synctest.Wait()
				first := door.inside.Load()
				if first != tc.first {
					t.Fatalf("%d of %d bodies of %d bytes are in at once, want %d", first, tc.senders, len(large), tc.first)
				}
				little := send(small)
				synctest.Wait()
				if n := door.inside.Load(); n != first+1 {
					t.Errorf("a small body waits behind the large ones: %d are in", n)
				}
				// One principal's share is full, and somebody else's is not.
				others := make(chan *httptest.ResponseRecorder, 1)
				go func() {
					w := httptest.NewRecorder()
					f.ServeHTTP(w, request("POST", items, large, "Authorization: Bearer writer"))
					others <- w
				}()
				synctest.Wait()
				if n := door.inside.Load(); n != first+2 {
					t.Errorf("another principal waits behind one that holds a share: %d are in", n)
				}
				first++
				time.Sleep(time.Minute)
				synctest.Wait()
				if n := door.inside.Load(); n != first+1 {
					t.Errorf("after a minute %d are in", n)
				}
				answer()
				statuses := map[int]int64{}
				for _, one := range append(all, little, others) {
					w := <-one
					statuses[w.Code]++
					if w.Code == 503 && w.Header().Get("Retry-After") != "30" {
						t.Errorf("told to wait %q seconds", w.Header().Get("Retry-After"))
					}
				}
				if statuses[200] != first+1 || statuses[503] != int64(tc.senders)-tc.first {
					t.Errorf("answered with %v", statuses)
				}
				// What they held is given back.
				for range tc.senders {
					if w := <-send(large); w.Code != 200 {
						t.Fatalf("afterwards answered with %d: %s", w.Code, w.Body)
					}
				}
			})
		})
	}
}

// Who announces a large body and does not send it keeps nobody else out.
func TestAnnouncedBodiesTakeNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		door := &held{open: make(chan struct{})}
		close(door.open)
		f := serve(t, func(o *httpapi.Options) { o.Door = door })
		var ends []*io.PipeWriter
		var all sync.WaitGroup
		for range 40 {
			body, end := io.Pipe()
			ends = append(ends, end)
			r := request("POST", "/api/v1/projects/WEB/items", "")
			r.Body, r.ContentLength = body, 2<<20
			r.Header.Set("Content-Type", "application/json")
			all.Go(func() { f.ServeHTTP(httptest.NewRecorder(), r) })
		}
		synctest.Wait()
		began, w := time.Now(), httptest.NewRecorder()
		f.ServeHTTP(w, request("POST", "/api/v1/projects/WEB/items", `{"title":"`+strings.Repeat("x", 2<<20)+`"}`))
		if w.Code != 200 || time.Since(began) != 0 {
			t.Errorf("a body that comes is answered %d after %s", w.Code, time.Since(began))
		}
		for _, end := range ends {
			_ = end.CloseWithError(io.ErrUnexpectedEOF)
		}
		all.Wait()
	})
}
