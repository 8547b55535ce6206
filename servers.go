package holotype

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/signin"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// What the configuration says of a secret that is too short to be masked is what the
// bridge masks: where the two differ this does not compile.
const _ = uint(config.MinMasked-bridge.MinSecret) + uint(bridge.MinSecret-config.MinMasked)

// bridgeUp gives the configured MCP servers to a bridge.
func (e *engine) bridgeUp(s *Server, p *place) error {
	c := p.config
	o := bridge.Options{
		Servers: e.authorized(c),
		Publish: func(seat, server string, tools []*capabilities.Capability) { e.live.Replace(seat, server, tools) },
		ReservedNames: func(name string) bool {
			_, taken := e.registry.Find(name)
			return taken
		},
		Updated:  func(seat, server, uri string) { e.mcp.ResourceUpdated(seat, server, uri) },
		Listened: func(server, uri string) bool { return e.mcp.ResourceListened(server, uri) },
		HostEnv:  config.Environ(), Version: s.o.Version, Program: p.settings.options.Program, Mark: e.mark, Sending: e.sending(), Log: e.log, Now: s.o.Now,
	}
	for _, pack := range e.registry.Packs() {
		o.ReservedServers = append(o.ReservedServers, pack.Name)
	}
	if p.settings.hints != nil {
		o.Memory = hintMemory{p.settings}
	}
	b, err := bridge.New(o)
	if faults, ok := errors.AsType[bridge.Faults](err); ok {
		return locate(faults, c.Bridged())
	}
	if e.bridge = b; err == nil {
		e.retainHints(c)
	}
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

// bridgeServers are the instances that a configuration asks for.
func bridgeServers(c *config.Config, within string) []bridge.Server {
	var all []bridge.Server
	for _, s := range c.Instances() {
		b := bridgeServer(s, within)
		b.AuthAs = signInMark(s)
		all = append(all, b)
	}
	return all
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
		Name: s.Name, Seat: s.Seat, Drift: drift(s.Drift), Command: s.Command, Args: s.Args, Env: env, Cwd: s.Cwd, URL: s.URL, Headers: s.Headers,
		Transport: string(s.Transport), ToolPrefix: s.ToolPrefix, Allow: s.Allow, Deny: s.Deny,
		StartupTimeout: s.StartupTimeout, CallTimeout: s.CallTimeout, Limits: bridge.Limits(s.Limits), Relay: bridge.Relay(s.Relay), Unresolved: s.Unresolved, Secrets: signInSecrets(s), ShownArgs: s.MaskedArgs, ShownURL: s.MaskedURL,
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

func drift(d config.Drift) string {
	if d == config.DriftHold {
		return bridge.DriftHold
	}
	return bridge.DriftMark
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

// absent answers the refusal of a name whose server has not told its tools yet. Packs
// are bound, and the door is made, before there is a bridge.
func (e *engine) absent(p *capabilities.Principal, name string) *capabilities.Error {
	return e.bridge.Absent(p, name)
}

// awaited answers how many servers have not told a principal what they offer, and the methods
// that they may have to be relayed to it.
func (e *engine) awaited(p *capabilities.Principal) (servers int, methods []string) {
	for _, one := range e.bridge.Awaited(p) {
		if group := p.Narrowing.Group; group != "" && group != one.Server {
			continue
		}
		servers++
		for _, c := range e.views.Relays(p, one.Relays) {
			if !slices.Contains(methods, c.Method()) {
				methods = append(methods, c.Method())
			}
		}
	}
	return servers, methods
}

// serverRows is the state of every server as list_mcp_servers answers it.
func (e *engine) serverRows() []system.Server {
	rows := []system.Server{}
	place := map[string]int{}
	for _, st := range e.bridge.Status() {
		i, ok := place[st.Name]
		if !ok {
			i = len(rows)
			place[st.Name] = i
			rows = append(rows, serverRow(&st))
		}
		addInstance(&rows[i], &st)
		one := &rows[i].Instances[len(rows[i].Instances)-1]
		if one.SignIn = e.signIn(st.Key()); st.Seat == "" {
			rows[i].SignIn = one.SignIn
		}
	}
	for _, t := range e.settings.current().Templates() {
		if _, ok := place[t.Name]; !ok {
			rows = append(rows, e.idleTemplate(t))
		}
	}
	for i := range rows {
		rows[i].State, rows[i].Reason = standing(rows[i].Instances, rows[i].Reason)
	}
	return rows
}

// idleTemplate is the row of a server that no seat has an instance of.
func (e *engine) idleTemplate(t config.Template) system.Server {
	row := system.Server{Name: t.Name, Reason: t.NotStarted}
	for _, s := range e.settings.current().Servers {
		if s.Name == t.Name {
			row.Transport, row.Prefix = system.ReachedBy(s.Transport), bridgeServer(s, "").Prefix()
		}
	}
	return row
}

// serverRow is what holds for every instance of a server.
func serverRow(st *bridge.Status) system.Server {
	row := system.Server{
		Name: st.Name, Prefix: st.Prefix, Transport: system.ReachedBy(st.Transport), Shared: st.Seat == "", Launch: launch(st.Launch),
		ProtocolVersion: st.Version, Identity: identityOf(st), Tools: st.Tools, Bytes: st.Bytes, Filtered: st.Filtered, Repaired: st.Repaired,
		UnlistedAnnotations: st.Unlisted, UnmatchedPatterns: st.Unmatched, NextStart: moment(st.NextTry),
		Relays: st.Relays, RelayOff: st.RelayOff,
	}
	for _, sk := range st.Skipped {
		row.Skipped = append(row.Skipped, system.Skipped(sk))
	}
	return row
}

// launch is how a server is started, without what every child of this program is given.
func launch(l bridge.Launch) system.Launch {
	l.Env = slices.DeleteFunc(slices.Clone(l.Env), func(name string) bool { return name == withinVariable })
	return system.Launch(l)
}

func identityOf(st *bridge.Status) string {
	return strings.TrimSpace(st.ServerName + " " + st.ServerNumber)
}

// moment is a time as RFC 3339; "" for none.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func addInstance(row *system.Server, st *bridge.Status) {
	one := system.Instance{
		Seat: st.Seat, State: stateWord(st.State), Phase: st.Phase, Reason: st.Reason, LastExit: st.LastExit.Reason, LastExitAt: moment(st.LastExit.At),
		Restarts: st.Restarts, NextStart: moment(st.NextTry), ProtocolVersion: st.Version, Identity: identityOf(st), Tools: st.Tools,
	}
	if tail := strings.TrimSpace(st.Stderr); tail != "" {
		one.StderrTail = strings.Split(tail, "\n")
	}
	row.Instances = append(row.Instances, one)
	row.JunkLines += st.JunkLines
	for _, k := range st.SameLaunch {
		if text := k.String(); !slices.Contains(row.SameLaunch, text) {
			row.SameLaunch = append(row.SameLaunch, text)
		}
	}
	for _, d := range st.Drifts {
		row.Drifts = append(row.Drifts, system.Drift{Tool: d.Name, Seat: st.Seat, Change: d.Text(), Since: moment(d.Since), Held: d.Held})
	}
}

// standing is the state of a server as its instances have it, and the first reason of
// one that does not run.
func standing(all []system.Instance, none string) (system.State, string) {
	if len(all) == 0 {
		return system.NotStarted, none
	}
	counts := map[system.State]int{}
	reason := ""
	for _, one := range all {
		counts[one.State]++
		if one.State != system.Running && reason == "" {
			reason = one.Reason
			if one.Seat != "" {
				reason = fmt.Sprintf("for seat %s it %s", one.Seat, one.Reason)
			}
		}
	}
	if counts[all[0].State] == len(all) {
		return all[0].State, reason
	}
	if counts[system.Running] > 0 {
		if counts[system.Running]+counts[system.Starting] == len(all) {
			return system.Starting, reason
		}
		return system.PartlyFailing, reason
	}
	for _, worst := range []system.State{system.Failing, system.Waiting, system.Starting} {
		if counts[worst] > 0 {
			return worst, reason
		}
	}
	return system.Stopped, reason
}

// serverStates is the same for the catalogue page.
func (e *engine) serverStates() []httpapi.ServerState {
	var all []httpapi.ServerState
	for _, row := range e.serverRows() {
		one := httpapi.ServerState{Name: row.Name, State: string(row.State), Reason: row.Reason, Tools: row.Tools}
		for _, instance := range row.Instances {
			if in := instance.SignIn; in != nil && in.State == system.SignInState(signin.Needed) {
				one.SignIns = append(one.SignIns, instance.Seat)
			}
		}
		all = append(all, one)
	}
	return all
}

func stateWord(s bridge.State) system.State {
	switch s {
	case bridge.StateIdle:
		return system.NotReported
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
