package bridge

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestDerivedPrefixes(t *testing.T) {
	for name, want := range map[string]string{
		"github":              "github__",
		"my-server_2":         "my-server_2__",
		"nineteen-characters": "nineteen-characters__",
	} {
		if got := derivePrefix(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"GitHub", "twenty-characters-xx", "a.b", "Größe", "服务器"} {
		got := derivePrefix(name)
		if h := "-" + shortHash(name) + "__"; !strings.HasSuffix(got, h) || len(got) > 21 {
			t.Errorf("%q: %q does not end in %q", name, got, h)
		}
	}
	for _, name := range []string{"-x", "_x", "_", "日本", "服务器服务器服务器服务器服务器", "…", "Éa"} {
		got := derivePrefix(name)
		if stem := strings.TrimSuffix(got, "__"); !prefixGrammar.MatchString(stem) || got[0] != 's' || !strings.HasSuffix(stem, "-"+shortHash(name)) {
			t.Errorf("%q: the prefix %q does not begin with a letter, or is not told apart", name, got)
		}
	}
	if a, b := derivePrefix("GitHub"), derivePrefix("github"); a == b || prefixClash(a, b) != "" {
		t.Errorf("%q and %q", a, b)
	}
}

// alphabet makes names whose rules meet: cleaning, cutting, hashing, underscores.
const alphabet = "ab_-.A é/"

func randomName(r *rand.Rand, longest int) string {
	letters := []rune(alphabet)
	s := make([]rune, 1+r.IntN(longest))
	for i := range s {
		s[i] = letters[r.IntN(len(letters))]
	}
	return string(s)
}

func TestExposedNamesTellTheirServerAndTool(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		servers := map[string]string{} // prefix -> name
		for range 6 {
			name := randomName(r, 30)
			prefix := derivePrefix(name)
			clash := false
			for other := range servers {
				clash = clash || prefixClash(prefix, other) != ""
			}
			if !clash {
				servers[prefix] = name
			}
		}
		owner := map[string]Wire{}
		for prefix, server := range servers {
			var wires []string
			for range 8 {
				wires = append(wires, randomName(r, 50))
			}
			table := tabulate(server, prefix, wires, nil)
			for _, name := range table.names() {
				w, _ := table.Lookup(name)
				if other, taken := owner[name]; taken {
					t.Fatalf("%q is %v and %v", name, other, w)
				}
				owner[name] = w
				if name != exposedName(server, prefix, w.Tool) {
					t.Fatalf("%q depends on more than its tool", name)
				}
				if len(name) > maxExposed || !strings.HasPrefix(name, prefix) || strings.ContainsFunc(name, func(r rune) bool {
					return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
				}) {
					t.Fatalf("name %q of %v", name, w)
				}
				if prefix+w.Tool != name && !strings.HasSuffix(name, "_"+shortHash(server, w.Tool)) {
					t.Fatalf("name %q of %v", name, w)
				}
			}
			slices.Reverse(wires)
			if d := cmp.Diff(table.names(), tabulate(server, prefix, wires, nil).names()); d != "" {
				t.Fatalf("names depend on the order of the list: %s", d)
			}
		}
	}
}

func TestAToolThatImitatesAnothersHashedNameGetsNoHolder(t *testing.T) {
	hashed := strings.TrimPrefix(exposedName("s", "s__", "a.b"), "s__")
	for _, order := range [][]string{{"a.b", hashed}, {hashed, "a.b"}} {
		table := tabulate("s", "s__", order, nil)
		if w, _ := table.Lookup("s__" + hashed); w.Tool != hashed || len(table.skipped) != 1 || table.skipped[0].Tool != "a.b" {
			t.Errorf("%v: %v, skipped %v", order, w, table.skipped)
		}
	}
}

func TestSchedule(t *testing.T) {
	minutes := func(ms ...float64) (ds []time.Duration) {
		for _, m := range ms {
			ds = append(ds, time.Duration(m*float64(time.Minute)))
		}
		return ds
	}
	const never = 0
	for _, c := range []struct {
		name string
		ups  []time.Duration
		want []time.Duration
	}{
		{"the first death is at once, then it doubles to 5 minutes", minutes(1, 1, 1, 1, 1, 1, 1, 1), minutes(0, .25, .5, 1, 2, 4, 5, 5)},
		{"a start that fails waits", []time.Duration{never, never, never}, minutes(.25, .5, 1)},
		{"a long life starts afresh", minutes(1, 1, 6, 1), minutes(0, .25, 0, .25)},
		{"after failed starts a death waits too", []time.Duration{never, time.Minute}, minutes(.25, .5)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s schedule
			var got []time.Duration
			for _, up := range c.ups {
				got = append(got, s.next(up, 0.5))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
	var s schedule
	if low, high := s.next(never, 0), (&schedule{}).next(never, 1); low != 12*time.Second || high != 18*time.Second {
		t.Errorf("jitter from %s to %s", low, high)
	}
}

func FuzzMessages(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1073741824,"result":{}}`, `{"jsonrpc":"2.0","method":"x"}`, `[{"jsonrpc":"2.0","id":"a","error":"x"}]`,
		`{"jsonrpc":"2.0","id":1,"result":{"a":NaN}}`, "\ufeff{}", `{"id":1}`, `{"jsonrpc":"2.0","id":1}{"jsonrpc":"2.0","method":"y"}`, "\xff",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		eachMessage(data, func(m message) {
			for _, part := range [][]byte{m.id, m.params, m.result, m.fault} {
				if part != nil && !json.Valid(part) {
					t.Fatalf("%q: part %q", data, part)
				}
			}
			if m.isRequest() == m.isResponse() && !m.isNotification() {
				t.Fatalf("%q: a message of no kind", data)
			}
			written := [][]byte{encodeNotification(m), answerRequest(message{id: json.RawMessage("1"), method: m.method})}
			if m.isResponse() {
				written = append(written, encodeResponse(m))
			}
			for _, out := range written {
				if !json.Valid(out) {
					t.Fatalf("%q: wrote %q", data, out)
				}
			}
			if r, failed := readResult(m.result, false); failed == nil {
				for _, b := range r.Blocks {
					if !json.Valid(b) {
						t.Fatalf("%q: block %q", data, b)
					}
				}
			}
		}, func(b *brokenAnswer) {
			if !json.Valid(b.id) {
				t.Fatalf("%q: id %q", data, b.id)
			}
		})
	})
}

func TestQuotedNamesSurvive(t *testing.T) {
	err := quick.Check(func(tool string, id uint32) bool {
		req := request{method: "tools/call", tool: tool, arguments: json.RawMessage(`{"a":1}`)}
		line := req.encode(id, `"x":1,"c":`)
		var back struct {
			ID     uint32
			Params struct {
				Name string
				Meta struct {
					X int
					C struct{}
				} `json:"_meta"`
			}
		}
		return bytes.Count(line, []byte("\n")) == 1 && json.Unmarshal(line, &back) == nil &&
			back.ID == id && back.Params.Name == strings.ToValidUTF8(tool, "\ufffd") && back.Params.Meta.X == 1
	}, nil)
	if err != nil {
		t.Error(err)
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for _, c := range []struct {
		name, in string
		lines    []string
		tooLong  int
	}{
		{"plain", "a\nb\n", []string{"a", "b"}, 0},
		{"without an end", "a\nb", []string{"a", "b"}, 0},
		{"other ends", "a\r\n\r\n\nb\n", []string{"a", "b"}, 0},
		{"over a buffer", long + "\nb\n", []string{long, "b"}, 0},
		{"over the limit", "a\n" + long + long + "\nb\n", []string{"a", "b"}, 1},
		{"over the limit without an end", "a\n" + long + long, []string{"a"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			tooLong := 0
			ended := 0
			err := readLines(strings.NewReader(c.in), 300<<10, lineSink{
				line: func(b []byte) { got = append(got, string(b)) },
				tooLong: func(head []byte) {
					tooLong++
					if len(head) != headBytes || head[0] != 'x' {
						t.Errorf("head of %d bytes", len(head))
					}
				},
				ended: func() { ended++ },
			})
			if err == nil || tooLong != c.tooLong || ended != tooLong {
				t.Errorf("error %v, %d too long, %d ended", err, tooLong, ended)
			}
			if d := cmp.Diff(c.lines, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		err      bool // errTooLarge at the end
	}{
		{"plain", "data: a\n\ndata: b\n\n", []string{"||a", "||b"}, false},
		{"named, with an id and a retry", "event: x\nid: 7\nretry: 20\ndata: a\n\n", []string{"x|7|a"}, false},
		{"many data lines", "data: a\ndata:  b\ndata\n\n", []string{"||a\n b\n"}, false},
		{"other line ends and a mark", "\ufeffdata: a\r\n\r\ndata: b\r\n\r\n", []string{"||a", "||b"}, false},
		{"comments and unknown fields", ": ping\n\n: ping\nfoo: x\ndata: a\n\n", []string{"||a"}, false},
		{"no blank line at the end", "data: a", []string{"||a"}, false},
		{"an id alone", "id: 3\ndata:\n\n", []string{"|3|"}, false},
		{"over the limit", "data: a\n\ndata: " + strings.Repeat("x", 2000) + "\n\n", []string{"||a"}, true},
		{"over the limit in many lines", strings.Repeat("data: xxxxxxxxxx\n", 200), nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newEventReader(strings.NewReader(c.in), 1000)
			var got []string
			for {
				ev, err := r.next()
				if err != nil {
					if errors.Is(err, errTooLarge) != c.err {
						t.Errorf("error %v", err)
					}
					break
				}
				got = append(got, fmt.Sprintf("%s|%s|%s", ev.name, ev.id, ev.data))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestParamHeaders(t *testing.T) {
	schema := `{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},
		"n":{"type":"integer","x-mcp-header":"N"},
		"deep":{"type":"object","properties":{"flag":{"type":"boolean","x-mcp-header":"Flag"}}},
		"plain":{"type":"string"}}}`
	params, err := paramHeaders(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]http.Header{
		`{"region":"us-west1","n":42,"deep":{"flag":true},"plain":"x"}`: {"Mcp-Param-Region": {"us-west1"}, "Mcp-Param-N": {"42"}, "Mcp-Param-Flag": {"true"}},
		`{"region":null,"n":-7}`:       {"Mcp-Param-N": {"-7"}},
		`{"region":"Hello, 世界"}`:       {"Mcp-Param-Region": {"=?base64?SGVsbG8sIOS4lueVjA==?="}},
		`{"region":" padded "}`:        {"Mcp-Param-Region": {"=?base64?IHBhZGRlZCA=?="}},
		`{"region":"line1\nline2"}`:    {"Mcp-Param-Region": {"=?base64?bGluZTEKbGluZTI=?="}},
		`{"region":"=?base64?x?="}`:    {"Mcp-Param-Region": {"=?base64?PT9iYXNlNjQ/eD89?="}},
		`{"deep":{"flag":"no","x":1}}`: {"Mcp-Param-Flag": {"no"}},
		`{"deep":7}`:                   {},
		`{}`:                           {},
	} {
		got := http.Header{}
		setParamHeaders(got, params, json.RawMessage(args))
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", args, d)
		}
	}
	for name, bad := range map[string]string{
		"empty":       `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`,
		"no token":    `{"properties":{"a":{"type":"string","x-mcp-header":"A\r\nEvil: 1"}}}`,
		"twice":       `{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`,
		"a number":    `{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`,
		"under items": `{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`,
		"under allOf": `{"allOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`,
		"the root":    `{"type":"string","x-mcp-header":"A"}`,
	} {
		if got, err := paramHeaders(json.RawMessage(bad)); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAChildGetsAProxyWithoutItsLogin(t *testing.T) {
	for in, want := range map[string]string{
		"http://user:pa55@proxy:3128":        "http://proxy:3128",
		"http://token@proxy/":                "http://proxy/",
		"user:p@ss@proxy:3128":               "proxy:3128",
		"socks5h://u:p@[::1]:1080?x=a@b#c@d": "socks5h://[::1]:1080?x=a@b#c@d",
		"http://proxy:3128/a@b":              "http://proxy:3128/a@b",
		"proxy":                              "proxy",
		"":                                   "",
	} {
		for _, name := range []string{"HTTP_PROXY", "https_proxy", "ALL_PROXY"} {
			if got := childEnv("x", []string{name + "=" + in}, nil); !slices.Equal(got, []string{name + "=" + want}) {
				t.Errorf("%s=%s: %q", name, in, got)
			}
		}
	}
	host := []string{"https_proxy=http://u:p@h", "NO_PROXY=a@b", "HTTP_PROXY=http://h", "ALL_PROXY=t@h", "DOCKER_HOST=ssh://u@h"}
	if got := withheldLogins(host); !slices.Equal(got, []string{"ALL_PROXY", "https_proxy"}) {
		t.Errorf("withheld %q", got)
	}
	if got := childEnv("docker", host, map[string]string{"https_proxy": "http://u:p@h"}); !slices.Contains(got, "https_proxy=http://u:p@h") ||
		!slices.Contains(got, "NO_PROXY=a@b") || !slices.Contains(got, "DOCKER_HOST=ssh://u@h") {
		t.Errorf("what the configuration says, and what is no proxy, stays: %q", got)
	}
}

func TestLastWords(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"", ""},
		{"one\ntwo", "; its standard error says: two"},
		{"Error: no such table\n    at x.js:1\n\nNode.js v20", "; its standard error says: Error: no such table"},
		{"fatal: a\nfatal: b\nbye", "; its standard error says: fatal: b"},
		{
			"npm error code E404\nnpm error 404 Not Found - GET https://registry.example/none\nnpm error 404\nnpm error 404 Note that you can also install\nnpm error A complete log of this run can be found in: /x/y.log",
			"; its standard error says: npm error 404 Not Found - GET https://registry.example/none",
		},
		{
			"npm ERR! code ENOENT\nnpm ERR! syscall open\nnpm ERR! path /x/package.json\nnpm ERR! errno -2\nnpm ERR! enoent Could not read package.json\nnpm ERR! A complete log of this run can be found in: /x/y.log",
			"; its standard error says: npm ERR! enoent Could not read package.json",
		},
		{"npm error code E1\nnpm error", "; its standard error says: npm error"},
		{"npm error 404 Not Found\nError: later", "; its standard error says: Error: later"},
		{"error " + strings.Repeat("x", 400), "; its standard error says: error " + strings.Repeat("x", 294) + " ... (406 bytes)"},
	} {
		var kept tail
		drainStderr(strings.NewReader(c.name), kept.add)
		if got := kept.lastWords(); got != c.want {
			t.Errorf("%.40q ends in %q", c.name, got)
		}
	}
}

func TestACommandThatIsNotFoundNamesNoDirectories(t *testing.T) {
	for path, want := range map[string]string{
		"":           `command "x" is not in the PATH searched, which is empty: install it, or write its whole path`,
		"/none":      `command "x" is not in the PATH searched, which is /none: install it, or write its whole path`,
		"/a:/b/c:/d": `command "x" is not in the PATH searched, which has 3 directories: install it, or write its whole path`,
	} {
		if _, err := lookPath("x", []string{"PATH=" + path}); err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestSecretsAreMaskedInResults(t *testing.T) {
	const token, odd, pin = "tok_0123456789", `s3/"q\uote`, "12345678901"
	m := newMasker(Server{
		URL:     "https://user:pa55word-x@host/?api_key=key_0123456789&region=eu-central-1",
		Headers: map[string]string{"Authorization": "Bearer hdr_0123456789", "X-Region": "eu-central-1"},
		Env:     map[string]string{"MODE": "production", "API_TOKEN": "lit_0123456789", "SHORT_TOKEN": "abc"},
		Secrets: map[string]string{"T": token, "ODD": odd, "PIN": pin, "HOME": "/home/somebody", "ROOT": "/srv/project", "BASE": "https://host.example/api"},
	})
	for _, one := range []struct{ in, want string }{
		{`{"a":"tok_0123456789","tok_0123456789":[1]}`, `{"a":"[hidden]","[hidden]":[1]}`},
		{`{"n":12345678901,"m":112345678901.5,"k":1}`, `{"n":"[hidden]","m":"[hidden]","k":1}`},
		{`["pa55word-x","key_0123456789","hdr_0123456789","lit_0123456789","Bearer hdr_0123456789"]`, `["[hidden]","[hidden]","[hidden]","[hidden]","[hidden]"]`},
		{`["production","eu-central-1","/home/somebody","/srv/project/x","https://host.example/api/1","abc"]`, `["production","eu-central-1","/home/somebody","/srv/project/x","https://host.example/api/1","abc"]`},
	} {
		if got := string(m.maskJSON([]byte(one.in))); got != one.want {
			t.Errorf("%s: %s", one.in, got)
		}
	}
	for name, text := range map[string]string{
		"plain": odd, "in a url": url.QueryEscape(odd), "in a path": url.PathEscape(odd), "Base64": base64.StdEncoding.EncodeToString([]byte(odd)),
	} {
		in, err := json.Marshal(map[string]string{"x": "a " + text + " b"})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(m.maskJSON(in)); got != `{"x":"a [hidden] b"}` {
			t.Errorf("%s: %s", name, got)
		}
	}
	r := capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock(token)}, Structured: json.RawMessage(`"` + token + `"`), Meta: json.RawMessage(`{"a":"` + token + `"}`)}
	m.maskResult(&r)
	if d := cmp.Diff(capabilities.Result{Blocks: []capabilities.Block{capabilities.TextBlock(hidden)}, Structured: json.RawMessage(`"[hidden]"`), Meta: json.RawMessage(`{"a":"[hidden]"}`)}, r); d != "" {
		t.Error(d)
	}
	none := capabilities.Result{Structured: json.RawMessage(`1`)}
	newMasker(Server{}).maskResult(&none)
	if string(none.Structured) != "1" {
		t.Error("nothing is a secret, and something is masked")
	}
}

func TestRedaction(t *testing.T) {
	hide := redactor(Server{
		URL: "https://name-0123456:pa55word-x@host/?api_key=key_0123456789", Headers: map[string]string{"Authorization": "Bearer tok_0123456789"},
		Env:     map[string]string{"MODE": "prod", "TOKEN": "s3cret/with slash", "DATABASE": "pg://u:within_0123456@db"},
		Secrets: map[string]string{"WITHIN": "within_0123456", "HOME": "/home/somebody", "PLACE": "/srv/of/somebody"},
	})
	if got, want := hide("denied: within_0123456, name-0123456 in /home/somebody, /srv/of/somebody"), "denied: [hidden], [hidden] in /home/somebody, /srv/of/somebody"; got != want {
		t.Errorf("got %q", got)
	}
	in := "prod pa55word-x key_0123456789 Bearer tok_0123456789, tok_0123456789 s3cret/with slash s3cret%2Fwith+slash"
	if got, want := hide(in), "prod [hidden] [hidden] [hidden], [hidden] [hidden] [hidden]"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestChildEnvironment(t *testing.T) {
	host := []string{"PATH=/bin", "HOME=/h", "SECRET=x", "DOCKER_HOST=d", "CONTAINERS_CONF=c", "REGISTRY_AUTH_FILE=r", "https_proxy=p", "broken"}
	for command, want := range map[string][]string{
		"npx":             {"A=1", "HOME=/h", "PATH=own", "https_proxy=p"},
		"/usr/bin/docker": {"A=1", "CONTAINERS_CONF=c", "DOCKER_HOST=d", "HOME=/h", "PATH=own", "REGISTRY_AUTH_FILE=r", "https_proxy=p"},
	} {
		if d := cmp.Diff(want, childEnv(command, host, map[string]string{"A": "1", "PATH": "own"})); d != "" {
			t.Errorf("%s: %s", command, d)
		}
	}
	if got := childEnv("x", nil, nil); got == nil || len(got) != 0 {
		t.Errorf("an empty environment is %#v, which would inherit", got)
	}
}
