package attack_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// noted is a row of the audit.
type noted struct {
	Capability, Outcome, Surface, Reason, From, Principal, Credential string
	Times                                                             int64
}

// calls answers the rows behind one, as soon as what is waited for is among them.
func (a *target) calls(t *testing.T, after int64, wanted func(all []noted) bool) (rows []noted) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); !wanted(rows); {
		if time.Now().After(limit) {
			t.Fatalf("the audit has %+v", rows)
		}
		var page struct {
			Items []struct {
				noted
				ID int64
			}
		}
		if err := json.Unmarshal(a.Get(t, fmt.Sprintf("/api/v1/calls?limit=100&wait_seconds=10&after=%d", after)), &page); err != nil {
			t.Fatal(err)
		}
		for _, one := range page.Items {
			after = one.ID
			rows = append(rows, one.noted)
		}
	}
	return rows
}

// What is refused before it becomes a call is in the audit, with who and from where, and
// without what was sent; a flood of it is few rows, in the database and in the file.
func TestRefusalsAreInTheAudit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	a := open(t, "audit: {file: "+file+"}\nrate_limits: {calls_per_minute: 3}\n")
	ended, endedID := a.made(t, `{"name":"ended","scopes":["*"]}`)
	if head, data := a.HTTP(t, http.MethodDelete, "/api/v1/tokens/"+endedID, nil, nil); head.StatusCode != http.StatusOK {
		t.Fatalf("revoking: %d %s", head.StatusCode, data)
	}
	newest := a.newestCall(t)
	const flood = 2000
	secrets := []string{ended, "evil-name", "no_such_tool", "https://evil-origin.example"}
	for range flood {
		token := guess()
		secrets = append(secrets[:4:4], token)
		a.ask("GET", "/api/v1/projects", "203.0.113.7:1", token, "")
	}
	a.ask("POST", "/operator/mcp", "203.0.113.9:1", ended, "{}")
	a.raw(t, a.request("GET", "/api/v1/projects", "evil-name.example", "", "Authorization: Bearer "+a.Token))
	a.raw(t, a.request("POST", "/api/v1/projects", a.address, "{}", "Origin: https://evil-origin.example", "Authorization: Bearer "+a.Token))
	a.raw(t, a.request("POST", "/login", a.address, "token=x", "Content-Type: application/x-www-form-urlencoded"))
	a.raw(t, a.request("POST", "/api/v1/servers/evil-name/tools/no_such_tool", a.address, "{}", "Content-Type: application/json", "Authorization: Bearer "+a.token))
	mine := *a.Running
	mine.Token = a.token
	for _, s := range mine.OverHTTP(t) {
		if _, data := s.Call(t, "no_such_tool", "{}"); !strings.Contains(string(data), "-32602") {
			t.Errorf("%s: an unknown name is answered %s", s.Name, data)
		}
	}
	for range 10 {
		mine.HTTP(t, http.MethodGet, "/api/v1/projects", nil, nil)
	}
	sum := func(all []noted) map[noted]int64 {
		by := map[noted]int64{}
		for _, n := range all {
			if n.Reason == "" {
				continue
			}
			times := max(1, n.Times)
			n.Times = 0
			by[n] += times
		}
		return by
	}
	want := map[noted]int64{
		{Outcome: "unauthenticated", Surface: "mcp", Reason: "bad_credential", From: "203.0.113.9", Credential: endedID}:                             1,
		{Outcome: "forbidden", Surface: "http", Reason: "foreign_host", From: "127.0.0.1"}:                                                           1,
		{Outcome: "forbidden", Surface: "http", Reason: "foreign_origin", From: "127.0.0.1"}:                                                         1,
		{Outcome: "unauthenticated", Surface: "http", Reason: "bad_link", From: "127.0.0.1"}:                                                         1,
		{Outcome: "not_found", Surface: "http", Reason: "unknown_name", From: "127.0.0.1", Principal: a.tokenID, Credential: a.tokenID}:              1,
		{Outcome: "not_found", Surface: "mcp", Reason: "unknown_name", Principal: a.tokenID, Credential: a.tokenID}:                                  2,
		{Outcome: "rate_limited", Surface: "http", Reason: "rate_limited", Capability: "list_projects", Principal: a.tokenID, Credential: a.tokenID}: 7,
	}
	guesses := func(by map[noted]int64) (n int64) {
		for one, times := range by {
			if one.Reason == "bad_credential" && one.From == "203.0.113.7" && (one.Outcome == "unauthenticated" || one.Outcome == "rate_limited") {
				n += times
			}
		}
		return n
	}
	rows := a.calls(t, newest, func(all []noted) bool {
		by := sum(all)
		for one, times := range want {
			if by[one] < times {
				return false
			}
		}
		return guesses(by) >= flood
	})
	by := sum(rows)
	for one, times := range want {
		if by[one] != times {
			t.Errorf("%+v is noted %d times, want %d", one, by[one], times)
		}
	}
	if n := guesses(by); n != flood || len(rows) > 200 {
		t.Errorf("%d guesses are noted, want %d; there are %d rows", n, flood, len(rows))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(string(data)) {
		var one noted
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if one.Reason == "foreign_origin" || one.Credential == endedID {
			lines++
		}
	}
	if lines != 2 {
		t.Errorf("%d lines of the file are of the refusals that were looked for, want 2", lines)
	}
	listed := string(a.Get(t, "/api/v1/calls?limit=100"))
	for _, secret := range append(secrets, a.Token, a.token, planted) {
		if strings.Contains(listed, secret) || strings.Contains(string(data), secret) {
			t.Errorf("%q is in the audit", secret)
		}
	}
	a.wantNothingLogged(t, ended, secrets[len(secrets)-1])
}
