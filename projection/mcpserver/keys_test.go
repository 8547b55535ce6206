package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestOperationKeyIsTakenOutOfTheArguments(t *testing.T) {
	for name, c := range map[string]struct {
		args, meta, want, key string
		code                  capabilities.Code
	}{
		"none":                    {args: `{"a":1}`, want: `{"a":1}`},
		"one":                     {args: `{"a":1,"op_id":"k","b":[2]}`, want: `{"a":1,"b":[2]}`, key: "k"},
		"alone":                   {args: `{"op_id":"k"}`, want: `{}`, key: "k"},
		"twice":                   {args: `{"op_id":"k","op_id":"l"}`, want: `{"op_id":"l"}`, key: "k"},
		"the same in _meta":       {args: `{"op_id":"k"}`, meta: "k", want: `{}`, key: "k"},
		"another one in _meta":    {args: `{"op_id":"k"}`, meta: "l", code: capabilities.OpIDInvalid},
		"a number":                {args: `{"op_id":1}`, code: capabilities.OpIDInvalid},
		"a space":                 {args: `{"op_id":"a b"}`, code: capabilities.OpIDInvalid},
		"empty":                   {args: `{"op_id":""}`, code: capabilities.OpIDInvalid},
		"what has no members":     {args: ``, want: ``},
		"a key in another object": {args: `{"a":{"op_id":"k"}}`, want: `{"a":{"op_id":"k"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			op := capabilities.Operation{ID: c.meta}
			got, e := takeKey(json.RawMessage(c.args), &op)
			if e != nil {
				if e.Code != c.code {
					t.Errorf("refused with %s: %v", e.Code, e)
				}
				return
			}
			if c.code != "" || string(got) != c.want || op.ID != c.key {
				t.Errorf("%s with the key %q, want %s with %q (%s)", got, op.ID, c.want, c.key, c.code)
			}
		})
	}
}
