package httpapi

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

// pageRows is how many tools one page of the catalogue shows.
const pageRows = 100

// catalogueData is what the template of the catalogue page is given.
type catalogueData struct {
	barData
	Total, Hidden    int
	Endpoint, API    string
	Servers          []serverData
	Costs            *listsData
	Filter           filter
	Filtered         bool
	Sources, Changes []option
	Reaches, Asserts []option
	Shown            string
	Rows             []rowData
	Previous, Next   string
}

type serverData struct {
	ServerState
	Path, Icon, Class string
	Begin             []beginData
}

// beginData is a link that begins a sign-in.
type beginData struct{ Path, Seat string }

type option struct {
	Value, Label string
	Chosen       bool
}

// filter is what the query of the page asks for; empty fields admit everything.
type filter struct {
	Text, Source, Change, Reach, Asserts string
	Page                                 int
}

// catalogue answers the page of everything the caller may call.
func (s *Server) catalogue(x *exchange, r *http.Request) {
	v := s.o.Viewer.View(x.principal)
	f := filterOf(r.URL.Query())
	matched, sources := f.apply(v)
	f.Page = min(f.Page, max(0, len(matched)-1)/pageRows)
	from := f.Page * pageRows
	to := min(from+pageRows, len(matched))
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	d := catalogueData{
		barData: s.bar(x, r),
		Total:   len(v.Listed), Hidden: len(v.Hidden),
		Endpoint: scheme + r.Host + s.o.BasePath + mcpPath, API: scheme + r.Host + s.o.BasePath + apiPath,
		Servers: s.serverRows(x.principal), Costs: s.lists(x, r), Filter: f, Filtered: f.set(),
		Sources: options("any source", sources, f.Source),
		Changes: options("any change", catalogue.Change("").SchemaEnum(), f.Change),
		Reaches: options("any reach", catalogue.Reach("").SchemaEnum(), f.Reach),
		Asserts: options("anything", catalogue.Word("").SchemaEnum(), f.Asserts),
		Shown:   fmt.Sprintf("Showing %d to %d of %d.", min(from+1, to), to, len(matched)),
	}
	for _, c := range matched[from:to] {
		d.Rows = append(d.Rows, s.rowOf(v, c))
	}
	if from > 0 {
		d.Previous = s.o.BasePath + f.link(f.Page-1)
	}
	if to < len(matched) {
		d.Next = s.o.BasePath + f.link(f.Page+1)
	}
	s.page(x, r, http.StatusOK, "catalogue.html", d)
}

func who(p *capabilities.Principal) string {
	if p.ID == string(p.Kind) {
		return p.ID
	}
	return string(p.Kind) + " " + shown(p.ID)
}

// serverRows answers the states of the bridged servers to whom runs the server.
func (s *Server) serverRows(p *capabilities.Principal) []serverData {
	if s.o.Servers == nil || !p.Has(capabilities.ScopeAdmin) {
		return nil
	}
	var rows []serverData
	for _, one := range s.o.Servers() {
		row := serverData{ServerState: one, Path: url.PathEscape(one.Name), Icon: "\u25CB", Class: "wait"}
		switch one.State {
		case "running":
			row.Icon, row.Class = "\u25CF", "good"
		case "failing":
			row.Icon, row.Class = "\u2715", "bad"
		}
		row.Name, row.State, row.Reason = shown(one.Name), shown(strings.ReplaceAll(one.State, "_", " ")), shown(one.Reason)
		for _, seat := range one.SignIns {
			if s.o.SignIns != nil {
				row.Begin = append(row.Begin, beginData{s.o.BasePath + SignInPath(one.Name, seat), shown(seat)})
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func filterOf(q url.Values) filter {
	f := filter{
		Text: strings.TrimSpace(q.Get("q")), Source: q.Get("source"), Change: q.Get("change"),
		Reach: q.Get("reach"), Asserts: q.Get("asserts"),
	}
	if n, err := strconv.Atoi(q.Get("page")); err == nil && n > 0 && n < 1_000_000 {
		f.Page = n
	}
	return f
}

func (f filter) set() bool {
	f.Page = 0
	return f != filter{}
}

// link answers the address of another page under the same filter, below BasePath.
func (f filter) link(page int) string {
	q := url.Values{}
	for _, kv := range [][2]string{{"q", f.Text}, {"source", f.Source}, {"change", f.Change}, {"reach", f.Reach}, {"asserts", f.Asserts}} {
		if kv[1] != "" {
			q.Set(kv[0], kv[1])
		}
	}
	q.Set("page", strconv.Itoa(page))
	return "/?" + q.Encode()
}

// apply answers what passes the filter, in the order of the view, and every
// source there is.
func (f filter) apply(v *capabilities.View) (matched []*capabilities.Capability, sources []string) {
	text := strings.ToLower(f.Text)
	for _, c := range v.Listed {
		if !slices.Contains(sources, c.Source()) {
			sources = append(sources, c.Source())
		}
		e, declared := c.Effect()
		switch {
		case f.Source != "" && c.Source() != f.Source,
			f.Change != "" && (!declared || e.Change().String() != f.Change),
			f.Reach != "" && (!declared || e.Reach().String() != f.Reach),
			f.Asserts != "" && c.Hints().Word() != f.Asserts,
			text != "" && !strings.Contains(strings.ToLower(c.Name()+"\n"+c.Title()+"\n"+c.Summary()), text):
			continue
		}
		matched = append(matched, c)
	}
	slices.Sort(sources)
	return matched, sources
}

func options(all string, values []string, chosen string) []option {
	list := []option{{Label: all, Chosen: chosen == ""}}
	for _, v := range values {
		list = append(list, option{Value: v, Label: shown(v), Chosen: v == chosen})
	}
	return list
}

// rowData is one row of the table, made safe to show.
type rowData struct {
	catalogue.Row
	Heading   string // the title, where it says more than the name
	Reference string // address of the page of a builtin
	More      string // the whole summary, where Summary is its beginning
	Effect    string
	Undo      string
	Hints     []hintData
}

type hintData struct {
	catalogue.Hint
	Icon string
}

// maxSummary is how many bytes of a summary are shown at once.
const maxSummary = 220

func (s *Server) rowOf(v *capabilities.View, c *capabilities.Capability) rowData {
	d := rowData{Row: catalogue.RowIn(v, c), Heading: shown(c.Title()), Effect: "asserts " + c.Hints().Word()}
	d.Source, d.Scope, d.Summary = shown(d.Source), shown(d.Scope), shown(d.Summary)
	d.Delivers = shown(d.Delivers)
	for i, r := range d.Repaired {
		d.Repaired[i] = shown(r)
	}
	if len(d.Summary) > maxSummary {
		d.More = d.Summary
		d.Summary = strings.ToValidUTF8(d.Summary[:maxSummary], "") + "\u2026"
	}
	if !c.Bridged() {
		d.Reference = s.o.BasePath + "/docs/capabilities/" + cmp.Or(c.AliasOf(), c.Name())
	}
	if e := d.Row.Effect; e != nil {
		d.Effect, d.Undo = string(e.Change)+" \u00B7 "+string(e.Reach), e.Undo
	}
	for _, h := range []catalogue.Hint{d.Row.Hints.ReadOnly, d.Row.Hints.Destructive, d.Row.Hints.Idempotent, d.Row.Hints.OpenWorld} {
		h.Sent = shown(clip(h.Sent))
		d.Hints = append(d.Hints, hintData{h, iconOf(h.Value)})
	}
	return d
}

// iconOf answers the sign beside a hint's word; the word is what counts.
func iconOf(v catalogue.Value) string {
	switch string(v) {
	case capabilities.Yes.String():
		return "\u2713"
	case capabilities.No.String():
		return "\u2715"
	default:
		return "?"
	}
}
