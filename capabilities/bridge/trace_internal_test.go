package bridge

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// TestATraceStandsInTheMetaOfALine writes requests as a child reads them.
func TestATraceStandsInTheMetaOfALine(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	trace := capabilities.ParseTrace(parent, "a=b")
	for name, tc := range map[string]struct {
		req  request
		meta string
		want map[string]any
	}{
		"alone":               {request{trace: trace}, "", map[string]any{"traceparent": parent, "tracestate": "a=b"}},
		"without a state":     {request{trace: capabilities.ParseTrace(parent, "")}, "", map[string]any{"traceparent": parent}},
		"beside a token":      {request{trace: trace, progress: func(capabilities.Progress) {}}, "", map[string]any{"traceparent": parent, "tracestate": "a=b", "progressToken": 7.0}},
		"beside what is said": {request{trace: trace}, `"x":1,"declared":`, map[string]any{"x": 1.0, "declared": map[string]any{}, "traceparent": parent, "tracestate": "a=b"}},
		"none":                {request{}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			tc.req.method, tc.req.tool = "tools/call", "x"
			var got struct {
				Params struct {
					Meta map[string]any `json:"_meta"`
				}
			}
			if line := tc.req.encode(7, tc.meta); json.Unmarshal(line, &got) != nil {
				t.Fatalf("no JSON: %s", line)
			}
			if diff := cmp.Diff(tc.want, got.Params.Meta); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
