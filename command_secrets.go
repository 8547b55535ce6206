package holotype

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/secrets"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// secretsCommands keep the values that the configuration refers to as ${NAME}.
func (s *Server) secretsCommands() []cli.Command {
	const after = "A running server reads it at once: what waits for it starts, and what runs with the old value is started anew."
	return []cli.Command{
		{
			Name: "secrets set", Args: "NAME", MinArgs: 1, MaxArgs: 1,
			Short: "Keep a secret that is read from standard input",
			Long: "The value is standard input without its last line break; on a terminal it is asked for and not shown. It is sealed with a key that stands beside the user's\n" +
				"configuration, or in the file that HOLOTYPE_SECRETS_KEY_FILE names, and is never printed. The configuration refers to\nit as ${NAME}. " + after,
			Example: "  printf %s \"$TOKEN\" | " + s.o.Name + " secrets set UPSTREAM_TOKEN",
			Run: func(ctx context.Context, inv cli.Invocation) error {
				if err := secrets.CheckName(inv.Args[0]); err != nil {
					return cli.Usage("%w", err)
				}
				value, err := readSecret(inv)
				if err != nil {
					return cli.Usage("%w", err)
				}
				return s.changeSecrets(ctx, inv, "kept", func(store *secrets.Store) error {
					if err := store.Set(inv.Args[0], value); err != nil {
						return err
					}
					return warnShort(inv, value)
				})
			},
		},
		{
			Name:  "secrets list",
			Short: "List the names of the secrets",
			Run: func(_ context.Context, inv cli.Invocation) error {
				store, err := s.secretStore(inv)
				if err != nil {
					return err
				}
				snapshot, err := store.Snapshot()
				if err != nil {
					return err
				}
				names := snapshot.Names()
				if inv.Output == cli.JSON {
					return writeJSON(inv.Out, append([]string{}, names...))
				}
				for _, name := range names {
					if _, err := fmt.Fprintln(inv.Out, name); err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			Name: "secrets rm", Args: "NAME", MinArgs: 1, MaxArgs: 1,
			Short: "Forget a secret",
			Long:  "A server whose configuration refers to it is stopped and waits for it.",
			Run: func(ctx context.Context, inv cli.Invocation) error {
				return s.changeSecrets(ctx, inv, "forgotten", func(store *secrets.Store) error {
					err := store.Remove(inv.Args[0])
					if errors.Is(err, secrets.ErrUnknown) {
						return capabilities.Refuse(capabilities.NotFound, "no secret is named %q: %s secrets list has the names", inv.Args[0], s.program(inv.Data))
					}
					return err
				})
			},
		},
	}
}

// readSecret reads the value from standard input, unseen where somebody types it.
func readSecret(inv cli.Invocation) (string, error) {
	in, isFile := inv.In.(*os.File)
	if !isFile || !term.IsTerminal(int(in.Fd())) {
		return secrets.ReadValue(inv.In)
	}
	if _, err := fmt.Fprintf(inv.Err, "value of %s, which is not shown: ", inv.Args[0]); err != nil {
		return "", err
	}
	typed, err := term.ReadPassword(int(in.Fd()))
	if _, errLine := fmt.Fprintln(inv.Err); errLine != nil || err != nil {
		return "", errors.Join(err, errLine)
	}
	return secrets.ReadValue(bytes.NewReader(typed))
}

// warnShort says of a value that is too short to be masked that it is not. It is taken all the same: a service may give no other.
func warnShort(inv cli.Invocation, value string) error {
	if len(value) >= config.MinMasked {
		return nil
	}
	_, err := fmt.Fprintf(inv.Err, "the value has fewer than %d bytes, and so short a one is not masked in results, logs and status: give %s a longer one if its service takes it\n",
		config.MinMasked, inv.Args[0])
	return err
}

// secretStore answers the secrets of the data directory of a command.
func (s *Server) secretStore(inv cli.Invocation) (*secrets.Store, error) {
	f := files{data: inv.Data}
	if s.inMemory(f) {
		return nil, cli.Usage("nothing is kept in memory: name a data directory")
	}
	dir, err := s.dir(f)
	if err != nil {
		return nil, err
	}
	return s.openSecrets(dir.Path())
}

// changeSecrets changes the secrets, says that what was named is done, and has a running
// server read them.
func (s *Server) changeSecrets(ctx context.Context, inv cli.Invocation, done string, change func(*secrets.Store) error) error {
	store, err := s.secretStore(inv)
	if err != nil {
		return err
	}
	if err := change(store); err != nil {
		return err
	}
	client, err := s.holder(ctx, inv)
	if e, ok := capabilities.AsError(err); ok && e.Code == capabilities.Unavailable {
		_, err := fmt.Fprintf(inv.Err, "%s is %s; no server runs that would have to know\n", inv.Args[0], done)
		return err
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(inv.Err, "%s is %s\n", inv.Args[0], done); err != nil {
		return err
	}
	report, _, err := askOf(ctx, attachedSession{client, s}, system.ReloadConfig, system.ReloadConfigInput{})
	if err != nil {
		return fmt.Errorf("the running server did not take it: %w", err)
	}
	return writeReload(inv.Err, &report)
}
