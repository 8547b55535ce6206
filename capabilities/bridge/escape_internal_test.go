package bridge

import (
	"encoding/json"
	"testing"
)

// What looks like a secret may begin with the letter of an escape, and is none then.
func TestAMaskLeavesJSONValid(t *testing.T) {
	m := newMasker(Server{Secrets: map[string]string{"TOKEN": "nightly-token-1"}})
	for raw, want := range map[string]string{
		`"a\nightly-token-1"`:                        `"a\nightly-token-1"`,
		`"nightly-token-1"`:                          `"[hidden]"`,
		`"\\nightly-token-1"`:                        `"\\[hidden]"`,
		`"a\nightly-token-1 and nightly-token-1"`:    `"a\nightly-token-1 and [hidden]"`,
		`{"nightly-token-1":"\nnightly-token-1 \""}`: `{"[hidden]":"\n[hidden] \""}`,
	} {
		got := string(m.maskJSON([]byte(raw)))
		if got != want || !json.Valid([]byte(got)) {
			t.Errorf("%s is masked as %s, want %s", raw, got, want)
		}
	}
}
