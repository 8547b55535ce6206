package capabilities

import "github.com/seed-89b9419b/holotype/internal/schema"

// The limits of one call, the same on every surface.
const (
	// MaxArguments is the most bytes of one call's arguments.
	MaxArguments = schema.MaxBytes
	// MaxDepth is the most levels that JSON may nest.
	MaxDepth = schema.MaxDepth
)
