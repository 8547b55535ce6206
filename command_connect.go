package holotype

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/entrytext"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// The flags of the commands about other programs' files.
const (
	flagWrite    = "write"
	flagDryRun   = "dry-run"
	flagRemove   = "remove"
	flagEntry    = "name"
	flagHTTP     = "http"
	flagTokenEnv = "token-env"
)

// connectCommand puts the program into the file of an MCP client.
func (s *Server) connectCommand() cli.Command {
	return cli.Command{
		Name: "connect", Args: "[CLIENT]", MaxArgs: 1,
		Short: "Show how an MCP client gets this server, or put it into the client's own file",
		Long: "Without a client it lists all that are known, where the file of each is, and whether an entry in it starts this program:\n" +
			"wired, foreign where an entry of the same name starts something else, absent, or unreadable.\n\n" +
			"With a client it prints the entry, and changes nothing. --write adds exactly this entry to the file of the user; comments and\n" +
			"everything else there stay as they are, byte for byte, and a copy is kept beside it. Where the entry is there already, nothing is\n" +
			"written. --write --dry-run shows the difference and the name of the copy. --remove takes the entry out again, in the same way.\n\n" +
			"Without --http the client starts the program itself, with mcp and with the --config and the --data given here. Clients:\n" +
			strings.Join(clientconf.IDs(), ", ") + ".",
		Example: "  " + s.o.Name + " connect\n" +
			"  " + s.o.Name + " connect cursor --write --dry-run\n" +
			"  " + s.o.Name + " connect codex --http http://" + config.DefaultListen + "/operator/mcp",
		Flags: []cli.Flag{
			{Name: flagWrite, Kind: cli.Switch, Usage: "put the entry into the client's file"},
			{Name: flagDryRun, Kind: cli.Switch, Usage: "with --write or --remove, show what would change and change nothing"},
			{Name: flagRemove, Kind: cli.Switch, Usage: "take the entry out of the client's file; without --write, show what would change"},
			{Name: flagEntry, Word: "NAME", Usage: "what the entry is called; without it, " + s.o.Name},
			{Name: flagHTTP, Word: "URL", Usage: "have the client call this address, where it would start the program"},
			{Name: flagTokenEnv, Word: "NAME", Default: "HOLOTYPE_TOKEN", Usage: "with --http, the variable of the client in which the token stands"},
		},
		Run: s.connect,
	}
}

var (
	entryName    = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// connecting is one run of the command.
type connecting struct {
	s      *Server
	inv    cli.Invocation
	name   string
	launch clientconf.Launch
	ours   clientconf.Ours
	host   clientconf.Host
}

func (s *Server) connect(_ context.Context, inv cli.Invocation) error {
	c, err := s.connecting(inv)
	if err != nil {
		return err
	}
	write, remove, dry := inv.Switch(flagWrite), inv.Switch(flagRemove), inv.Switch(flagDryRun)
	switch {
	case len(inv.Args) == 0 && (write || remove || dry || inv.Text(flagHTTP) != ""):
		return cli.Usage("connect needs a client for these flags: %s", strings.Join(clientconf.IDs(), ", "))
	case len(inv.Args) == 0:
		return c.list()
	case dry && !write && !remove:
		return cli.Usage("--%s shows what --%s or --%s would do: add one of them", flagDryRun, flagWrite, flagRemove)
	}
	client, err := clientNamed(inv.Args[0])
	if err != nil {
		return err
	}
	switch {
	case remove:
		return c.remove(client, !write || dry)
	case !client.Takes(c.launch):
		return cli.Usage("%s takes no address: %s", client.Title, client.Limit)
	case write:
		return c.write(client, dry)
	}
	return c.show(client)
}

// clientNamed answers a client of the table.
func clientNamed(id string) (*clientconf.Client, error) {
	if c := clientconf.Find(id); c != nil {
		return c, nil
	}
	return nil, cli.Usage("no client is called %q here: there are %s", id, strings.Join(clientconf.IDs(), ", "))
}

func (s *Server) connecting(inv cli.Invocation) (*connecting, error) {
	c := &connecting{s: s, inv: inv, name: first(inv.Text(flagEntry), s.o.Name), host: s.clientHost()}
	if !entryName.MatchString(c.name) {
		return nil, cli.Usage("--%s %q: an entry is called by 1 to 32 letters, digits, _ and -", flagEntry, c.name)
	}
	var err error
	if c.launch, err = s.launch(inv); err != nil {
		return nil, err
	}
	c.ours = clientconf.Ours{Name: c.name, Is: s.isOurs(c.launch.Address)}
	return c, nil
}

// clientHost is where clients' files are looked for.
func (s *Server) clientHost() clientconf.Host {
	return clientconf.Host{System: runtime.GOOS, Lookup: s.o.Lookup}
}

// launch answers what an entry says, by the flags of a command.
func (s *Server) launch(inv cli.Invocation) (clientconf.Launch, error) {
	if address := inv.Text(flagHTTP); address != "" {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			return clientconf.Launch{}, cli.Usage("--%s: it must be an http or https url without a password, such as http://%s/operator/mcp", flagHTTP, config.DefaultListen)
		}
		token := inv.Text(flagTokenEnv)
		if !variableName.MatchString(token) {
			return clientconf.Launch{}, cli.Usage("--%s: it must be the name of a variable, not a token", flagTokenEnv)
		}
		return clientconf.Launch{Address: address, Token: token}, nil
	}
	program, err := s.ownProgram()
	if err != nil {
		return clientconf.Launch{}, err
	}
	l := clientconf.Launch{Program: program, Arguments: []string{"mcp"}}
	for _, one := range []struct{ flag, path string }{{"--config", inv.Config}, {"--data", inv.Data}} {
		if one.path == "" {
			continue
		}
		path := one.path
		if path != InMemory { // the client starts it elsewhere
			if path, err = filepath.Abs(path); err != nil {
				return clientconf.Launch{}, fmt.Errorf("finding %s: %w", one.path, err)
			}
		}
		l.Arguments = append(l.Arguments, one.flag, path)
	}
	return l, (files{config: inv.Config}).check()
}

// same reports whether an entry says what the flags ask for.
func (c *connecting) same(l clientconf.Launch) bool {
	if c.launch.Address != "" {
		return l.Address == c.launch.Address
	}
	return l.Address == "" && slices.Equal(l.Arguments, c.launch.Arguments)
}

// write puts the entry into the client's file.
func (c *connecting) write(client *clientconf.Client, dry bool) error {
	if c.launch.Address != "" && client.WritesToken() {
		return cli.Usage("%s: %s; no token is written by this command: paste what it prints without --%s", client.Title, client.Limit, flagWrite)
	}
	v := clientconf.Look(c.host, client, c.ours)
	switch {
	case v.Standing == clientconf.Unreadable:
		return c.unreadable(v)
	case v.Standing == clientconf.Foreign:
		return fmt.Errorf("%s: %s: the entry %s is not ours: %s; nothing was changed: %s", client.ID, v.Path, v.Entry, foreignWhy(v), c.remedy(v))
	case v.Standing == clientconf.Wired && !c.same(v.Launch) && v.Entry == c.name:
		return fmt.Errorf("%s: %s: the entry %s starts this program in another way; nothing was changed: take it out first, with %s connect %s --remove --write%s",
			client.ID, v.Path, v.Entry, c.s.o.Name, client.ID, c.nameFlag())
	case v.Standing == clientconf.Wired && (c.same(v.Launch) || c.inv.Text(flagEntry) == ""):
		return c.say(done{Client: client.ID, File: v.Path, Entry: v.Entry}, client.Title+" is wired already, by the entry "+v.Entry+" of "+v.Path+": nothing was changed", first(v.Why, ""))
	}
	text, err := entrytext.Add(client.Format, v.File.Text, client.Key, c.name, client.Entry(c.name, c.launch))
	if err != nil {
		return c.cannot(v, err)
	}
	return c.change(v, text, dry, "added the entry "+c.name+" to "+v.Path, c.after(client)...)
}

// after says what is left to do once the entry is there.
func (c *connecting) after(client *clientconf.Client) []string {
	var lines []string
	if c.launch.Address != "" {
		lines = append(lines, "give it a token in the variable "+c.launch.Token+": "+c.s.program(c.inv.Data)+" token create --name "+client.ID+" --scope '*:read'")
	}
	return append(lines, "next, in "+client.Title+": "+client.Next)
}

// remove takes the entry out of the client's file.
func (c *connecting) remove(client *clientconf.Client, dry bool) error {
	v := clientconf.Look(c.host, client, c.ours)
	entry := c.name
	switch {
	case v.Standing == clientconf.Unreadable:
		return c.unreadable(v)
	case v.Standing == clientconf.Absent:
		return c.say(done{Client: client.ID, File: v.Path}, "there is no entry of ours in "+v.Path+": nothing was changed")
	case v.Standing == clientconf.Wired && c.inv.Text(flagEntry) == "":
		entry = v.Entry
	case v.Standing == clientconf.Wired && v.Entry != c.name:
		return c.say(done{Client: client.ID, File: v.Path}, "no entry "+c.name+" of ours is in "+v.Path+": nothing was changed")
	case v.Standing == clientconf.Foreign && !c.s.wasOurs(v.Launch):
		return fmt.Errorf("%s: %s: the entry %s is not ours: %s; nothing was changed: take it out by hand if it is not needed", client.ID, v.Path, v.Entry, foreignWhy(v))
	}
	text, err := entrytext.Remove(client.Format, v.File.Text, client.Key, entry)
	if err != nil {
		return c.cannot(v, err)
	}
	return c.change(v, text, dry, "took the entry "+entry+" out of "+v.Path, "next, in "+client.Title+": "+client.Next)
}

func (c *connecting) unreadable(v *clientconf.View) error {
	if v.Path == "" {
		return fmt.Errorf("%s: %s", v.Client.ID, v.Why)
	}
	return fmt.Errorf("%s: %s: %s; nothing was changed: correct the file first", v.Client.ID, v.Path, v.Why)
}

func (c *connecting) cannot(v *clientconf.View, err error) error {
	return fmt.Errorf("%s: %s: nothing was changed: %w", v.Client.ID, v.Path, err)
}

// nameFlag is the flag that names the entry, where a remedy needs it.
func (c *connecting) nameFlag() string {
	if c.name == c.s.o.Name {
		return ""
	}
	return " --" + flagEntry + " " + c.name
}

func foreignWhy(v *clientconf.View) string {
	if v.Why != "" {
		return v.Why
	}
	switch {
	case v.Launch.Program != "":
		return "it starts " + v.Launch.Program
	case v.Launch.Address != "":
		return "it names " + clientconf.Hide(v.Launch.Address, entrytext.Text(v.Launch.Address))
	}
	return "it starts no program and names no address"
}
