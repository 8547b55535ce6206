package conformance

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// judgeHints holds the hints on the wire against the declared effects.
func (r *run) judgeHints() {
	for c := range r.Registry.All() {
		e, declared := c.Effect()
		if !declared {
			continue
		}
		if raw, ok := r.list.mcp[c.Name()]; ok {
			r.hintsOf(c, "tools/list", rawjson.Member(raw, "annotations"))
			r.effectOf(c, "tools/list", e, rawjson.Member(rawjson.Member(raw, "_meta"), "holotype/effect"))
		}
		if o, ok := r.list.http[c.Name()]; ok {
			r.hintsOf(c, "the OpenAPI document", o.Hints)
			r.effectOf(c, "the OpenAPI document", e, o.Effect)
		}
	}
}

// hintsOf holds one object of hints against what the declared effect derives: a hint that
// is known stands there as true or false, another one not at all.
func (r *run) hintsOf(c *capabilities.Capability, where string, said json.RawMessage) {
	word := map[capabilities.Hint]string{capabilities.Yes: "true", capabilities.No: "false", capabilities.Unknown: ""}
	e, _ := c.Effect()
	e.Hints().Each(func(key string, want capabilities.Hint) {
		r.judged(Hints, 1)
		if got := string(rawjson.Member(said, key)); got != word[want] {
			r.found(Hints, c.Name(), "%s says %s: %q, and its effect %s says %q", where, key, got, e, word[want])
		}
	})
}

func (r *run) effectOf(c *capabilities.Capability, where string, e capabilities.Effect, said json.RawMessage) {
	r.judged(Hints, 1)
	change, _ := rawjson.String(rawjson.Member(said, "change"))
	reach, _ := rawjson.String(rawjson.Member(said, "reach"))
	if got, ok := capabilities.ParseEffect(change, reach); !ok || got != e {
		r.found(Hints, c.Name(), "%s says that its effect is %s, and it is declared as %s", where, said, e)
	}
}

// judgeAnswers judges every answer to a sample by itself.
func (r *run) judgeAnswers() {
	for _, x := range slices.Concat(r.calls, r.later) {
		for _, a := range x.answers {
			name := x.c.Name()
			r.judged(Examples, 1)
			declared := a.code == "" || slices.ContainsFunc(x.c.Codes(), func(i capabilities.CodeInfo) bool { return i.Code == a.code })
			switch {
			case a.unheard != "":
				r.found(Examples, name, "%q over %s: %s", x.sample.Name, a.way, a.unheard)
			case !declared: // which is another rule's to say
			case a.code != x.sample.Refuses:
				r.found(Examples, name, "%q over %s is answered with the code %q and says %q: %s", x.sample.Name, a.way, a.code, x.sample.Refuses, clip(a.raw))
			}
			r.judged(Codes, 1)
			if !declared {
				r.found(Codes, name, "%q over %s is refused with %s, which it does not declare", x.sample.Name, a.way, a.code)
			}
			r.refused(x, a)
		}
	}
}

// refused judges the form of a refusal.
func (r *run) refused(x exchange, a answer) {
	if a.code == "" {
		return
	}
	info := capabilities.CodeInfo{}
	for _, i := range r.Registry.Codes() {
		if i.Code == a.code {
			info = i
		}
	}
	switch a.way {
	case overHTTP:
		r.judged(Refusals, 1)
		if a.status != info.Status {
			r.found(Refusals, x.c.Name(), "%q is refused with %s and the status %d, not %d", x.sample.Name, a.code, a.status, info.Status)
		}
	case asCommand:
		r.judged(Refusals, 1)
		if a.status != info.Exit {
			r.found(Refusals, x.c.Name(), "%q is refused with %s and the exit status %d, not %d", x.sample.Name, a.code, a.status, info.Exit)
		}
	case overMCP:
		r.judged(Unstructured, 1)
		result := rawjson.Member(a.raw, "result")
		if a.code != capabilities.UpstreamError && rawjson.Member(result, "structuredContent") != nil || string(rawjson.Member(result, "isError")) != "true" || a.status != http.StatusOK {
			r.found(Unstructured, x.c.Name(), "%q is refused with %s in the form: status %d, %s", x.sample.Name, a.code, a.status, clip(result))
		}
	}
}

// offset is where a fault stands in the text that a surface received.
var offset = regexp.MustCompile(`, byte \d+\)`)

// judgeWrong judges what was said of arguments that nothing takes.
func (r *run) judgeWrong() {
	for _, x := range r.wrong {
		rule := Refusals
		if strings.Contains(x.sample.In, stranger) {
			rule = Closed
		}
		var first *answer
		for _, a := range x.answers {
			r.judged(rule, 1)
			if a.unheard != "" || a.code != capabilities.Invalid || len(a.violations) == 0 {
				r.found(rule, x.c.Name(), "%s, over %s, is answered with %q and no violation: %s", x.sample.Name, a.way, a.code, clip(a.raw))
				continue
			}
			r.refused(x, a)
			r.alike(rule, x, &first, a)
		}
	}
	for _, x := range slices.Concat(r.calls, r.later) {
		var first *answer
		for _, a := range x.answers {
			if a.unheard == "" && a.code != "" {
				r.judged(Refusals, 1)
				r.alike(Refusals, x, &first, a)
			}
		}
	}
}

// alike holds a refusal against the first one of the same call.
func (r *run) alike(rule string, x exchange, first **answer, a answer) {
	a.said = offset.ReplaceAllString(a.said, ")")
	a.violations = slices.Clone(a.violations)
	for i := range a.violations {
		a.violations[i].Message = offset.ReplaceAllString(a.violations[i].Message, ")")
	}
	if *first == nil {
		*first = &a
		return
	}
	f := *first
	if f.code != a.code || f.said != a.said || !slices.Equal(f.violations, a.violations) {
		r.found(rule, x.c.Name(), "%q is refused over %s with %s, %q %v, and over %s with %s, %q %v",
			x.sample.Name, f.way, f.code, f.said, f.violations, a.way, a.code, a.said, a.violations)
	}
}

// madeUp is an id that a call makes up, another one every time.
var madeUp = regexp.MustCompile(`\b([a-z]{1,4})_[0-9a-z]{26}\b`)

// plain answers a value in one form, whatever its spaces and the order of its keys, and
// without the ids that a dry run makes up.
func (x exchange) plain(raw json.RawMessage) string {
	if x.dry {
		raw = madeUp.ReplaceAll(raw, []byte("${1}_ID"))
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return string(raw)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(out)
}

// judgeSame: what follows from the input or the store is the same on every way, and on a
// server that was started later.
func (r *run) judgeSame() {
	for i, x := range r.calls {
		if !compares(x.c) {
			continue
		}
		all := slices.Clone(x.answers)
		if i < len(r.later) {
			for _, a := range r.later[i].answers {
				a.way += " after a new start"
				all = append(all, a)
			}
		}
		for _, a := range all[min(1, len(all)):] {
			r.judged(Determinism, 1)
			first := all[0]
			if first.code != a.code || first.code == "" && x.plain(first.structured) != x.plain(a.structured) {
				r.found(Determinism, x.c.Name(), "%q follows from the %s, and over %s it is %s%s, over %s %s%s",
					x.sample.Name, x.c.Answers(), first.way, first.code, clip(first.structured), a.way, a.code, clip(a.structured))
			}
		}
	}
	if r.Again == nil && r.Left[Determinism] == "" {
		r.left(Determinism, "on one server alone: the target has no Again")
	}
}
