package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// The look at a credential may come before the request that it is for has begun.
func TestAStandingThatIsLookedAtAtOnce(t *testing.T) {
	looked := make(chan struct{}, 1)
	s := &Server{every: 1}
	s.o.Stands = func(*http.Request) error {
		select {
		case looked <- struct{}{}:
		default:
		}
		return nil
	}
	for range 200 {
		r, end := s.watch(&exchange{s: s, principal: &capabilities.Principal{Credential: "t1"}}, httptest.NewRequest(http.MethodGet, "/", nil))
		select {
		case <-looked:
		case <-time.After(time.Minute):
			t.Fatal("nobody looked")
		}
		if err := r.Context().Err(); err != nil {
			t.Fatal(err)
		}
		end()
	}
}
