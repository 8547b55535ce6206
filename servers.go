package holotype

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// bridgeServers gives the configured MCP servers to a bridge.
func (e *engine) bridgeServers(s *Server, p *place) error {
	c := p.config
	o := bridge.Options{
		Publish: func(server string, tools []*capabilities.Capability) { e.live.Replace("", server, tools) },
		ReservedNames: func(name string) bool {
			_, taken := e.registry.Find(name)
			return taken
		},
		HostEnv: config.Environ(), Version: s.o.Version, Log: e.log, Now: s.o.Now,
	}
	for _, pack := range e.registry.Packs() {
		o.ReservedServers = append(o.ReservedServers, pack.Name)
	}
	for _, one := range c.Servers {
		o.Servers = append(o.Servers, bridgeServer(one, p.within()))
	}
	b, err := bridge.New(o)
	if faults, ok := errors.AsType[bridge.Faults](err); ok {
		return locate(faults, c.Servers)
	}
	e.bridge = b
	return err
}

// locate puts the file and line of its entry before every fault.
func locate(faults bridge.Faults, servers []config.Server) error {
	var all []error
	for _, f := range faults {
		place := config.Fault{Path: f.Field, Message: fmt.Sprintf("server %q: %s", f.Server, f.Message)}
		for _, s := range servers {
			if s.Name == f.Server {
				place.File, place.Line = s.File, s.Line
			}
		}
		all = append(all, place)
	}
	return errors.Join(all...)
}

func bridgeServer(s config.Server, within string) bridge.Server {
	env := maps.Clone(s.Env)
	if s.Command != "" && within != "" {
		if env == nil {
			env = map[string]string{}
		}
		env[withinVariable] = within
	}
	b := bridge.Server{
		Name: s.Name, Command: s.Command, Args: s.Args, Env: env, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers,
		Transport: string(s.Transport), ToolPrefix: s.ToolPrefix, Allow: s.Allow, Deny: s.Deny,
		StartupTimeout: s.StartupTimeout, CallTimeout: s.CallTimeout, Unresolved: s.Unresolved, Secrets: s.Secrets,
		Annotations: map[string]bridge.Override{},
	}
	for tool, a := range s.ToolAnnotations {
		b.Annotations[tool] = bridge.Override{
			ReadOnly: override(a.ReadOnly), Destructive: override(a.Destructive),
			Idempotent: override(a.Idempotent), OpenWorld: override(a.OpenWorld), Title: a.Title,
		}
	}
	return b
}

// override answers nil for a hint that is not overridden; unknown overrides.
func override(h config.Hint) *capabilities.Hint {
	v := map[config.Hint]capabilities.Hint{
		config.HintYes: capabilities.Yes, config.HintNo: capabilities.No, config.HintUnknown: capabilities.Unknown,
	}
	if hint, ok := v[h]; ok {
		return &hint
	}
	return nil
}

// serverRows is the state of every server as list_mcp_servers answers it.
func (e *engine) serverRows() []system.Server {
	rows := []system.Server{}
	for _, st := range e.bridge.Status() {
		row := system.Server{
			Name: st.Name, Prefix: st.Prefix, Transport: system.Transport(st.Transport), State: stateWord(st.State),
			Reason: st.Reason, ProtocolVersion: st.Version, Identity: strings.TrimSpace(st.ServerName + " " + st.ServerNumber),
			Tools: st.Tools, Repaired: st.Repaired, JunkLines: st.JunkLines,
		}
		for _, sk := range st.Skipped {
			row.Skipped = append(row.Skipped, system.Skipped(sk))
		}
		if !st.NextTry.IsZero() {
			row.NextStart = st.NextTry.UTC().Format(time.RFC3339)
		}
		rows = append(rows, row)
	}
	return rows
}

// serverStates is the same for the catalogue page.
func (e *engine) serverStates() []httpapi.ServerState {
	var all []httpapi.ServerState
	for _, row := range e.serverRows() {
		all = append(all, httpapi.ServerState{Name: row.Name, State: string(row.State), Reason: row.Reason, Tools: row.Tools})
	}
	return all
}

func stateWord(s bridge.State) system.State {
	switch s {
	case bridge.StateStarting:
		return system.Starting
	case bridge.StateReady:
		return system.Running
	case bridge.StateFailed, bridge.StateExited:
		return system.Failing
	case bridge.StateHeld:
		return system.Waiting
	case bridge.StateStopped:
		return system.Stopped
	}
	return system.Failing
}
