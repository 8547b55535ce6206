package e2e_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype/tests/drive"
)

// reached is where the configuration says that browsers find the pages.
const reached = "https://desk.example"

// bearing adds a credential to every request.
type bearing string

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// opener is a client that opens pages for its user, as a seat, in one era of the protocol.
// What it does with a page says the function.
func (a *approvals) opener(t *testing.T, token, era string, open func(*mcp.ElicitParams) string) (s *mcp.ClientSession, settled <-chan string) {
	t.Helper()
	told := make(chan string, 8)
	client := mcp.NewClient(&mcp.Implementation{Name: "opener", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}, Form: &mcp.FormElicitationCapabilities{}}},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: open(r.Params)}, nil
		},
		ElicitationCompleteHandler: func(_ context.Context, r *mcp.ElicitationCompleteNotificationRequest) { told <- r.Params.ElicitationID },
	})
	s, err := client.Connect(context.WithoutCancel(t.Context()), &mcp.StreamableClientTransport{
		Endpoint: a.URL + "/operator/mcp", HTTPClient: &http.Client{Transport: bearing(token)},
	}, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, told
}

// creates makes a project. Its answer comes as a message has it.
func creates(t *testing.T, s *mcp.ClientSession, key string) <-chan []byte {
	answer := make(chan []byte, 1)
	go func() {
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "create_project", Arguments: map[string]any{"key": key, "title": "x"}})
		if err != nil {
			t.Error(err)
		}
		data, err := json.Marshal(map[string]any{"result": res})
		if err != nil {
			t.Error(err)
		}
		answer <- data
	}()
	return answer
}

// A client that opens pages sends its user to the page of the request. Whoever decides does
// so there, and the call goes on.
func TestApprovalByThePageOfItsRequest(t *testing.T) {
	a := openApprovals(t, "oauth: {server: true, address: "+reached+"}\n")
	seat := a.token(t, `{"name":"desk","scopes":["*"],"seat":"desk"}`).Token
	for era, key := range map[string]string{drive.Legacy: "LG", drive.Modern: "MD"} {
		t.Run(era, func(t *testing.T) {
			pages, says := make(chan *mcp.ElicitParams), make(chan string)
			s, settled := a.opener(t, seat, era, func(p *mcp.ElicitParams) string {
				pages <- p
				return <-says
			})
			sent := ""
			// One call, what is decided before the client answers, its answer, and what is decided
			// then.
			call := func(key, before, answer, after string) (asked, string) {
				t.Helper()
				answers := creates(t, s, key)
				var p *mcp.ElicitParams
				select {
				case p = <-pages:
				case got := <-answers:
					t.Fatalf("nobody is asked, and it is answered %s", got)
				}
				sent = p.URL
				id := p.URL[strings.LastIndexByte(p.URL, '/')+1:]
				if p.Mode != "url" || !strings.HasPrefix(p.URL, reached+"/approvals/apr_") || !strings.Contains(p.Message, "create_project waits for a person's approval") {
					t.Errorf("asked %+v", p)
				}
				if before != "" {
					a.decide(t, id, before)
				}
				says <- answer
				if after != "" {
					a.decide(t, id, after)
				}
				return toolResult(t, <-answers), id
			}
			if got, _ := call(key+"A", "", "accept", "approve"); got != (asked{}) {
				t.Errorf("approved, it is answered %+v", got)
			}
			// The page is nobody's who only has its address.
			if head, data := a.HTTP(t, http.MethodGet, strings.TrimPrefix(sent, reached), map[string]string{"Authorization": "-"}, nil); strings.Contains(string(data), key+"A") {
				t.Errorf("without a session the page answers %d %s", head.StatusCode, data)
			}
			if era == drive.Legacy {
				select {
				case <-settled:
				case <-time.After(time.Minute):
					t.Error("the client is not told that it is settled")
				}
			}
			if got, _ := call(key+"B", "", "accept", "deny"); got.Code != "forbidden" || !strings.Contains(got.Sentence, "said so") {
				t.Errorf("denied, it is answered %+v", got)
			}
			got, id := call(key+"C", "", "decline", "")
			if got.Code != "approval_needed" || got.Request != id {
				t.Errorf("declined, it is answered %+v, and the request is %s", got, id)
			}
			if got, again := call(key+"C", "approve", "cancel", ""); got != (asked{}) || again != id {
				t.Errorf("approved before the client answered, it is answered %+v, and the request is %s", got, again)
			}
		})
	}
	// The owner does not decide on the owner's own call, and is sent nowhere.
	s, _ := a.opener(t, a.Token, drive.Legacy, func(p *mcp.ElicitParams) string {
		t.Errorf("the owner is sent to %s", p.URL)
		return "accept"
	})
	if got := toolResult(t, <-creates(t, s, "OWN")); got.Code != "approval_needed" {
		t.Errorf("the owner is answered %+v", got)
	}
}
