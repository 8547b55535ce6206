package inputs

import (
	"github.com/seed-89b9419b/holotype/capabilities"
)

// Status is what a code is called where there are only numbers.
type Status struct{ HTTP, Exit int }

// Statuses answers the table of codes as it is promised to callers.
func Statuses() map[capabilities.Code]Status {
	return map[capabilities.Code]Status{
		"invalid":          {400, 2},
		"op_id_invalid":    {400, 2},
		"too_large":        {413, 2},
		"unauthenticated":  {401, 4},
		"forbidden":        {403, 4},
		"not_found":        {404, 3},
		"exists":           {409, 5},
		"conflict":         {409, 5},
		"stale_version":    {412, 5},
		"approval_needed":  {403, 4},
		"rate_limited":     {429, 1},
		"unavailable":      {503, 1},
		"timeout":          {504, 1},
		"unknown_outcome":  {500, 6},
		"upstream_error":   {502, 1},
		"internal_error":   {500, 1},
		"box_full":         {409, 5}, // a pack's own, on conflict
		"unknown_label":    {400, 2},
		"already_answered": {409, 5},
	}
}

// refusals are every code there is, and what else a handler can do.
func refusals() []Input {
	all := []Input{
		{Name: "an error that claims no code", Call: refuse, In: `{"code":"plain"}`, Code: "internal_error", Says: "under request REQUEST"},
		{Name: "a panic", Call: refuse, In: `{"code":"panic"}`, Code: "internal_error", Says: "under request REQUEST"},
		{Name: "a code with a wait", Call: refuse, In: `{"code":"rate_limited","retry_after":90}`, Code: "rate_limited", Says: "as asked", Retry: 90},
		{Name: "a code of what may have landed", Call: refuse, In: `{"code":"unavailable","maybe_applied":true}`, Code: "unavailable", Says: "as asked", Maybe: true},
		{Name: "a refusal that is refused", Call: refuse, In: `{"code":""}`, Code: "invalid", At: []string{"/code minLength"}},
	}
	for code := range Statuses() {
		all = append(all, Input{Name: "the code " + string(code), Call: refuse, In: `{"code":"` + string(code) + `"}`, Code: code, Says: "refused with " + string(code) + " as asked"})
	}
	return all
}

// results are answers of every shape.
func results() []Input {
	return []Input{
		{Name: "content blocks of every kind", Call: blocks, In: `{}`, Want: `{"count":6}`},
		{Name: "content blocks with a fault", Call: blocks, In: `{"a":1}`, Code: "invalid", At: []string{"/a additionalProperties"}, Cannot: noFlags(NoField)},
		{Name: "steps of progress", Call: wait, In: `{"steps":3}`, Want: `{"steps":3}`},
		{Name: "an effect with a note", Call: "effect_amend_shared", In: `{"note":"n"}`, Want: `{"effect":"amend/shared","note":"n"}`},
		{Name: "an effect that destroys", Call: "effect_destroy_world", In: `{}`, Want: `{"effect":"destroy/world","note":""}`},
		{Name: "an effect that destroys, with a fault", Call: "effect_destroy_world", In: `{"note":1}`, Code: "invalid", At: []string{"/note type"}, Cannot: noFlags(TextOnly)},
	}
}
