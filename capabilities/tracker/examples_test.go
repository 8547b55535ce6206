package tracker_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
)

// The examples run on the seed, one after the other, as the docs show them.
func TestExamplesDoWhatTheySay(t *testing.T) {
	w := open(t, nil)
	if err := tracker.Seed(t.Context(), w.door, w.as); err != nil {
		t.Fatal(err)
	}
	for c := range w.reg.All() {
		if len(c.Examples()) < 2 {
			t.Errorf("%s has %d examples, at least 2 are shown", c.Name(), len(c.Examples()))
		}
		for _, ex := range c.Examples() {
			_, err := w.call(c.Name(), ex.In)
			code := capabilities.Code("")
			if e, ok := capabilities.AsError(err); ok {
				code = e.Code
			} else if err != nil {
				t.Errorf("%s, example %q: %v", c.Name(), ex.Name, err)
			}
			if code != ex.Refuses {
				t.Errorf("%s, example %q: refused with %q (%v), it says %q", c.Name(), ex.Name, code, err, ex.Refuses)
			}
		}
	}
}
