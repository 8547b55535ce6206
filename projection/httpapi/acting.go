package httpapi

import (
	"net/http"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// seatsPath is below which a caller is in the position of a seat, as the path says.
const seatsPath = "/seats/"

// actFor lets the caller act for whom the request names. Where the path puts the caller
// into a seat, that comes first.
func (s *Server) actFor(x *exchange, r *http.Request, path string) *capabilities.Error {
	if r.Header[keyActingFor] == nil || strings.HasPrefix(path, seatsPath) {
		return nil
	}
	return s.takeUp(x, r)
}

// takeUp lets the caller act for the person that the header Acting-For names by the id, if
// it is sent.
func (s *Server) takeUp(x *exchange, r *http.Request) *capabilities.Error {
	people := r.Header[keyActingFor]
	switch {
	case people == nil:
		return nil
	case len(people) > 1:
		return capabilities.Refuse(capabilities.Invalid, "the header Acting-For is there %d times: name one person", len(people))
	case s.o.ActFor == nil:
		return capabilities.Refuse(capabilities.Invalid, "nobody acts for anybody here: leave the header Acting-For out")
	}
	p, err := s.o.ActFor(x.principal, people[0])
	if err != nil {
		return x.refusal(r, "acting_failed", err)
	}
	x.principal = p
	return nil
}
