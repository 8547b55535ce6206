package holotype_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An operator sees in the catalogue what the list of everybody costs, as each is given it
// and as describe_projection says; anybody else sees what their own costs.
func TestTheCatalogueSaysWhatEverybodysListCosts(t *testing.T) {
	g := gatedBy(t, "seats: [{id: desk, scopes: [\"tracker:read\"]}]\npeople: [{id: ada}]\nprincipals: [{id: \"person:ada\", gate: {deny: [list_projects]}}]\n")
	create := func(body string) (id, token string) {
		t.Helper()
		status, answer := g.http(http.MethodPost, "/api/v1/tokens", body)
		var made struct{ ID, Token string }
		if err := json.Unmarshal([]byte(answer), &made); err != nil || status != http.StatusOK {
			t.Fatalf("%d: %s", status, answer)
		}
		return made.ID, made.Token
	}
	_, reader := create(`{"name":"reader","scopes":["tracker:read"]}`)
	create(`{"name":"at the desk","scopes":["*"],"seat":"desk"}`)
	gone, _ := create(`{"name":"gone","scopes":["*"]}`)
	if status, answer := g.http(http.MethodDelete, "/api/v1/tokens/"+gone, ""); status != http.StatusOK {
		t.Fatalf("%d: %s", status, answer)
	}

	own := g.costs(g.token)
	var whose []string
	for _, row := range own {
		whose = append(whose, row.whose)
	}
	if d := cmp.Diff([]string{
		"yours /operator/mcp", "yours, of what only reads /operator/mcp/readonly", "yours, to find the others with /operator/mcp/find",
		"seat desk /seats/desk/mcp", "person ada", "token reader /operator/mcp", "token at the desk of seat desk /seats/desk/mcp",
	}, whose); d != "" {
		t.Errorf("the owner sees the lists (-want +got):\n%s", d)
	}
	for i, as := range map[int]string{0: "owner", 3: "seat:desk", 4: "person:ada"} {
		status, answer := g.http(http.MethodGet, "/api/v1/projection?as="+as, "")
		var p struct {
			Bytes, Tokens int
			Tools         []struct{}
			Discovery     *struct {
				Offered       bool
				AboveTokens   int `json:"above_tokens"`
				Tools         []string
				Bytes, Tokens int
			}
		}
		if err := json.Unmarshal([]byte(answer), &p); err != nil || status != http.StatusOK {
			t.Fatalf("%d: %.500s", status, answer)
		}
		if got := (cost{own[i].whose, len(p.Tools), p.Bytes, p.Tokens}); got != own[i] {
			t.Errorf("describe_projection says %+v, the catalogue %+v", got, own[i])
		}
		if p.Discovery == nil || p.Discovery.Offered || p.Discovery.AboveTokens != 0 || strings.Join(p.Discovery.Tools, " ") != "find_tools describe_tools call_read call_write" ||
			i == 0 && (p.Discovery.Bytes != own[2].bytes || p.Discovery.Tokens != own[2].tokens) {
			t.Errorf("%s: describe_projection says of discovery %+v, the catalogue %+v", as, p.Discovery, own[2])
		}
	}
	if own[2].tools != 4 || own[4].tools != own[0].tools-1 || own[5].tools >= own[1].tools || own[3].bytes >= own[0].bytes {
		t.Errorf("the owner sees %+v", own)
	}
	theirs := g.costs(reader)
	if len(theirs) != 3 || theirs[0].tools != own[5].tools || theirs[0].tokens != own[5].tokens {
		t.Errorf("the reader sees %+v, the owner of it %+v", theirs, own[5])
	}
}

type cost struct {
	whose                string
	tools, bytes, tokens int
}

var costRow = regexp.MustCompile(`<tr>\n<th scope="row">(.*)</th>\n` + strings.Repeat(`<td class="number">(\d+)</td>\n`, 3))

var tag = regexp.MustCompile(`<span class="note">four.*</span>|<[^>]*>`)

// costs reads the table off the catalogue page that a token's holder sees.
func (g *gated) costs(token string) (all []cost) {
	g.t.Helper()
	status, page := g.send(token, http.MethodGet, "/", "")
	if status != http.StatusOK {
		g.t.Fatalf("%d: %.500s", status, page)
	}
	for _, m := range costRow.FindAllStringSubmatch(page, -1) {
		one := cost{whose: tag.ReplaceAllString(m[1], "")}
		if _, err := fmt.Sscan(strings.Join(m[2:], " "), &one.tools, &one.bytes, &one.tokens); err != nil {
			g.t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}
