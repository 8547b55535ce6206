package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Env returns lookup, or the environment of the process when it is nil. It and [Environ] are where the environment enters the program.
func Env(lookup func(string) (string, bool)) func(string) (string, bool) {
	if lookup != nil {
		return lookup
	}
	return os.LookupEnv
}

// Environ returns the environment of the process as NAME=value. It is for names that are only known by how they begin, such as DOCKER_;
// use [Env] for every other.
func Environ() []string { return os.Environ() }

// DefaultDataDir returns where the data directory is when no flag says: $XDG_DATA_HOME/holotype, else ~/.local/share/holotype, on macOS
// ~/Library/Application Support/holotype. A relative XDG_DATA_HOME is not looked at, as the XDG specification says.
func DefaultDataDir(lookup func(string) (string, bool)) (string, error) {
	return dataDir(runtime.GOOS, Env(lookup))
}

func dataDir(goos string, lookup func(string) (string, bool)) (string, error) {
	if base, _ := lookup("XDG_DATA_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "holotype"), nil
	}
	home, _ := lookup("HOME")
	if !filepath.IsAbs(home) {
		return "", errors.New("no home directory to keep data in: HOME is not an absolute path; set it, or name a directory with --data")
	}
	if goos == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "holotype"), nil
	}
	return filepath.Join(home, ".local", "share", "holotype"), nil
}
