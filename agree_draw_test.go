package holotype

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/gate"
)

// some draws a few members of a list, in its order and none twice.
func some[T any](t *rapid.T, label string, of []T) (chosen []T) {
	for i, one := range of {
		if rapid.IntRange(0, 3).Draw(t, fmt.Sprint(label, i)) == 0 {
			chosen = append(chosen, one)
		}
	}
	return chosen
}

func patterns() []string {
	return []string{
		"*", "effect_*", "effect_read_*", "effect_destroy_shared", "far__*", "near__tool_0", "list_tools", "mcp__holotype__effect_*", "mcp__other__effect_*",
		"mcp__holotype__*", "describe_projection", "nothing_like_it",
	}
}

// drawRules draws a block of rules; empty is none.
func drawRules(t *rapid.T, label string) map[string]any {
	block := map[string]any{}
	if rapid.IntRange(0, 2).Draw(t, label+" none") == 0 {
		return block
	}
	for _, key := range []string{"allow", "deny", "refuse"} {
		if rapid.IntRange(0, 2).Draw(t, label+key) == 0 {
			if list := some(t, label+key, patterns()); list != nil {
				block[key] = list
			}
		}
	}
	for _, key := range []string{"read_only", "no_destructive", "no_open_world"} {
		if rapid.IntRange(0, 4).Draw(t, label+key) == 0 {
			block[key] = rapid.Bool().Draw(t, label+key+" is")
		}
	}
	if rapid.IntRange(0, 5).Draw(t, label+"approve") == 0 {
		entry := map[string]any{}
		if effects := some(t, label+"approve effects", []string{"destructive", "world", "unknown", "write"}); effects != nil {
			entry["effects"] = effects
		}
		if tools := some(t, label+"approve tools", patterns()); tools != nil {
			entry["tools"] = tools
		}
		if len(entry) > 0 {
			block["approve"] = []any{entry}
		}
	}
	return block
}

// drawGrants draws what somebody was granted, and when it ends.
func drawGrants(t *rapid.T) (grants []gate.Grant) {
	for i := range rapid.IntRange(0, 4).Draw(t, "grants") {
		label := fmt.Sprint("grant", i)
		who := rapid.SampledFrom([]gate.Grant{
			{Kind: capabilities.Person, ID: "ada"}, {Kind: capabilities.Seat, ID: "desk"}, {Kind: capabilities.Seat, ID: "gone"}, {Kind: capabilities.Operator, ID: "tok_1"},
		}).Draw(t, label)
		who.Capability = rapid.SampledFrom([]string{"effect_destroy_shared", "effect_read_world", "far__tool_0", "list_tools", "put_setting", "create_token"}).Draw(t, label+"of")
		who.Until = time.Now().Add(rapid.SampledFrom([]time.Duration{-time.Hour, time.Hour}).Draw(t, label+"until"))
		grants = append(grants, who)
	}
	return grants
}

func scopes() []string {
	return []string{"*", "admin", "*:read", "*:write", "fixture:read", "fixture:write", "fixture:*", "system:read", "far:read", "far:write", "near:*"}
}

// drawConfig draws a configuration.
func drawConfig(t *rapid.T) map[string]any {
	gate := drawRules(t, "everybody")
	if off := some(t, "off", []string{"fixture", "system"}); off != nil && rapid.Bool().Draw(t, "off") {
		gate["off"] = off
	}
	c := map[string]any{"people": []any{map[string]any{"id": "ada"}, map[string]any{"id": "bob"}}}
	if len(gate) > 0 {
		c["gate"] = gate
	}
	var principals []any
	for _, id := range some(t, "principals", []string{"owner", "person:ada", "person:bob", "token:tok_1"}) {
		principals = append(principals, map[string]any{"id": id, "gate": drawRules(t, id)})
	}
	if principals != nil {
		c["principals"] = principals
	}
	var seats []any
	for _, id := range some(t, "seats", []string{"desk", "lamp", "desk2"}) {
		seat := map[string]any{"id": id}
		if rapid.Bool().Draw(t, id+" has scopes") {
			seat["scopes"] = append([]string{}, some(t, id, scopes())...)
		}
		if rules := drawRules(t, id); len(rules) > 0 {
			seat["gate"] = rules
		}
		seats = append(seats, seat)
	}
	if seats != nil {
		c["seats"] = seats
	}
	return c
}

// drawPrincipal draws who calls.
func drawPrincipal(t *rapid.T) *capabilities.Principal {
	p := &capabilities.Principal{Kind: rapid.SampledFrom([]capabilities.PrincipalKind{capabilities.Owner, capabilities.Person, capabilities.Seat, capabilities.Operator}).Draw(t, "kind")}
	p.Scopes = append([]string{}, some(t, "scopes", scopes())...)
	if rapid.IntRange(0, 2).Draw(t, "all") == 0 {
		p.Scopes = []string{"*", "admin"}
	}
	switch p.Kind {
	case capabilities.Owner:
		p.ID, p.Scopes = "owner", []string{"*", "admin"}
		if rapid.IntRange(0, 3).Draw(t, "in a seat") == 0 {
			p.Seat = "desk"
		}
		return p
	case capabilities.Person:
		p.ID = rapid.SampledFrom([]string{"ada", "bob", "eve"}).Draw(t, "person")
	case capabilities.Seat:
		p.Seat = rapid.SampledFrom([]string{"desk", "lamp", "gone"}).Draw(t, "seat")
		p.ID = p.Seat
		if rapid.Bool().Draw(t, "acts for somebody") {
			p.ActingFor = rapid.SampledFrom([]string{"ada", "bob"}).Draw(t, "for")
		}
	case capabilities.Operator:
		p.ID = "tok_1"
	}
	if rapid.Bool().Draw(t, "by token") {
		p.Credential = "tok_1"
	}
	if rapid.IntRange(0, 3).Draw(t, "within") == 0 {
		p.Within = append([]string{}, some(t, "within", scopes())...)
	}
	return p
}
