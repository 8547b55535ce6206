package holotype

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/adopt"
	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// adopted is what adopt answers a program.
type adopted struct {
	Config  string        `json:"config"`
	Taken   []takenServer `json:"taken"`
	There   []takenServer `json:"there"`
	Left    []adopt.Left  `json:"left"`
	Secrets []movedSecret `json:"secrets"`
	Files   []unreadFile  `json:"unreadable"`
	Text    string        `json:"text,omitempty"`
	Changes []done        `json:"changes,omitempty"`
}

type takenServer struct {
	Name  string         `json:"name"`
	From  []adopt.Source `json:"from"`
	Notes []string       `json:"notes,omitempty"`
}

type movedSecret struct {
	Name   string `json:"name"`
	Server string `json:"server"`
	Place  string `json:"place"`
}

type unreadFile struct {
	Client string `json:"client"`
	File   string `json:"file,omitempty"`
	Why    string `json:"why"`
}

// answer is the proposal for a program, without any credential.
func (a *adopting) answer() adopted {
	out := adopted{Config: a.file.Path, Taken: []takenServer{}, There: []takenServer{}, Left: append([]adopt.Left{}, a.proposal.Left...), Secrets: []movedSecret{}, Files: []unreadFile{}}
	for _, t := range a.proposal.Taken {
		out.Taken = append(out.Taken, takenServer{t.Name, t.From, t.Notes})
	}
	for _, t := range a.proposal.There {
		out.There = append(out.There, takenServer{t.Name, t.From, t.Notes})
	}
	for _, s := range a.proposal.Secrets {
		out.Secrets = append(out.Secrets, movedSecret{s.Name, s.Server, s.Place})
	}
	for _, v := range a.views {
		if v.Standing == clientconf.Unreadable {
			out.Files = append(out.Files, unreadFile{v.Client.ID, v.Path, v.Why})
		}
	}
	return out
}

// print writes the proposal: the configuration to standard output, all else to standard error.
func (a *adopting) print() error {
	shown, err := a.proposal.Shown()
	if err != nil {
		return fmt.Errorf("writing what would be taken over: %w", err)
	}
	if a.inv.Output == cli.JSON {
		out := a.answer()
		out.Text = shown
		return writeJSON(a.inv.Out, out)
	}
	if _, err := fmt.Fprint(a.inv.Out, cli.EscapeLines(shown)); err != nil {
		return err
	}
	lines := a.lines("to be sealed")
	if len(a.proposal.Taken) > 0 {
		lines = append(lines, "nothing was changed: "+a.s.o.Name+" adopt --write writes this to "+a.file.Path+", and --replace with it puts "+a.s.o.Name+" into the clients' files")
	}
	return a.tell(lines...)
}

// report says what was done.
func (a *adopting) report(all []done, dry bool) error {
	if a.inv.Output == cli.JSON {
		out := a.answer()
		out.Changes = all
		return writeJSON(a.inv.Out, out)
	}
	sealed := "sealed"
	if dry {
		sealed = "to be sealed"
	}
	lines := a.lines(sealed)
	for _, d := range all {
		switch {
		case dry:
			continue
		case d.Backup != "":
			lines = append(lines, "changed "+d.File+"; what it was stands in "+d.Backup)
		default:
			lines = append(lines, "wrote "+d.File)
		}
	}
	if !dry && len(a.proposal.Secrets) > 0 && slices.ContainsFunc(all, func(d done) bool { return d.Client != "" && d.Backup != "" }) {
		lines = append(lines, "the copies hold the credentials as the files did: remove them once all works")
	}
	switch {
	case dry || len(all) == 0:
		lines = append(lines, "nothing was changed")
	case !slices.ContainsFunc(all, func(d done) bool { return d.Client != "" }):
		lines = append(lines, "next: "+a.s.o.Name+" adopt --write --replace puts "+a.s.o.Name+" into the clients' files in their place")
	default:
		lines = append(lines, "next: restart the clients; "+a.s.program(a.inv.Data)+" tools lists what they are offered")
	}
	return a.tell(lines...)
}

// lines say what was found, and what becomes of it.
func (a *adopting) lines(sealed string) []string {
	var lines []string
	from := func(sources []adopt.Source) string {
		var words []string
		for _, s := range sources {
			words = append(words, s.Client)
		}
		return strings.Join(slices.Compact(words), ", ")
	}
	for _, t := range a.proposal.Taken {
		lines = append(lines, "taken over: "+t.Name+", from "+from(t.From))
		for _, note := range t.Notes {
			lines = append(lines, "  "+note)
		}
	}
	for _, s := range a.proposal.Secrets {
		lines = append(lines, sealed+": "+s.Name+", "+s.Place+" of "+s.Server)
	}
	lines = append(lines, a.missing...)
	for _, t := range a.proposal.There {
		lines = append(lines, "there already: "+t.Name+", from "+from(t.From))
	}
	for _, l := range a.proposal.Left {
		lines = append(lines, "left alone: "+l.Entry+" of "+l.Client+": "+l.Why)
	}
	for _, v := range a.views {
		if v.Standing == clientconf.Unreadable {
			lines = append(lines, "not read: "+strings.TrimPrefix(v.Path+": ", ": ")+v.Why)
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "no client has a server: nothing to take over")
	}
	return lines
}
