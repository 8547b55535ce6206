package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
)

// build builds a program of this module with the tags that it is shipped with.
func build(ctx context.Context, to, program string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", "sqlite_fts5", "-buildvcs=false", "-o", to, "github.com/seed-89b9419b/holotype/"+program)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building %s: %w", program, err)
	}
	return nil
}

// product is a server with the measured packs beside the native ones, and with an
// interceptor where the audit and the gate of a larger installation stand. Without a
// store it keeps no audit either.
func product(data string, store bool) *holotype.Server {
	through := func(next capabilities.Handler) capabilities.Handler {
		return func(ctx context.Context, inv *capabilities.Invocation) (*capabilities.Result, error) {
			return next(ctx, inv)
		}
	}
	return holotype.New(holotype.Options{
		Packs: packs(), Data: data, NoStore: !store,
		Interceptors: []capabilities.Interceptor{
			{Name: "audit", Stage: capabilities.StageAudit, Wrap: through},
			{Name: "gate", Stage: capabilities.StageGate, Wrap: through},
		},
		Log: slog.New(slog.DiscardHandler),
	})
}

// projected answers the handler of the product and the owner's token.
func projected(p *plan, store bool) (h http.Handler, token string, end func() error, err error) {
	data := filepath.Join(p.dir, fmt.Sprintf("projected-%t", store))
	s := product(data, store)
	end = s.Close
	if h, err = s.Handler(); err != nil {
		return nil, "", nil, err
	}
	if token, err = ownerToken(data); err != nil {
		return nil, "", nil, errors.Join(err, end())
	}
	return h, token, end, nil
}

func ownerToken(data string) (string, error) {
	text, err := os.ReadFile(filepath.Join(data, "owner.token"))
	return strings.TrimSpace(string(text)), err
}
