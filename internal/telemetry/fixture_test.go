package telemetry_test

import (
	"context"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

type nothing struct{}

type answer struct {
	// Always yes.
	Done bool `json:"done"`
}

// registryOf answers a pack of two capabilities: look, which only reads, and put.
func registryOf(t testing.TB) *capabilities.Registry {
	t.Helper()
	pack := capabilities.NewPack[nothing](capabilities.PackInfo{Name: "shop", Title: "Shop", Summary: "A shop."})
	answered := func(context.Context, nothing, nothing) (answer, error) { return answer{}, nil }
	capabilities.Declare(pack, capabilities.Spec{Name: "look", Title: "Look", Summary: "Look.", Effect: capabilities.Read(capabilities.Shared), Route: "GET /look"}, answered)
	capabilities.Declare(pack, capabilities.Spec{Name: "put", Title: "Put", Summary: "Put.", Effect: capabilities.Append(capabilities.Shared), Route: "POST /things"}, answered)
	capabilities.Comments(pack, map[string]string{"answer.Done": "Always yes."})
	reg, err := capabilities.Assemble(pack.Bind(nothing{}))
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func capabilityOf(t testing.TB) *capabilities.Capability {
	t.Helper()
	c, ok := registryOf(t).Find("look")
	if !ok {
		t.Fatal("there is no look")
	}
	return c
}
