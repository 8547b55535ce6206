package holotype

import (
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// connection is a client of the list.
type connection struct {
	Client   string              `json:"client"`
	Title    string              `json:"title"`
	Standing clientconf.Standing `json:"standing"`
	File     string              `json:"file,omitempty"`
	Entry    string              `json:"entry,omitempty"`
	Why      string              `json:"why,omitempty"`
	Remedy   string              `json:"remedy,omitempty"`
}

// list shows how every client stands.
func (c *connecting) list() error {
	var all []connection
	for _, client := range clientconf.Clients() {
		v := clientconf.Look(c.host, &client, c.ours)
		why := v.Why
		if v.Standing == clientconf.Foreign {
			why = foreignWhy(v)
		}
		all = append(all, connection{client.ID, client.Title, v.Standing, v.Path, v.Entry, why, c.remedy(v)})
	}
	if c.inv.Output == cli.JSON {
		return writeJSON(c.inv.Out, all)
	}
	rows := make([][]string, len(all))
	for i, one := range all {
		var what []string
		for _, text := range []string{one.Why, one.Remedy} {
			if text != "" {
				what = append(what, text)
			}
		}
		rows[i] = []string{one.Client, string(one.Standing), one.File, strings.Join(what, "; ")}
	}
	return writeTable(c.inv.Out, []string{"CLIENT", "STANDING", "FILE", "WHAT TO DO"}, rows)
}

// examineClients says which clients of this user do not start this program. One that is not
// installed is none of ours to judge.
func (s *Server) examineClients(inv cli.Invocation) []finding {
	c := &connecting{s: s, inv: inv, name: s.o.Name, host: s.clientHost()}
	c.ours = clientconf.Ours{Name: c.name, Is: s.isOurs("")}
	var found []finding
	var absent []string
	for _, client := range clientconf.Clients() {
		v := clientconf.Look(c.host, &client, c.ours)
		switch {
		case v.Path == "", v.File != nil && !v.File.Exists():
		case v.Standing == clientconf.Absent:
			absent = append(absent, client.ID)
		case v.Standing == clientconf.Unreadable:
			found = append(found, finding{Grade: "note", Text: client.Title + " cannot be looked at: " + v.Path + ": " + v.Why, Remedy: c.remedy(v)})
		case v.Standing == clientconf.Foreign && s.wasOurs(v.Launch):
			found = append(found, finding{Grade: "note", Text: client.Title + " does not start this program: " + v.Path + ": " + foreignWhy(v), Remedy: c.remedy(v)})
		}
	}
	if len(absent) > 0 {
		found = append(found, finding{Grade: "note", Text: "does not stand in the files of " + strings.Join(absent, ", "), Remedy: s.o.Name + " connect lists them, and puts it there"})
	}
	return found
}

// remedy says what brings a client to this server.
func (c *connecting) remedy(v *clientconf.View) string {
	command := c.s.o.Name + " connect " + v.Client.ID
	switch v.Standing {
	case clientconf.Absent:
		return command + " --write" + c.nameFlag()
	case clientconf.Foreign:
		if c.s.wasOurs(v.Launch) {
			return command + " --remove --write" + c.nameFlag() + " takes it out, and " + command + " --write" + c.nameFlag() + " puts this program there"
		}
		return "give ours another name with --" + flagEntry
	case clientconf.Unreadable:
		return "correct the file"
	case clientconf.Wired:
	}
	if v.Why != "" {
		return "switch it on there"
	}
	return ""
}

// snippet is what a client is told.
type snippet struct {
	Client  string `json:"client"`
	Title   string `json:"title"`
	File    string `json:"file,omitempty"`
	Snippet string `json:"snippet"`
	Link    string `json:"link,omitempty"`
	Next    string `json:"next"`
	Limit   string `json:"limit"`
	Docs    string `json:"docs"`
}

// show prints the entry of a client, and what to do with it.
func (c *connecting) show(client *clientconf.Client) error {
	text, err := client.Snippet(c.name, c.launch)
	if err != nil {
		return fmt.Errorf("writing the entry of %s: %w", client.Title, err)
	}
	out := snippet{Client: client.ID, Title: client.Title, Snippet: string(text), Next: client.Next, Limit: client.Limit, Docs: client.Docs}
	out.File, _ = c.host.File(client) // what cannot be found is left out: the entry is good all the same
	if client.Link != nil {
		out.Link = client.Link(c.name, client.Entry(c.name, c.launch))
	}
	if c.inv.Output == cli.JSON {
		return writeJSON(c.inv.Out, out)
	}
	if _, err := c.inv.Out.Write(text); err != nil {
		return err
	}
	var lines []string
	if out.File != "" {
		lines = append(lines, client.Title+" reads this from "+out.File)
	}
	if !client.WritesToken() || c.launch.Address == "" {
		lines = append(lines, c.s.o.Name+" connect "+client.ID+" --write puts it there, beside what the file has")
	}
	if out.Link != "" {
		lines = append(lines, "or open "+out.Link)
	}
	lines = append(lines, c.after(client)...)
	return c.tell(append(lines, "know: "+client.Limit, "see "+client.Docs)...)
}

// tell writes lines about what is done to standard error.
func (c *connecting) tell(lines ...string) error { return tellLines(c.inv, lines...) }

func tellLines(inv cli.Invocation, lines ...string) error {
	for _, line := range lines {
		if line == "" {
			continue
		}
		if _, err := fmt.Fprintln(inv.Err, cli.Escape(line)); err != nil {
			return err
		}
	}
	return nil
}

// done is what became of a file.
type done struct {
	Client  string `json:"client,omitempty"`
	File    string `json:"file"`
	Entry   string `json:"entry,omitempty"`
	Backup  string `json:"backup,omitempty"`
	Changed bool   `json:"changed"`
	DryRun  bool   `json:"dry_run,omitempty"`
	Diff    string `json:"diff,omitempty"`
}

func (c *connecting) say(d done, lines ...string) error {
	if c.inv.Output == cli.JSON {
		return writeJSON(c.inv.Out, d)
	}
	return c.tell(lines...)
}

// change writes the new text of a client's file, or shows what would change.
func (c *connecting) change(v *clientconf.View, text []byte, dry bool, did string, next ...string) error {
	d, err := c.s.changeFile(v.File, text, dry, c.inv, v.Said)
	if err != nil {
		return c.cannot(v, err)
	}
	d.Client, d.Entry = v.Client.ID, c.name
	if dry {
		return c.say(d, "nothing was changed")
	}
	lines := []string{did}
	if d.Backup != "" {
		lines = append(lines, "what it was stands in "+d.Backup)
	}
	return c.say(d, append(lines, next...)...)
}
