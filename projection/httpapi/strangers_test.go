package httpapi_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// watched is a door that keeps what it was asked.
type watched struct {
	capabilities.Invoker
	seen *[]string
}

func (w watched) Invoke(ctx context.Context, call capabilities.Call) (*capabilities.Result, error) {
	said := call.Name
	if call.Refusal != nil {
		said += " " + string(call.Refusal.Code)
	}
	*w.seen = append(*w.seen, said)
	return w.Invoker.Invoke(ctx, call)
}

// What this surface refuses of a capability's route goes through the door all the same,
// which notes every call, and keeps its own status.
func TestRefusalsOfTheSurfaceReachTheDoor(t *testing.T) {
	var seen []string
	f := serve(t, func(o *httpapi.Options) { o.Door = watched{o.Door, &seen} })
	const items, tool = "/api/v1/projects/WEB/items", "/api/v1/servers/weather/tools/forecast"
	for _, c := range []struct {
		method, url, body, header string
		status                    int
		code                      string
	}{
		{"POST", items, `{"title":"x"}`, "Idempotency-Key: a b", 400, "op_id_invalid"},
		{"POST", items, `title=x`, "Content-Type: text/plain", 415, "invalid"},
		{"POST", items, `{"title":"x"}`, "Accept: text/csv", 406, "invalid"},
		{"GET", "/api/v1/items/7", `{}`, "Accept: */*", 400, "invalid"},
		{"POST", tool, `{}`, "Idempotency-Key: a b", 400, "op_id_invalid"},
	} {
		wantProblem(t, f.do(c.method, c.url, c.body, c.header), c.status, c.code)
	}
	want := []string{"create_item op_id_invalid", "create_item invalid", "create_item invalid", "get_item invalid", "x__forecast op_id_invalid"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("the door saw (-want +got):\n%s", diff)
	}
}

// Bad credentials are counted in the log, a line a minute at most, and none of what was
// sent is in it.
func TestStrangersAreCountedInTheLog(t *testing.T) {
	at := now
	f := serve(t, func(o *httpapi.Options) { o.Now = func() time.Time { return at } })
	refused := func(times int) []string {
		f.log.Reset()
		for range times {
			wantProblem(t, f.do("GET", "/api/v1/ping", "", "Authorization: Bearer guess-7"), 401, "unauthenticated")
		}
		var lines []string
		for line := range strings.Lines(f.log.String()) {
			if strings.Contains(line, "credential_refused") {
				lines = append(lines, line)
			}
		}
		if strings.Contains(f.log.String(), "guess-7") {
			t.Errorf("the log holds the credential: %s", f.log)
		}
		return lines
	}
	if got := refused(5); len(got) != 1 || !strings.Contains(got[0], "refused=1 from=192.0.2.1 path=/api/v1/ping") {
		t.Errorf("the first ones are said as %q", got)
	}
	if got := refused(100); len(got) != 0 {
		t.Errorf("within the minute is said %q", got)
	}
	at = at.Add(time.Minute)
	if got := refused(3); len(got) != 1 || !strings.Contains(got[0], "refused=105 ") {
		t.Errorf("a minute later is said %q", got)
	}
	f.log.Reset()
	wantProblem(t, f.do("GET", "/api/v1/ping", "", "-Authorization"), 401, "unauthenticated")
	if strings.Contains(f.log.String(), "credential_refused") {
		t.Errorf("whoever sends none is no stranger: %s", f.log)
	}
}
