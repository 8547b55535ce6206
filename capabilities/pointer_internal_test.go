package capabilities

import (
	"encoding/json"
	"errors"
	"testing"
)

// The place of a value that the schema admits and the Go type cannot hold is the
// value's own, whatever it stands in.
func TestPointerAt(t *testing.T) {
	type in struct {
		A int64            `json:"a"`
		L [][]int64        `json:"l"`
		M map[string]int64 `json:"m"`
		S []struct {
			N int8 `json:"n"`
		} `json:"s"`
	}
	for text, want := range map[string]string{
		`{"a": 1.0}`:                               "/a",
		`{"a":9223372036854775808}`:                "/a",
		`{"l":[[1],[2, 1e2 ,3]]}`:                  "/l/1/1",
		`{"m":{"x":1,"a.b/c~d" : 1.0}}`:            "/m/a.b~1c~0d",
		`{"a":1,"s":[{"n":1},{"n":2},{"n":1000}]}`: "/s/2/n",
		`{"m":{"":1.5}}`:                           "/m/",
	} {
		err := json.Unmarshal([]byte(text), new(in))
		var te *json.UnmarshalTypeError
		if !errors.As(err, &te) {
			t.Errorf("%s decodes: %v", text, err)
			continue
		}
		if got := pointerAt([]byte(text), te.Offset); got != want {
			t.Errorf("%s: the fault is at %q, want %q", text, got, want)
		}
	}
}
