package parity_test

import (
	"github.com/seed-89b9419b/holotype/capabilities"
)

// status is what a code is called where there are only numbers.
type status struct{ http, exit int }

// statuses is the table of codes as it is promised to callers.
func statuses() map[capabilities.Code]status {
	return map[capabilities.Code]status{
		"invalid":         {400, 2},
		"op_id_invalid":   {400, 2},
		"too_large":       {413, 2},
		"unauthenticated": {401, 4},
		"forbidden":       {403, 4},
		"not_found":       {404, 3},
		"exists":          {409, 5},
		"conflict":        {409, 5},
		"stale_version":   {412, 5},
		"approval_needed": {403, 4},
		"rate_limited":    {429, 1},
		"unavailable":     {503, 1},
		"timeout":         {504, 1},
		"unknown_outcome": {500, 6},
		"upstream_error":  {502, 1},
		"internal_error":  {500, 1},
		"box_full":        {409, 5}, // a pack's own, on conflict
	}
}

// refusals are every code there is, and what else a handler can do.
func refusals() []input {
	all := []input{
		{name: "an error that claims no code", call: refuse, in: `{"code":"plain"}`, code: "internal_error", says: "under request REQUEST"},
		{name: "a panic", call: refuse, in: `{"code":"panic"}`, code: "internal_error", says: "under request REQUEST"},
		{name: "a code with a wait", call: refuse, in: `{"code":"rate_limited","retry_after":90}`, code: "rate_limited", says: "as asked", retry: 90},
		{name: "a code of what may have landed", call: refuse, in: `{"code":"unavailable","maybe_applied":true}`, code: "unavailable", says: "as asked", maybe: true},
		{name: "a refusal that is refused", call: refuse, in: `{"code":""}`, code: "invalid", at: []string{"/code minLength"}},
	}
	for code := range statuses() {
		all = append(all, input{name: "the code " + string(code), call: refuse, in: `{"code":"` + string(code) + `"}`, code: code, says: "refused with " + string(code) + " as asked"})
	}
	return all
}

// results are answers of every shape.
func results() []input {
	return []input{
		{name: "content blocks of every kind", call: blocks, in: `{}`, want: `{"count":6}`},
		{name: "content blocks with a fault", call: blocks, in: `{"a":1}`, code: "invalid", at: []string{"/a additionalProperties"}, cannot: noFlags(noField)},
		{name: "steps of progress", call: wait, in: `{"steps":3}`, want: `{"steps":3}`},
		{name: "an effect with a note", call: "effect_amend_shared", in: `{"note":"n"}`, want: `{"effect":"amend/shared","note":"n"}`},
		{name: "an effect that destroys", call: "effect_destroy_world", in: `{}`, want: `{"effect":"destroy/world","note":""}`},
		{name: "an effect that destroys, with a fault", call: "effect_destroy_world", in: `{"note":1}`, code: "invalid", at: []string{"/note type"}, cannot: noFlags(textOnly)},
	}
}
