package holotype

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// mostLists is how many lists of others the catalogue page counts: a server may have given
// out thousands of tokens.
const mostLists = 50

// listCosts answers what the lists of tools cost that a principal may know of: its own at
// every address, and of whoever runs the server those of each seat, person and good token.
// Beside an error of the store stand those that need none.
func (e *engine) listCosts(ctx context.Context, p *capabilities.Principal) (httpapi.ListCosts, error) {
	c := costing{e: e, limit: 3 + mostLists}
	c.add("yours", "/operator/mcp", p)
	c.add("yours, of what only reads", "/operator/mcp/readonly", p.Narrowed(capabilities.Narrowing{ReadOnly: true}))
	c.add("yours, to find the others with", "/operator/mcp/find", p.Discovering())
	var err error
	if p.Has(capabilities.ScopeAdmin) {
		err = c.others(ctx)
	}
	for i, listed := range e.mcp.Lists(c.principals...) {
		c.costs.Lists[i].ListFacts, c.costs.Lists[i].Finds = listed.ListFacts, listed.Finds
	}
	return c.costs, err
}

// costing gathers the lists that are to be counted.
type costing struct {
	e          *engine
	limit      int
	costs      httpapi.ListCosts
	principals []*capabilities.Principal
}

func (c *costing) add(whose, path string, p *capabilities.Principal) {
	if len(c.principals) == c.limit {
		c.costs.More++
		return
	}
	c.costs.Lists = append(c.costs.Lists, httpapi.ListCost{Whose: whose, Path: path})
	c.principals = append(c.principals, p)
}

// others adds the lists of everybody that the configuration and the store know.
func (c *costing) others(ctx context.Context) error {
	conf := c.e.settings.current()
	for _, s := range conf.Seats {
		if p, err := c.e.principalNamed(ctx, "seat:"+s.ID); err == nil {
			c.add("seat "+s.ID, "/seats/"+s.ID+"/mcp", p)
		}
	}
	for _, one := range conf.People {
		if p, err := c.e.principalNamed(ctx, "person:"+one.ID); err == nil {
			c.add("person "+one.ID, "", p)
		}
	}
	const page = 200
	for after := ""; c.e.tokens != nil; {
		tokens, err := c.e.tokens.List(ctx, after, page)
		if err != nil {
			return err
		}
		for i := range tokens {
			if err := c.token(ctx, &tokens[i]); err != nil {
				return err
			}
		}
		if len(tokens) < page {
			break
		}
		after = tokens[len(tokens)-1].ID
	}
	return nil
}

// token adds the list of whoever has a token that is good for something.
func (c *costing) token(ctx context.Context, t *identity.Token) error {
	if c.e.tokens.State(t) != identity.Active {
		return nil
	}
	whose, path := "token "+t.Name, "/operator/mcp"
	switch {
	case t.Seat != "":
		whose, path = whose+" of seat "+t.Seat, "/seats/"+t.Seat+"/mcp"
	case t.Person != "":
		whose += " of person " + t.Person
	}
	if len(c.principals) == c.limit {
		c.costs.More++
		return nil
	}
	p, err := c.e.tokens.Bearer(ctx, t.ID)
	if _, refused := capabilities.AsError(err); refused { // it ended meanwhile
		return nil
	}
	if err == nil {
		c.add(whose, path, p)
	}
	return err
}
