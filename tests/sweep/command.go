package sweep

import (
	"bytes"
	"context"
	"strings"
)

// commands runs the command lines of a principal, and call for every tool.
func (s *sweep) commands(ctx context.Context, who Principal) {
	if who.Run == nil {
		return
	}
	for _, words := range append(who.Commands, []string{"help"}, []string{"__complete", "call", ""}, []string{"call", probe()}, []string{probe()}) {
		s.run(ctx, who, "", words...)
	}
	had := map[string]bool{}
	for i, name := range s.order {
		t := s.tools[name]
		kind := t.method + " " + t.group // of each kind of tool one is called badly, and tried
		known := had[kind]
		had[kind] = true
		if !known {
			s.run(ctx, who, s.bad(t, s.own[who.Name])[0], "call", name, "--json", "-")
		}
		if i == 0 {
			s.run(ctx, who, "", "call", name, "--"+s.own[who.Name])
		}
		words := []string{"call", name, "--json", "-", "-o", "json", "--yes"}
		switch {
		case t.reads || s.CallWrites && t.bridged:
		case t.dry && !known:
			words = append(words, "--dry-run")
		default:
			continue
		}
		s.run(ctx, who, s.good(t)[0], words...)
	}
}

// run runs one command line.
func (s *sweep) run(ctx context.Context, who Principal, in string, words ...string) {
	s.report.Asked++
	var out, errw bytes.Buffer
	who.Run(ctx, words, strings.NewReader(in), &out, &errw)
	a := asked{who.Name, Command, strings.Join(words, " ")}
	s.judge(a, "standard output", out.String())
	s.judge(a, "standard error", errw.String())
}
