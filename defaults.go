package holotype

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/config"
)

// Settings implements [system.Configuration]. What nobody gave has the value that holds
// instead, and a flag goes before the file.
func (c configuration) Settings() []system.Setting {
	all := []system.Setting{}
	for _, s := range c.current().Show() {
		one := system.Setting{Path: s.Path, Value: s.Value, Origin: s.Origin.String()}
		switch {
		case s.Path == "listen" && c.listen != "":
			one.Value, one.Origin = text(c.listen), "flag --listen"
		case string(s.Value) == "null" && s.Path == "packs":
			one.Value = c.e.nativeNames()
		case string(s.Value) == "null" && s.Path == "store":
			one.Value = c.usualStore()
		}
		all = append(all, one)
	}
	return all
}

// nativeNames answers the native packs that are served, as JSON.
func (e *engine) nativeNames() json.RawMessage {
	names := []string{}
	for _, p := range e.registry.Packs() {
		if slices.Contains(NativePacks(), p.Name) {
			names = append(names, p.Name)
		}
	}
	return asJSON(names)
}

// usualStore answers where the store is that no setting names, as JSON: null where
// nothing is kept on disk.
func (c configuration) usualStore() json.RawMessage {
	if c.e.kept.store == nil || c.sealed == "" {
		return json.RawMessage("null")
	}
	return text(config.SchemeSQLite + filepath.Join(filepath.Dir(c.sealed), storeFile))
}

func text(s string) json.RawMessage { return asJSON(s) }

// asJSON writes names and paths, which cannot fail.
func asJSON[T string | []string](v T) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}
