package attack_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// A call over the limit is refused with the same sentence on every surface, whichever one
// the calls before it came from; what is listed stays listed, and the audit has it.
func TestALimitCountsOnEverySurface(t *testing.T) {
	// Planting and making a token are two calls of the owner's.
	a := open(t, "principals: [{id: owner, rate_limits: {calls_per_minute: 5}}]\n")
	speakers := a.OverHTTP(t)
	for i, call := range []func() bool{
		func() bool {
			head, _ := a.HTTP(t, http.MethodGet, "/api/v1/projects", nil, nil)
			return head.StatusCode == http.StatusOK
		},
		func() bool {
			_, data := speakers[0].Call(t, "list_projects", `{}`)
			return strings.Contains(string(data), planted)
		},
		func() bool { _, _, exit := a.CLI(t, "", "call", "list_projects"); return exit == 0 },
	} {
		if !call() {
			t.Fatalf("call %d within the limit is refused", i)
		}
	}
	const says = "the owner is limited to 5 calls a minute, 5 of them at once (principals[0].rate_limits in the configuration): nothing was done, send the call again in a while"
	head, data := a.HTTP(t, http.MethodGet, "/api/v1/projects", nil, nil)
	var problem struct {
		Code, Detail string
		After        int `json:"retry_after_seconds"`
	}
	if err := json.Unmarshal(data, &problem); err != nil || head.StatusCode != http.StatusTooManyRequests || problem.Code != "rate_limited" || problem.Detail != says {
		t.Errorf("over HTTP: %d %s, %v", head.StatusCode, data, err)
	}
	if after, err := strconv.Atoi(head.Header.Get("Retry-After")); err != nil || after < 1 || after > 12 || problem.After != after {
		t.Errorf("over HTTP Retry-After is %q, and retry_after_seconds %d", head.Header.Get("Retry-After"), problem.After)
	}
	for _, s := range speakers {
		_, data := s.Call(t, "list_projects", `{}`)
		var answer struct {
			Result struct {
				IsError bool
				Content []struct{ Text string }
				Meta    struct {
					Error struct {
						Code  string
						After int `json:"retry_after_seconds"`
					} `json:"holotype/error"`
				} `json:"_meta"`
			}
		}
		if err := json.Unmarshal(data, &answer); err != nil || !answer.Result.IsError || len(answer.Result.Content) != 1 || answer.Result.Content[0].Text != says || answer.Result.Meta.Error.Code != "rate_limited" || answer.Result.Meta.Error.After < 1 {
			t.Errorf("%s: %s, %v", s.Name, data, err)
		}
		if tools := s.List(t); len(tools) == 0 {
			t.Errorf("%s: nothing is listed any more", s.Name)
		}
	}
	if out, errw, exit := a.CLI(t, "", "call", "list_projects"); exit != 1 || !strings.Contains(string(errw), says) {
		t.Errorf("on the command line: exit %d, %s%s", exit, out, errw)
	}
	// Others are not limited by it, and see what became of the owner's calls.
	admin := *a.Running
	admin.Token = a.token
	if head, data := admin.HTTP(t, http.MethodGet, "/api/v1/projects", nil, nil); head.StatusCode != http.StatusOK {
		t.Errorf("somebody else is answered %d %s", head.StatusCode, data)
	}
}
