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

// DefaultDataDir returns where the data directory of a program is when no flag says: $XDG_DATA_HOME/program, else
// ~/.local/share/program, on macOS ~/Library/Application Support/program. A relative XDG_DATA_HOME is not looked at, as the XDG
// specification says.
func DefaultDataDir(program string, lookup func(string) (string, bool)) (string, error) {
	return dataDir(runtime.GOOS, program, Env(lookup))
}

func dataDir(goos, program string, lookup func(string) (string, bool)) (string, error) {
	if base, _ := lookup("XDG_DATA_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, program), nil
	}
	home, _ := lookup("HOME")
	if !filepath.IsAbs(home) {
		return "", errors.New("no home directory to keep data in: HOME is not an absolute path; set it, or name a directory with --data")
	}
	if goos == "darwin" {
		return filepath.Join(home, "Library", "Application Support", program), nil
	}
	return filepath.Join(home, ".local", "share", program), nil
}

// SecretsKeyVariable names the file of the key that secrets are sealed with.
const SecretsKeyVariable = "HOLOTYPE_SECRETS_KEY_FILE"

// SecretsKeyFile returns where the key of a program's secrets is: the file that [SecretsKeyVariable] names, else secrets.key beside the user's
// configuration, $XDG_CONFIG_HOME/program or ~/.config/program. That is so on macOS too, where the usual place of a configuration is where the
// data directory is, and the key must not be there.
func SecretsKeyFile(program string, lookup func(string) (string, bool)) (string, error) {
	lookup = Env(lookup)
	if path, _ := lookup(SecretsKeyVariable); path != "" {
		return path, nil
	}
	const name = "secrets.key"
	if base, _ := lookup("XDG_CONFIG_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, program, name), nil
	}
	home, _ := lookup("HOME")
	if !filepath.IsAbs(home) {
		return "", errors.New("no home directory to keep the key of the secrets in: HOME is not an absolute path; set it, or name a file with " + SecretsKeyVariable)
	}
	return filepath.Join(home, ".config", program, name), nil
}
