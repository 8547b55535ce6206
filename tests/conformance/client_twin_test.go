package conformance_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twinVariable has an errand run with the one thing wrong that its scenario has a twin of.
const twinVariable = "HOLOTYPE_CONFORMANCE_TWIN"

// A clientTwin is the bridge with one thing wrong on the wire to the server of one
// scenario, and the checks that must fail of it.
type clientTwin struct {
	name, revision, scenario string
	ask                      func(r *http.Request, body string) string // answers the body as it is sent on; nil changes nothing
	answer                   *strings.Replacer                         // of each line; nil changes nothing
	browse                   func(query url.Values, to *url.URL)       // changes an address that the browser is led to; nil changes none
	fails                    []string
}

func clientTwins() []clientTwin {
	const ownSchema = `"additionalProperties":false`
	looseSchema := strings.NewReplacer(ownSchema, `"additionalProperties":true`)
	kept := []string{"json-schema-2020-12-client-additionalProperties-preserved"}
	instead := func(old, replacement string) func(*http.Request, string) string {
		return func(_ *http.Request, body string) string { return strings.ReplaceAll(body, old, replacement) }
	}
	header := func(change func(h http.Header)) func(*http.Request, string) string {
		return func(r *http.Request, body string) string {
			change(r.Header)
			return body
		}
	}
	// A browser that changes what it is led to stands for a bridge that writes it so, or takes
	// what comes back for something else.
	led := func(path string, change func(query url.Values)) func(url.Values, *url.URL) {
		return func(query url.Values, to *url.URL) {
			if to.Path == path {
				change(query)
			}
		}
	}
	issuer := ""
	number := instead(`"a":1.5`, `"a":"1.5"`)
	return []clientTwin{
		{
			name: "a revision that there never was", revision: legacy, scenario: "initialize",
			ask:   instead(`"protocolVersion":"2025-11-25"`, `"protocolVersion":"2025-11-26"`),
			fails: []string{"mcp-client-initialization"},
		},
		{name: "a number is sent as a text", revision: legacy, scenario: "tools_call", ask: number, fails: []string{"tool-add-numbers"}},
		{
			name: "a field of a form gets lost", revision: legacy, scenario: "elicitation-sep1034-client-defaults",
			answer: strings.NewReplacer(`"age":`, `"aged":`), fails: []string{"client-elicitation-sep1034-integer-default"},
		},
		{
			name: "the pause is not kept", revision: legacy, scenario: "sse-retry",
			answer: strings.NewReplacer("retry: 500", "retry: 5"), fails: []string{"client-sse-retry-timing"},
		},
		{name: "a schema is loosened", revision: legacy, scenario: "json-schema-2020-12-preservation", answer: looseSchema, fails: kept},
		{
			name: "no proof is begun of who asks for the token", revision: legacy, scenario: "auth/metadata-default",
			browse: led("/authorize", func(q url.Values) { q.Del("code_challenge") }),
			fails:  []string{"pkce-code-challenge-sent", "pkce-verifier-matches-challenge"},
		},
		{
			name: "more is asked for than is wanted", revision: legacy, scenario: "auth/scope-omitted-when-undefined",
			browse: led("/authorize", func(q url.Values) { q.Set("scope", "all") }), fails: []string{"scope-omitted-when-undefined"},
		},

		{name: "a number is sent as a text", revision: modern, scenario: "tools_call", ask: number, fails: []string{"tool-add-numbers"}},
		{name: "a schema is loosened", revision: modern, scenario: "json-schema-2020-12-preservation", answer: looseSchema, fails: kept},
		{
			name: "the revision stands in no header", revision: modern, scenario: "request-metadata",
			ask: header(func(h http.Header) { h.Del("Mcp-Protocol-Version") }),
			fails: []string{
				"sep-2575-client-retry-supported-version", "sep-2575-http-client-sends-version-header", "sep-2575-http-version-header-matches-meta",
			},
		},
		{
			name: "the state of a question is changed", revision: modern, scenario: "sep-2322-client-request-state",
			ask: instead(`"requestState":"`, `"requestState":"x`), fails: []string{"sep-2322-client-request-state-echoed"},
		},
		{
			name: "a name stands in no header", revision: modern, scenario: "http-standard-headers",
			ask: header(func(h http.Header) {
				if h.Get("Mcp-Method") == "prompts/get" {
					h.Del("Mcp-Name")
				}
			}),
			fails: []string{"sep-2243-client-includes-standard-headers ClientMcpNameHeader_prompts_get"},
		},
		{
			name: "an argument stands in its header as something else", revision: modern, scenario: "http-custom-headers",
			ask: header(func(h http.Header) {
				if h.Get("Mcp-Param-NonAscii") != "" {
					h.Set("Mcp-Param-NonAscii", "Hello")
				}
			}),
			fails: []string{"sep-2243-client-base64-unsafe ClientCustomHeader_NonAscii"},
		},
		{
			name: "a tool is called that is none", revision: modern, scenario: "http-invalid-tool-headers",
			ask: instead("valid_tool", "invalid_null_header"),
			fails: []string{
				"sep-2243-client-reject-invalid-tool", "sep-2243-x-mcp-header-primitive-only ClientRejectsInvalidTool_invalid_null_header",
			},
		},
		{
			name: "what a schema points to is fetched", revision: modern, scenario: "json-schema-ref-no-deref",
			ask: func(r *http.Request, body string) string {
				if strings.Contains(body, `"tools/list"`) {
					if resp, err := http.Get(r.URL.Scheme + "://" + r.URL.Host + "/canary/profile-schema.json"); err == nil {
						_ = resp.Body.Close() // that it was asked for is what counts
					}
				}
				return body
			},
			fails: []string{"sep-2106-no-network-ref-deref"},
		},
		{
			name: "a token is asked for that is good elsewhere", revision: modern, scenario: "auth/metadata-default",
			browse: led("/authorize", func(q url.Values) { q.Set("resource", "https://elsewhere.example/mcp") }),
			fails:  []string{"resource-parameter-consistency", "resource-parameter-matches-prm"},
		},
		{
			name: "who answers is not looked at", revision: modern, scenario: "auth/iss-wrong-issuer",
			browse: func(query url.Values, to *url.URL) {
				if to.Path == "/authorize" {
					issuer = "http://" + to.Host
					return
				}
				query.Set("iss", issuer)
			},
			fails: []string{"sep-2468-client-compare-iss-supported"},
		},
	}
}

// The suite sees what the bridge would do wrong, and sees nothing else in it.
func TestClientTwinsAreFound(t *testing.T) {
	if os.Getenv(soakVariable) == "" {
		t.Skip("SKIPPED: it takes every scenario once more; make soak sets " + soakVariable)
	}
	needNode(t)
	for _, c := range clientRuns()[:2] {
		t.Run(c.revision, func(t *testing.T) {
			r := c.run(t, twinVariable+"=1")
			found, expected := r.found(), expectedFailures(t, bridgeSubject)
			for _, twin := range clientTwins() {
				if twin.revision != c.revision {
					continue
				}
				var fails []string
				for f := range found {
					if f.scenario == twin.scenario && f.check != clientEndsWell && !expected[f] {
						fails = append(fails, f.check)
					}
				}
				slices.Sort(fails)
				if diff := cmp.Diff(twin.fails, fails); diff != "" {
					t.Errorf("%s: %s: the checks that fail (-want +got):\n%s", twin.scenario, twin.name, diff)
				}
			}
		})
	}
}

// behind answers the address of a proxy before the server of an errand that has the
// thing wrong; false where its scenario has no twin.
func (e *errand) behind() (address string, stop func(), ok bool) {
	at := slices.IndexFunc(clientTwins(), func(c clientTwin) bool { return c.revision == e.revision && c.scenario == e.scenario })
	server, err := url.Parse(e.url)
	if at < 0 || err != nil {
		return "", nil, false
	}
	twin := clientTwins()[at]
	if twin.browse != nil {
		e.browse = func(to *url.URL) {
			query := to.Query()
			twin.browse(query, to)
			to.RawQuery = query.Encode()
		}
		return e.url, func() {}, true // what a server says of itself has to be where it is
	}
	web := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = server.Scheme, server.Host
			body, err := io.ReadAll(r.In.Body)
			if err == nil && twin.ask != nil {
				body = []byte(twin.ask(r.Out, string(body)))
			}
			r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		},
		ModifyResponse: func(answer *http.Response) error {
			if twin.answer != nil {
				answer.Body = &changedLines{bufio.NewReader(answer.Body), answer.Body, twin.answer, nil}
				answer.Header.Del("Content-Length")
				answer.ContentLength = -1
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	return web.URL + server.Path, func() {
		web.CloseClientConnections()
		web.Close()
	}, true
}

// changedLines changes each line that comes, as soon as it does.
type changedLines struct {
	in     *bufio.Reader
	closer io.Closer
	change *strings.Replacer
	ready  []byte
}

// Read implements [io.Reader].
func (c *changedLines) Read(p []byte) (int, error) {
	if len(c.ready) == 0 {
		line, err := c.in.ReadString('\n')
		if line == "" {
			return 0, err
		}
		c.ready = []byte(c.change.Replace(line)) // an error comes again with the next line
	}
	n := copy(p, c.ready)
	c.ready = c.ready[n:]
	return n, nil
}

// Close implements [io.Closer].
func (c *changedLines) Close() error { return c.closer.Close() }

// twinned reports whether this process is to have something wrong.
func twinned() bool { return os.Getenv(twinVariable) != "" }
