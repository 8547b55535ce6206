package bridge

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// An Override is what the operator says about one tool. A nil hint keeps what the
// server said; a pointer to Unknown takes it back.
type Override struct {
	ReadOnly    *capabilities.Hint
	Destructive *capabilities.Hint
	Idempotent  *capabilities.Hint
	OpenWorld   *capabilities.Hint
	Title       string // "" keeps the server's
}

// ParseOverride reads one entry of tool_annotations. Keys are the wire's
// (readOnlyHint) or snake case (read_only, read_only_hint); a value is a boolean
// or one of yes, no, unknown. The error names every key that is wrong.
func ParseOverride(entry map[string]any) (Override, error) {
	var o Override
	var faults []string
	set := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(entry)) {
		name, ok := hintKeys()[key]
		if !ok {
			faults = append(faults, fmt.Sprintf("%q is not a hint: use read_only, destructive, idempotent, open_world or title", key))
			continue
		}
		if other, twice := set[name]; twice {
			faults = append(faults, fmt.Sprintf("%q and %q are the same hint", other, key))
			continue
		}
		set[name] = key
		if name == "title" {
			if o.Title, ok = entry[key].(string); !ok {
				faults = append(faults, `"title" is not a text`)
			}
			continue
		}
		h, err := parseHint(entry[key])
		if err != nil {
			faults = append(faults, fmt.Sprintf("%q: %v", key, err))
			continue
		}
		switch name {
		case "readOnlyHint":
			o.ReadOnly = &h
		case "destructiveHint":
			o.Destructive = &h
		case "idempotentHint":
			o.Idempotent = &h
		case "openWorldHint":
			o.OpenWorld = &h
		}
	}
	return o, joinFaults(faults)
}

// hintKeys maps every spelling of a key to the wire's.
func hintKeys() map[string]string {
	return map[string]string{
		"readOnlyHint": "readOnlyHint", "read_only_hint": "readOnlyHint", "read_only": "readOnlyHint", "readOnly": "readOnlyHint",
		"destructiveHint": "destructiveHint", "destructive_hint": "destructiveHint", "destructive": "destructiveHint",
		"idempotentHint": "idempotentHint", "idempotent_hint": "idempotentHint", "idempotent": "idempotentHint",
		"openWorldHint": "openWorldHint", "open_world_hint": "openWorldHint", "open_world": "openWorldHint", "openWorld": "openWorldHint",
		"title": "title",
	}
}

func parseHint(v any) (capabilities.Hint, error) {
	switch v := v.(type) {
	case bool:
		return capabilities.HintOf(v), nil
	case string:
		var h capabilities.Hint
		err := h.UnmarshalText([]byte(v))
		return h, err
	}
	return capabilities.Unknown, fmt.Errorf("a hint is yes, no, unknown or a boolean, not %v", v)
}

// apply puts the override on top of what the server said. The server's own value
// stays beside it as Raw.
func (o Override) apply(f *capabilities.HintFacts) {
	for _, one := range []struct {
		over *capabilities.Hint
		fact *capabilities.HintFact
	}{
		{o.ReadOnly, &f.ReadOnly},
		{o.Destructive, &f.Destructive},
		{o.Idempotent, &f.Idempotent},
		{o.OpenWorld, &f.OpenWorld},
	} {
		if one.over != nil {
			one.fact.Value, one.fact.From = *one.over, capabilities.FromOverride
		}
	}
}

// overrideFor finds the override of a tool by its own name, by its exposed one or by the
// other one that it has; the first wins.
func overrideFor(all map[string]Override, t *wireTool, exposed string) (o Override, key string, ok bool) {
	for _, key := range []string{t.name, exposed, t.also} {
		if o, ok := all[key]; ok && key != "" {
			return o, key, true
		}
	}
	return Override{}, "", false
}
