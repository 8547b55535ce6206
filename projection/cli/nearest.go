package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// unknownName refuses a name that is in no view: as the server does that may have it
// soon, else with the nearest names that are.
func (r *run) unknownName(ctx context.Context, s Session, name string) error {
	if err := s.Absent(ctx, name); err != nil {
		return err
	}
	var known []string
	for _, c := range s.View(s.Principal()).Listed {
		known = append(known, c.Name())
	}
	near := nearest(name, known)
	hint := r.line("tools") + " lists what there is"
	if len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ")
	}
	return capabilities.Refuse(capabilities.NotFound, "no capability is named %q: %s", name, hint).Because(capabilities.ErrUnknownCapability)
}

// nearest answers up to three names that a name may have meant: bridged tools of
// that name under their server's prefix, and those spelt nearly like it.
func nearest(name string, known []string) []string {
	var near []string
	rest := make([]string, 0, len(known))
	for _, k := range known {
		if strings.HasSuffix(k, "__"+name) && len(near) < 3 {
			near = append(near, k)
		} else {
			rest = append(rest, k)
		}
	}
	for len(near) < 3 {
		n, ok := schema.Nearest(name, rest)
		if !ok {
			break
		}
		near = append(near, n)
		rest = slices.DeleteFunc(rest, func(s string) bool { return s == n })
	}
	return near
}
