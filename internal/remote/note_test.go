package remote_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/remote"
)

// TestAHolderOfAnotherBuildIsSaidToBeOne asks a holder for its instructions, in both
// eras of the protocol: what else it answers is left as it is.
func TestAHolderOfAnotherBuildIsSaidToBeOne(t *testing.T) {
	const (
		legacy = `{"jsonrpc":"2.0","id":0,"result":{"instructions":"be kind.","big":9007199254740993}}`
		modern = `{"jsonrpc":"2.0","id":1,"result":{"x":"<&>","instructions":"be kind.","resultType":"complete"}}`
		plain  = `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"instructions"}]}}`
	)
	for name, tc := range map[string]struct {
		ours, theirs string
		said         bool
	}{
		"another build":           {"a", "b", true},
		"the same":                {"a", "a", false},
		"a holder that says none": {"a", "", false},
		"a client that says none": {"", "b", false},
	} {
		t.Run(name, func(t *testing.T) {
			o := newFixture(t).options()
			o.Build = func() string { return tc.theirs }
			o.ServeMCP = func(_ context.Context, in io.Reader, out io.Writer) error {
				for lines := bufio.NewScanner(in); lines.Scan(); {
					answer := map[string]string{"0": legacy, "1": modern, "2": plain}[lines.Text()[len(lines.Text())-2:len(lines.Text())-1]]
					if _, err := io.WriteString(out, answer+"\n"); err != nil {
						return err
					}
				}
				return nil
			}
			in := `{"jsonrpc":"2.0","method":"initialize","id":0}` + "\n" + `{"jsonrpc":"2.0","method":"server/discover","id":1}` + "\n" + `{"jsonrpc":"2.0","method":"tools/list","id":2}` + "\n"
			var out strings.Builder
			session := remote.NewSession(strings.NewReader(in), &out)
			session.Build = func() string { return tc.ours }
			client := remote.Dial(serve(t, remote.Handler(o)), "1.2.3")
			if err := client.PipeMCP(t.Context(), session); err != nil {
				t.Fatal(err)
			}
			if client.Build() != tc.theirs {
				t.Errorf("the holder's build is %q, want %q", client.Build(), tc.theirs)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if len(lines) != 3 {
				t.Fatalf("got %q", lines)
			}
			for i, want := range []string{legacy, modern, plain} {
				got := lines[i]
				if tc.said && want != plain {
					if !strings.Contains(got, `"instructions":"be kind. The process that answers here is of another build`) {
						t.Errorf("got %s", got)
					}
					got = strings.Replace(got, got[strings.Index(got, " The process that answers"):strings.Index(got, "start it again.")+len("start it again.")], "", 1)
				}
				if diff := cmp.Diff(raw(t, want), raw(t, got)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// raw reads JSON without losing a digit.
func raw(t *testing.T, text string) any {
	t.Helper()
	var v any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
