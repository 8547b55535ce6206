package holotype_test

import (
	"net/http"
	"strings"
	"testing"
)

// An administrator reads what of the surface is kept from them, too; nobody else does.
func TestADocumentSaysWhatIsHiddenToAnAdministrator(t *testing.T) {
	g, token := seated(t)
	g.write("gate: {deny: [purge_work_item]}\nseats: [{id: desk, scopes: [\"*\"]}]\n")
	if status, answer := g.http(http.MethodPost, "/api/v1/config/reload", ""); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	for query, hidden := range map[string]bool{"": false, "?hidden=false": false, "?hidden=true": true} {
		for _, document := range []string{"/openapi.json", "/openapi.yaml"} {
			status, answer := g.http(http.MethodGet, document+query, "")
			if got := strings.Contains(answer, "purge_work_item"); status != http.StatusOK || got != hidden || !strings.Contains(answer, "create_work_item") {
				t.Errorf("%s%s: %d, with what is hidden is %t", document, query, status, got)
			}
		}
	}
	for query, want := range map[string]int{"?hidden=1": http.StatusBadRequest, "?hidden=true&hidden=true": http.StatusBadRequest} {
		if status, answer := g.http(http.MethodGet, "/openapi.json"+query, ""); status != want {
			t.Errorf("%s: %d %s", query, status, answer)
		}
	}
	if status, answer := g.send(token, http.MethodGet, "/openapi.json?hidden=true", ""); status != http.StatusForbidden || !strings.Contains(answer, "scope") {
		t.Errorf("for a seat: %d %.300s", status, answer)
	}
}

// Rules that stand for nothing are said with their place, by the doctor as well, whether a
// server runs or not.
func TestTheDoctorNamesRulesThatStandForNothing(t *testing.T) {
	c := configure(t, "gate: {deny: [purge_works_item]}\nprincipals: [{id: \"token:tok_gone\", gate: {read_only: true}}]\nseats: [{id: desk, scopes: [\"trackers:read\"]}]\n")
	want := []string{`gate.deny[0]: no tool here can have the name "purge_works_item"`, "principals[0].id: no token has this id", `seats[0].scopes[0]: there is no pack and no MCP server "trackers"`}
	for _, how := range []string{"alone", "beside a server"} {
		out, _ := configured(c, "doctor")
		for _, words := range want {
			if !strings.Contains(out, words) || !strings.Contains(out, ".yaml:") {
				t.Errorf("%s, the doctor does not say %q:\n%s", how, words, out)
			}
		}
		if _, err := c.Handler(); err != nil {
			t.Fatal(err)
		}
	}
}

// configured runs a command with the configuration file.
func configured(c *configurable, args ...string) (out string, exit int) {
	c.t.Helper()
	return c.run("", append(args, "--config", c.file)...)
}

// Rules that keep the owner from looking are said, and all else is looked at.
func TestTheDoctorGoesOnWhereARuleKeepsItOut(t *testing.T) {
	for _, rules := range []string{"{off: [system]}", "{refuse: [\"*\"]}", "{deny: [list_mcp_servers, get_store, list_tokens]}"} {
		c := configure(t, "gate: "+rules+"\n")
		out, exit := configured(c, "doctor")
		if exit != 0 || !strings.Contains(out, "the MCP servers cannot be looked at: list_mcp_servers is") || !strings.Contains(out, "the configuration has no fault") {
			t.Errorf("%s: exit %d\n%s", rules, exit, out)
		}
	}
}
