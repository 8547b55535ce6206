package holotype

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/audit"
	"github.com/seed-89b9419b/holotype/internal/authserver"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/datadir"
	"github.com/seed-89b9419b/holotype/internal/grant"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/internal/ledger"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/postgres"
)

// storeFile is the database's name in the data directory.
const storeFile = "holotype.db"

// schemas are the tables of the native packs, of the tokens, of the approvals and of the grants, in the order in which
// they are made.
func schemas() []store.Schema {
	return []store.Schema{tracker.Schema(), identity.Schema(), approval.Schema(), grant.Schema(), authserver.Schema()}
}

// kept is what a place keeps of calls; the zero value is nothing, where the program was
// built without an engine for it.
type kept struct {
	store *store.DB
	audit *audit.Log
	files []store.File // of both, none where they are no files of this machine
}

// openKept opens the store and the audit that the configuration asks for, or those of
// the data directory, or those in memory where there is none.
func (s *Server) openKept(dir *datadir.Dir, c *config.Config, log *slog.Logger) (k kept, err error) {
	if s.o.NoStore {
		if c.Store != (config.Store{}) {
			return k, fmt.Errorf("the configuration names a store, and %w: leave it out", errNoneKept)
		}
		if c.Audit != (config.Audit{}) {
			return k, fmt.Errorf("the configuration names a file of the audit, and %w: leave it out", errNoneKept)
		}
		return k, nil
	}
	e, err := engineOf(dir, c)
	if err != nil {
		return k, err
	}
	if e == nil && c.Audit != (config.Audit{}) {
		return k, fmt.Errorf("the configuration names a file of the audit, and %w", errNoStore)
	}
	if e == nil {
		log.Info("store_absent", "consequence", "built without cgo, so there is no SQLite: packs that keep something are left out, calls are not noted, and those with an operation key are refused")
		return k, nil
	}
	ctx := context.Background() // the start of a process ends with the process alone
	o := store.Options{Engine: e, Log: log, Now: s.o.Now, Schemas: schemas()}
	if dir != nil {
		o.Folders = []string{dir.Path()}
	}
	if k.store, err = store.Open(ctx, o); err != nil {
		return k, err
	}
	k.files = e.Files(audit.Database)
	if k.audit, err = audit.Open(ctx, audit.Options{Engine: e, Log: log, Now: s.o.Now, File: c.Audit.File}); err != nil {
		return kept{}, errors.Join(err, k.store.Close())
	}
	return k, nil
}

var errNoneKept = errors.New("this program keeps none")

// noStore answers why there is no store where there is none.
func (s *Server) noStore() error {
	if s.o.NoStore {
		return errNoneKept
	}
	return errNoStore
}

// engineOf answers the engine of the store; nil is none. A store that a configuration
// asks for is never replaced by another.
func engineOf(dir *datadir.Dir, c *config.Config) (store.Engine, error) {
	path, file := strings.CutPrefix(c.Store.URL, config.SchemeSQLite)
	switch {
	case dir == nil:
		return localEngine("")
	case c.Store.Unresolved != "":
		return nil, errors.New(c.Store.Unresolved)
	case file:
		return localEngine(path)
	case c.Store.URL != "":
		return postgres.New(c.Store.URL)
	}
	return localEngine(filepath.Join(dir.Path(), storeFile))
}

// rest answers those who wait for calls that are yet to come: the server stops.
func (k kept) rest() {
	if k.audit != nil {
		k.audit.Rest()
	}
}

// close ends what is kept: nothing may be called after.
func (k kept) close() error {
	var all []error
	if k.audit != nil {
		all = append(all, k.audit.Close())
	}
	if k.store != nil {
		all = append(all, k.store.Close())
	}
	return errors.Join(all...)
}

// interceptors answers those of the options, with those that every call has.
func (k kept) interceptors(own []capabilities.Interceptor, log *slog.Logger) []capabilities.Interceptor {
	all := slices.Clone(own)
	if k.audit != nil {
		// It goes before those of the options at its stage: it sees what they did.
		all = slices.Insert(all, 0, k.audit.Interceptor())
	}
	if k.store != nil {
		all = append(all, ledger.Interceptor(k.store, log))
	}
	return all
}

// ready answers the refusal of whoever asks whether calls are served while the store
// cannot be used, or nil.
func (k kept) ready() error {
	if k.store == nil {
		return nil
	}
	if state := k.store.State(); state.Err != nil {
		return capabilities.Refuse(capabilities.Unavailable, "the store cannot be used: %s", state.Advice).Because(state.Err)
	}
	return nil
}
