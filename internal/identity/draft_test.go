package identity_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/identity"
)

func TestDraftsThatNoTokenIsMadeFrom(t *testing.T) {
	w := sqlite(t)
	good := identity.Draft{Name: "x", Scopes: []string{"*:read"}, By: capabilities.OwnerPrincipal()}
	if err := w.tokens.Check(good); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change  func(*identity.Draft)
		pointer string
		says    string
	}{
		"a misspelt pack":            {func(d *identity.Draft) { d.Scopes = []string{"*:read", "trakcer:read"} }, "/scopes/1", `did you mean "tracker"?`},
		"a pack nobody has":          {func(d *identity.Draft) { d.Scopes = []string{"accounting:read"} }, "/scopes/0", "there are system, tracker, file system"},
		"a verb there is not":        {func(d *identity.Draft) { d.Scopes = []string{"tracker:delete"} }, "/scopes/0", "is no scope"},
		"a pattern in the middle":    {func(d *identity.Draft) { d.Scopes = []string{"tra*:read"} }, "/scopes/0", "is no pack"},
		"no verb":                    {func(d *identity.Draft) { d.Scopes = []string{"tracker"} }, "/scopes/0", "is no scope"},
		"an empty one":               {func(d *identity.Draft) { d.Scopes = []string{""} }, "/scopes/0", "is no scope"},
		"no name":                    {func(d *identity.Draft) { d.Scopes = []string{":read"} }, "/scopes/0", "is no pack"},
		"all of all":                 {func(d *identity.Draft) { d.Scopes = []string{"*:*"} }, "/scopes/0", "is written * alone"},
		"admin of a pack":            {func(d *identity.Draft) { d.Scopes = []string{"tracker:admin"} }, "/scopes/0", "is no scope"},
		"a time that is none":        {func(d *identity.Draft) { d.Expires = "soon" }, "/expires", "such as 12h or 30d"},
		"a time that is over":        {func(d *identity.Draft) { d.Expires = "-1d" }, "/expires", "such as 12h or 30d"},
		"no time at all":             {func(d *identity.Draft) { d.Expires = "0d" }, "/expires", "such as 12h or 30d"},
		"a time that nobody sees":    {func(d *identity.Draft) { d.Expires = "100000d" }, "/expires", "such as 12h or 30d"},
		"a time in another writing":  {func(d *identity.Draft) { d.Expires = "+7d" }, "/expires", "such as 12h or 30d"},
		"a seat nobody has":          {func(d *identity.Draft) { d.Seat = "desc" }, "/seat", `did you mean "desk"?`},
		"a person nobody knows":      {func(d *identity.Draft) { d.Person = "bob" }, "/person", "there are ana"},
		"a seat and a person":        {func(d *identity.Draft) { d.Seat, d.Person = "desk", "ana" }, "/person", "exclude each other"},
		"a name of two lines":        {func(d *identity.Draft) { d.Name = "a\nb" }, "/name", "one line"},
		"a name that runs backwards": {func(d *identity.Draft) { d.Name = "a\u202eb" }, "/name", "one line"},
		"a name of a space":          {func(d *identity.Draft) { d.Name = " " }, "/name", "one line"},
	} {
		d := good
		d.Scopes = slices.Clone(good.Scopes)
		c.change(&d)
		e, _ := capabilities.AsError(w.tokens.Check(d))
		if e == nil || e.Code != capabilities.Invalid || len(e.Violations) != 1 || e.Violations[0].Pointer != c.pointer || !strings.Contains(e.Violations[0].Message, c.says) {
			t.Errorf("%s: %v, want invalid at %s that says %q", name, e, c.pointer, c.says)
		}
	}
	if e, _ := capabilities.AsError(w.tokens.Check(identity.Draft{Name: "\x00", Scopes: []string{"x:read"}, Expires: "x", Seat: "x", By: good.By})); e == nil || len(e.Violations) != 4 {
		t.Errorf("four faults are answered %v", e)
	}
}

func TestNobodyGivesMoreThanTheyHave(t *testing.T) {
	w := sqlite(t)
	for name, c := range map[string]struct {
		has, within, gives []string
		want               capabilities.Code
	}{
		"what it has":                      {[]string{"tracker:write", "admin"}, nil, []string{"tracker:read", "admin"}, ""},
		"all of what it may read alone":    {[]string{"tracker:read", "admin"}, nil, []string{"tracker:*"}, capabilities.Forbidden},
		"everything, with admin alone":     {[]string{"admin"}, nil, []string{"*"}, capabilities.Forbidden},
		"every read, with one":             {[]string{"tracker:*", "admin"}, nil, []string{"*:read"}, capabilities.Forbidden},
		"admin, without it":                {[]string{"*"}, nil, []string{"admin"}, capabilities.Forbidden},
		"what its seat has not":            {[]string{"*", "admin"}, []string{"admin", "tracker:read"}, []string{"tracker:write"}, capabilities.Forbidden},
		"what it and its seat have":        {[]string{"*", "admin"}, []string{"admin", "tracker:read"}, []string{"tracker:read"}, ""},
		"one that it has and one it lacks": {[]string{"tracker:*"}, nil, []string{"tracker:read", "system:read"}, capabilities.Forbidden},
	} {
		by := &capabilities.Principal{ID: "x", Kind: capabilities.Operator, Scopes: c.has, Within: c.within}
		if got := code(w.tokens.Check(identity.Draft{Name: "x", Scopes: c.gives, By: by})); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A token that is made with another does not outlive that.
func TestTokensOfTokensExpireWithThem(t *testing.T) {
	w := sqlite(t)
	with := func(m made) *capabilities.Principal {
		p, err := w.tokens.Principal(t.Context(), m.Secret)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	short := with(w.given(identity.Draft{Name: "short", Scopes: []string{"*"}, Expires: "2h"}))
	long := with(w.given(identity.Draft{Name: "long", Scopes: []string{"*"}}))
	for name, c := range map[string]struct {
		by      *capabilities.Principal
		expires string
		want    time.Duration // 0 is never, less is refused
	}{
		"for ever, with one that expires": {short, "", 2 * time.Hour},
		"less":                            {short, "90m", 90 * time.Minute},
		"as long":                         {short, "2h", 2 * time.Hour},
		"longer":                          {short, "1d", -1},
		"for ever, with one that is":      {long, "", 0},
		"some time, with one that is":     {long, "1d", 24 * time.Hour},
		"for ever, without one":           {capabilities.OwnerPrincipal(), "", 0},
	} {
		m, err := w.create(identity.Draft{Name: "x", Scopes: []string{"*:read"}, Expires: c.expires, By: c.by})
		switch {
		case c.want < 0:
			if code(err) != capabilities.Invalid {
				t.Errorf("%s: %v, want invalid", name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want == 0 && !m.Token.ExpiresAt.IsZero(), c.want > 0 && !m.Token.ExpiresAt.Equal(w.now().Add(c.want)):
			t.Errorf("%s: it expires at %s", name, m.Token.ExpiresAt)
		}
	}
}

// A token is bound by what binds its maker.
func TestTokensAreBoundAsTheirMakersAre(t *testing.T) {
	w := sqlite(t)
	w.configure(&config.Config{
		Seats: []config.Seat{{ID: "desk"}, {ID: "door"}}, People: []config.Person{{ID: "ana"}, {ID: "bob"}},
		Principals: []config.PrincipalRules{{ID: "token:tok_ruled", Rules: config.Rules{ReadOnly: true}}},
	})
	all := []string{"*", "admin"}
	operator := &capabilities.Principal{ID: "tok_1", Kind: capabilities.Operator, Credential: "tok_1", Scopes: all}
	ruled := &capabilities.Principal{ID: "tok_ruled", Kind: capabilities.Operator, Credential: "tok_ruled", Scopes: all}
	desk := &capabilities.Principal{ID: "desk", Kind: capabilities.Seat, Seat: "desk", Credential: "tok_2", Scopes: all}
	seated := &capabilities.Principal{ID: "owner", Kind: capabilities.Owner, Seat: "desk", Scopes: all}
	ana := &capabilities.Principal{ID: "ana", Kind: capabilities.Person, Credential: "tok_3", Scopes: all}
	for name, c := range map[string]struct {
		by           *capabilities.Principal
		seat, person string
		want         capabilities.Code
	}{
		"the owner for a seat":          {capabilities.OwnerPrincipal(), "desk", "", ""},
		"the owner for a person":        {capabilities.OwnerPrincipal(), "", "bob", ""},
		"a token for nobody":            {operator, "", "", ""},
		"a token for a seat":            {operator, "desk", "", capabilities.Forbidden},
		"a token for a person":          {operator, "", "ana", capabilities.Forbidden},
		"a token with rules of its own": {ruled, "", "", capabilities.Forbidden},
		"a seat for itself":             {desk, "desk", "", ""},
		"a seat for nobody":             {desk, "", "", capabilities.Forbidden},
		"a seat for another":            {desk, "door", "", capabilities.Forbidden},
		"a seat for a person":           {desk, "", "ana", capabilities.Forbidden},
		"the owner in a seat":           {seated, "", "", capabilities.Forbidden},
		"a person for themselves":       {ana, "", "ana", ""},
		"a person for nobody":           {ana, "", "", capabilities.Forbidden},
		"a person for another":          {ana, "", "bob", capabilities.Forbidden},
		"a person for a seat":           {ana, "desk", "", capabilities.Forbidden},
	} {
		if got := code(w.tokens.Check(identity.Draft{Name: "x", Scopes: []string{"*:read"}, Seat: c.seat, Person: c.person, By: c.by})); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
