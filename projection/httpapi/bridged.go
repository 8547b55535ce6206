package httpapi

import (
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	serversPath = apiPath + "/servers/"
	toolRoute   = "/servers/{server}/tools/{tool}"
)

// bridged serves the one route of all bridged tools: they come and go, the route
// stays, and which tool a request means is looked up in the caller's own view.
type bridged struct {
	s *Server

	mu  sync.Mutex
	all map[viewKey]map[toolKey]*capabilities.Capability
}

// viewKey identifies what a caller may see. The seat belongs to it: two seats may
// run the same servers with tools of the same names.
type viewKey struct{ digest, seat string }

type toolKey struct{ server, tool string }

// maxKept bounds the caches of what is derived from views.
const maxKept = 64

func keyOf(v *capabilities.View, p *capabilities.Principal) viewKey {
	return viewKey{v.Digest, p.Seat}
}

func (b *bridged) serve(ctx huma.Context) {
	o, ok := ctx.(*operation)
	if !ok { // a context that middleware of huma's put around ours
		ctx.SetStatus(http.StatusInternalServerError)
		return
	}
	at := toolKey{o.Param("server"), o.Param("tool")}
	c, ok := b.index(o.x.principal)[at]
	if !ok && b.s.o.Absent != nil {
		if absent := b.s.o.Absent(o.x.principal, at.server, at.tool); absent != nil {
			o.x.note(o.r, UnknownName, absent)
			o.x.refuse(o.r, absent)
			return
		}
	}
	if !ok {
		e := capabilities.Refuse(capabilities.NotFound,
			"no server %q has a tool %q for this caller: list what there is with GET %s/tools", clip(at.server), clip(at.tool), apiPath)
		o.x.note(o.r, UnknownName, e)
		o.x.refuse(o.r, e)
		return
	}
	p := &route{s: b.s, c: c, name: c.Name(), writes: c.Writes()}
	p.call(o.x, o.r)
}

// index answers the bridged tools of the caller's view by server and tool, the
// hidden ones included: a call of one meets the gate's own refusal.
func (b *bridged) index(p *capabilities.Principal) map[toolKey]*capabilities.Capability {
	v := b.s.o.Viewer.View(p)
	key := keyOf(v, p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if tools, ok := b.all[key]; ok {
		return tools
	}
	tools := map[toolKey]*capabilities.Capability{}
	for _, c := range v.Listed {
		if c.Bridged() {
			tools[toolKey{c.Server(), c.Tool()}] = c
		}
	}
	for _, h := range v.Hidden {
		if c := h.Capability; c.Bridged() {
			tools[toolKey{c.Server(), c.Tool()}] = c
		}
	}
	if len(b.all) >= maxKept {
		clear(b.all)
	}
	b.all[key] = tools
	return tools
}
