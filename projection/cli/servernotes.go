package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// serverNotes says on standard error why tools may be missing from a list: a line for
// every MCP server that is not running, and one where no server process runs at all.
func (r *run) serverNotes(ctx context.Context, s Session) error {
	if _, hidden, ok := s.Find(s.Principal(), system.ListMCPServers.Name()); !ok || hidden != nil {
		return nil // it is not this caller's to know
	}
	servers, err := r.servers(ctx, s)
	if err != nil {
		return err
	}
	p := &printer{w: r.err}
	for _, one := range servers {
		if one.State != system.Running {
			p.print("note: ", serverNote(one, s.Attached()), "\n")
		}
	}
	switch {
	case s.Attached():
	case len(servers) == 0:
		p.print("note: no ", r.o.Name, " serves this data directory, and no MCP servers are configured: start one with \"", r.line("serve"),
			"\", or name a client's file with --", flagMCPConfig, "\n")
	default:
		p.print("note: no ", r.o.Name, " serves this data directory: its MCP servers were started for this command alone\n")
	}
	return p.err
}

// serverNote says how a server is doing that is not running. attached says whether
// somebody starts it again.
func serverNote(s system.Server, attached bool) string {
	text := fmt.Sprintf("server %s is %s: it %s", quoted(s.Name), strings.ReplaceAll(string(s.State), "_", " "), escape(cmp.Or(s.Reason, "has not told its tools yet"), false))
	if s.Tools > 0 {
		text += fmt.Sprintf("; its %d tools are listed and refuse", s.Tools)
	}
	if next, err := time.Parse(time.RFC3339, s.NextStart); err == nil && attached {
		text += "; it is started again at " + next.Format("15:04:05 MST")
	}
	return text
}

// servers asks for every page of the configured MCP servers.
func (r *run) servers(ctx context.Context, s Session) ([]system.Server, error) {
	var in system.ListMCPServersInput
	in.Limit = 1000
	var all []system.Server
	for {
		args, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("writing the arguments of %s: %w", system.ListMCPServers.Name(), err)
		}
		res, err := r.invoke(ctx, s, system.ListMCPServers.Name(), args)
		if err != nil {
			return nil, err
		}
		var page capabilities.Page[system.Server]
		if err := json.Unmarshal(res.Structured, &page); err != nil {
			return nil, fmt.Errorf("reading the answer of %s: %w", system.ListMCPServers.Name(), err)
		}
		all = append(all, page.Items...)
		if in.Cursor = page.NextCursor; in.Cursor == "" {
			return all, nil
		}
	}
}
