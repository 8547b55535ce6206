package holotype

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities/bridge"
	"github.com/seed-89b9419b/holotype/internal/adopt"
	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/confstore"
	"github.com/seed-89b9419b/holotype/internal/entrytext"
	"github.com/seed-89b9419b/holotype/internal/secrets"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

const flagReplace = "replace"

// adoptCommand takes the servers of the clients over.
func (s *Server) adoptCommand() cli.Command {
	return cli.Command{
		Name: "adopt", Args: "[CLIENT...]", MaxArgs: 100,
		Short: "Take over the MCP servers that clients have in their own files",
		Long: "Reads the files of the clients, or of those named, and prints one configuration with all their servers: the same server of two\n" +
			"clients once, and every credential as a reference to a secret. Without --write nothing is changed.\n\n" +
			"--write adds the servers to the configuration file, which is --config or the one in its usual place, and seals the credentials. What\n" +
			"the file has stays as it is. --replace takes the servers out of the clients' files then, and puts the one entry of this\n" +
			"program there. A copy of every file that changes is kept beside it. --dry-run shows the differences and changes nothing.\n\n" +
			"Clients: " + strings.Join(clientconf.IDs(), ", ") + ".",
		Example: "  " + s.o.Name + " adopt\n  " + s.o.Name + " adopt cursor claude-desktop --write --replace",
		Flags: []cli.Flag{
			{Name: flagWrite, Kind: cli.Switch, Usage: "write the configuration and seal the credentials"},
			{Name: flagReplace, Kind: cli.Switch, Usage: "with --write, put this program into the clients' files in the place of what was taken over"},
			{Name: flagDryRun, Kind: cli.Switch, Usage: "with --write, show what would change and change nothing"},
		},
		Run: s.adopt,
	}
}

// adopting is one run of the command.
type adopting struct {
	*connecting
	views    []*clientconf.View
	file     *clientconf.File // the configuration
	secrets  *secrets.Store
	kept     *secrets.Snapshot
	stored   []config.StoredEntry // servers that were given over the API
	proposal adopt.Proposal
	missing  []string // lines about variables without a value
}

func (s *Server) adopt(ctx context.Context, inv cli.Invocation) error {
	write, dry := inv.Switch(flagWrite), inv.Switch(flagDryRun)
	if !write && (dry || inv.Switch(flagReplace)) {
		return cli.Usage("--%s and --%s go with --%s", flagReplace, flagDryRun, flagWrite)
	}
	a, err := s.adopting(inv, write && !dry)
	if err != nil {
		return err
	}
	if err := a.propose(); err != nil {
		return err
	}
	text, err := a.proposal.Text(a.file.Path, a.file.Text)
	if err != nil {
		return fmt.Errorf("%s: nothing was changed: %w", a.file.Path, err)
	}
	if err := a.judge(text); err != nil {
		return err
	}
	if !write {
		return a.print()
	}
	return a.write(ctx, text, dry)
}

func (s *Server) adopting(inv cli.Invocation, write bool) (*adopting, error) {
	clients := clientconf.Clients()
	if len(inv.Args) > 0 {
		clients = nil
		for _, id := range inv.Args {
			client, err := clientNamed(id)
			if err != nil {
				return nil, err
			}
			clients = append(clients, *client)
		}
	}
	path := first(inv.Config, s.o.Config, config.UsualPath(s.o.Name, s.o.Lookup))
	if path == "" {
		return nil, errors.New("no place for the configuration: HOME is not set; name a file with --config")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding the configuration: %w", err)
	}
	connect, err := s.connectingFor(inv, path)
	if err != nil {
		return nil, err
	}
	a := &adopting{connecting: connect}
	if a.file, err = clientconf.Open(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := a.readData(write); err != nil {
		return nil, err
	}
	for _, client := range clients {
		v := clientconf.Look(connect.host, &client, connect.ours)
		if v.Standing == clientconf.Unreadable && len(inv.Args) > 0 {
			return nil, connect.unreadable(v)
		}
		a.views = append(a.views, v)
	}
	return a, nil
}

// readData opens the secrets, and reads the servers that were given over the API. A data
// directory that is not there is made where something is written to it alone.
func (a *adopting) readData(write bool) error {
	f := files{data: a.inv.Data}
	path, err := a.s.dirPath(f)
	if err != nil {
		return err
	}
	if _, gone := os.Stat(path); write || a.s.inMemory(f) || !errors.Is(gone, fs.ErrNotExist) {
		a.secrets, err = a.s.secretStore(a.inv)
	} else {
		a.secrets, err = a.s.openSecrets(path)
	}
	if err != nil {
		return err
	}
	a.stored, err = a.s.storedServers(path)
	return err
}

// storedServers answers the servers of a data directory that were given over the API.
func (s *Server) storedServers(dir string) ([]config.StoredEntry, error) {
	kept, err := confstore.Open(filepath.Join(dir, storedFile), s.o.Now)
	if err != nil {
		return nil, err
	}
	var all []config.StoredEntry
	for _, e := range kept.List() {
		all = append(all, config.StoredEntry{Name: e.Name, Raw: e.Raw, Revision: e.Revision})
	}
	return all, nil
}

// connectingFor is what the clients' files get in the place of what was taken over: the
// program, with the configuration that a flag named.
func (s *Server) connectingFor(inv cli.Invocation, path string) (*connecting, error) {
	program, err := s.ownProgram()
	if err != nil {
		return nil, err
	}
	c := &connecting{s: s, inv: inv, name: s.o.Name, host: s.clientHost(), launch: clientconf.Launch{Program: program, Arguments: []string{"mcp"}}}
	if inv.Config != "" {
		c.launch.Arguments = append(c.launch.Arguments, "--config", path)
	}
	if inv.Data != "" {
		data, err := filepath.Abs(inv.Data)
		if err != nil {
			return nil, fmt.Errorf("finding %s: %w", inv.Data, err)
		}
		c.launch.Arguments = append(c.launch.Arguments, "--data", data)
	}
	c.ours = clientconf.Ours{Name: c.name, Is: s.isOurs("")}
	return c, nil
}

// propose reads what there is, and makes the proposal.
func (a *adopting) propose() error {
	var err error
	if a.kept, err = a.secrets.Snapshot(); err != nil {
		return err
	}
	existing, err := a.load(a.file.Text, a.kept.Get)
	if err != nil {
		return fmt.Errorf("the configuration has faults; nothing was changed:\n%w", err)
	}
	in := adopt.Input{
		Existing: existing.Servers, Secret: a.kept.Get, Clash: bridge.Clash, Judge: a.judgeEntry,
		Ours: func(s clientconf.Server) bool {
			l := clientconf.Launch{Program: s.Command, Arguments: s.Args, Address: s.URL}
			is, _ := a.ours.Is(l)
			return is || a.s.wasOurs(l)
		},
	}
	for _, v := range existing.Variables() {
		in.Variables = append(in.Variables, v.Name)
	}
	for _, pack := range a.s.describedPacks() {
		in.Reserved = append(in.Reserved, pack.Info().Name)
	}
	home, _ := a.s.o.Lookup("HOME")
	for _, v := range a.views {
		in.Found = append(in.Found, v.Client.Servers(v.Path, v.Said, home)...)
		in.Found = append(in.Found, a.ofProfiles(v.Client, home)...)
	}
	a.proposal = adopt.Propose(in)
	return nil
}

// ofProfiles answers the servers of a client's further files, none of which is taken over.
func (a *adopting) ofProfiles(client *clientconf.Client, home string) []clientconf.Server {
	var all []clientconf.Server
	for _, path := range a.host.Others(client) {
		file, err := clientconf.Open(path)
		if err != nil {
			continue
		}
		said, err := entrytext.Read(client.Format, file.Text)
		if err != nil {
			continue // nothing of it would be taken over
		}
		for _, s := range client.Servers(path, said, home) {
			s.Obstacle = "it is for one profile of " + client.Title + " alone, in " + path
			all = append(all, s)
		}
	}
	return all
}

// load reads a text as the configuration file.
func (a *adopting) load(text []byte, secret func(string) (string, bool)) (*config.Config, error) {
	if text == nil {
		text = []byte{}
	}
	return config.Load(config.Options{Path: a.file.Path, Content: text, Stored: a.stored, Secrets: secret, Lookup: a.s.o.Lookup, Program: a.s.o.Name})
}

// judgeEntry has one server read beside those that the configuration has, so that what is
// wrong with it costs itself.
func (a *adopting) judgeEntry(t adopt.Taken) error {
	one := adopt.Proposal{Taken: []adopt.Taken{t}}
	text, err := one.Text(a.file.Path, a.file.Text)
	if err != nil { // which is said of all of them at once, by whoever puts them in
		if text, err = one.Text("alone.yaml", nil); err != nil {
			return err
		}
	}
	_, err = a.load(text, func(string) (string, bool) { return "set for now", true })
	if fault, ok := errors.AsType[config.Fault](err); ok {
		_, place, _ := strings.Cut(fault.Path, "].")
		return fmt.Errorf("a configuration cannot have it: %s", strings.TrimPrefix(place+": "+fault.Message, ": "))
	}
	return err
}

// judge has the new text read as any configuration is, with the secrets that it would have.
func (a *adopting) judge(text []byte) error {
	c, err := a.load(text, a.secretOf)
	if err != nil {
		return fmt.Errorf("what was found cannot be taken over as it is; nothing was changed:\n%w", err)
	}
	for _, v := range c.Variables() {
		for _, use := range v.Uses {
			if !v.Resolved && slices.ContainsFunc(a.proposal.Taken, func(t adopt.Taken) bool { return t.Name == use.Server }) {
				a.missing = append(a.missing, "without a value: "+v.Name+", which "+use.Server+" waits for: "+a.s.program(a.inv.Data)+" secrets set "+v.Name+", or set it where "+a.s.o.Name+" is started")
				break
			}
		}
	}
	return nil
}

func (a *adopting) secretOf(name string) (string, bool) {
	if v, ok := a.kept.Get(name); ok {
		return v, true
	}
	for _, s := range a.proposal.Secrets {
		if s.Name == name {
			return s.Value(), true
		}
	}
	return "", false
}
