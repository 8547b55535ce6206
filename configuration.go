package holotype

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/confstore"
)

// configuration is the running engine's [system.Configuration].
type configuration struct {
	e *engine
	*settings
}

// Entries implements [system.Configuration].
func (c configuration) Entries() []system.ConfiguredServer {
	return configured(c.inForce())
}

func configured(now *config.Config, entries []confstore.Entry) []system.ConfiguredServer {
	all := []system.ConfiguredServer{}
	for _, s := range now.Servers {
		row := system.ConfiguredServer{Name: s.Name, Origin: s.Origin.String(), Entry: s.MaskedEntry}
		if i := slices.IndexFunc(entries, func(e confstore.Entry) bool { return e.Name == s.Name }); i >= 0 && s.Origin.Revision > 0 {
			row.Stored, row.Version = true, entries[i].ETag
			row.ChangedBy, row.ChangedAt = entries[i].By, entries[i].At.UTC().Format(time.RFC3339)
			for _, n := range now.Notices {
				if n.File == config.StoredFile(s.Name) {
					row.Notices = append(row.Notices, n.Text)
				}
			}
		}
		all = append(all, row)
	}
	return all
}

// Revisions implements [system.Configuration].
func (c configuration) Revisions(server string) []system.ConfigRevision {
	all := []system.ConfigRevision{}
	if c.stored == nil {
		return all
	}
	for _, r := range c.stored.History(server) {
		all = append(all, system.ConfigRevision{
			Revision: r.Revision, Name: r.Name, By: r.By, At: r.At.UTC().Format(time.RFC3339), Before: r.Before, After: r.After,
		})
	}
	return all
}

// Mask implements [system.Configuration].
func (c configuration) Mask(r system.ConfigRevision) system.ConfigRevision {
	r.Before, r.After = maskedEntry(r.Name, r.Before), maskedEntry(r.Name, r.After)
	return r
}

// maskedEntry is a stored entry without what may be secret; nil when there is none, or
// when it is none that is understood today.
func maskedEntry(name string, raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return nil
	}
	c, err := config.Load(config.Options{
		Stored: []config.StoredEntry{{Name: name, Raw: raw, Revision: 1}},
		Lookup: func(string) (string, bool) { return "", false },
	})
	if err != nil || len(c.Servers) != 1 {
		return json.RawMessage(`{}`)
	}
	return c.Servers[0].MaskedEntry
}

// Put implements [system.Configuration].
func (c configuration) Put(_ context.Context, ch system.EntryChange) (system.ConfiguredServer, error) {
	for _, s := range c.current().Servers {
		if s.Name == ch.Name && s.Origin.Revision == 0 {
			return system.ConfiguredServer{}, capabilities.Refuse(capabilities.Exists,
				"an MCP server named %q is declared at %s: change it there, or choose another name", ch.Name, s.Origin)
		}
	}
	return c.change(ch, func(cond confstore.Condition, check confstore.Check) error {
		_, err := c.stored.Put(ch.Name, ch.Entry, ch.By, cond, check)
		return err
	}, func(cond confstore.Condition) ([]confstore.Entry, error) {
		return c.stored.TryPut(ch.Name, ch.Entry, ch.By, cond)
	})
}

// Remove implements [system.Configuration].
func (c configuration) Remove(_ context.Context, ch system.EntryChange) (system.ConfiguredServer, error) {
	rows := c.Entries()
	i := slices.IndexFunc(rows, func(r system.ConfiguredServer) bool { return r.Name == ch.Name })
	switch {
	case i < 0:
		return system.ConfiguredServer{}, capabilities.Refuse(capabilities.NotFound, "no MCP server named %q is configured", ch.Name)
	case !rows[i].Stored:
		return system.ConfiguredServer{}, capabilities.Refuse(capabilities.Conflict,
			"the MCP server %q is declared at %s: take it out there", ch.Name, rows[i].Origin)
	}
	_, err := c.change(ch, func(cond confstore.Condition, check confstore.Check) error {
		return c.stored.Delete(ch.Name, ch.By, cond, check)
	}, func(cond confstore.Condition) ([]confstore.Entry, error) {
		return c.stored.TryDelete(ch.Name, ch.By, cond)
	})
	rows[i].DryRun = ch.Rehearsal
	return rows[i], err
}

// change makes one change of the stored entries: nothing is kept that does not check as
// a whole, and what is kept is in force.
func (c configuration) change(
	ch system.EntryChange,
	keep func(confstore.Condition, confstore.Check) error,
	try func(confstore.Condition) ([]confstore.Entry, error),
) (system.ConfiguredServer, error) {
	if c.stored == nil {
		next, err := c.read([]confstore.Entry{{Name: ch.Name, Raw: ch.Entry, Revision: 1}})
		if err == nil {
			err = c.e.check(next)
		}
		if err != nil {
			return system.ConfiguredServer{}, c.refusal(err, ch.Name)
		}
		return system.ConfiguredServer{}, capabilities.Refuse(capabilities.Unavailable,
			"this server keeps nothing on disk, so no server can be added to it: start it with a data directory")
	}
	c.changing.Lock()
	defer c.changing.Unlock()
	var cond confstore.Condition
	switch {
	case ch.Absent:
		cond = confstore.IfAbsent()
	case ch.Version != "":
		cond = confstore.IfMatch(ch.Version)
	}
	var (
		next    *config.Config
		entries []confstore.Entry
		err     error
	)
	check := func(after []confstore.Entry) (err error) {
		entries = after
		if next, err = c.read(after); err != nil {
			return err
		}
		return c.e.check(next)
	}
	if ch.Rehearsal {
		var after []confstore.Entry
		if after, err = try(cond); err == nil {
			err = check(after)
		}
	} else {
		err = keep(cond, check)
	}
	if err != nil {
		return system.ConfiguredServer{}, c.refusal(err, ch.Name)
	}
	if !ch.Rehearsal {
		if _, err = c.apply(next, entries); err != nil {
			return system.ConfiguredServer{}, c.refusal(err, ch.Name)
		}
	}
	rows := configured(next, entries)
	i := slices.IndexFunc(rows, func(r system.ConfiguredServer) bool { return r.Name == ch.Name })
	if i < 0 {
		return system.ConfiguredServer{}, nil // removed
	}
	rows[i].DryRun = ch.Rehearsal
	return rows[i], nil
}

// apply puts a configuration in force that was checked. changing is held.
func (c configuration) apply(next *config.Config, entries []confstore.Entry) (bridge.Changes, error) {
	done, err := c.e.bridge.Apply(c.e.authorized(next))
	if err != nil {
		return done, err
	}
	before := c.current()
	c.put(next, entries)
	c.e.rates.Put(next)
	switch {
	case !before.SameRules(next):
		c.e.rule(next)
	case before.Discovery != next.Discovery:
		c.e.live.Renew() // it tells whoever has a list
	}
	c.e.retainHints(next)
	return done, nil
}

// Reload implements [system.Configuration].
func (c configuration) Reload(_ context.Context, rehearsal bool) (system.ReloadReport, error) {
	c.changing.Lock()
	defer c.changing.Unlock()
	before := c.current()
	entries := c.settings.entries()
	next, err := c.read(entries)
	if err == nil {
		err = c.e.check(next)
	}
	var done bridge.Changes
	switch {
	case err != nil:
	case rehearsal:
		done, err = c.e.bridge.Plan(c.e.bridged(next))
	default:
		done, err = c.apply(next, entries)
	}
	if err != nil {
		err = c.refusal(err, "")
		if !rehearsal {
			text := err.Error()
			c.settings.fault.Store(&text)
		}
		return system.ReloadReport{}, err
	}
	if !rehearsal {
		c.settings.fault.Store(nil)
	}
	r := system.ReloadReport{
		Added: keys(done.Added), Removed: keys(done.Removed), Changed: keys(done.Changed), Retried: keys(done.Retried),
		Unchanged: len(done.Unchanged), Notices: later(before, next), DryRun: rehearsal,
	}
	for _, n := range slices.Concat(next.Notices, c.e.ruleNotices(next)) {
		r.Notices = append(r.Notices, n.String())
	}
	return r, nil
}

// later names what a reload does not take over.
func later(before, next *config.Config) []string {
	notices := []string{}
	for _, key := range []struct {
		name    string
		changed bool
	}{
		{"listen", before.Listen != next.Listen},
		{"auth", before.Auth != next.Auth},
		{"store", before.Store != next.Store},
		{"hosts", !slices.Equal(before.Hosts, next.Hosts)},
		{"audit", before.Audit != next.Audit},
		{"metrics", before.Metrics != next.Metrics},
		{"telemetry", !before.Telemetry.Equal(next.Telemetry)},
		{"tls", before.TLS != next.TLS},
		{"proxy", before.Proxy.Standard != next.Proxy.Standard || !slices.Equal(before.Proxy.Trusted, next.Proxy.Trusted)},
		{"packs", (before.Packs == nil) != (next.Packs == nil) || !slices.Equal(before.Packs, next.Packs)},
	} {
		if key.changed {
			notices = append(notices, key.name+" was changed: it counts from the next start")
		}
	}
	return notices
}

func keys(all []bridge.Key) []string {
	names := []string{}
	for _, k := range all {
		names = append(names, k.String())
	}
	return names
}

// Accept implements [system.Configuration].
func (c configuration) Accept(_ context.Context, server string, tools []string) ([]string, error) {
	accepted, err := c.e.bridge.Accept(server, tools...)
	switch {
	case errors.Is(err, bridge.ErrUnknownServer):
		return nil, capabilities.Refuse(capabilities.NotFound, "no MCP server is named %q: list_mcp_servers has the names", server)
	case errors.Is(err, bridge.ErrUnknownTool):
		return nil, capabilities.Violates(capabilities.Violation{Pointer: "/tools", Keyword: "enum", Message: err.Error()})
	case err != nil:
		return nil, err
	}
	return accepted, nil
}

// refusal is the refusal of a configuration that cannot be put in force. name is the
// entry that was sent, "" for none.
func (c configuration) refusal(err error, name string) error {
	if e, ok := capabilities.AsError(err); ok {
		return e
	}
	if cond, ok := errors.AsType[*confstore.ConditionError](err); ok {
		switch {
		case errors.Is(cond, confstore.ErrExists):
			return capabilities.Refuse(capabilities.Exists, "an MCP server named %q is stored already: change it with its version, or choose another name", name)
		case errors.Is(cond, confstore.ErrMismatch):
			return capabilities.Refuse(capabilities.StaleVersion, "the stored MCP server %q was changed meanwhile, its version is %s now: read it again", name, cond.ETag)
		}
		return capabilities.Refuse(capabilities.NotFound, "no MCP server named %q is stored", name)
	}
	if bound, ok := errors.AsType[*confstore.BoundError](err); ok {
		return capabilities.Refuse(capabilities.TooLarge, "the MCP server %q is not stored: %s", name, bound)
	}
	if source, ok := errors.AsType[sourceError](err); ok {
		return capabilities.Refuse(capabilities.Invalid, "the configuration stays as it was: %s", source)
	}
	faults := configFaults(err)
	if len(faults) == 0 {
		return err
	}
	var violations []capabilities.Violation
	var texts []string
	for _, f := range faults {
		texts = append(texts, f.Error())
		if name != "" && f.File == config.StoredFile(name) {
			violations = append(violations, capabilities.Violation{Pointer: entryPointer(f.Path), Keyword: "configuration", Message: f.Message})
		}
	}
	if len(violations) == len(faults) {
		return capabilities.Violates(violations...)
	}
	return capabilities.Refuse(capabilities.Invalid, "the configuration stays as it was: %s", strings.Join(texts, "; "))
}

// entryPointer is the place of a fault within an entry as a JSON pointer (RFC 6901) into
// the arguments.
func entryPointer(path string) string {
	if path == "name" { // which is an argument of its own
		return "/name"
	}
	var pointer strings.Builder
	pointer.WriteString("/entry")
	for path != "" {
		part := path
		if quoted, err := strconv.QuotedPrefix(path); err == nil { // a key that is no word
			path = path[len(quoted):]
			if part, err = strconv.Unquote(quoted); err != nil {
				part = quoted
			}
		} else if end := strings.IndexAny(path, ".[]"); end >= 0 {
			part, path = path[:end], path[end:]
		} else {
			path = ""
		}
		path = strings.TrimLeft(path, ".[]")
		pointer.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return pointer.String()
}

// check judges the servers of a configuration beside each other and the packs.
func (e *engine) check(c *config.Config) error {
	if err := e.checkRules(c); err != nil {
		return err
	}
	err := e.bridge.Check(e.bridged(c))
	if faults, ok := errors.AsType[bridge.Faults](err); ok {
		return locate(faults, c.Bridged())
	}
	return err
}

// retainHints says to the file of accepted hints which servers there are.
func (e *engine) retainHints(c *config.Config) {
	if e.settings.hints == nil {
		return
	}
	there := map[bridge.Key]bool{}
	for _, s := range c.Instances() {
		there[bridge.Key{Seat: s.Seat, Server: s.Name}] = true
	}
	for _, s := range c.OpenAPIServers {
		there[bridge.Key{Server: s.Name}] = true
	}
	err := e.settings.hints.Retain(func(seat, server string) bool { return there[bridge.Key{Seat: seat, Server: server}] }, e.now())
	if err != nil {
		e.log.Error("server_hints_not_remembered", "reason", err.Error())
	}
}

// hintMemory is the file of accepted hints as a [bridge.Memory].
type hintMemory struct{ *settings }

// Recall implements [bridge.Memory].
func (m hintMemory) Recall(k bridge.Key) (map[string]capabilities.Hints, bool) {
	return m.hints.Recall(k.Seat, k.Server)
}

// Remember implements [bridge.Memory].
func (m hintMemory) Remember(k bridge.Key, hints map[string]capabilities.Hints) error {
	if err := m.hints.Remember(k.Seat, k.Server, hints); err != nil {
		return fmt.Errorf("server %q: %w", k, err)
	}
	return nil
}
