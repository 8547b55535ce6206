package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// The catalogue says what each list costs, and stands where that cannot be read.
func TestCatalogueSaysWhatListsCost(t *testing.T) {
	var costs httpapi.ListCosts
	var fault error
	var asked []string
	f := serve(t, func(o *httpapi.Options) {
		o.BasePath = "/tools"
		o.Lists = func(_ context.Context, p *capabilities.Principal) (httpapi.ListCosts, error) {
			asked = append(asked, p.Key())
			return costs, fault
		}
	})
	page := func() string {
		t.Helper()
		w := f.do("GET", "/", "", "Authorization: Bearer owner", browser)
		if w.Code != http.StatusOK {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
		wantPage(t, w.Header())
		return w.Body.String()
	}
	if strings.Contains(page(), "What a list costs") {
		t.Error("nothing is known of lists, and the page speaks of them")
	}
	row := func(tools, bytes, tokens int) capabilities.ListFacts {
		return capabilities.ListFacts{Tools: tools, Bytes: bytes, Tokens: tokens}
	}
	costs = httpapi.ListCosts{More: 7, Lists: []httpapi.ListCost{
		{Whose: "yours", Path: "/operator/mcp", ListFacts: row(59, 144_001, 10_604)},
		{Whose: "token <b>\u202Eevil</b>", ListFacts: row(4, 3_210, 555), Finds: true},
	}}
	got := page()
	for _, text := range []string{
		"What a list costs: yours has 59 tools, 144001 bytes and about 10604 tokens", "yours", "<code>/tools/operator/mcp</code>", `<td class="number">59</td>`, `<td class="number">144001</td>`, `<td class="number">10604</td>`,
		"token &lt;b&gt;[U&#43;202E]evil&lt;/b&gt;", `<td class="number">555</td>`, "four tools that find", "7 more are left out", "divided by 4.5",
	} {
		if !strings.Contains(got, text) {
			t.Errorf("%q is missing", text)
		}
	}
	if strings.Count(got, "four tools that find") != 1 || strings.Contains(got, "<script") || strings.Contains(got, " style=") {
		t.Errorf("the page is %s", got)
	}
	fault = errors.New("the disk is gone")
	if got := page(); !strings.Contains(got, "10604") || strings.Contains(got, "the disk") {
		t.Errorf("with a fault the page is %s", got)
	}
	if !strings.Contains(f.log.String(), "lists_not_counted") || asked[0] != "owner" {
		t.Errorf("logged: %s; asked for %q", f.log, asked)
	}
}
