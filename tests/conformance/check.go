package conformance

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

// run is one check.
type run struct {
	Target
	*Report
	list  listing
	tools map[string]inputs.Tool
	calls []exchange // the samples and what they were answered
	wrong []exchange // arguments that no schema takes
	later []exchange // the samples of reads, after a new start

	others []Principal
}

// Check asks the target everything and answers what does not hold. The error says that
// something could not be asked, never that a rule does not hold.
func Check(ctx context.Context, t Target) (*Report, error) {
	if t.Registry == nil || t.Registry.Len() == 0 || t.Handler == nil && t.URL == "" {
		return nil, errors.New("nothing is declared, or nothing answers: a target has a Registry, and a Handler or a URL")
	}
	r := &run{Target: t, Report: &Report{Judged: map[string]int{}, Left: map[string]string{}}, tools: map[string]inputs.Tool{}}
	if err := r.everything(ctx); err != nil {
		return nil, err
	}
	for _, rule := range Rules() {
		if r.Judged[rule.ID] == 0 && r.Left[rule.ID] == "" {
			r.left(rule.ID, "there was nothing to judge")
		}
	}
	return r.Report, nil
}

// Run is [Check] for a test: what does not hold fails it.
func Run(t *testing.T, target Target) *Report {
	t.Helper()
	report, err := Check(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		t.Error(f)
	}
	t.Log("\n" + report.String())
	return report
}

// everything asks first what changes nothing, so that a second server meets the same, and
// judges what was said when all is.
func (r *run) everything(ctx context.Context) error {
	if r.Prepare != nil {
		var err error
		if r.others, err = r.Prepare(ctx, r.Door); err != nil {
			return fmt.Errorf("preparing the server: %w", err)
		}
	}
	for _, step := range []func(context.Context) error{
		r.awaitUpstream, r.lists, r.sendWrong, r.callReads, r.startAgain, r.callReadsLater, r.callWrites,
		r.judgeLists, r.judgeOthers, r.judgeRelay, r.judgeSecrets,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	r.judgeHints()
	r.judgeAnswers()
	r.judgeWrong()
	r.judgeSame()
	r.judgeSchemas()
	return ctx.Err()
}

// served walks the declared capabilities that the server lists, aliases left out.
func (r *run) served(f func(c *capabilities.Capability) error) error {
	for c := range r.Registry.All() {
		if c.AliasOf() != "" || c.Bridged() || !r.list.anywhere(c.Name()) {
			continue
		}
		if err := f(c); err != nil {
			return fmt.Errorf("calling %s: %w", c.Name(), err)
		}
	}
	return nil
}

// send makes one call on every way that can carry it.
func (r *run) send(ctx context.Context, c *capabilities.Capability, s Sample, dry bool) (exchange, error) {
	x := exchange{c: c, sample: s, dry: dry}
	a, carried, err := r.callHTTP(ctx, r.Token, r.tools[c.Name()], s.In, dry)
	if err != nil {
		return x, err
	}
	if carried {
		x.answers = append(x.answers, a)
	}
	if a, err = r.callMCP(ctx, r.Token, c.Name(), s.In, dry); err != nil {
		return x, err
	}
	x.answers = append(x.answers, a)
	if r.Run != nil {
		x.answers = append(x.answers, r.callCommand(ctx, c.Name(), s.In, dry))
	}
	return x, nil
}

func (r *run) startAgain(ctx context.Context) error {
	if r.Again == nil {
		return nil
	}
	next, err := r.Again(ctx)
	if err != nil {
		return fmt.Errorf("starting the server again: %w", err)
	}
	r.Server = next
	return r.awaitUpstream(ctx)
}
