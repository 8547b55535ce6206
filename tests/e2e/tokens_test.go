package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/tests/drive"
)

const peopled = `
people:
  - {id: ana, name: Ana}
seats:
  - {id: desk}
  - {id: reader, scopes: ["tracker:read"]}
`

// office is a server with people and seats, and a clock that tests set.
type office struct {
	*drive.Running
	config string
	ahead  atomic.Int64 // of the real time
}

func openOffice(t *testing.T) *office {
	t.Helper()
	o := &office{config: filepath.Join(t.TempDir(), "holotype.yaml")}
	if err := os.WriteFile(o.config, []byte(peopled), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Running = drive.Start(t, holotype.Options{Config: o.config, Now: func() time.Time { return time.Now().Add(time.Duration(o.ahead.Load())) }})
	return o
}

// token is what making one answers.
type token struct {
	Token string `json:"token"`
	ID    string `json:"id"`
}

// token makes a token.
func (o *office) token(t *testing.T, arguments string) token {
	t.Helper()
	head, data := o.HTTP(t, http.MethodPost, "/api/v1/tokens", map[string]string{"Content-Type": "application/json"}, []byte(arguments))
	made := parse[token](t, data)
	if head.StatusCode != http.StatusOK || made.Token == "" {
		t.Fatalf("making a token of %s is answered %d %s", arguments, head.StatusCode, data)
	}
	return made
}

// by answers the server as somebody reaches it who has another token.
func (o *office) by(t token) *drive.Running {
	r := *o.Running
	r.Token = t.Token
	return &r
}

func (o *office) revoke(t *testing.T, made token) {
	t.Helper()
	if head, data := o.HTTP(t, http.MethodDelete, "/api/v1/tokens/"+made.ID, nil, nil); head.StatusCode != http.StatusOK {
		t.Fatalf("revoking is answered %d %s", head.StatusCode, data)
	}
}

// What is written is attributed to whom the token stands for, with the token's id
// beside it, over HTTP and over MCP.
func TestWritesAreAttributedToTheToken(t *testing.T) {
	o := openOffice(t)
	if _, data, exit := o.CLI(t, "", "call", "create_project", "--key", "WEB", "--title", "Web"); exit != 0 {
		t.Fatalf("making a project: %s", data)
	}
	type author struct{ by, kind, operator string }
	want := map[string]author{}
	audited := map[string]int{}
	for _, c := range []struct {
		bound string
		by    func(id string) string
		kind  string
	}{
		{``, func(id string) string { return "token:" + id }, "operator"},
		{`,"seat":"desk"`, func(string) string { return "desk" }, "human"},
		{`,"person":"ana"`, func(string) string { return "ana" }, "human"},
	} {
		made := o.token(t, `{"name":"x","scopes":["tracker:*"]`+c.bound+`}`)
		mine := o.by(made)
		wanted := author{c.by(made.ID), c.kind, made.ID}
		audited[made.ID] = 3 // over HTTP, and over MCP in both eras
		head, data := mine.HTTP(t, http.MethodPost, "/api/v1/work-items", map[string]string{"Content-Type": "application/json"}, []byte(`{"project":"WEB","title":"over http"}`))
		if head.StatusCode != http.StatusOK {
			t.Fatalf("over HTTP: %d %s", head.StatusCode, data)
		}
		want[keyOf(t, data)] = wanted
		for _, s := range mine.OverHTTP(t) {
			_, data := s.Call(t, "create_work_item", `{"project":"WEB","title":"over mcp"}`)
			want[keyOf(t, parse[struct {
				Result struct {
					Structured json.RawMessage `json:"structuredContent"`
				}
			}](t, data).Result.Structured)] = wanted
		}
	}
	if len(want) != 9 {
		t.Fatalf("%d items were made, want 9", len(want))
	}
	for key, w := range want {
		item := parse[struct {
			ID string `json:"id"`
			By string `json:"created_by"`
		}](t, o.Get(t, "/api/v1/work-items/"+key))
		if item.By != w.by {
			t.Errorf("%s is created by %q, want %q", key, item.By, w.by)
		}
	}
	got := map[string]author{}
	for _, c := range changes(t, o) {
		if c.Capability == "create_work_item" {
			got[c.Body.Key] = author{c.Principal, c.Kind, c.Operator}
		}
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(author{})); d != "" {
		t.Errorf("the log (-want +got):\n%s", d)
	}
	calls := map[string]int{}
	for _, c := range parse[struct {
		Items []struct {
			Credential string `json:"credential"`
		} `json:"items"`
	}](t, o.Get(t, "/api/v1/calls?capability=create_work_item")).Items {
		calls[c.Credential]++
	}
	if d := cmp.Diff(audited, calls); d != "" {
		t.Errorf("calls in the audit by the token (-want +got):\n%s", d)
	}
}

func keyOf(t *testing.T, receipt []byte) string {
	t.Helper()
	key := parse[struct{ Key string }](t, receipt).Key
	if key == "" {
		t.Fatalf("no key in %s", receipt)
	}
	return key
}

// change is a row of the log.
type change struct {
	Principal, Kind, Operator, Capability string
	Body                                  struct{ Key string }
}

// changes answers the log as it is exported.
func changes(t *testing.T, o *office) (all []change) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "all.ndjson")
	if _, errw, exit := o.CLI(t, "", "export", path); exit != 0 {
		t.Fatalf("exporting: %s", errw)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var row struct {
			Table string `json:"table"`
			Row   struct {
				Principal  string `json:"principal"`
				Kind       string `json:"author_kind"`
				Operator   string `json:"operator"`
				Capability string `json:"capability"`
				Body       string `json:"body"`
			} `json:"row"`
		}
		if json.Unmarshal(line, &row) != nil || row.Table != "changes" {
			continue
		}
		c := change{Principal: row.Row.Principal, Kind: row.Row.Kind, Operator: row.Row.Operator, Capability: row.Row.Capability}
		if err := json.Unmarshal([]byte(row.Row.Body), &c.Body); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// A session ends with the token that it was opened with, and is nobody else's.
func TestSessionsOfTokens(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, o *office, made token) (says string){
		"revoked": func(t *testing.T, o *office, made token) string {
			o.revoke(t, made)
			return "was revoked at"
		},
		"expired": func(_ *testing.T, o *office, _ token) string {
			o.ahead.Add(int64(time.Hour))
			return "expired at"
		},
		"of a seat that is gone": func(t *testing.T, o *office, _ token) string {
			if err := os.WriteFile(o.config, []byte("seats: []\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, errw, exit := o.CLI(t, "", "call", "reload_config", "--yes"); exit != 0 {
				t.Fatalf("reloading: %s", errw)
			}
			return "which is not configured here any more"
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := openOffice(t)
			made := o.token(t, `{"name":"x","scopes":["*"],"seat":"desk","expires":"1h"}`)
			mine := o.by(made)
			speakers := mine.OverHTTP(t)
			for _, s := range speakers {
				if status, data := s.Call(t, "list_projects", `{}`); status != http.StatusOK {
					t.Fatalf("%s: %d %s", s.Name, status, data)
				}
			}
			says := end(t, o, made)
			for _, s := range speakers {
				if status, data := s.Call(t, "list_projects", `{}`); status != http.StatusUnauthorized || !strings.Contains(string(data), says) {
					t.Errorf("%s: the next request is answered %d %s, want one that says %q", s.Name, status, data, says)
				}
			}
			for _, path := range []string{"/api/v1/projects", "/openapi.json", "/operator/mcp"} {
				if head, data := mine.HTTP(t, http.MethodGet, path, nil, nil); head.StatusCode != http.StatusUnauthorized || !strings.Contains(string(data), says) {
					t.Errorf("GET %s is answered %d %s", path, head.StatusCode, data)
				}
			}
		})
	}
	t.Run("stolen", func(t *testing.T) {
		o := openOffice(t)
		// Both stand for the same seat.
		mine, thief := o.by(o.token(t, `{"name":"mine","scopes":["*"],"seat":"desk"}`)), o.by(o.token(t, `{"name":"thief","scopes":["*"],"seat":"desk"}`))
		header := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
		begin := []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + drive.Legacy + `","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
		head, data := mine.HTTP(t, http.MethodPost, "/operator/mcp", header, begin)
		session := head.Header.Get("Mcp-Session-Id")
		if session == "" {
			t.Fatalf("no session was opened: %s", data)
		}
		header["Mcp-Session-Id"], header["Mcp-Protocol-Version"] = session, drive.Legacy
		list := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`)
		if head, data := thief.HTTP(t, http.MethodPost, "/operator/mcp", header, list); head.StatusCode != http.StatusNotFound {
			t.Errorf("with another token of the same seat it is answered %d %.200s", head.StatusCode, data)
		}
		if head, data := o.HTTP(t, http.MethodPost, "/operator/mcp", header, list); head.StatusCode != http.StatusNotFound {
			t.Errorf("with the owner's token it is answered %d %.200s", head.StatusCode, data)
		}
		if head, data := mine.HTTP(t, http.MethodPost, "/operator/mcp", header, list); head.StatusCode != http.StatusOK {
			t.Errorf("with its own token it is answered %d %.200s", head.StatusCode, data)
		}
	})
}

// A token may do what its scopes say and, bound to a seat, what the seat's say too; the
// lists of every surface have the same.
func TestTokensMayDoWhatTheirScopesSay(t *testing.T) {
	o := openOffice(t)
	if _, data, exit := o.CLI(t, "", "call", "create_project", "--key", "WEB", "--title", "Web"); exit != 0 {
		t.Fatalf("making a project: %s", data)
	}
	create := []byte(`{"project":"WEB","title":"x"}`)
	for name, c := range map[string]struct {
		arguments   string
		read, write int
	}{
		"of one pack":           {`{"name":"x","scopes":["tracker:*"]}`, 200, 200},
		"that reads":            {`{"name":"x","scopes":["*:read"]}`, 200, 403},
		"of another pack":       {`{"name":"x","scopes":["system:*"]}`, 403, 403},
		"of a seat that reads":  {`{"name":"x","scopes":["*"],"seat":"reader"}`, 200, 403},
		"of a seat in its turn": {`{"name":"x","scopes":["system:*"],"seat":"reader"}`, 403, 403},
	} {
		t.Run(name, func(t *testing.T) {
			mine := o.by(o.token(t, c.arguments))
			if head, data := mine.HTTP(t, http.MethodGet, "/api/v1/projects", nil, nil); head.StatusCode != c.read {
				t.Errorf("a read is answered %d %s, want %d", head.StatusCode, data, c.read)
			}
			head, data := mine.HTTP(t, http.MethodPost, "/api/v1/work-items", map[string]string{"Content-Type": "application/json"}, create)
			if head.StatusCode != c.write {
				t.Errorf("a write is answered %d %s, want %d", head.StatusCode, data, c.write)
			}
			for _, s := range mine.OverHTTP(t) {
				listed := map[string]bool{}
				for _, tool := range s.List(t) {
					listed[parse[struct{ Name string }](t, tool).Name] = true
				}
				_, data := s.Call(t, "create_work_item", string(create))
				refused := parse[struct{ Result result }](t, data).Result.Meta.Error
				if listed["list_projects"] != (c.read == 200) || listed["create_work_item"] != (c.write == 200) || (refused == nil) != (c.write == 200) {
					t.Errorf("%s: lists %d tools, and answers a write %s", s.Name, len(listed), data)
				}
			}
		})
	}
}

// Where nobody has to authenticate, a header changes nothing.
func TestTokensWhereNobodyNeedsOne(t *testing.T) {
	config := filepath.Join(t.TempDir(), "holotype.yaml")
	if err := os.WriteFile(config, []byte("auth: none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o := &office{Running: drive.Start(t, holotype.Options{Config: config})}
	made := o.token(t, `{"name":"x","scopes":["*:read"]}`)
	o.revoke(t, made)
	if head, data := o.by(made).HTTP(t, http.MethodGet, "/api/v1/tokens", nil, nil); head.StatusCode != http.StatusOK {
		t.Errorf("with a revoked token it is answered %d %s, want as the owner is", head.StatusCode, data)
	}
}

// A token stands in no file of the data directory, in no copy of the store and in no
// line of the log, however it was made and used.
func TestTokensAreWrittenNowhere(t *testing.T) {
	dir, copies := t.TempDir(), t.TempDir()
	var log lockedBuffer
	r := drive.Start(t, holotype.Options{Data: dir, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	o := &office{Running: r}
	made := map[string]token{}
	const arguments = `{"name":"x","scopes":["*"]}`
	head, data := r.HTTP(t, http.MethodPost, "/api/v1/tokens", map[string]string{"Content-Type": "application/json", "Idempotency-Key": "k1"}, []byte(arguments))
	if head.StatusCode != http.StatusOK {
		t.Fatalf("over HTTP: %d %s", head.StatusCode, data)
	}
	made["over HTTP"] = parse[token](t, data)
	for _, s := range r.OverHTTP(t) {
		_, data := s.Call(t, "create_token", `{"name":"x","scopes":["*"],"op_id":"`+strings.ReplaceAll(s.Name, " ", "-")+`"}`)
		made[s.Name] = parse[struct {
			Result struct {
				Structured token `json:"structuredContent"`
			}
		}](t, data).Result.Structured
	}
	out, errw, exit := r.CLI(t, "", "token", "create", "--name", "x", "--scope", "*", "-o", "json")
	if exit != 0 {
		t.Fatalf("on the command line: %s", errw)
	}
	made["on the command line"] = parse[token](t, out)
	for name, one := range made {
		if head, data := o.by(one).HTTP(t, http.MethodGet, "/api/v1/projects", nil, nil); head.StatusCode != http.StatusOK {
			t.Errorf("the token made %s is answered %d %s", name, head.StatusCode, data)
		}
	}
	o.revoke(t, made["over HTTP"])
	if head, _ := o.by(made["over HTTP"]).HTTP(t, http.MethodGet, "/api/v1/projects", nil, nil); head.StatusCode != http.StatusUnauthorized {
		t.Errorf("the revoked token is answered %d", head.StatusCode)
	}
	for _, command := range []string{"backup", "export"} {
		if _, errw, exit := r.CLI(t, "", command, filepath.Join(copies, command)); exit != 0 {
			t.Fatalf("%s: %s", command, errw)
		}
	}
	r.Stop(t)
	everything := log.String()
	for _, root := range []string{dir, copies} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			everything += string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, one := range made {
		if one.Token == "" || !strings.Contains(everything, one.ID) {
			t.Errorf("the token made %s is %q, and its id %q stands nowhere: the test looks in the wrong place", name, one.Token, one.ID)
		}
		if strings.Contains(everything, strings.TrimPrefix(one.Token, "hlt_")) {
			t.Errorf("the token made %s is written down", name)
		}
	}
}

// lockedBuffer is a log that many goroutines write.
type lockedBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

// A token is sent whole, as Authorization: Bearer, or it is none.
func TestNobodyIsLetInByAWrongToken(t *testing.T) {
	o := openOffice(t)
	made := o.token(t, `{"name":"x","scopes":["*"]}`)
	for name, header := range map[string]string{
		"another token":         "Bearer hlt_" + strings.Repeat("A", 43),
		"its id":                "Bearer " + made.ID,
		"a part of it":          "Bearer " + made.Token[:len(made.Token)-1],
		"another scheme":        "Basic " + made.Token,
		"no scheme":             made.Token,
		"the owner's beginning": "Bearer " + o.Token[:len(o.Token)-1],
		"both, one of them":     "Bearer " + o.Token + " " + made.Token,
		"in quotes":             fmt.Sprintf("Bearer %q", made.Token),
	} {
		head, data := o.HTTP(t, http.MethodGet, "/api/v1/projects", map[string]string{"Authorization": header}, nil)
		if head.StatusCode != http.StatusUnauthorized || strings.Contains(string(data), made.Token) || strings.Contains(string(data), made.ID) {
			t.Errorf("%s is answered %d %s", name, head.StatusCode, data)
		}
	}
	if head, data := o.HTTP(t, http.MethodGet, "/api/v1/projects?token="+made.Token, map[string]string{"Authorization": ""}, nil); head.StatusCode != http.StatusUnauthorized {
		t.Errorf("in the URL it is answered %d %s", head.StatusCode, data)
	}
	if head, data := o.by(made).HTTP(t, http.MethodGet, "/api/v1/projects", nil, nil); head.StatusCode != http.StatusOK {
		t.Errorf("as it should be sent it is answered %d %s", head.StatusCode, data)
	}
}
