package conformance

import (
	"context"
	"fmt"

	"github.com/seed-89b9419b/holotype/tests/sweep"
)

// judgeSecrets looks for what was planted, and for the tokens, in all that the server says.
func (r *run) judgeSecrets(ctx context.Context) error {
	if len(r.Canaries) == 0 {
		r.left(Secrets, "nothing was planted: the target has no Canaries")
		return nil
	}
	all := []sweep.Principal{{Name: "the owner", Token: r.Token, Run: r.Run}}
	for _, p := range r.others {
		all = append(all, sweep.Principal{Name: p.Name, Token: p.Token})
	}
	all = append(all, sweep.Principal{Name: "nobody"})
	report, err := sweep.Run(ctx, sweep.Target{Handler: r.Handler, URL: r.URL, Principals: all}, r.Canaries)
	if err != nil {
		return fmt.Errorf("looking for secrets: %w", err)
	}
	r.judged(Secrets, report.Asked)
	for _, leak := range report.Leaks {
		r.found(Secrets, "", "%s", leak)
	}
	return nil
}
