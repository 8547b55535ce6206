package adopt

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// key is where a configuration has its servers.
const key = "mcp_servers"

// named answers the entry of a list of servers.
func (t Taken) named() entrytext.Value {
	return entrytext.Object(append([]entrytext.Member{{Key: "name", Value: entrytext.Text(t.Name)}}, t.Entry.Members...)...)
}

// Text answers the text of a configuration file with the servers that are taken over behind
// those that it has; as it is when there are none. Everything else of it stays as it is. The
// error says why that cannot be done.
func (p *Proposal) Text(path string, text []byte) ([]byte, error) {
	if len(p.Taken) == 0 {
		return text, nil
	}
	if strings.EqualFold(filepath.Ext(path), ".json") {
		return nil, errors.New("it is JSON, to which nothing is added: put the entries in by hand, or name a YAML file with --config")
	}
	said, err := entrytext.Read(entrytext.YAML, text)
	if err != nil {
		return nil, err
	}
	servers, _ := said.Get(key)
	for _, t := range p.Taken {
		if servers.Kind == entrytext.Map && len(servers.Members) > 0 { // in the clients' own form
			text, err = entrytext.Add(entrytext.YAML, text, []string{key}, t.Name, t.Entry)
		} else {
			text, err = entrytext.Append(text, key, t.named())
		}
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}

// Shown answers the servers that are taken over as a configuration that may be shown:
// nothing that looks like a credential stands in it, also where it could not be moved.
func (p *Proposal) Shown() (string, error) {
	var text []byte
	var said []entrytext.Value
	for _, t := range p.Taken {
		var err error
		if text, err = entrytext.Append(text, key, t.named()); err != nil {
			return "", err
		}
		said = append(said, t.Entry)
	}
	return clientconf.Hide(string(text), said...), nil
}

// Replaced answers the text of a client's file without the entries that were taken over, or
// that the configuration has. What is not taken over stays.
func (p *Proposal) Replaced(v *clientconf.View) ([]byte, []string, error) {
	text := bytes.Clone(v.File.Text)
	var gone []string
	for _, t := range slices.Concat(p.Taken, p.There) {
		for _, from := range t.From {
			if from.Client != v.Client.ID || from.File != v.Path {
				continue
			}
			var err error
			if text, err = entrytext.Remove(v.Client.Format, text, v.Client.Key, from.Entry); err != nil {
				return nil, nil, errors.Join(errors.New("the entry "+from.Entry), err)
			}
			gone = append(gone, from.Entry)
		}
	}
	return text, gone, nil
}
