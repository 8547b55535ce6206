package holotype

import (
	"path/filepath"

	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/datadir"
)

// usual answers the files of a command: with the configuration file that stands in its
// usual place, where the flags name none.
func (s *Server) usual(f files) files {
	f.usual = config.UsualFile(s.o.Name, s.o.Lookup)
	return f
}

// configFile answers the configuration file that counts; "" is none.
func (s *Server) configFile(f files) string { return first(f.config, s.o.Config, f.usual) }

// program answers how a command line begins that a remedy names: with --data where the
// flag named a data directory, so that it is about the same one.
func (s *Server) program(data string) string {
	if data == "" || data == InMemory {
		return s.o.Name
	}
	if path, err := filepath.Abs(data); err == nil { // the remedy may be read elsewhere
		data = path
	}
	return s.o.Name + " --data " + datadir.ShellWord(data)
}
