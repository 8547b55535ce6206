package httpapi

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/grant"
)

const (
	// toolRequest begins the ids of requests to be let call a tool.
	toolRequest = "req_"
	// maxDecision bounds the form of a decision: its reason may be a thousand characters,
	// each of which takes up to twelve bytes in a form.
	maxDecision = 16 << 10
	// markHolds is how long a page of a decision may stand open.
	markHolds = time.Hour
)

// asked is one request, made ready to be shown and decided on.
type asked struct {
	id     string
	call   bool
	open   bool   // it can be decided
	shown  string // what a decision is about: it changes when somebody else decides
	own    bool   // of whoever looks at it
	decide string // the name of the capability that decides
	page   approvalData
}

// approvalData is what the template of a page of a decision is given.
type approvalData struct {
	barData
	Found      bool
	ID         string
	Call       bool
	Heading    string
	State      stateData
	Facts      []factData
	Effect     string
	Asserts    string
	AssertsSay string
	Hints      []hintWords
	Why        string
	Arguments  string

	Problem       string
	Decides       bool // the form is there
	Cannot        string
	Action, Mark  string
	Reason        string
	MostReason    int
	Hours         string
	MostHours     int
	Allow, Refuse choiceData
}

// factData is a line of what is known of a request.
type factData struct {
	Name, Text string
	Code       bool
	Time       stamped
}

// choiceData is a button.
type choiceData struct{ Value, Label string }

// approval answers the page of one request.
func (s *Server) approval(x *exchange, r *http.Request) {
	a, e := s.lookAt(x, r)
	if e != nil {
		s.approvalPage(x, r, a, e)
		return
	}
	s.approvalPage(x, r, a, nil)
}

// decide answers the form of such a page: the person has decided.
func (s *Server) decide(x *exchange, r *http.Request) {
	if f := readForm(x, r, "send decision=...", maxDecision); f != nil {
		x.problem(r, f.Error, f.status)
		return
	}
	a, e := s.lookAt(x, r)
	if e != nil {
		s.approvalPage(x, r, a, e)
		return
	}
	a.page.Reason, a.page.Hours = r.PostForm.Get("reason"), cmp.Or(r.PostForm.Get("hours"), a.page.Hours)
	if !s.marked(x, r, a, r.PostForm.Get("mark")) {
		s.approvalPage(x, r, a, capabilities.Refuse(capabilities.Forbidden, "the page was open for too long, was not yours, or somebody decided meanwhile: look at it again, and decide"))
		return
	}
	if e := a.decideAs(x, r); e != nil {
		s.approvalPage(x, r, a, e)
		return
	}
	s.leave(x, ApprovalPath(a.id))
}

// decideAs sends the decision of a form, as a call like any other one.
func (a *asked) decideAs(x *exchange, r *http.Request) *capabilities.Error {
	decision, reason := r.PostForm.Get("decision"), strings.TrimSpace(r.PostForm.Get("reason"))
	if a.call {
		_, e := ask(x, r, system.DecideApproval, system.DecideApprovalInput{ID: a.id, Decision: approval.Verdict(decision), Reason: reason})
		return e
	}
	in := system.DecideCapabilityRequestInput{ID: a.id, Decision: system.GrantDecision(decision), Reason: reason}
	if hours := r.PostForm.Get("hours"); hours != "" && in.Decision == system.GrantRequest {
		n, err := strconv.Atoi(hours)
		if err != nil {
			return capabilities.Violates(capabilities.Violation{Pointer: "/hours", Keyword: "type", Message: "is no number of hours"})
		}
		in.Hours = n
	}
	_, e := ask(x, r, system.DecideCapabilityRequest, in)
	return e
}

// lookAt answers the request that the path names, as whoever looks at it is shown it.
func (s *Server) lookAt(x *exchange, r *http.Request) (*asked, *capabilities.Error) {
	id := x.param(r, "id")
	if strings.HasPrefix(id, toolRequest) {
		q, e := ask(x, r, system.GetCapabilityRequest, system.GetCapabilityRequestInput{ID: id})
		if e != nil {
			return &asked{id: id}, e
		}
		return askedTool(x, &q), nil
	}
	c, e := ask(x, r, system.GetApproval, system.GetApprovalInput{ID: id})
	if e != nil {
		return &asked{id: id}, e
	}
	return askedCall(x, &c), nil
}

// askedCall shows a call that waits for a person.
func askedCall(x *exchange, c *system.Approval) *asked {
	a := &asked{
		id: c.ID, call: true, decide: system.DecideApproval.Name(), shown: string(c.State) + " " + c.DecidedAt,
		open: c.State == approval.Pending || c.State == approval.Approved || c.State == approval.Denied && x.s.before(c.ExpiresAt),
		own:  c.Principal == x.principal.Key(),
	}
	d := &a.page
	d.Call, d.Heading, d.State, d.Arguments = true, shown(c.Capability), stateOfCall(c), argumentsShown(c.Arguments)
	d.Effect, d.Asserts, d.AssertsSay, d.Hints = shown(c.Effect), string(c.Asserts), asserted(string(c.Asserts)), inWords(c.Hints)
	d.Allow, d.Refuse = choiceData{string(approval.Approve), "Approve this call, once"}, choiceData{string(approval.Deny), "Refuse"}
	d.Reason, d.MostReason = c.Reason, 500
	d.fact("Tool", c.Title)
	d.fact("Of", c.Source)
	d.fact("Asked by", fromWhom(c.Principal, c.Seat, ""))
	d.fact("For", c.ActingFor)
	d.code("With the token", c.Credential)
	d.fact("Over", strings.ReplaceAll(c.Surface, "_", " "))
	d.when("Asked at", c.RequestedAt)
	d.when("Good until", c.ExpiresAt)
	d.code("Operation key", c.OpID)
	d.code("By the rule", c.Rule)
	d.decided(c.DecidedBy, c.DecidedAt, c.Reason)
	d.when("Sent at", c.UsedAt)
	return a
}

// askedTool shows a tool that somebody asks to be let call.
func askedTool(x *exchange, q *system.CapabilityRequestRow) *asked {
	a := &asked{
		id: q.ID, decide: system.DecideCapabilityRequest.Name(), shown: string(q.Status) + " " + q.DecidedAt,
		open: q.Status == grant.Pending, own: q.Principal == x.principal.Key(),
	}
	d := &a.page
	d.Heading, d.State, d.Why = shown(q.Capability), stateOfTool(q), shown(q.Why)
	d.Allow, d.Refuse = choiceData{string(system.GrantRequest), "Grant it"}, choiceData{string(system.DenyRequest), "Refuse"}
	d.Reason, d.MostReason = q.Reason, 1000
	if c, _, known := x.s.o.Viewer.Find(x.principal, q.Capability); known {
		word := c.Hints().Word()
		d.Asserts, d.AssertsSay, d.Hints = word, asserted(word), inWords(hintsOf(c.Hints()))
		if e, builtin := c.Effect(); builtin {
			d.Effect = e.String()
		}
		d.fact("Tool", c.Title())
		d.fact("Of", c.Source())
		// The decision is about this, and not about what the server says of its tool later.
		a.shown += fmt.Sprint(" ", c.Title(), " ", d.Effect, " ", c.Hints())
	}
	d.fact("Asked by", fromWhom(q.Principal, "", ""))
	d.code("With the token", q.Credential)
	d.when("Asked at", q.AskedAt)
	if q.Hours > 0 {
		d.Hours, d.MostHours = strconv.Itoa(q.Hours), q.Hours
		d.fact("For how long", strconv.Itoa(q.Hours)+" hours")
	}
	d.fact("Until the end of", q.WorkItem)
	d.decided(q.DecidedBy, q.DecidedAt, q.Reason)
	d.code("Its grant", q.Grant)
	return a
}

func (d *approvalData) fact(name, text string) {
	if text != "" {
		d.Facts = append(d.Facts, factData{Name: name, Text: shown(text)})
	}
}

func (d *approvalData) code(name, text string) {
	if text != "" {
		d.Facts = append(d.Facts, factData{Name: name, Text: shown(text), Code: true})
	}
}

func (d *approvalData) when(name, text string) {
	if text != "" {
		d.Facts = append(d.Facts, factData{Name: name, Time: stampedAt(text)})
	}
}

func (d *approvalData) decided(by, at, reason string) {
	d.fact("Decided by", strings.Replace(by, ":", " ", 1))
	d.when("Decided at", at)
	d.fact("Because", reason)
}

// before reports whether a time of RFC 3339 is still to come.
func (s *Server) before(text string) bool {
	t, err := time.Parse(time.RFC3339, text)
	return err == nil && s.o.Now().Before(t)
}

// approvalPage shows a request, or that there is none, with what went wrong.
func (s *Server) approvalPage(x *exchange, r *http.Request, a *asked, e *capabilities.Error) {
	d := a.page
	d.barData, d.ID, d.Found = s.bar(x, r), shown(a.id), a.decide != ""
	status := http.StatusOK
	if e != nil {
		status, d.Problem = e.Info().Status, shown(e.Message)
	}
	if d.Found && a.open {
		_, rule, known := s.o.Viewer.Find(x.principal, a.decide)
		switch {
		case a.own:
			d.Cannot = "It is your own, and nobody decides on their own: somebody else does, with an account of theirs."
		case known && rule != nil:
			d.Cannot = shown(rule.Message)
		case known:
			d.Action, d.Mark = s.o.BasePath+ApprovalPath(a.id), s.mark(x, r, a, s.o.Now())
			d.Decides = d.Mark != ""
		}
	}
	s.page(x, r, status, "approval.html", d)
}

// mark binds a page of a decision to the browser, to what it showed and to the time: what
// counts is a decision that comes from the page that the person was shown. "" is of nobody.
func (s *Server) mark(x *exchange, r *http.Request, a *asked, at time.Time) string {
	// The session is a secret that only its browser sends. A browser that whoever stands before
	// us knows has none of ours.
	key := s.o.Seal
	if session, ok := s.browser(x, r); ok && x.session {
		key = session
	}
	if key == "" {
		return ""
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(key))
	// A hash takes everything.
	_, _ = mac.Write([]byte(strings.Join([]string{"decision", stamp, x.principal.Key(), a.id, a.shown}, "\x00")))
	return stamp + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// marked reports whether a mark is one of such a page.
func (s *Server) marked(x *exchange, r *http.Request, a *asked, mark string) bool {
	stamp, _, _ := strings.Cut(mark, ".")
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return false
	}
	age := s.o.Now().Sub(time.Unix(at, 0))
	return mark != "" && age > -time.Minute && age < markHolds && hmac.Equal([]byte(mark), []byte(s.mark(x, r, a, time.Unix(at, 0))))
}
