package bridge

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Advertise answers the capability that an entry of a server's tools/list becomes: under
// the name that it would be exposed by, with the hints, the texts and the schemas that it
// would be shown with. Nothing is configured for the server but its name, and it speaks
// the newest revision that is known. Nothing calls the capability: it refuses. The error
// says why the entry cannot be listed.
func Advertise(server string, tool json.RawMessage) (*capabilities.Capability, error) {
	if why := checkServerName(server); why != "" {
		return nil, fmt.Errorf("server %q: %s", server, why)
	}
	t, err := readTool(tool, false)
	if err != nil {
		return nil, fmt.Errorf("a tool of %s: %w", server, err)
	}
	sp := &spec{conf: Server{Name: server}}
	sp.secrets = newMasker(sp.conf)
	prefix := sp.conf.prefix()
	one := sp.presented(t, exposedName(server, prefix, t.name), prefix, true)
	one.Handler = func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
		return nil, capabilities.Refuse(capabilities.Unavailable, "%s is shown alone: no server is behind it", one.Name)
	}
	c, _, err := newCapability(one)
	if err != nil {
		return nil, fmt.Errorf("the tool %s of %s: %w", t.name, server, err)
	}
	return c, nil
}
