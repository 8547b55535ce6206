package remote_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/remote"
)

func TestWhyANameIsAbsentCrossesWhole(t *testing.T) {
	f := newFixture(t)
	o := f.options()
	o.Absent = func(p *capabilities.Principal, name string) *capabilities.Error {
		if p.ID != "holder" || name != "soon__a b&c" {
			return nil
		}
		e := capabilities.Refuse(capabilities.Unavailable, "it is starting")
		e.RetryAfter = 1500
		return e
	}
	c := attach(t, remote.Handler(o))
	e, ok := capabilities.AsError(c.Absent(t.Context(), "soon__a b&c"))
	if !ok || e.Code != capabilities.Unavailable || e.Message != "it is starting" || e.RetryAfter != 1500 {
		t.Errorf("%+v", e)
	}
	if err := c.Absent(t.Context(), "other"); err != nil {
		t.Errorf("a name that means nothing: %v", err)
	}
	if err := attach(t, remote.Handler(f.options())).Absent(t.Context(), "soon__a b&c"); err != nil {
		t.Errorf("a holder that knows none: %v", err)
	}
}
