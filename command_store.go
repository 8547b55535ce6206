package holotype

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/datadir"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// storeCommands keep what is stored: copies, and what becomes of them.
func (s *Server) storeCommands() []cli.Command {
	return []cli.Command{
		{
			Name: "backup", Args: "FILE", MinArgs: 1, MaxArgs: 1,
			Short: "Write a copy of the store into a new file, while calls are served",
			Long:  "Asks the running server of the data directory; where none runs, the copy is made by this command. The command restore takes it.",
			Run: func(ctx context.Context, inv cli.Invocation) error {
				return s.copyStore(ctx, inv, system.BackupStore)
			},
		},
		{
			Name: "restore", Args: "FILE", MinArgs: 1, MaxArgs: 1,
			Short: "Put a backup in place of the store",
			Long: "The backup is checked first. What it replaces is kept beside it, and so is what an earlier one replaced. The restored store begins another life: positions of the one\n" +
				"before are foreign to it. A write that was sent before with an op_id of this server and is not in the backup is answered\n" +
				"unknown_outcome; one with a key of the caller's own is done again.\n" +
				"No server may run on the data directory. Tokens that were revoked since the backup work\nagain: token list says which there are.",
			Run: s.restoreStore,
		},
		{
			Name: "export", Args: "FILE", MinArgs: 1, MaxArgs: 1,
			Short: "Write everything that is stored as lines of JSON into a new file",
			Long:  "It is all of one moment, and any engine imports it: the way from SQLite to PostgreSQL.",
			Run: func(ctx context.Context, inv cli.Invocation) error {
				return s.copyStore(ctx, inv, system.ExportStore)
			},
		},
		{
			Name: "import", Args: "FILE", MinArgs: 1, MaxArgs: 1,
			Short: "Read what export wrote into a store that is empty",
			Long:  "All of it is read, or nothing. No server may run on the data directory. The file - is standard input.",
			Run:   s.importStore,
		},
		{
			Name:  "store check",
			Short: "Look whether what is stored agrees with itself",
			Long:  "Reads everything: the file, its indexes, the search, the files of projects, and whether the last change of every project, work item,\nlabel and file in the log agrees with what is stored of it. It says what does not agree and exits 1 then.",
			Run:   s.checkStore,
		},
		{
			Name:  "store adopt",
			Short: "Begin another life of a store that was brought back without restore",
			Long: "For a database that another tool put in place, such as a dump of PostgreSQL or a snapshot of the disk, and for a PostgreSQL server that took\n" +
				"over without all that the one before had answered. Positions of the life before are foreign then, what the ledger does not have\n" +
				"may have happened and is answered unknown_outcome, and nobody holds a lease. The command restore does so by itself; a planned\n" +
				"change of servers, and one to a standby that every commit waits for, need it not.\n" +
				"No server may run on the store.",
			Run: s.adoptStore,
		},
	}
}

func (s *Server) copyStore(ctx context.Context, inv cli.Invocation, h *capabilities.Handle[system.StoreCopyInput, system.StoreCopy]) error {
	path, err := filepath.Abs(inv.Args[0]) // the server may run elsewhere
	if err != nil {
		return err
	}
	done, raw, err := ask(ctx, s, inv, h, system.StoreCopyInput{Path: path}, false)
	switch {
	case err != nil:
		return err
	case inv.Output == cli.JSON:
		_, err = fmt.Fprintf(inv.Out, "%s\n", raw)
	default:
		_, err = fmt.Fprintf(inv.Out, "wrote %s: %d bytes, everything up to %s\n", cli.Escape(done.Path), done.Bytes, done.Position)
	}
	return err
}

var errUnsound = errors.New("what is stored does not agree with itself: see above")

func (s *Server) checkStore(ctx context.Context, inv cli.Invocation) error {
	found, raw, err := ask(ctx, s, inv, system.CheckStore, system.CheckStoreInput{}, false)
	switch {
	case err != nil:
		return err
	case inv.Output == cli.JSON:
		_, err = fmt.Fprintf(inv.Out, "%s\n", raw)
	case found.Sound:
		_, err = fmt.Fprintln(inv.Out, "everything agrees")
	}
	for _, f := range found.Faults {
		if inv.Output != cli.JSON && err == nil {
			_, err = fmt.Fprintln(inv.Out, cli.Escape(f))
		}
	}
	if err == nil && !found.Sound {
		err = errUnsound
	}
	return err
}

// alone holds the data directory of a command that runs while nobody else does.
func (s *Server) alone(inv cli.Invocation) (dir *datadir.Dir, release func() error, err error) {
	if dir, err = s.dir(files{data: inv.Data}); err != nil {
		return nil, nil, err
	}
	holder, err := dir.Hold()
	if err != nil {
		return nil, nil, err
	}
	return dir, holder.Release, nil
}

// restoreStore puts a backup in place of the database of a data directory that nobody
// holds.
func (s *Server) restoreStore(ctx context.Context, inv cli.Invocation) (err error) {
	dir, release, err := s.alone(inv)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	log := s.logger(inv.Err, slog.LevelWarn)
	to, err := s.databaseOf(inv, dir.Path(), log)
	if err != nil {
		return err
	}
	at, kept, err := restoreLocal(ctx, inv.Args[0], to, store.Options{Log: log, Now: s.o.Now, Schemas: schemas()})
	if err != nil {
		return err
	}
	if kept != "" {
		kept = ", and what was there before is kept as " + kept
	}
	_, err = fmt.Fprintf(inv.Out, "restored %s: the store is at %s%s\ntokens that were revoked since then work again: %s lists them\n",
		cli.Escape(inv.Args[0]), at, cli.Escape(kept), s.program(inv.Data)+" token list")
	return err
}

// adoptStore begins another life of the store that the configuration asks for.
func (s *Server) adoptStore(ctx context.Context, inv cli.Invocation) (err error) {
	dir, release, err := s.alone(inv)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	log := s.logger(inv.Err, slog.LevelWarn)
	c, err := s.configured(inv, dir.Path(), log)
	if err != nil {
		return err
	}
	if path, local := databaseFile(c, dir.Path()); local {
		if _, err := os.Stat(path); err != nil { // opening one that is not there would make it
			return fmt.Errorf("there is no store to adopt: %w", err)
		}
	}
	e, err := engineOf(dir, c)
	if err != nil {
		return err
	}
	if e == nil {
		return errNoStore
	}
	at, err := store.Adopt(ctx, e, s.o.Now())
	if err = errors.Join(err, e.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(inv.Out, "adopted: the store is at %s\n", at)
	return err
}

// configured answers the configuration that a command was given.
func (s *Server) configured(inv cli.Invocation, dir string, log *slog.Logger) (*config.Config, error) {
	set, err := s.openSettings(files{data: inv.Data, config: inv.Config}, dir, log)
	if err != nil {
		return nil, err
	}
	return set.read(set.entries())
}

// databaseOf answers the file of the database that the configuration asks for.
func (s *Server) databaseOf(inv cli.Invocation, dir string, log *slog.Logger) (string, error) {
	c, err := s.configured(inv, dir, log)
	if err != nil {
		return "", err
	}
	path, local := databaseFile(c, dir)
	switch {
	case c.Store.Unresolved != "":
		return "", errors.New(c.Store.Unresolved)
	case !local:
		return "", errors.New("the configuration keeps the store on a PostgreSQL server: restore it there with that server's tools and then run the command store adopt, or import an export into an empty database")
	}
	return path, nil
}

// databaseFile answers the file of the database that a configuration asks for, where it
// is one.
func databaseFile(c *config.Config, dir string) (path string, local bool) {
	if path, local = strings.CutPrefix(c.Store.URL, config.SchemeSQLite); local {
		return path, true
	}
	return filepath.Join(dir, storeFile), c.Store.URL == "" && c.Store.Unresolved == ""
}

func (s *Server) importStore(ctx context.Context, inv cli.Invocation) (err error) {
	in := io.NopCloser(inv.In)
	if inv.Args[0] != "-" {
		if in, err = os.Open(inv.Args[0]); err != nil {
			return cli.Usage("%w", err)
		}
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	p, err := s.hold(files{data: inv.Data, config: inv.Config})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.release()) }()
	if p.kept.store == nil {
		return fmt.Errorf("there is no store: %w", s.noStore())
	}
	if err := p.kept.store.Import(ctx, in); errors.Is(err, store.ErrNotEmpty) {
		return fmt.Errorf("%w: name an empty folder with --data, or another database in the configuration", err)
	} else if err != nil {
		return err
	}
	_, err = fmt.Fprintf(inv.Out, "imported: the store is at %s\n", p.kept.store.Head())
	return err
}

var errNoStore = errors.New("this program was built without an engine for a store: build it with cgo, or name a PostgreSQL server in the configuration")
