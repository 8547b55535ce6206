package capabilities_test

import (
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestATraceIsReadAsItIsWritten(t *testing.T) {
	const id, span = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	long := strings.Repeat("a=b,", 200)
	for _, tc := range []struct{ name, parent, state, want, wantState string }{
		{"sampled", "00-" + id + "-" + span + "-01", "", "00-" + id + "-" + span + "-01", ""},
		{"not sampled", "00-" + id + "-" + span + "-00", "x=1", "00-" + id + "-" + span + "-00", "x=1"},
		{"flags of later are dropped", "00-" + id + "-" + span + "-03", "", "00-" + id + "-" + span + "-01", ""},
		{"a later version with more", "01-" + id + "-" + span + "-01-more", "", "00-" + id + "-" + span + "-01", ""},
		{"a later version without a dash", "01-" + id + "-" + span + "-01.more", "", "", ""},
		{"this version with more", "00-" + id + "-" + span + "-01-more", "", "", ""},
		{"the forbidden version", "ff-" + id + "-" + span + "-01", "", "", ""},
		{"capitals", "00-" + strings.ToUpper(id) + "-" + span + "-01", "", "", ""},
		{"no trace", "00-" + strings.Repeat("0", 32) + "-" + span + "-01", "", "", ""},
		{"no span", "00-" + id + "-" + strings.Repeat("0", 16) + "-01", "", "", ""},
		{"short", "00-" + id + "-" + span, "", "", ""},
		{"nothing", "", "x=1", "", ""},
		{"dashes elsewhere", "00_" + id + "-" + span + "-01", "", "", ""},
		{"a state too long", "00-" + id + "-" + span + "-01", long, "00-" + id + "-" + span + "-01", ""},
		{"a state with a line end", "00-" + id + "-" + span + "-01", "x=1\r\nHost: y", "00-" + id + "-" + span + "-01", ""},
		{"a state with a quote", "00-" + id + "-" + span + "-01", `x="1`, "00-" + id + "-" + span + "-01", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := capabilities.ParseTrace(tc.parent, tc.state)
			if got.Parent() != tc.want || got.State != tc.wantState {
				t.Errorf("got %q with the state %q, want %q with %q", got.Parent(), got.State, tc.want, tc.wantState)
			}
			if got.IsZero() != (tc.want == "") {
				t.Errorf("IsZero is %t", got.IsZero())
			}
		})
	}
}

func FuzzParseTrace(f *testing.F) {
	f.Add("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=b")
	f.Add("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x", "")
	f.Fuzz(func(t *testing.T, parent, state string) {
		one := capabilities.ParseTrace(parent, state)
		if one.IsZero() {
			return
		}
		if again := capabilities.ParseTrace(one.Parent(), one.State); again != one {
			t.Errorf("%q is read as %q, and that as %q", parent, one.Parent(), again.Parent())
		}
	})
}
