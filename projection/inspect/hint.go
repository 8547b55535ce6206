package inspect

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
)

// hints judges what a tool says of its effect, and what it does not.
func (j *judgement) hints(t *bridge.ObservedTool, annotations any) {
	h := t.Hints.Hints()
	if h.ReadOnly == capabilities.Yes && h.Destructive == capabilities.Yes {
		j.add("contradiction", "/annotations", "readOnlyHint and destructiveHint are both true")
	}
	j.unknown(h, annotations)
	j.odd(t, annotations)
	if verb := writes(t.Name); h.ReadOnly == capabilities.Yes && verb != "" {
		j.add("name-says-write", "/name", "the name says %s, and readOnlyHint is true", verb)
	}
}

// unknown reports the hints that are not known and have a meaning: for a tool that
// only reads, destructiveHint and idempotentHint have none (2025-11-25, schema,
// ToolAnnotations).
func (j *judgement) unknown(h capabilities.Hints, annotations any) {
	var missing []string
	for _, one := range []struct {
		key   string
		value capabilities.Hint
		reads bool // it says something of a tool that only reads
	}{
		{"readOnlyHint", h.ReadOnly, true},
		{"destructiveHint", h.Destructive, false},
		{"openWorldHint", h.OpenWorld, true},
	} {
		if !one.value.Known() && (one.reads || h.ReadOnly != capabilities.Yes) {
			missing = append(missing, one.key)
		}
	}
	switch {
	case annotations == nil:
		j.add("unknown-hints", "", "there are no annotations")
	case len(missing) > 0:
		j.add("unknown-hints", "/annotations", "not stated: %s", strings.Join(missing, ", "))
	}
	if annotations != nil && h.ReadOnly != capabilities.Yes && !h.Idempotent.Known() {
		j.add("unknown-idempotent", "/annotations", "not stated: idempotentHint")
	}
	if h.ReadOnly == capabilities.Yes && !h.Destructive.Known() {
		j.add("unstated-destructive", "/annotations", "readOnlyHint is true and destructiveHint is not stated")
	}
}

// odd reports hints that nobody can read as one.
func (j *judgement) odd(t *bridge.ObservedTool, annotations any) {
	members, ok := annotations.(map[string]any)
	if annotations != nil && !ok {
		j.add("odd-hint", "/annotations", "annotations is no object")
	}
	facts := map[string]capabilities.HintFact{
		"readOnlyHint": t.Hints.ReadOnly, "destructiveHint": t.Hints.Destructive, "idempotentHint": t.Hints.Idempotent, "openWorldHint": t.Hints.OpenWorld,
	}
	keys := slices.Clone(t.OddHints)
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		j.add("odd-hint", "/annotations/"+key, "%s is %s, which is no boolean, or stands twice with two values", key, cut(string(facts[key].Raw), 60))
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		for known := range facts {
			stem := strings.TrimSuffix(known, "Hint")
			if key != known && (strings.EqualFold(plain(key), known) || strings.EqualFold(plain(key), stem)) {
				j.add("odd-hint", "/annotations/"+escape(key), "%s is read by nobody: it is spelt %s", cut(key, 60), known)
			}
		}
	}
}

// plain is a key without the signs that other spellings of it have.
func plain(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, key)
}

// writes answers the first verb of a name when it says that something is changed, or
// "": a verb of reading before it takes what follows as its object.
func writes(name string) string {
	for _, w := range words(name) {
		if slices.Contains(readVerbs(), w) {
			return ""
		}
		if slices.Contains(writeVerbs(), w) {
			return w
		}
	}
	return ""
}

func readVerbs() []string {
	return []string{
		"get", "list", "search", "find", "read", "fetch", "describe", "show", "query", "check", "count", "view", "inspect", "lookup", "resolve",
		"retrieve", "validate", "verify", "preview", "explain", "compare", "analyze", "watch", "wait", "export", "download", "test", "plan", "help",
	}
}

func writeVerbs() []string {
	return []string{
		"delete", "remove", "destroy", "drop", "purge", "erase", "wipe", "create", "update", "write", "insert", "upsert", "edit", "rename",
		"send", "publish", "deploy", "install", "uninstall", "kill", "terminate", "revoke", "overwrite", "patch", "upload",
	}
}

// words splits a name at signs and where a small letter is followed by a capital.
func words(name string) []string {
	var b strings.Builder
	before := rune(0)
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			b.WriteByte(' ')
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	return strings.Fields(b.String())
}
