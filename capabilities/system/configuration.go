package system

import (
	"context"
	"encoding/json"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// A Configuration is what this process is configured with, and how that is changed.
// Its errors are [*capabilities.Error]s with the codes that the capabilities declare.
type Configuration interface {
	// Settings answers every setting in force. No secret is in it.
	Settings() []Setting
	// Entries answers what is declared of every MCP server, in files or stored.
	Entries() []ConfiguredServer
	// Revisions answers the changes of the stored entries of one server, of all for "",
	// the newest first. They are not masked yet, which takes its time.
	Revisions(server string) []ConfigRevision
	// Mask answers a revision without what may be secret.
	Mask(r ConfigRevision) ConfigRevision
	// Put stores an entry after the whole configuration was checked with it, and puts it
	// in force. A rehearsal ends after the check and answers what it would be.
	Put(ctx context.Context, c EntryChange) (ConfiguredServer, error)
	// Remove removes a stored entry the same way.
	Remove(ctx context.Context, c EntryChange) (ConfiguredServer, error)
	// Reload reads the files, the secrets and the stored entries anew, and puts them in
	// force. A rehearsal ends after the check and answers what would be done.
	Reload(ctx context.Context, rehearsal bool) (ReloadReport, error)
	// Accept accepts the hints of a server's tools as they are, of all where tools is
	// empty, and answers the tools that had changed.
	Accept(ctx context.Context, server string, tools []string) ([]string, error)
}

// An EntryChange is one change of a stored entry.
type EntryChange struct {
	Name      string
	Entry     json.RawMessage // the new one; nil for a removal
	By        string          // who asks for it
	Absent    bool            // there must be none yet
	Version   string          // it must be of this version; "" for any
	Rehearsal bool
}

// Setting is one setting in force.
type Setting struct {
	// Where it stands: the keys from the top, servers, people, units and seats by name.
	Path string `json:"path"`
	// Its value; (set) in place of what may be secret.
	Value json.RawMessage `json:"value"`
	// Who gave it: default, a file and line, or a stored revision.
	Origin string `json:"origin"`
}

// ConfiguredServer is what is declared of one MCP server.
type ConfiguredServer struct {
	// The server's name.
	Name string `json:"name"`
	// Where it is declared: a file and line, or a stored revision.
	Origin string `json:"origin"`
	// Whether it was given here and can be changed here; what stands in a file cannot.
	Stored bool `json:"stored"`
	// The version to send as if_match with a change; absent for what stands in a file.
	Version string `json:"version,omitempty"`
	// The entry in the keys of the configuration; (set) in place of what may be secret.
	Entry json.RawMessage `json:"entry"`
	// Who gave it this form, and when as RFC 3339; absent for what stands in a file.
	ChangedBy string `json:"changed_by,omitempty"`
	// When it was given this form, as RFC 3339; absent for what stands in a file.
	ChangedAt string `json:"changed_at,omitempty"`
	// What of a stored entry is probably not meant, such as a credential written out.
	Notices []string `json:"notices,omitempty"`
	// Whether this is the answer to a dry run, and nothing was changed.
	DryRun bool `json:"dry_run,omitempty"`
}

// ConfigRevision is one change of a stored entry.
type ConfigRevision struct {
	// The number of the change; later ones have higher numbers.
	Revision int64 `json:"revision"`
	// The server whose entry was changed.
	Name string `json:"name"`
	// Who changed it.
	By string `json:"by"`
	// When, as RFC 3339.
	At string `json:"at"`
	// The entry before; absent where there was none. (set) stands for what may be secret.
	Before json.RawMessage `json:"before,omitempty"`
	// The entry after; absent where it was removed.
	After json.RawMessage `json:"after,omitempty"`
}

// ReloadReport says what a reload changed.
type ReloadReport struct {
	// Servers that were not there before.
	Added []string `json:"added"`
	// Servers that are gone.
	Removed []string `json:"removed"`
	// Servers that are started anew, or presented differently.
	Changed []string `json:"changed"`
	// Servers that were down and are tried again at once.
	Retried []string `json:"retried"`
	// How many servers were left alone.
	Unchanged int `json:"unchanged"`
	// What was read and is not acted on, such as a key that counts from the next start.
	Notices []string `json:"notices"`
	// Whether this is the answer to a dry run, and nothing was changed.
	DryRun bool `json:"dry_run,omitempty"`
}

// configured reports whether there is a configuration to read and change.
func configured(d Deps) bool { return d.Configuration != nil }

// needsConfiguration leaves a capability out where there is none.
func needsConfiguration() capabilities.Option[Deps] { return capabilities.When(configured) }

// entry answers what is declared of one server.
func entry(d Deps, name string) (ConfiguredServer, error) {
	for _, s := range d.Configuration.Entries() {
		if s.Name == name {
			return s, nil
		}
	}
	return ConfiguredServer{}, capabilities.Refuse(capabilities.NotFound, "no MCP server named %q is configured: list_config_mcp_servers has the names", name)
}
