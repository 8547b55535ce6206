package conformance_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/capabilities/tracker"
	"github.com/seed-89b9419b/holotype/tests/conformance"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// soakVariable has the native packs called on the command line, too, secrets looked for in
// every twin, and the twins of the bridge tried at all: make soak sets it. The first is what tests/parity does with a corpus
// of its own.
const soakVariable = "HOLOTYPE_CONFORMANCE_SOAK"

// The native packs hold what they declare.
func TestOwnPacksConform(t *testing.T) {
	soak := os.Getenv(soakVariable) != ""
	packs := []capabilities.Bound{system.Pack.Describe(), tracker.Pack.Describe()}
	target := conformance.Of(t, func() holotype.Options {
		if soak {
			return holotype.Options{Packs: []capabilities.Bound{fixture.Pack.Bind(fixture.Deps{})}}
		}
		return holotype.Options{}
	})
	if soak {
		packs = append(packs, fixture.Pack.Describe())
	} else {
		again := target.Again
		target.Run, target.Again = nil, func(ctx context.Context) (conformance.Server, error) {
			s, err := again(ctx)
			s.Run = nil
			return s, err
		}
	}
	registry, err := capabilities.Assemble(packs...)
	if err != nil {
		t.Fatal(err)
	}
	target.Registry = registry
	target.Prepare = func(ctx context.Context, door capabilities.Invoker) ([]conformance.Principal, error) {
		owner := capabilities.OwnerPrincipal()
		if err := tracker.Seed(ctx, door, owner); err != nil {
			return nil, err
		}
		made, err := door.Invoke(ctx, capabilities.Call{
			Name: "create_token", Principal: owner, Surface: capabilities.InProcess, Arguments: json.RawMessage(`{"name":"reader","scopes":["tracker:read"]}`),
		})
		if err != nil {
			return nil, err
		}
		var token struct {
			Token string `json:"token"`
		}
		err = json.Unmarshal(made.Structured, &token)
		return []conformance.Principal{{Name: "who reads the tracker", Token: token.Token}}, err
	}
	conformance.Run(t, target)
}
