package identity

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/schema"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// Draft is a token that is to be made. Its texts are those of the arguments of
// create_token, by whose names faults are told.
type Draft struct {
	Name   string
	Scopes []string
	// Expires is after how long it is good for nothing: a number with m, h or d behind it,
	// for minutes, hours or days of 24 hours. Empty is never.
	Expires string
	// Seat or Person is whom it is bound to; both empty is neither.
	Seat, Person string
	// By is who makes it, and has what it is given.
	By *capabilities.Principal
}

// Check answers the refusal of a draft that no token is made from, or nil:
// [capabilities.Invalid] with every fault, or [capabilities.Forbidden] where it would be
// given more than its maker has.
func (k *Tokens) Check(d Draft) error {
	var faults []capabilities.Violation
	fault := func(pointer, keyword, format string, args ...any) {
		faults = append(faults, capabilities.Violation{Pointer: pointer, Keyword: keyword, Message: fmt.Sprintf(format, args...)})
	}
	if _, err := lifetime(d.Expires); err != nil {
		fault("/expires", "pattern", "%v", err)
	}
	if at := strings.IndexFunc(d.Name, func(r rune) bool { return !unicode.IsPrint(r) }); at >= 0 || strings.TrimSpace(d.Name) != d.Name {
		fault("/name", "pattern", "is one line of text that is seen, without a space at its ends: send it so")
	}
	c := k.o.Config()
	if d.Person != "" && d.Seat != "" {
		fault("/person", "not", "and seat exclude each other: bind the token to one of them, or to neither")
	}
	if d.Person != "" && !isPerson(c, d.Person) {
		fault("/person", "reference", "names nobody of the configuration%s", choice(d.Person, ids(c.People, func(p config.Person) string { return p.ID })))
	}
	known := k.o.Names()
	for i, scope := range d.Scopes {
		if why := scopeFault(scope, known); why != "" {
			fault("/scopes/"+strconv.Itoa(i), "reference", "%s", why)
		}
	}
	if d.Seat != "" && seatOf(c, d.Seat) == nil {
		fault("/seat", "reference", "names no seat of the configuration%s", choice(d.Seat, ids(c.Seats, func(s config.Seat) string { return s.ID })))
	}
	if len(faults) > 0 {
		return capabilities.Violates(faults...)
	}
	if err := d.bounded(c); err != nil {
		return err
	}
	for _, scope := range d.Scopes {
		if !d.By.Has(scope) {
			return capabilities.Refuse(capabilities.Forbidden, "nobody gives a token more than they have, and you do not have the scope %q: leave it out, or ask the owner of this server to make the token", scope)
		}
	}
	return nil
}

// accessPrefix is what the credential ids of access tokens of an authorization server
// begin with. Those tokens expire soon, at a time that is not known here.
const accessPrefix = "oauth_"

// bounded refuses a token that would not be bound by what binds its maker: the seat or the
// person that it acts as, and the rules of its own credential.
func (d Draft) bounded(c *config.Config) error {
	switch by := d.By; {
	case by.Seat != "" && d.Seat != by.Seat:
		return capabilities.Refuse(capabilities.Forbidden, "from the seat %q only tokens of that seat are made: send seat %[1]q, or ask the owner of this server to make the token", by.Seat)
	case by.Kind == capabilities.Person && d.Person != by.ID:
		return capabilities.Refuse(capabilities.Forbidden, "%q makes only tokens of their own: send person %[1]q, or ask the owner of this server to make the token", by.ID)
	case by.Kind == capabilities.Operator && (d.Person != "" || d.Seat != ""): // who has grants and approvals that it has not
		return capabilities.Refuse(capabilities.Forbidden, "a token that is nobody's makes none that acts as %q: leave seat and person out, or ask the owner of this server to make the token", cmp.Or(d.Person, d.Seat))
	case strings.HasPrefix(by.Credential, accessPrefix):
		return capabilities.Refuse(capabilities.Forbidden, "with an access token of an authorization server no token is made, which would outlive it: use an API token, or ask the owner of this server to make the token")
	case by.Credential != "" && slices.ContainsFunc(c.Principals, func(p config.PrincipalRules) bool { return p.ID == "token:"+by.Credential }):
		return capabilities.Refuse(capabilities.Forbidden, "this token has rules of its own, which one that it makes would not have: ask the owner of this server to make the token")
	}
	return nil
}

// ends answers when the token expires: the zero time is never. One that is made with
// another token does not outlive that.
func (d Draft) ends(r *store.Reader, now time.Time) (time.Time, error) {
	life, err := lifetime(d.Expires)
	if err != nil {
		return time.Time{}, err
	}
	var ends time.Time
	if life > 0 {
		ends = now.Add(life)
	}
	if d.By == nil || d.By.Credential == "" {
		return ends, nil
	}
	with, err := one(r, selectByID, d.By.Credential)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && with.ExpiresAt.IsZero():
		return ends, nil // none of ours, or one that does not expire
	case err != nil:
		return ends, err
	case ends.IsZero():
		return with.ExpiresAt, nil
	case ends.After(with.ExpiresAt):
		return ends, capabilities.Violates(capabilities.Violation{Pointer: "/expires", Keyword: "maximum", Message: fmt.Sprintf(
			"is after %s, when the token expires that you make it with: send less, or leave it out for that time", stamp(with.ExpiresAt))})
	}
	return ends, nil
}

// unit answers the time that the letter of a lifetime stands for; 0 is none.
func unit(c byte) time.Duration {
	switch c {
	case 'm':
		return time.Minute
	case 'h':
		return time.Hour
	case 'd':
		return 24 * time.Hour
	}
	return 0
}

// lifetime reads how long a token is good for; 0 is for ever.
func lifetime(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text[:len(text)-1])
	u := unit(text[len(text)-1])
	if err != nil || u == 0 || n < 1 || n > 99999 || strconv.Itoa(n) != text[:len(text)-1] {
		return 0, errors.New("is no time that passes: send a number from 1 to 99999 with m, h or d behind it, such as 12h or 30d")
	}
	return time.Duration(n) * u, nil
}

// scopeFault says what is wrong with a scope; "" is nothing.
func scopeFault(scope string, known []string) string {
	if scope == "*" || scope == capabilities.ScopeAdmin {
		return ""
	}
	const form = "a scope is the name of a pack or a server with :read, :write or :* behind it, *:read, *:write, * for all of it, or admin"
	i := strings.LastIndexByte(scope, ':')
	if i < 0 {
		return "is no scope: " + form
	}
	name, verb := scope[:i], scope[i+1:]
	switch {
	case verb != "read" && verb != "write" && verb != "*":
		return "is no scope: " + form
	case name == "*" && verb == "*":
		return "is written * alone, for all but admin"
	case name == "*":
		return ""
	}
	if slices.Contains(known, name) {
		return ""
	}
	return fmt.Sprintf("names %.64q, which is no pack and no server here%s", name, choice(name, known))
}

// choice ends the sentence about a name that is not known: with the nearest, or with
// what there is.
func choice(name string, known []string) string {
	if near, ok := schema.Nearest(name, known); ok {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	const most = 20
	switch {
	case len(known) == 0:
		return ", which has none"
	case len(known) > most:
		return fmt.Sprintf(": there are %s and %d more", strings.Join(known[:most], ", "), len(known)-most)
	}
	return ": there are " + strings.Join(known, ", ")
}

func ids[T any](all []T, id func(T) string) []string {
	var out []string
	for _, one := range all {
		out = append(out, id(one))
	}
	return out
}
