package mcpserver

import (
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

func TestAccepts(t *testing.T) {
	for _, tc := range []struct {
		accept         string // "-" is no header; lines are headers
		inJSON, events bool
	}{
		{"-", true, true},
		{"", true, true},
		{"*/*", true, true},
		{"application/json, text/event-stream", true, true},
		{"text/event-stream,application/json", true, true},
		{"application/json\ntext/event-stream", true, true},
		{"application/json", true, false},
		{"APPLICATION/JSON; charset=utf-8", true, false},
		{"application/*", true, false},
		{"text/*", false, true},
		{"text/html", false, false},
		{"application/json;q=0", false, false},
		{"application/json;q=0, text/event-stream", false, true},
		{"application/json; Q=0.000 ,text/event-stream;q=0.1", false, true},
		{"*/*;q=0", false, false},
		{"*/*, application/json;q=0", false, true},
		{"application/json;q=0, */*", false, true},
		{"application/*;q=0, application/json", true, false},
		{"*/*;q=0, text/*", false, true},
		{"application/json;q=0, application/json", true, false},
		{"application/json;q=high", true, false},
		{"application/json;q=", true, false},
		{"application/json;q=-1", false, false},
		{"application/json;version=1;q=0", false, false},
		{",, ;q=0,", false, false},
	} {
		h := http.Header{}
		if tc.accept != "-" {
			h["Accept"] = strings.Split(tc.accept, "\n")
		}
		if inJSON, events := accepts(h); inJSON != tc.inJSON || events != tc.events {
			t.Errorf("%q: JSON %t, events %t; want %t, %t", tc.accept, inJSON, events, tc.inJSON, tc.events)
		}
	}
}

// FuzzIDs: of two numbers that JSON admits, the keys are the same when, and only
// when, the numbers are; and an integer is one however it is written.
func FuzzIDs(f *testing.F) {
	for _, n := range []string{"0", "-0", "1", "1e2", "100", "1.0", "1.5", "10e-1", "0.1e1", "-1E+2", "0e9", "0.00", "9007199254740993", "1e400", "123e-400", "1200e-2"} {
		f.Add(n, "100")
		f.Add(n, n+"0")
	}
	number := func(s string) (*big.Rat, bool) {
		if schema.Scan([]byte(s)) != nil || s[0] != '-' && (s[0] < '0' || s[0] > '9') || strings.TrimSpace(s) != s {
			return nil, false
		}
		return new(big.Rat).SetString(s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, okA := number(a)
		y, okB := number(b)
		if !okA || !okB {
			return
		}
		if isID([]byte(a)) != x.IsInt() {
			t.Fatalf("%s is an integer: %t", a, x.IsInt())
		}
		if !x.IsInt() || !y.IsInt() {
			return // neither is an id
		}
		if same := idKey([]byte(a)) == idKey([]byte(b)); same != (x.Cmp(y) == 0) {
			t.Fatalf("%s and %s have the keys %.80s and %.80s", a, b, idKey([]byte(a)), idKey([]byte(b)))
		}
	})
}
