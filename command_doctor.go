package holotype

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/openapi"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/datadir"
	"github.com/seed-89b9419b/holotype/internal/signin"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

func (s *Server) doctorCommand() cli.Command {
	return cli.Command{
		Name:  "doctor",
		Short: "Check the configuration and start every MCP server once, and say what is wrong",
		Long: "Where a server of the data directory runs, it is asked how its MCP servers are doing. Else each is started once and\n" +
			"stopped again. Exits 1 when something does not work; what is only worth knowing is marked with a note.",
		Flags: []cli.Flag{cli.MCPConfigFlag()},
		Run:   s.doctor,
	}
}

// A finding is one line of the doctor.
type finding struct {
	Server  string   `json:"server,omitempty"`
	Grade   string   `json:"grade"` // "ok", "note" or "fault"
	Text    string   `json:"text"`
	Remedy  string   `json:"remedy,omitempty"`
	Details []string `json:"details,omitempty"`
}

var errUnwell = errors.New("something does not work: see above")

func (s *Server) doctor(ctx context.Context, inv cli.Invocation) (err error) {
	session, err := s.openQuiet(ctx, cli.OpenRequest{Data: inv.Data, Config: inv.Config, MCPConfig: inv.Text("mcp-config"), Err: inv.Err, All: true})
	if err != nil {
		return err // every fault of the configuration, with its place
	}
	defer func() { err = errors.Join(err, session.Close()) }()
	servers, err := askAll(ctx, session, system.ListMCPServers, func(cursor string) system.ListMCPServersInput {
		return system.ListMCPServersInput{PageInput: pageOf(cursor)}
	})
	kept, refused := unasked("the MCP servers", err)
	if err != nil && !refused {
		return err
	}
	program := s.program(inv.Data)
	found, err := examineFiles(ctx, session, program)
	if err != nil {
		return err
	}
	found = append(found, kept...)
	if kept, err = examineStore(ctx, session); err != nil {
		return err
	}
	found = append(found, kept...)
	unbound, err := examineTokens(ctx, session, program)
	if err != nil {
		return err
	}
	found = append(found, unbound...)
	granted, err := examineGrants(ctx, session, program)
	if err != nil {
		return err
	}
	found = append(found, granted...)
	found = append(found, s.examineClients(inv)...)
	if len(servers) == 0 && !refused {
		found = append(found, finding{Grade: "note", Text: "no MCP server is configured", Remedy: "name a client's file with --mcp-config, or declare mcp_servers in the configuration"})
	}
	for i := range servers {
		found = append(found, examine(&servers[i], program)...)
	}
	return tell(inv, found)
}

// unasked answers the finding that a rule keeps even the owner from looking at something.
func unasked(what string, err error) (found []finding, refused bool) {
	e, ok := capabilities.AsError(err)
	if !ok || e.Code != capabilities.Forbidden {
		return nil, false
	}
	return []finding{{Grade: "note", Text: what + " cannot be looked at: " + e.Message, Remedy: "take the rule out for as long as you look"}}, true
}

// examineFiles judges the configuration, and says what of it stands for nothing. A server
// that runs may have refused what its files say by now.
func examineFiles(ctx context.Context, session cli.Session, program string) ([]finding, error) {
	fine := []finding{well("the configuration has no fault")}
	plan, err := rehearse(ctx, session, system.ReloadConfig, system.ReloadConfigInput{})
	e, refused := capabilities.AsError(err)
	switch {
	case refused && e.Code == capabilities.Invalid:
		return []finding{{Grade: "fault", Text: e.Message, Remedy: "correct it: the server that runs goes on with what it read before, and cannot be started again"}}, nil
	case refused && !session.Attached(): // it was read for this command, and a rule keeps even the owner from reading it again
		return fine, nil
	case refused:
		kept, _ := unasked("the configuration", err)
		return kept, nil
	case err != nil:
		return nil, err
	case session.Attached() && len(plan.Added)+len(plan.Removed)+len(plan.Changed) > 0:
		fine = []finding{{Grade: "note", Text: "the configuration has no fault, and is not what runs", Remedy: "have it read with " + program + " reload"}}
	}
	for _, notice := range plan.Notices {
		fine = append(fine, finding{Grade: "note", Text: notice, Remedy: "correct it, unless it is meant so"})
	}
	return fine, nil
}

// examineStore judges the store, where there is one.
func examineStore(ctx context.Context, session cli.Session) ([]finding, error) {
	status, _, err := askOf(ctx, session, system.GetStore, system.GetStoreInput{})
	e, refused := capabilities.AsError(err)
	switch {
	case refused && e.Code == capabilities.NotFound:
		return []finding{{Grade: "note", Text: "there is no store", Remedy: "build the program with cgo: packs that keep something are left out"}}, nil
	case refused && e.Code == capabilities.Forbidden:
		kept, _ := unasked("the store", err)
		return kept, nil
	case err != nil:
		return nil, err
	case status.Ready:
		return []finding{well("the store is well, on " + status.Engine)}, nil
	}
	return []finding{storeFault(status.Since, status.Reason)}, nil
}

// storeFault is the finding on a store that cannot be used since a time.
func storeFault(since, advice string) finding {
	return finding{Grade: "fault", Text: "the store cannot be used since " + since, Remedy: advice}
}

func (f finding) line() string {
	text := fmt.Sprintf("%-6s", f.Grade)
	if f.Server != "" {
		text += f.Server + ": "
	}
	lines := []string{text + f.Text}
	if f.Remedy != "" {
		lines = append(lines, f.Remedy)
	}
	for _, d := range f.Details {
		lines = append(lines, "| "+d)
	}
	for i, line := range lines {
		lines[i] = cli.Escape(line)
	}
	return strings.Join(lines, "\n       ")
}

// examine judges one server. A remedy that is a command begins with program.
func examine(server *system.Server, program string) []finding {
	var all []finding
	add := func(grade, text, remedy string, details ...string) {
		all = append(all, finding{server.Name, grade, text, remedy, details})
	}
	if server.State == system.NotStarted {
		add("note", "is not started: "+server.Reason, "give a seat or a unit mcp_env for it, or take the entry out")
	}
	for _, one := range server.Instances {
		who := ""
		if one.Seat != "" {
			who = "for seat " + one.Seat + " "
		}
		switch one.State {
		case system.Running:
			add("ok", fmt.Sprintf("%sruns: %d tools, %s, protocol %s", who, one.Tools, one.Identity, one.ProtocolVersion), "")
		case system.NotReported:
			add("note", who+one.Reason, "ask again: a command that ends soon answered")
		case system.Starting:
			add("note", who+"is still starting", "look again in a moment")
		case system.Waiting:
			if one.SignIn != nil && one.SignIn.State == system.SignInState(signin.Needed) {
				add("fault", who+one.Reason, signInRemedy(server.Name, &one, program))
				continue
			}
			add("fault", who+one.Reason, "give it what the reason names: it starts by itself then, and "+program+" reload tries at once", one.StderrTail...)
		default:
			add("fault", who+one.Reason, remedyOf(one.Phase, server, program), one.StderrTail...)
		}
	}
	if len(server.Relays) > 0 {
		text := "is relayed beside calls: " + strings.Join(server.Relays, ", ")
		if len(server.RelayOff) > 0 {
			text += "; its relay has switched off: " + strings.Join(server.RelayOff, ", ")
		}
		add("ok", text, "")
	}
	for _, sk := range server.Skipped {
		add("note", strings.TrimSpace("does not list "+sk.Tool)+": "+sk.Reason, "tell the author of the server, or name the tool under deny")
	}
	for _, d := range server.Drifts {
		grade := "note"
		if d.Held {
			grade = "fault"
		}
		add(grade, fmt.Sprintf("the hints of %s moved towards danger: %s", d.Tool, d.Change), "accept them with "+program+" servers accept "+datadir.ShellWord(server.Name))
	}
	if len(server.UnlistedAnnotations) > 0 {
		add("note", "tool_annotations names what it does not list: "+strings.Join(server.UnlistedAnnotations, ", "), "correct the names, or take them out")
	}
	if len(server.UnmatchedPatterns) > 0 {
		add("note", "allow or deny names what it does not list: "+strings.Join(server.UnmatchedPatterns, ", "), "correct the names, or take them out")
	}
	if len(server.SameLaunch) > 0 {
		add("note", "is started the very same way as "+strings.Join(server.SameLaunch, ", "), "keep one: its tools are there twice")
	}
	if server.JunkLines > 0 {
		add("note", fmt.Sprintf("writes %d lines to standard output that are no messages", server.JunkLines), "tell its author: some clients end the session at the first one")
	}
	return all
}

// signInRemedy says how to sign in to an instance.
func signInRemedy(server string, one *system.Instance, program string) string {
	remedy := "sign in with " + program + " login " + datadir.ShellWord(server)
	if one.Seat != "" {
		remedy += " --seat " + datadir.ShellWord(one.Seat)
	}
	if one.SignIn.Link != "" {
		remedy += ", or open " + one.SignIn.Link
	}
	return remedy
}

// remedyOf says what to try when a server failed in a phase.
func remedyOf(phase string, server *system.Server, program string) string {
	remote := server.Launch.Command == ""
	switch {
	case phase == "configuration":
		return "correct what the reason names in its entry, and have it read with " + program + " reload"
	case remote && strings.HasSuffix(server.Launch.URL, "/operator/mcp"): // nothing runs there to say so itself
		return "check its address: where it is this very server's own, take the entry out, for a server cannot bridge itself"
	case server.Transport == openapi.Kind:
		return "correct its document, or the address of it"
	case phase == "start":
		return "check its command, or its address"
	case phase == "handshake" && !remote:
		return "run its command by hand: it may be no MCP server, or want arguments"
	case phase == "handshake":
		return "check its address, and whether anything answers there: it may be no MCP server, or want a header"
	case phase == "list":
		return "look at it alone with " + program + " inspect"
	}
	return program + " servers show " + server.Name + " has all there is to know"
}
