package holotype

import (
	"context"
	"fmt"

	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// parts answers what tells whoever runs the server how each part of it is: the same
// findings as the doctor's, of what this process knows anyway.
func (e *engine) parts(s *Server) func(context.Context) []httpapi.Part {
	return func(ctx context.Context) []httpapi.Part {
		var all []httpapi.Part
		add := func(name string, f finding) {
			all = append(all, httpapi.Part{Name: name, Grade: f.Grade, Text: f.Text, Remedy: f.Remedy})
		}
		program := e.settings.options.Program
		for _, t := range e.http.SurfaceFacts().Transports {
			add("http", well("listens, with the routes below "+t.Address))
		}
		for _, t := range e.mcp.SurfaceFacts().Transports {
			if t.Address != "" || t.Sessions > 0 {
				add("mcp", well(fmt.Sprintf("%s has %d sessions and streams open", t.Name, t.Sessions)))
			}
		}
		add("store", e.storePart(s))
		if e.kept.audit != nil {
			add("audit", e.auditPart())
		}
		add("configuration", e.configurationPart(program))
		if x := e.watched.exporter; x != nil {
			f := well("spans and metrics reach their collector, as far as is known")
			if spans, _ := x.Lost(); x.Failing() {
				f = finding{Grade: "fault", Text: fmt.Sprintf("the collector does not take what is sent; %d spans are lost so far", spans), Remedy: "look at the collector and at telemetry.otlp_endpoint: the event telemetry_failing in the log says why"}
			}
			add("telemetry", f)
		}
		rows := e.serverRows()
		for i := range rows {
			for _, f := range examine(&rows[i], program) {
				add("server "+rows[i].Name, f)
			}
		}
		waiting, cancel := context.WithTimeout(ctx, countTime)
		defer cancel()
		if n, err := e.waiting(waiting); err == nil && n > 0 {
			add("approvals", finding{Grade: "note", Text: fmt.Sprintf("%d requests wait for a person", n), Remedy: "decide them at /approvals, or with decide_approval and decide_capability_request"})
		}
		return all
	}
}

// well is a finding that asks for nothing.
func well(text string) finding { return finding{Grade: "ok", Text: text} }

// storePart is the finding on the store of this process.
func (e *engine) storePart(s *Server) finding {
	if e.kept.store == nil {
		return finding{Grade: "note", Text: fmt.Sprintf("there is no store: %s", s.noStore()), Remedy: "build the program with cgo, unless it is meant so: packs that keep something are left out"}
	}
	if state := e.kept.store.State(); state.Err != nil {
		return storeFault(moment(state.Since), state.Advice)
	}
	return well("the store is well, on " + e.kept.store.Engine())
}

// auditPart is the finding on the audit of this process.
func (e *engine) auditPart() finding {
	if lost := e.kept.audit.Lost(); lost > 0 {
		return finding{Grade: "note", Text: fmt.Sprintf("%d rows of the audit are lost since the start", lost), Remedy: "look at the room and the permissions of its database: the event audit_failing in the log says why"}
	}
	return well(fmt.Sprintf("%d rows of the audit wait to be written", e.kept.audit.Waiting()))
}

// configurationPart is the finding on what was read last.
func (e *engine) configurationPart(program string) finding {
	if fault := e.settings.fault.Load(); fault != nil {
		return finding{Grade: "fault", Text: *fault, Remedy: "correct it and run " + program + " reload: what was read before goes on, and cannot be started again"}
	}
	return well("the configuration in force is the one that was read last")
}
