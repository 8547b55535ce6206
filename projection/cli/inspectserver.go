package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/markdown"
	"github.com/seed-89b9419b/holotype/projection/inspect"
)

// inspectServer shows what another MCP server presents.
func (r *run) inspectServer(ctx context.Context, o *inspectFlags, s bridge.Server) error {
	limit, err := o.limit()
	if err != nil {
		return err
	}
	seen, err := o.endpoint(r.o.HostEnv).Observe(ctx, s, r.o.Version, limit)
	if err != nil {
		return err
	}
	report := inspect.Judge(seen)
	switch o.output.text {
	case string(JSON):
		err = r.encodeJSON(report)
	case formatMarkdown:
		_, err = r.out.Write(report.Markdown())
	default:
		p := &printer{w: r.out}
		p.report(report)
		err = p.err
	}
	if err != nil {
		return err
	}
	return o.verdict(report)
}

// withStderr adds to a sentence what the server last wrote to its standard error.
func withStderr(err error) error {
	var e *bridge.ProbeError
	if !errors.As(err, &e) || strings.Contains(err.Error(), strings.TrimSpace(e.Stderr)) { // or there is none
		return err
	}
	return fmt.Errorf("%w\nits standard error ended with:\n  %s", err, strings.ReplaceAll(e.Stderr, "\n", "\n  "))
}

// withRemedy adds to the refusal of a credential, or of none, how one is given.
func withRemedy(err error, s bridge.Server, flag string) error {
	var e *bridge.ProbeError
	if !errors.As(err, &e) || e.Status != http.StatusUnauthorized && e.Status != http.StatusForbidden {
		return err
	}
	if len(s.Headers) > 0 {
		return fmt.Errorf("%w\nwhat to do: check the value of --%s", err, flag)
	}
	return fmt.Errorf("%w\nwhat to do: give its credential with --%s, such as --%[2]s 'Authorization: Bearer TOKEN'", err, flag)
}

// verdict is the failure that --fail-on asks for, or nil.
func (o *inspectFlags) verdict(report *inspect.Report) error {
	var found []string
	total := 0
	for _, g := range report.Groups() {
		if slices.Contains(o.failOn, g.ID) || slices.Contains(o.failOn, string(g.Severity)) {
			found = append(found, fmt.Sprintf("%s (%d)", g.ID, len(g.Findings)))
			total += len(g.Findings)
		}
	}
	if total == 0 {
		return nil
	}
	return fmt.Errorf("--%s: the server has %d of the findings named: %s", flagFailOn, total, strings.Join(found, ", "))
}

func (r *run) encodeJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return r.writeJSON(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// listFindings shows the table of kinds.
func (r *run) listFindings(o *inspectFlags) error {
	kinds := inspect.Kinds()
	p := &printer{w: r.out}
	switch o.output.text {
	case string(JSON):
		return r.encodeJSON(struct {
			Kinds []inspect.Kind `json:"kinds"`
		}{kinds})
	case formatMarkdown:
		page := markdown.NewPage("the kinds of findings", "Findings")
		rows := make([][]string, len(kinds))
		for i, k := range kinds {
			rows[i] = []string{markdown.CodeCell(k.ID), string(k.Severity), markdown.Text(k.Means), markdown.Text(k.Breaks)}
		}
		page.Table([]string{"id", "severity", "means", "breaks"}, rows)
		p.print(string(page.Bytes()))
	default:
		for _, k := range kinds {
			p.print(k.ID, " (", string(k.Severity), ")\n  ", k.Means, "\n  breaks: ", k.Breaks, "\n")
		}
	}
	return p.err
}

// maxExamples is how many findings of one kind are written out for people.
const maxExamples = 5

// report lays a report out for people.
func (p *printer) report(r *inspect.Report) {
	facts := r.Facts()
	for i := range facts {
		facts[i][1] = oneLine(facts[i][1], 400)
	}
	p.facts(facts)
	if len(r.Tools) > 0 {
		p.print("\n")
		p.rows(toolRows(r), "")
		p.print("tokens are estimated: ", inspect.TokenRule, "\n")
	}
	p.print("\nfindings: ", r.Summary(), "\n")
	for _, g := range r.Groups() {
		p.print("\n", string(g.Severity), " ", g.ID, " (", strconv.Itoa(len(g.Findings)), ")\n  ", g.Means, "\n  breaks: ", g.Breaks, "\n")
		for _, f := range g.Findings[:min(len(g.Findings), maxExamples)] {
			where := strings.TrimSpace(escape(f.Tool, false) + " " + escape(f.Pointer, false))
			if where != "" {
				where += ": "
			}
			p.print("  - ", where, oneLine(f.Reason, 200), "\n")
		}
		if n := len(g.Findings) - maxExamples; n > 0 {
			p.print("  - and ", strconv.Itoa(n), " more; -o json names all\n")
		}
	}
	if r.Session.Stderr != "" {
		p.print("\nits standard error ended with:\n  ", strings.ReplaceAll(escape(r.Session.Stderr, true), "\n", "\n  "), "\n")
	}
}

func toolRows(r *inspect.Report) [][]string {
	rows := [][]string{{"NAME", "READ-ONLY", "DESTRUCTIVE", "IDEMPOTENT", "OPEN-WORLD", "INPUT", "BYTES", "~TOKENS", "FINDINGS"}}
	for i := range r.Tools {
		t := &r.Tools[i]
		rows = append(rows, []string{
			oneLine(t.Name, 64), t.Hints.ReadOnly.Word(), t.Hints.Destructive.Word(), t.Hints.Idempotent.Word(), t.Hints.OpenWorld.Word(),
			string(t.Input), strconv.Itoa(t.Bytes), strconv.Itoa(t.Tokens), t.Severities(),
		})
	}
	return rows
}
