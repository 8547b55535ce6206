package holotype_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	c.write("gate: {approve: [{tools: [lst_tools]}]}\n")
	if r := ok(t, c, system.ReloadConfig, system.ReloadConfigInput{}); len(r.Notices) != 1 || !strings.Contains(r.Notices[0], `gate.approve[0].tools[0]: no tool here can have the name "lst_tools"`) {
		t.Errorf("%q", r.Notices)
	}
	ok(t, c, system.ListTools, system.ListToolsInput{})
}
