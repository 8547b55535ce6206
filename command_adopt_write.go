package holotype

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/clientconf"
	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// write seals the credentials, writes the configuration and, where that is asked for, the
// clients' files.
func (a *adopting) write(ctx context.Context, text []byte, dry bool) error {
	var all []done
	if len(a.proposal.Taken) > 0 {
		for _, s := range a.proposal.Secrets {
			if dry {
				break
			}
			if err := a.secrets.Set(s.Name, s.Value()); err != nil {
				return fmt.Errorf("sealing %s of %s: nothing else was changed: %w", s.Name, s.Server, err)
			}
		}
		d, err := a.s.changeFile(a.file, text, dry, a.inv, a.said()...)
		if err != nil {
			return fmt.Errorf("%s: %w", a.file.Path, err)
		}
		all = append(all, d)
	}
	var failed []error
	if a.inv.Switch(flagReplace) {
		for _, v := range a.views {
			d, err := a.replace(v, dry)
			if err != nil {
				failed = append(failed, err)
			} else if d != nil {
				all = append(all, *d)
			}
		}
	}
	if err := a.report(all, dry); err != nil {
		return err
	}
	if !dry && len(a.proposal.Taken) > 0 {
		failed = append(failed, a.reloadRunning(ctx))
	}
	return errors.Join(failed...)
}

// said is everything that was read and may hold a credential.
func (a *adopting) said() []entrytext.Value {
	var all []entrytext.Value
	for _, v := range a.views {
		all = append(all, v.Said)
	}
	if said, err := entrytext.Read(entrytext.YAML, a.file.Text); err == nil {
		all = append(all, said)
	}
	return all
}

// replace puts this program into a client's file in the place of what was taken over.
func (a *adopting) replace(v *clientconf.View, dry bool) (*done, error) {
	if v.File == nil {
		return nil, nil //nolint:nilnil // it was said that the file cannot be read, and nothing of it was taken over
	}
	text, gone, err := a.proposal.Replaced(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: the file was left as it is: %w", v.Client.ID, v.Path, err)
	}
	if len(gone) == 0 {
		return nil, nil //nolint:nilnil // nothing of it was taken over
	}
	if v.Standing != clientconf.Wired {
		if slices.Contains(gone, a.name) { // a server that had our name, and went
			v.Standing = clientconf.Absent
		}
		if v.Standing == clientconf.Foreign {
			return nil, fmt.Errorf("%s: %s: the file was left as it is: its entry %s is not ours: %s", v.Client.ID, v.Path, v.Entry, foreignWhy(v))
		}
		if text, err = entrytext.Add(v.Client.Format, text, v.Client.Key, a.name, v.Client.Entry(a.name, a.launch)); err != nil {
			return nil, fmt.Errorf("%s: %s: the file was left as it is: %w", v.Client.ID, v.Path, err)
		}
	}
	d, err := a.s.changeFile(v.File, text, dry, a.inv, a.said()...)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", v.Client.ID, v.Path, err)
	}
	d.Client, d.Entry = v.Client.ID, a.name
	return &d, nil
}

// reloadRunning has a server that runs read the new configuration.
func (a *adopting) reloadRunning(ctx context.Context) error {
	client, err := a.s.holder(ctx, a.inv)
	if e, ok := capabilities.AsError(err); ok && e.Code == capabilities.Unavailable {
		return nil
	}
	if err != nil {
		return err
	}
	session := attachedSession{client, a.s}
	report, _, err := askOf(ctx, session, system.ReloadConfig, system.ReloadConfigInput{})
	if err != nil {
		return fmt.Errorf("the running server did not take it: %w", err)
	}
	if err := writeReload(a.inv.Err, &report); err != nil {
		return err
	}
	servers, err := askAll(ctx, session, system.ListMCPServers, func(cursor string) system.ListMCPServersInput {
		return system.ListMCPServersInput{PageInput: pageOf(cursor)}
	})
	if err != nil {
		return err
	}
	for _, t := range a.proposal.Taken {
		if !slices.ContainsFunc(servers, func(one system.Server) bool { return one.Name == t.Name }) {
			return a.tell("the server that runs reads another configuration: start it again, so that it reads " + a.file.Path)
		}
	}
	return nil
}
