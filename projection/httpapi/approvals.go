package httpapi

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/grant"
)

// approvalsPath is the page of what waits for a person.
const approvalsPath = "/approvals"

// ApprovalPath answers the path, below BasePath, of the page on which a person decides on a
// request: for an approval, or to be let call a tool.
func ApprovalPath(id string) string { return approvalsPath + "/" + url.PathEscape(id) }

// approvalRoutes serves the pages on which a person decides, where there is something that
// keeps what is to be decided.
func (s *Server) approvalRoutes() {
	if _, kept := s.o.Builtins.Find(system.ListApprovals.Name()); !kept {
		return
	}
	s.read(approvalsPath, s.inBrowser(s.approvals))
	s.read(approvalsPath+"/{id}", s.inBrowser(s.approval))
	s.handle(http.MethodPost, approvalsPath+"/{id}", s.inBrowser(s.decide))
	s.served = append(s.served, "POST "+approvalsPath+"/{id}")
}

// deciding reports whether a path is of one of these pages.
func deciding(path string) bool {
	return path == approvalsPath || strings.HasPrefix(path, approvalsPath+"/")
}

// inBrowser serves a page on which something is decided to a browser alone: one that is
// signed in, or that whoever stands before us knows. What sends a token of its own is a
// program, which has the capabilities.
func (s *Server) inBrowser(e endpoint) endpoint {
	return func(x *exchange, r *http.Request) {
		if r.Header[keyAuthorization] != nil {
			x.refuse(r, capabilities.Refuse(capabilities.Forbidden, "this page is for a person's browser, which is signed in and sends no token: a program calls %s and %s",
				system.ListApprovals.Name(), system.DecideApproval.Name()))
			return
		}
		e(x, r)
	}
}

// ask sends the call of a page through the door, as whoever looks at it.
func ask[In, Out any](x *exchange, r *http.Request, h *capabilities.Handle[In, Out], in In) (out Out, e *capabilities.Error) {
	args, err := capabilities.Encode(in)
	if err != nil {
		return out, x.refusal(r, "page_failed", err)
	}
	res, err := x.s.o.Door.Invoke(r.Context(), capabilities.Call{
		Name: h.Name(), Arguments: args, Principal: x.principal, Surface: capabilities.Console, RequestID: x.id[0],
	})
	if err == nil {
		err = json.Unmarshal(res.Structured, &out)
	}
	if err != nil {
		return out, x.refusal(r, "page_failed", err)
	}
	return out, nil
}

// barData is what the head of a page of the console shows.
type barData struct {
	Title, Version string
	Base, Style    string
	Who            string
	Session        bool
	Approvals      bool // whether the caller may look at them
	Waiting        int  // how many wait
}

func (s *Server) bar(x *exchange, r *http.Request) barData {
	d := barData{
		Title: s.o.Title, Version: s.o.Version, Base: s.o.BasePath, Style: s.o.BasePath + stylePath, Who: who(x.principal), Session: x.session,
	}
	if _, kept := s.o.Builtins.Find(system.ListApprovals.Name()); !kept || r.Header[keyAuthorization] != nil {
		return d
	}
	_, rule, known := s.o.Viewer.Find(x.principal, system.ListApprovals.Name())
	if d.Approvals = known && rule == nil; d.Approvals && s.o.Waiting != nil {
		var err error
		if d.Waiting, err = s.o.Waiting(r.Context()); err != nil { // the page stands without the number
			s.o.Log.LogAttrs(r.Context(), slog.LevelError, "waiting_not_counted", slog.String("request_id", x.id[0]), slog.String("error", err.Error()))
		}
	}
	return d
}

const (
	// mostWaiting and mostDecided are how many of a kind the page of approvals shows.
	mostWaiting = 100
	mostDecided = 20
)

// approvalsData is what the template of the page of approvals is given.
type approvalsData struct {
	barData
	Problems         []string
	Pending, Decided []askedRow
	More             bool // there are more than are shown
}

// askedRow is one request, made safe to show.
type askedRow struct {
	Path, ID   string
	Call       bool // of a call, else of a tool
	Capability string
	From, Says string
	Asserts    string
	State      stateData
	At         stamped
	Until      stamped

	order string // by when it was asked, or decided
}

// approvals answers the page of what waits for a decision, and what was decided last.
func (s *Server) approvals(x *exchange, r *http.Request) {
	d := approvalsData{barData: s.bar(x, r)}
	var refused *capabilities.Error
	note := func(e *capabilities.Error) {
		refused = cmp.Or(refused, e)
		if text := shown(e.Message); !slices.Contains(d.Problems, text) {
			d.Problems = append(d.Problems, text)
		}
	}
	d.calls(x, r, note)
	d.tools(x, r, note)
	newest := func(a, b askedRow) int { return cmp.Or(-cmp.Compare(a.order, b.order), -cmp.Compare(a.ID, b.ID)) }
	slices.SortFunc(d.Pending, newest)
	slices.SortFunc(d.Decided, newest)
	d.Decided = d.Decided[:min(len(d.Decided), mostDecided)]
	status := http.StatusOK
	if refused != nil && len(d.Pending)+len(d.Decided) == 0 {
		status = refused.Info().Status
	}
	s.page(x, r, status, "approvals.html", d)
}

// calls adds the calls that wait, and those that were decided.
func (d *approvalsData) calls(x *exchange, r *http.Request, note func(*capabilities.Error)) {
	for _, state := range approval.States() {
		in := system.ListApprovalsInput{State: state, NewestFirst: true}
		if in.Limit = mostDecided; state == approval.Pending {
			in.Limit = mostWaiting
		}
		list, e := ask(x, r, system.ListApprovals, in)
		if e != nil {
			note(e)
			return
		}
		for i := range list.Items {
			row := rowOfCall(&list.Items[i])
			row.Path = x.s.o.BasePath + ApprovalPath(row.ID)
			d.add(row, state == approval.Pending)
		}
		d.More = d.More || state == approval.Pending && list.NextCursor != ""
	}
}

// tools adds the tools that were asked for.
func (d *approvalsData) tools(x *exchange, r *http.Request, note func(*capabilities.Error)) {
	for _, status := range []grant.Status{grant.Pending, grant.Granted, grant.Denied} {
		in := system.ListCapabilityRequestsInput{Status: status, NewestFirst: true}
		if in.Limit = mostDecided; status == grant.Pending {
			in.Limit = mostWaiting
		}
		list, e := ask(x, r, system.ListCapabilityRequests, in)
		if e != nil {
			note(e)
			return
		}
		for i := range list.Items {
			row := rowOfTool(x, &list.Items[i])
			row.Path = x.s.o.BasePath + ApprovalPath(row.ID)
			d.add(row, status == grant.Pending)
		}
		d.More = d.More || status == grant.Pending && list.NextCursor != ""
	}
}

func (d *approvalsData) add(row askedRow, waits bool) {
	if waits {
		d.Pending = append(d.Pending, row)
	} else {
		d.Decided = append(d.Decided, row)
	}
}

func rowOfCall(a *system.Approval) askedRow {
	return askedRow{
		ID: a.ID, Call: true, Capability: shown(a.Capability), From: fromWhom(a.Principal, a.Seat, a.ActingFor), Asserts: string(a.Asserts),
		State: stateOfCall(a), At: stampedAt(cmp.Or(a.DecidedAt, a.RequestedAt)), Until: stampedAt(a.ExpiresAt), order: cmp.Or(a.DecidedAt, a.RequestedAt),
	}
}

func rowOfTool(x *exchange, q *system.CapabilityRequestRow) askedRow {
	row := askedRow{
		ID: q.ID, Capability: shown(q.Capability), From: fromWhom(q.Principal, "", ""), Says: shown(q.Why),
		State: stateOfTool(q), At: stampedAt(cmp.Or(q.DecidedAt, q.AskedAt)), order: cmp.Or(q.DecidedAt, q.AskedAt),
	}
	if c, _, known := x.s.o.Viewer.Find(x.principal, q.Capability); known {
		row.Asserts = c.Hints().Word()
	}
	return row
}
