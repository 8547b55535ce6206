package inspect

import (
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// Word answers the hint as it was sent: yes, no, absent, or odd for a value that is no
// boolean.
func (h Hint) Word() string {
	switch {
	case h.Value != capabilities.Unknown:
		return h.Value.String()
	case h.Raw == nil:
		return "absent"
	}
	return "odd"
}

// Summary counts the findings by severity, in words.
func (r *Report) Summary() string {
	return fmt.Sprintf("%s, %s, %s", plural(r.Count(Error), "error"), plural(r.Count(Warning), "warning"), plural(r.Count(Note), "note"))
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Facts answers what there is to say of the server and the session, as pairs of a
// word and a text. Texts may hold what the server wrote.
func (r *Report) Facts() [][2]string {
	s := &r.Session
	facts := [][2]string{
		{"identity", strings.TrimSpace(r.Server.Name + " " + r.Server.Version)},
		{"title", r.Server.Title},
		{"protocol", s.protocol()},
		{"capabilities", strings.Join(r.Server.advertised(), ", ")},
		{"instructions", fmt.Sprintf("%d bytes", r.Server.Instructions)},
		{"handshake", fmt.Sprintf("%d ms", s.Handshake)},
		{"list", fmt.Sprintf("%s on %s, %d bytes, about %d tokens, in %d ms", plural(r.List.Tools, "tool"), plural(r.List.Pages, "page"), r.List.Bytes, r.List.Tokens, s.List)},
		{"stop", s.Stop.sentence()},
	}
	if r.List.Skipped > 0 {
		facts = append(facts, [2]string{"skipped", plural(r.List.Skipped, "tool")})
	}
	if s.JunkLines > 0 {
		facts = append(facts, [2]string{"junk", fmt.Sprintf("%s on standard output", plural(s.JunkLines, "line"))})
	}
	var known [][2]string
	for _, f := range facts {
		if f[1] != "" {
			known = append(known, f)
		}
	}
	return known
}

func (s *Session) protocol() string {
	if s.Version == "" {
		return ""
	}
	text := fmt.Sprintf("%s over %s; server/discover %s", s.Version, s.Transport, s.Discover)
	if len(s.Offered) > 0 {
		text += "; offered " + strings.Join(s.Offered, ", ")
	}
	return text
}

// sentence says how a process ended; "" where there was none.
func (s *Stop) sentence() string {
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("ended by %s after %d ms", s.How, s.After)
	switch s.How {
	case bridge.StopItself:
		text = "ended before it was asked to"
	case bridge.StopInput:
		text = fmt.Sprintf("ended %d ms after its input was closed", s.After)
	case bridge.StopTerm, bridge.StopKill:
	}
	if n := len(s.Left); n > 0 {
		text += fmt.Sprintf("; outlived by %d, which were ended", n)
	}
	return text
}

// advertised answers the keys of the capabilities, with what is true in each.
func (s *Server) advertised() []string {
	all, _ := decode(s.Capabilities).(map[string]any)
	var names []string
	for _, key := range sorted(all) {
		var on []string
		members, _ := all[key].(map[string]any)
		for _, member := range sorted(members) {
			if members[member] == true {
				on = append(on, member)
			}
		}
		if len(on) > 0 {
			key += " (" + strings.Join(on, ", ") + ")"
		}
		names = append(names, key)
	}
	return names
}

// Severities counts the kinds of findings of a tool, notes left out, in words; "-" for
// none.
func (t *Tool) Severities() string {
	count := map[Severity]int{}
	for _, s := range t.kinds {
		count[s]++
	}
	var parts []string
	for _, s := range []Severity{Error, Warning} {
		if n := count[s]; n > 0 {
			parts = append(parts, plural(n, string(s)))
		}
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}
