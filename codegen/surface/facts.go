package surface

import (
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// capability compares two capabilities that are one, whatever they are called.
func (d *diff) capability(was, is *Capability) {
	d.aliases(was, is)
	if was.Title != is.Title {
		d.add(textChanged, is.Name, "/title", New, "the title is %q, and was %q", is.Title, was.Title)
	}
	if was.Summary != is.Summary {
		d.add(textChanged, is.Name, "/summary", New, "the summary is another")
	}
	d.place(was, is)
	d.effect(was, is)
	d.hints(was, is)
	d.who(was, is)
	d.abilities(was, is)
	d.refuses(was, is)
	d.input(was, is)
	d.output(was, is)
}

// place compares where a capability is reached.
func (d *diff) place(was, is *Capability) {
	switch {
	case was.Route == is.Route:
	case was.Route == "":
		d.add(routeAdded, is.Name, "/route", New, "its route is %s, and it had none", is.Route)
	case is.Route == "":
		d.add(routeRemoved, is.Name, "/route", Old, "its route %s is gone", was.Route)
	default:
		d.add(routeChanged, is.Name, "/route", New, "its route is %s, and was %s", is.Route, was.Route)
	}
	if was.Source != is.Source {
		d.add(sourceChanged, is.Name, "/source", New, "it is answered by %s, and was by %s", is.Source, was.Source)
	}
	if was.Pack != is.Pack {
		d.add(packChanged, is.Name, "/pack", New, "it belongs to the pack %s, and did to %s", is.Pack, was.Pack)
	}
	d.flag(was.Conditional, is.Conditional, is.Name, "/conditional", conditional, "it may be absent now where something is missing", unconditional, "it is not absent any more where something is missing")
}

// flag adds the one change where something is true now and was not, the other where it
// was and is not.
func (d *diff) flag(was, is bool, name, at, gained, gainedWords, lost, lostWords string) {
	switch {
	case is && !was:
		d.add(gained, name, at, New, "%s", gainedWords)
	case was && !is:
		d.add(lost, name, at, Old, "%s", lostWords)
	}
}

func (d *diff) effect(was, is *Capability) {
	if was.Effect == nil || is.Effect == nil {
		return
	}
	a, okA := capabilities.ParseEffect(was.Effect.Change, was.Effect.Reach)
	b, okB := capabilities.ParseEffect(is.Effect.Change, is.Effect.Reach)
	switch {
	case a == b && okA == okB:
	case !okA || !okB || b.Change() > a.Change() || b.Reach() > a.Reach():
		d.add(effectStronger, is.Name, "/effect", New, "its effect is %s/%s, and was %s/%s", is.Effect.Change, is.Effect.Reach, was.Effect.Change, was.Effect.Reach)
	default:
		d.add(effectWeaker, is.Name, "/effect", New, "its effect is %s, and was %s", b, a)
	}
	switch {
	case was.Effect.Undo == is.Effect.Undo || d.sameName(was.Effect.Undo, is.Effect.Undo):
	case was.Effect.Undo == "":
		d.add(undoAdded, is.Name, "/effect/undo", New, "%s brings the earlier state back", is.Effect.Undo)
	case is.Effect.Undo == "":
		d.add(undoRemoved, is.Name, "/effect/undo", Old, "%s does not bring the earlier state back any more", was.Effect.Undo)
	default:
		d.add(undoRemoved, is.Name, "/effect/undo", New, "%s brings the earlier state back, and %s did", is.Effect.Undo, was.Effect.Undo)
	}
}

// sameName reports whether an old name is one of the capability of the new one.
func (d *diff) sameName(old, now string) bool {
	c := d.now.byAlias[old]
	return c != nil && c.Name == now
}

func (d *diff) hints(was, is *Capability) {
	if was.Hints == is.Hints {
		return
	}
	dangerous := capabilities.MoreDangerous(was.Hints.hints(), is.Hints.hints())
	before := map[string]capabilities.Hint{}
	was.Hints.hints().Each(func(key string, v capabilities.Hint) { before[key] = v })
	is.Hints.hints().Each(func(key string, v capabilities.Hint) {
		if v == before[key] {
			return
		}
		kind := hintSafer
		if slices.Contains(dangerous, key) {
			kind = hintDangerous
		}
		d.add(kind, is.Name, "/hints/"+key, New, "%s is %s, and was %s", key, v, before[key])
	})
}

// who compares who may call, and whom a call reaches.
func (d *diff) who(was, is *Capability) {
	switch {
	case was.Delivers == is.Delivers:
	case is.Delivers == "":
		d.add(deliversLess, is.Name, "/delivers", Old, "it delivers nothing to %s any more", was.Delivers)
	default:
		d.add(deliversMore, is.Name, "/delivers", New, "it delivers to %s now", is.Delivers)
	}
	switch {
	case was.Scope == is.Scope:
	case enough(was.Scope, is.Scope):
		d.add(scopeLowered, is.Name, "/scope", New, "it needs the scope %s, and needed %s", is.Scope, was.Scope)
	default:
		d.add(scopeRaised, is.Name, "/scope", New, "it needs the scope %s, and needed %s", is.Scope, was.Scope)
	}
	if was.Answers != is.Answers {
		kind := answersMore
		if determined(is.Answers) > determined(was.Answers) {
			kind = answersLess
		}
		d.add(kind, is.Name, "/answers", New, "its answers follow from the %s, and did from the %s", is.Answers, was.Answers)
	}
}

// enough reports whether everybody who has the one scope has the other: anyone has what
// anyone has, who may write to a pack may read it.
func enough(have, need string) bool {
	if need == capabilities.ScopeAnyone || have == need {
		return true
	}
	pack, verb, ok := strings.Cut(need, ":")
	return ok && verb == "read" && have == pack+":write"
}

// determined orders what answers follow from, the least first.
func determined(word string) int {
	return slices.Index([]string{capabilities.FromInput.String(), capabilities.FromStore.String(), capabilities.FromProcess.String(), capabilities.FromWorld.String()}, word)
}

func (d *diff) abilities(was, is *Capability) {
	d.flag(was.Pages, is.Pages, is.Name, "/pages", pagesAdded, "its list is answered in pages now", pagesRemoved, "its list is whole now")
	d.flag(was.Blocks, is.Blocks, is.Name, "/blocks", blocksAdded, "it answers content blocks now", blocksRemoved, "it answers no content blocks any more")
	d.flag(was.DryRun, is.DryRun, is.Name, "/dry_run", dryRunAdded, "it takes dry_run now", dryRunRemoved, "it takes no dry_run any more")
	d.flag(was.OpID, is.OpID, is.Name, "/op_id", operationAdded, "it takes an op_id now", operationRemoved, "it takes no op_id any more")
}

func (d *diff) refuses(was, is *Capability) {
	for _, code := range is.Refuses {
		if !slices.Contains(was.Refuses, code) {
			d.add(refusalAdded, is.Name, "/refuses/"+escape(code), New, "it may refuse with %s now", code)
		}
	}
	for _, code := range was.Refuses {
		if !slices.Contains(is.Refuses, code) {
			d.add(refusalRemoved, is.Name, "/refuses/"+escape(code), Old, "it does not refuse with %s any more", code)
		}
	}
}
