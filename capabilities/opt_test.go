package capabilities_test

import (
	"encoding/json"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// A field that may be absent, null or a value is one of them, and is written as it was read.
func TestOptIsOneOfThree(t *testing.T) {
	type input struct {
		N capabilities.Opt[int] `json:"n,omitzero"`
	}
	for text, want := range map[string]struct {
		opt                 capabilities.Opt[int]
		value               int
		absent, null, there bool
	}{
		`{}`:         {absent: true},
		`{"n":null}`: {opt: capabilities.Null[int](), null: true},
		`{"n":0}`:    {opt: capabilities.Some(0), there: true},
		`{"n":7}`:    {opt: capabilities.Some(7), value: 7, there: true},
	} {
		var got input
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		value, there := got.N.Get()
		if got.N != want.opt || value != want.value || there != want.there || got.N.IsNull() != want.null || got.N.IsZero() != want.absent {
			t.Errorf("%s is read as %+v, want %+v", text, got.N, want)
		}
		if again, err := json.Marshal(got); err != nil || string(again) != text {
			t.Errorf("%s is written as %s, %v", text, again, err)
		}
	}
}
