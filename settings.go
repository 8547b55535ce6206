package holotype

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/confstore"
	"github.com/seed-89b9419b/holotype/internal/hintfile"
	"github.com/seed-89b9419b/holotype/internal/secrets"
)

// The files of the data directory that the configuration has a part in.
const (
	secretsFile = "secrets.age"
	storedFile  = "mcp_servers.json"
	hintsFile   = "hints.json"
	signInsFile = "signins.age"
)

// settings are the sources of the configuration, and what they said last: the files,
// the secrets and, in a data directory, the entries that were given over the API.
type settings struct {
	options config.Options
	listen  string         // that of the flag, which goes before the file's; "" for none
	secrets *secrets.Store // nil in memory, and where there is no place for a key
	keyless error          // why there is none
	// sealedSignIns is a second file of the same key: what is in it has no name that ${NAME}
	// could refer to. It is nil where secrets is.
	sealedSignIns *secrets.Store
	sealed        string           // the file of the secrets, "" in memory
	stored        *confstore.Store // nil in memory
	hints         *hintfile.File   // nil in memory
	looks         []look           // at the watched files, from before they were first read
	log           *slog.Logger

	// fault is why what was read last is not in force; nil where it is.
	fault atomic.Pointer[string]

	changing sync.Mutex // held by whoever changes the configuration, to the end
	mu       sync.Mutex
	now      *config.Config
	before   map[string]look   // at the documents that it names, from before they were first read
	entered  []confstore.Entry // the stored entries that are part of now
}

// openSettings finds the sources. dir is the data directory, "" for none.
func (s *Server) openSettings(f files, dir string, log *slog.Logger) (*settings, error) {
	set := &settings{log: log, listen: f.listen, options: config.Options{
		Path: s.configFile(f), MCPConfigPath: first(f.mcpConfig, s.o.MCPConfig), Lookup: s.o.Lookup, Program: s.program(f.data),
	}}
	if dir == "" {
		set.options.OnlyAsked = true // a server in memory touches nothing
		set.looks = set.look()
		return set, nil
	}
	set.sealed = filepath.Join(dir, secretsFile)
	set.looks = set.look()
	var err error
	if set.secrets, err = s.openSecrets(dir); err != nil {
		set.secrets, set.keyless = nil, err // which matters when there are secrets
	} else if set.sealedSignIns, err = s.openSealed(dir, signInsFile); err != nil {
		return nil, err
	}
	if set.stored, err = confstore.Open(filepath.Join(dir, storedFile), s.o.Now); err != nil {
		return nil, err
	}
	set.hints, err = hintfile.Open(filepath.Join(dir, hintsFile))
	return set, err
}

// openSecrets finds the secrets of a data directory. Nothing of them is read yet.
func (s *Server) openSecrets(dir string) (*secrets.Store, error) {
	return s.openSealed(dir, secretsFile)
}

func (s *Server) openSealed(dir, name string) (*secrets.Store, error) {
	key, err := config.SecretsKeyFile(s.o.Name, s.o.Lookup)
	if err != nil {
		return nil, err
	}
	return secrets.Open(secrets.Options{File: filepath.Join(dir, name), KeyFile: key, DataDir: dir})
}

// entries answers the stored entries.
func (s *settings) entries() []confstore.Entry {
	if s.stored == nil {
		return nil
	}
	return s.stored.List()
}

// read reads everything anew, with these as the stored entries.
func (s *settings) read(entries []confstore.Entry) (*config.Config, error) {
	o := s.options
	switch {
	case s.secrets != nil:
		snapshot, err := s.secrets.Snapshot()
		if err != nil {
			return nil, sourceError{err}
		}
		o.Secrets = snapshot.Get
	case s.keyless != nil && lookAt(s.sealed).there:
		return nil, sourceError{s.keyless}
	}
	for _, e := range entries {
		o.Stored = append(o.Stored, config.StoredEntry{Name: e.Name, Raw: e.Raw, Revision: e.Revision})
	}
	c, err := config.Load(o)
	if err == nil {
		s.lookBefore(c)
	}
	return c, err
}

// lookBefore looks at the documents that a configuration names and the one in force does
// not: what changes from here on counts.
func (s *settings) lookBefore(c *config.Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var known []string
	if s.now != nil {
		known = s.now.Documents()
	}
	for _, path := range c.Documents() {
		if !slices.Contains(known, path) {
			if s.before == nil {
				s.before = map[string]look{}
			}
			s.before[path] = lookAt(path)
		}
	}
}

// A sourceError is why a source of the configuration that is no file of it cannot be
// read. It says what to do, to whoever may change the configuration, and no secret.
type sourceError struct{ error }

func (e sourceError) Unwrap() error { return e.error }

// current answers the configuration in force.
func (s *settings) current() *config.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// inForce answers the configuration in force and the stored entries that are part of
// it. What was stored a moment ago is not yet among them: an entry must not be shown
// with the version of the next one.
func (s *settings) inForce() (*config.Config, []confstore.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, s.entered
}

func (s *settings) put(c *config.Config, entries []confstore.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.entered = c, entries
}

// watched are the files whose change puts another configuration in force.
func (s *settings) watched() []string {
	all := []string{s.options.Path, s.options.MCPConfigPath, s.sealed}
	if now := s.current(); now != nil {
		all = append(all, now.Documents()...)
	}
	return slices.DeleteFunc(all, func(path string) bool { return path == "" })
}

// A look is what a file looked like from outside.
type look struct {
	path  string
	there bool
	size  int64
	time  time.Time
	mode  fs.FileMode // one that could not be read may be readable now
	file  os.FileInfo // tells a file from another one in its place
}

func lookAt(path string) look {
	info, err := os.Stat(path)
	if err != nil {
		return look{path: path}
	}
	return look{path, true, info.Size(), info.ModTime(), info.Mode(), info}
}

func (l look) same(other look) bool {
	return l.path == other.path && l.there == other.there && l.size == other.size && l.mode == other.mode && l.time.Equal(other.time) && (!l.there || os.SameFile(l.file, other.file))
}

// look looks at every watched file.
func (s *settings) look() []look {
	var all []look
	for _, path := range s.watched() {
		all = append(all, lookAt(path))
	}
	return all
}

const (
	// watchEvery is how often the files are looked at.
	watchEvery = 2 * time.Second
	// restless is how many looks in a row may each find another change before the files
	// are read all the same: one that is written all the time never comes to rest.
	restless = 5
)

// watch calls changed when a file was changed and has been at rest for one look, or has
// not come to rest for [restless] of them, until done is closed. What was changed since
// the files were first read counts.
func (s *settings) watch(done <-chan struct{}, tick <-chan time.Time, changed func()) {
	w := watcher{known: s.looks}
	for {
		select {
		case <-done:
			return
		case <-tick:
		}
		now := s.look()
		w.learn(now, s.firstLook)
		if w.due(now) {
			changed()
		}
	}
}

// A watcher tells when files that are looked at have to be read.
type watcher struct {
	known  []look
	moving int // looks that found a change which was not read yet
}

// firstLook is what a document looked like before it was first read.
func (s *settings) firstLook(path string) (look, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.before[path]
	return l, ok
}

// learn has what is watched since the last look count from before it was first read, and
// forgets what is not watched any more.
func (w *watcher) learn(now []look, first func(path string) (look, bool)) {
	known := make([]look, len(now))
	for i, l := range now {
		at := slices.IndexFunc(w.known, func(k look) bool { return k.path == l.path })
		if known[i] = l; at >= 0 {
			known[i] = w.known[at]
		} else if before, ok := first(l.path); ok {
			known[i] = before
		}
	}
	w.known = known
}

// due takes the next look and reports whether the files are to be read now.
func (w *watcher) due(now []look) bool {
	still := slices.EqualFunc(now, w.known, look.same)
	w.known = now
	if !still {
		w.moving++
	}
	if w.moving == 0 || !still && w.moving < restless {
		return false
	}
	w.moving = 0
	return true
}

// configFaults are the faults of a configuration that was read, or nil.
func configFaults(err error) []config.Fault {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[config.Fault](err); ok && !isJoined(err) {
		return []config.Fault{f}
	}
	var all []config.Fault
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			all = append(all, configFaults(one)...)
		}
	}
	return all
}

func isJoined(err error) bool {
	_, ok := err.(interface{ Unwrap() []error })
	return ok
}
