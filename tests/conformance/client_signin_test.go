package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// What is said of a server that has to be signed in to. It may wait for a moment after that,
// until it is asked anew.
const (
	waits    = "waiting_for_credentials"
	needed   = "needed"
	signedIn = "signed_in"
)

// patience is how often an errand signs in, which is for a person to do: one who has more
// granted once, and not one who is asked for the same again.
func (e *errand) patience() int {
	if e.scenario == "auth/scope-retry-limit" {
		return 1
	}
	return 2
}

// describedClient is the address of a document about a client that the suite expects where
// an authorization server takes such. Holotype would give that of its own where it is served
// over https.
const describedClient = "https://conformance-test.local/client-metadata.json"

// errSignIn marks a sign-in that did not come about.
var errSignIn = errors.New("the sign-in did not come about")

// refusedSignIns are the scenarios in which a client is to refuse, by what Holotype says
// then: they have an authorization server, or a server, that cannot be trusted.
func refusedSignIns() map[string]string {
	const another = "the answer is of another authorization server than was asked"
	return map[string]string{
		"auth/iss-normalized":           another,
		"auth/iss-unexpected":           another,
		"auth/iss-wrong-issuer":         another,
		"auth/iss-supported-missing":    "the answer does not say which authorization server it is of, as that server promises",
		"auth/metadata-issuer-mismatch": `says that it is "https://attacker.example.com"`,
		"auth/resource-mismatch":        `it says that its tokens are for "https://evil.example.com/mcp", which it is not`,
		"auth/scope-retry-limit":        "the server asks for another one after 1",
	}
}

// signIn signs in as a person does who opens the link, and whom the authorization server
// sends back at once.
func (e *errand) signIn(ctx context.Context) error {
	if e.signIns++; e.signIns > e.patience() {
		return fmt.Errorf("%w: the server asks for another one after %d", errSignIn, e.patience())
	}
	result, err := e.holotype.Invoke(ctx, capabilities.Call{
		Name: "begin_mcp_server_sign_in", Principal: capabilities.OwnerPrincipal(), Surface: capabilities.InProcess,
		Arguments: json.RawMessage(`{"name":"` + suiteServer + `"}`),
	})
	if err != nil {
		return fmt.Errorf("%w: %w", errSignIn, err)
	}
	var begun struct{ Link string }
	if err := json.Unmarshal(result.Structured, &begun); err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, begun.Link, nil)
	if err != nil {
		return err
	}
	browser := &http.Client{CheckRedirect: func(to *http.Request, via []*http.Request) error {
		if len(via) > 5 {
			return errors.New("the browser is led around in circles")
		}
		e.browse(to.URL)
		return nil
	}}
	e.browse(request.URL)
	answer, err := browser.Do(request)
	if err != nil {
		return fmt.Errorf("opening the link: %w", err)
	}
	page, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close() // it is read
	if err != nil {
		return err
	}
	fmt.Printf("the browser ends at %s%s with status %d: %s\n", answer.Request.URL.Host, answer.Request.URL.Path, answer.StatusCode, page)
	if answer.StatusCode != http.StatusOK {
		var problem struct{ Detail string }
		if err := json.Unmarshal(page, &problem); err != nil {
			return fmt.Errorf("%w: %s", errSignIn, page)
		}
		return fmt.Errorf("%w: %s", errSignIn, problem.Detail)
	}
	return nil
}

// learnt reports whether a sign-in did not come about for want of something that Holotype
// says, and that an operator would put into the configuration now.
func (e *errand) learnt(err error) bool {
	_, issuer, asked := strings.Cut(err.Error(), `set oauth.issuer, to "`)
	issuer, _, _ = strings.Cut(issuer, `"`)
	if !asked || e.context.client.Issuer != "" || !errors.Is(err, errSignIn) {
		return false
	}
	e.context.client.Issuer = issuer
	return true
}

// ended judges how an errand ended: where a sign-in is to be refused, it has to be, in the
// words for that.
func (e *errand) ended(err error) error {
	words, refuses := refusedSignIns()[e.scenario]
	switch {
	case !refuses:
		return err
	case err == nil:
		return errors.New("the sign-in came about")
	case errors.Is(err, errSignIn) && strings.Contains(err.Error(), words):
		fmt.Println(err)
		return nil
	}
	return err
}
