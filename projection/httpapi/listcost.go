package httpapi

import (
	"log/slog"
	"net/http"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// ListCost is what one list of tools costs a client, as the catalogue page shows it.
type ListCost struct {
	Whose string // whose list it is, such as "seat desk"
	// Path is where a client is given the list, below [Options.BasePath]; "" says nothing of it.
	Path string
	capabilities.ListFacts
	// Finds says that the list has the tools that find and call the others in their place.
	Finds bool
}

// ListCosts is what the lists cost that a principal may know of.
type ListCosts struct {
	Lists []ListCost
	More  int // how many are left out
}

// listsData is what the template of the catalogue page is given of lists.
type listsData struct {
	ListCosts
	Rule string // how tokens are estimated
}

// lists answers what the lists cost that the caller may know of; nil where nobody says so.
func (s *Server) lists(x *exchange, r *http.Request) *listsData {
	if s.o.Lists == nil {
		return nil
	}
	costs, err := s.o.Lists(r.Context(), x.principal)
	if err != nil { // the page stands without those that are not known
		s.o.Log.LogAttrs(r.Context(), slog.LevelError, "lists_not_counted", slog.String("request_id", x.id[0]), slog.String("error", err.Error()))
	}
	if len(costs.Lists) == 0 {
		return nil
	}
	d := &listsData{ListCosts{More: costs.More}, wire.TokenRule}
	for _, one := range costs.Lists {
		one.Whose = shown(one.Whose)
		if one.Path != "" {
			one.Path = s.o.BasePath + one.Path
		}
		d.Lists = append(d.Lists, one)
	}
	return d
}
