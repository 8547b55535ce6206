package config

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// Store says where what is written is kept. The zero value is the usual place: a database file in the data directory.
type Store struct {
	// URL is sqlite: with an absolute path, or that of a PostgreSQL database, postgres://..., variables replaced. It may hold a password.
	URL string
	// Unresolved says in one sentence why there is no URL although the file asks for one; empty when there is nothing wrong. The usual place is
	// no replacement for it.
	Unresolved string
}

// The schemes of a store.
const (
	SchemeSQLite     = "sqlite:"
	SchemePostgres   = "postgres://"
	schemePostgreSQL = "postgresql://"
)

// storeRule is as much as can be said before the variables are replaced; what they give is judged again.
func storeRule() rule {
	return rule{`^(sqlite:[^\x00]+|postgres(ql)?://\S+|\S*\$\{\S*)$`, 0, SchemeSQLite + " and the path of a file, or a url that begins with " + SchemePostgres}
}

// resolveStore replaces the variables of the key store.
func (l *loading) resolveStore(text string) Store {
	if text == "" {
		return Store{}
	}
	l.own.lookalikes(l.config.lines["store"], "store", text)
	out, problems := expand(text, func(name string) (string, bool) {
		v, source := l.resolve(name)
		l.uses.add(name, v, source, Use{Field: "store"})
		return v, source != SourceNone
	})
	for _, p := range problems {
		if p.unset != "" {
			return Store{Unresolved: "store: " + p.words + "; run `" + l.o.Program + " secrets set " + p.unset + "`, or set it in the environment and start again"}
		}
	}
	path, file := strings.CutPrefix(out, SchemeSQLite)
	switch {
	case file && path != "" && !filepath.IsAbs(path):
		return Store{URL: SchemeSQLite + filepath.Join(l.own.dir, path)}
	case file && path != "", strings.HasPrefix(out, SchemePostgres), strings.HasPrefix(out, schemePostgreSQL):
		return Store{URL: out}
	}
	return Store{Unresolved: "store: what its variables give is not " + storeRule().words}
}

// shownStore is the key store as it stands in the file, without what may be a secret in it; null when it is not there.
func shownStore(text string) json.RawMessage {
	switch {
	case text == "":
		return json.RawMessage("null")
	case strings.HasPrefix(text, SchemeSQLite):
		return quoted(text)
	}
	return quoted(maskedURL(text))
}
