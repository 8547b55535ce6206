package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// plan is what the server would do for a statement.
type plan struct {
	found   bool // it has a plan at all
	touched []touched
	calls   []string // the names of functions
}

// touched is a table of a plan.
type touched struct {
	schema, table string
	how           string // Insert, Update, Delete or Merge; "" is read
	upserts       bool   // an Insert that updates what is there
}

// plan asks the server how it would run a statement, whatever its arguments are. It
// runs nothing.
func (c *conn) plan(ctx context.Context, s *stmt) (plan, error) {
	// A plan for NULL in place of the arguments would leave out what a strict function
	// of them is part of.
	call := s.d.Name
	if n := len(s.d.ParamOIDs); n > 0 {
		call += "(NULL" + strings.Repeat(", NULL", n-1) + ")"
	}
	query := "SET LOCAL plan_cache_mode TO force_generic_plan; EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) EXECUTE " + call + "; SET LOCAL plan_cache_mode TO auto"
	all, err := c.pg.Exec(ctx, query).ReadAll()
	if err != nil {
		return plan{}, fmt.Errorf("asking how %q would be run: %w", s.query, err)
	}
	text, err := explained(all)
	if err != nil {
		return plan{}, err
	}
	var statements []map[string]any
	if err := json.Unmarshal(text, &statements); err != nil {
		// What has no plan is explained in words.
		return plan{}, nil //nolint:nilerr // the zero plan says so
	}
	var p plan
	for _, one := range statements {
		root, ok := one["Plan"].(map[string]any)
		if !ok {
			return plan{}, nil
		}
		p.found = true
		p.node(root)
	}
	slices.Sort(p.calls)
	p.calls = slices.Compact(p.calls)
	return p, nil
}

// explained answers the text of the EXPLAIN among the results.
func explained(all []*pgconn.Result) ([]byte, error) {
	for _, r := range all {
		if len(r.FieldDescriptions) == 1 && len(r.Rows) == 1 {
			return r.Rows[0][0], nil
		}
	}
	return nil, errors.New("the server explained nothing")
}

// node takes what a node of a plan and those below it touch and call. Every text in it
// is looked at: those that are no expressions have no brackets.
func (p *plan) node(n map[string]any) {
	t := touched{}
	t.table, _ = n["Relation Name"].(string)
	t.schema, _ = n["Schema"].(string)
	if n["Node Type"] == "ModifyTable" {
		t.how, _ = n["Operation"].(string)
		if t.how == "" {
			t.how = "Unknown"
		}
		resolution, ok := n["Conflict Resolution"].(string)
		t.upserts = ok && resolution != "NOTHING"
		// Several targets, those of a partitioned table, stand below.
		targets, _ := n["Target Tables"].([]any)
		for _, target := range targets {
			if m, ok := target.(map[string]any); ok {
				one := t
				one.table, _ = m["Relation Name"].(string)
				one.schema, _ = m["Schema"].(string)
				p.touched = append(p.touched, one)
			}
		}
	}
	if t.table != "" {
		p.touched = append(p.touched, t)
	}
	for _, v := range n {
		p.value(v)
	}
}

func (p *plan) value(v any) {
	switch v := v.(type) {
	case string:
		p.calls = append(p.calls, calls(v)...)
	case []any:
		for _, one := range v {
			p.value(one)
		}
	case map[string]any:
		p.node(v)
	}
}

// calls answers the names before brackets in an expression that the server wrote, but
// for those in its strings.
func calls(text string) []string {
	var names []string
	for i := 0; i < len(text); {
		switch ch := text[i]; {
		case ch == '\'':
			i = stringEnd(text, i, i > 0 && text[i-1] == 'E')
		case ch == '"':
			end := i + 1 + through(text[i+1:], `"`)
			for end < len(text) && text[end] == '"' {
				end += 1 + through(text[end+1:], `"`)
			}
			if strings.HasPrefix(text[end:], "(") {
				names = append(names, strings.ReplaceAll(text[i+1:end-1], `""`, `"`))
			}
			i = end
		case inName(ch):
			end := i
			for end < len(text) && inName(text[end]) {
				end++
			}
			if strings.HasPrefix(text[end:], "(") {
				names = append(names, text[i:end])
			}
			i = end
			if text[end-1] == 'E' && strings.HasPrefix(text[end:], "'") {
				i = stringEnd(text, end, true)
			}
		default:
			i++
		}
	}
	return names
}

func inName(ch byte) bool {
	return ch == '_' || ch == '$' || ch >= '0' && ch <= '9' || ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= 0x80
}

// stringEnd answers where the string ends that begins at start.
func stringEnd(text string, start int, escapes bool) int {
	for i := start + 1; i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case text[i] == '\'' && strings.HasPrefix(text[i+1:], "'"):
			i++
		case text[i] == '\'':
			return i + 1
		}
	}
	return len(text)
}
