package holotype_test

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// Requests are kept in a store: without one no rule may ask for an approval, at the start
// and later.
func TestApprovalsNeedAStore(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "holotype.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := holotype.Options{Data: filepath.Join(dir, "data"), Config: file, NoStore: true, Log: slog.New(slog.DiscardHandler)}
	const rule, says = "seats:\n- id: desk\n  gate:\n    approve: [{effects: [write]}]\n", "holotype.yaml:4: seats[0].gate.approve: a request for an approval is kept in a store"
	write(rule)
	s := holotype.New(o)
	if _, err := s.Handler(); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("it starts, or says %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	write("gate: {deny: [list_tools]}\n")
	s = holotype.New(o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Handler(); err != nil {
		t.Fatal(err)
	}
	write(rule)
	refused(t, s, system.ReloadConfig, system.ReloadConfigInput{}, capabilities.Invalid, "seats[0].gate.approve")
	refused(t, s, system.ListTools, system.ListToolsInput{}, capabilities.Forbidden, "list_tools is denied")
}

// New rules ask for approvals at once, and those that are taken back do not any more.
func TestRulesOfApprovalAreReloaded(t *testing.T) {
	c := configure(t, "")
	get := system.GetToolInput{Name: "list_tools"}
	if got := ok(t, c, system.GetTool, get); got.Refused != "" {
		t.Errorf("without a rule, the tool says %q", got.Refused)
	}
	c.write("gate: {approve: [{tools: [list_tools]}]}\n")
	ok(t, c, system.ReloadConfig, system.ReloadConfigInput{})
	e := refused(t, c, system.ListTools, system.ListToolsInput{}, capabilities.ApprovalNeeded, "a person with the scope admin, who is not the owner, can decide")
	if got := ok(t, c, system.GetTool, get); !strings.Contains(got.Refused, "gate.approve[0]") {
		t.Errorf("the tool says %q", got.Refused)
	}
	if list := ok(t, c, system.ListApprovals, system.ListApprovalsInput{}); len(list.Items) != 1 || list.Items[0].ID != e.Approval.ID {
		t.Errorf("%+v wait", list.Items)
	}
	refused(t, c, system.DecideApproval, system.DecideApprovalInput{ID: e.Approval.ID, Decision: "approve"}, capabilities.Forbidden, "nobody approves their own")
	c.write("gate: {approve: [{tools: [list_tools], of: [trakcer]}]}\n")
	refused(t, c, system.ReloadConfig, system.ReloadConfigInput{}, capabilities.Invalid, `gate.approve[0].of[0]: there is no pack and no MCP server "trakcer"`)
	const asks, denies = "gate: {approve: [{tools: [list_tools]}]}\n", "principals: [{id: owner, gate: {deny: [decide_approval]}}]\n"
	for text, nobody := range map[string]bool{asks: false, asks + denies: true, asks + denies + "people: [{id: ada}]\n": false} {
		c.write(text)
		if r := ok(t, c, system.ReloadConfig, system.ReloadConfigInput{}); strings.Contains(strings.Join(r.Notices, "\n"), "holotype.yaml:1: gate.approve: nobody can decide") != nobody {
			t.Errorf("of %s it says %q", text, r.Notices)
		}
	}
	for text, waits := range map[string]string{
		asks: "gate.approve[0]", "people: [{id: ada}]\n" + asks: "gate.approve[0]",
		"principals: [{id: owner, gate: {approve: [{effects: [write], of: [tracker]}]}}]\n": "principals[0].gate.approve[0]",
		"seats: [{id: desk, gate: {approve: [{effects: [write]}]}}]\n":                      "",
		"gate: {approve: [{effects: [unknown]}]}\n":                                         "", // no server is bridged
	} {
		c.write(text)
		r := strings.Join(ok(t, c, system.ReloadConfig, system.ReloadConfigInput{}).Notices, "\n")
		if says := strings.Contains(r, waits+": the owner's own calls wait by it, too"); says != (waits != "") || waits == "" && strings.Contains(r, "the owner's own calls") {
			t.Errorf("of %s it says %q", text, r)
		}
	}
	c.write("people: [{id: ada}]\n" + asks)
	ok(t, c, system.ReloadConfig, system.ReloadConfigInput{})
	for scope, says := range map[string]bool{"*": true, "admin": false} {
		token := ok(t, c, system.CreateToken, system.CreateTokenInput{Name: "ada", Scopes: []string{scope}, Person: "ada"})
		if r := ok(t, c, system.ReloadConfig, system.ReloadConfigInput{}); (len(r.Notices) > 0) != says {
			t.Errorf("with a token of a person with the scope %s it says %q", scope, r.Notices)
		}
		ok(t, c, system.RevokeToken, system.RevokeTokenInput{ID: token.ID})
	}
	if r := ok(t, c, system.ReloadConfig, system.ReloadConfigInput{}); len(r.Notices) != 1 {
		t.Errorf("with a token that was revoked it says %q", r.Notices)
	}
	c.write("gate: {approve: [{tools: [lst_tools]}]}\n")
	if r := ok(t, c, system.ReloadConfig, system.ReloadConfigInput{}); len(r.Notices) != 1 || !strings.Contains(r.Notices[0], `gate.approve[0].tools[0]: no tool here can have the name "lst_tools"`) {
		t.Errorf("%q", r.Notices)
	}
	ok(t, c, system.ListTools, system.ListToolsInput{})
}

// Who is not there any more is acted for no more, also by a call that is held, and whoever
// holds a seat decides on none from there.
func TestWhatACallThatIsHeldMeets(t *testing.T) {
	const people, seats = "people: [{id: ada}, {id: bob}]\n", "seats: [{id: desk, holder: ada, gate: {approve: [{tools: [create_project]}]}}]\n"
	w := timedBy(t, people+seats)
	desk := w.as(system.CreateTokenInput{Scopes: []string{"*"}, Seat: "desk"})
	ada := w.as(system.CreateTokenInput{Scopes: []string{"admin"}, Person: "ada"})
	answer := make(chan string, 1)
	go func() {
		_, body := desk.send(desk.token, http.MethodPost, "/api/v1/projects", project, "Acting-For", "bob", "Prefer", "wait=300")
		answer <- body
	}()
	id := waits(t, w)
	if status, body := ada.http(http.MethodPost, "/api/v1/approvals/"+id+"/decision", `{"decision":"approve"}`); status != http.StatusForbidden || !strings.Contains(body, "which you hold") {
		t.Errorf("who holds the seat is answered %d %s", status, body)
	}
	w.write("people: [{id: ada}]\n" + seats)
	ok(t, w, system.ReloadConfig, system.ReloadConfigInput{})
	ok(t, w, system.DecideApproval, system.DecideApprovalInput{ID: id, Decision: "approve"})
	if body := <-answer; !strings.Contains(body, "is no person of the configuration") {
		t.Errorf("for somebody who is gone, it is answered %s", body)
	}
}

// waits answers the one request that waits for its decision, once there is one.
func waits(t *testing.T, w *timed) (id string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-tick.C {
		if list := ok(t, w, system.ListApprovals, system.ListApprovalsInput{}); len(list.Items) > 0 {
			return list.Items[0].ID
		}
	}
	t.Fatal("nothing waits")
	return ""
}
