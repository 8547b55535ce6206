// Package halves has two packs in one folder, which is one too many.
package halves

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/comments/testdata/people"
)

// Left and Right are the packs.
var (
	Left  = capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "left"})
	Right = capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "right"})
)

// One is of the left pack, Two of the right one.
var (
	One = capabilities.Declare(Left, capabilities.Spec{Name: "one"}, nothing)
	Two = capabilities.Declare(Right, capabilities.Spec{Name: "two"}, nothing)
)

func nothing(context.Context, struct{}, people.Base) (people.Base, error) { return people.Base{}, nil }
