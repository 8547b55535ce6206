package sweep

import (
	"context"
	"net/http"
	"strings"
)

// largeBody is more than any server of ours takes in one piece.
const largeBody = 5 << 20

// oddRequests asks as a principal for what there is not, and in ways that no client has.
// A request that is answered by nothing at all is fine here.
func (s *sweep) oddRequests(ctx context.Context, who Principal) {
	own := s.own[who.Name]
	json, mcp := asJSON("Idempotency-Key", own), asJSON("Mcp-Protocol-Version", modern, "Mcp-Method", "tools/call", "Mcp-Name", own)
	text := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + own + `","arguments":{"` + own + `":"` + own + `"}}}`
	deep := strings.Repeat(`{"a":`, 200) + `"` + own + `"` + strings.Repeat("}", 200)
	large := "{" // of the first and the last of the principals, because it takes a while
	if who.Name == s.Principals[0].Name || who.Name == s.Principals[len(s.Principals)-1].Name {
		large = `{"a":"` + strings.Repeat("x", largeBody) + `"}`
	}
	for _, q := range []request{
		{method: http.MethodGet, path: "/" + own},
		{method: http.MethodGet, path: "/api/v1/" + own},
		{method: http.MethodGet, path: "/docs/" + own},
		{method: http.MethodGet, path: "/openapi/" + own + ".json"},
		{method: http.MethodGet, path: "/assets/" + own},
		{method: http.MethodGet, path: "/.well-known/" + own},
		{method: http.MethodPost, path: "/operator/act/" + own, header: json, body: "{}"},
		{method: http.MethodPost, path: "/api/v1/servers/" + own + "/tools/" + own, header: json, body: "{}"},
		{method: http.MethodPost, path: "/operator/mcp", header: mcp, body: text},
		{method: http.MethodPost, path: "/operator/mcp", header: mcp, body: text[:len(text)-3]},
		{method: http.MethodPost, path: "/operator/mcp", header: mcp, body: "[" + text + "]"},
		{method: http.MethodPost, path: "/operator/mcp", header: mcp, body: deep},
		{label: "a large message", method: http.MethodPost, path: "/operator/mcp", header: mcp, body: large},
		{method: http.MethodPost, path: "/operator/mcp", header: asJSON("Mcp-Protocol-Version", own), body: text},
		{method: http.MethodPost, path: "/operator/mcp", header: asJSON("Mcp-Session-Id", own, "Mcp-Protocol-Version", legacy), body: text},
		{method: http.MethodDelete, path: "/operator/mcp", header: asJSON("Mcp-Session-Id", own)},
		{method: http.MethodPost, path: "/operator/mcp", header: http.Header{"Content-Type": {"text/plain"}}, body: text},
		{method: http.MethodPost, path: "/logout", header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, body: "x=" + own},
		{method: http.MethodPost, path: "/login", header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, body: "token=" + own},
		{method: http.MethodGet, path: "/?q=" + own},
		{method: http.MethodGet, path: "/login?token=" + s.guess},
		{method: http.MethodGet, path: "/openapi.json?access_token=" + s.guess},
	} {
		q.who, q.surface = who, HTTP
		s.tell(ctx, q)
	}
	s.oddCalls(ctx, who, deep, large)
	s.badCredentials(ctx, who)
}

// tell is ask where it does not matter whether anything is answered.
func (s *sweep) tell(ctx context.Context, q request) {
	_, _ = s.ask(ctx, q)
}

// oddCalls sends a few tools what is no call.
func (s *sweep) oddCalls(ctx context.Context, who Principal, deep, large string) {
	had := map[string]bool{}
	for _, name := range s.order {
		t := s.tools[name]
		kind := t.method
		if t.bridged {
			kind = "bridged"
		}
		if had[kind] {
			continue // of each kind of route one will do
		}
		had[kind] = true
		bodies := map[string]string{"nothing": "", "half": `{"a":`, "text": "\x00" + s.own[who.Name], "deep": deep, "twice": `{"a":1,"a":1}`}
		if len(had) == 1 {
			bodies["large"] = large
		}
		for label, body := range bodies {
			s.tell(ctx, request{who: who, surface: HTTP, label: "POST /operator/act/" + name + ", " + label, method: http.MethodPost, path: "/operator/act/" + pathEscape(name), header: asJSON("Idempotency-Key", probe()), body: body})
			s.tell(ctx, request{who: who, surface: HTTP, label: t.method + " " + t.path + ", " + label, method: t.method, path: strings.NewReplacer("{", "", "}", "").Replace(t.path), header: asJSON(), body: body})
		}
		for _, header := range []http.Header{asJSON(), asJSON("Idempotency-Key", strings.Repeat("k", 200)), asJSON("Accept", "image/png"), asJSON("Content-Type", "text/"+s.own[who.Name]), asJSON("Acting-For", s.own[who.Name]), asJSON("Prefer", "wait="+s.own[who.Name])} {
			s.tell(ctx, request{who: who, surface: HTTP, method: http.MethodPost, path: "/operator/act/" + pathEscape(name), header: header, body: "{}"})
		}
		s.tell(ctx, request{who: who, surface: HTTP, method: "BREW", path: "/operator/act/" + pathEscape(name)})
	}
}

// badCredentials sends credentials that are none, and those of a principal that are not
// whole or not in their place.
func (s *sweep) badCredentials(ctx context.Context, who Principal) {
	headers := []http.Header{{"Authorization": {"Bearer " + s.guess}}, {"Authorization": {s.guess}}, {"Authorization": {"Basic " + s.guess}}, {"Authorization": {"Bearer a", "Bearer b"}}, {"Cookie": {"holotype_session=" + s.guess}, "Authorization": nil}}
	if t := who.Token; t != "" {
		headers = append(headers, http.Header{"Authorization": {"Bearer " + t[:len(t)-1]}}, http.Header{"Authorization": {"Basic " + t}}, http.Header{"Authorization": {t}},
			http.Header{"Cookie": {"holotype_session=" + t}, "Authorization": nil}, http.Header{"X-Api-Key": {t}, "Authorization": nil}, http.Header{"Authorization": {"Bearer " + t}, "Origin": {"https://" + s.own[who.Name] + ".example"}},
			http.Header{"Authorization": {"Bearer " + t + " " + t}}, http.Header{"Authorization": {"Bearer " + t}, "Mcp-Session-Id": {t}, "Mcp-Protocol-Version": {legacy}})
	}
	for i, h := range headers {
		for _, at := range [][2]string{{http.MethodGet, "/openapi.json"}, {http.MethodPost, "/operator/mcp"}, {http.MethodGet, "/"}} {
			h := h.Clone()
			h.Set("Content-Type", "application/json")
			s.tell(ctx, request{who: who, surface: HTTP, label: at[0] + " " + at[1] + ", bad credential " + string(rune('a'+i)), method: at[0], path: at[1], header: h, body: "{}"})
		}
	}
	if t := who.Token; t != "" {
		for _, name := range []string{"token", "access_token", "key"} {
			s.tell(ctx, request{who: who, surface: HTTP, method: http.MethodGet, path: "/openapi.json?" + name + "=" + t, header: http.Header{"Authorization": nil}})
		}
	}
}
