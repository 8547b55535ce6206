package identity_test

import (
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/internal/store"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// BenchmarkPrincipal is what a token that was seen adds to a request.
func BenchmarkPrincipal(b *testing.B) {
	db := storetest.Open(b, identity.Schema())
	c := &config.Config{}
	k := identity.New(identity.Options{Store: db, Now: time.Now, Config: func() *config.Config { return c }, Fresh: time.Hour})
	m, err := store.Write(b.Context(), db, func(tx *store.Tx) (out made, err error) {
		out.Token, out.Secret, err = k.Insert(tx, identity.Draft{Name: "x", Scopes: []string{"*"}, By: capabilities.OwnerPrincipal()})
		return out, err
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Principal(b.Context(), m.Secret); err != nil {
			b.Fatal(err)
		}
	}
}
