package holotype_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

// A signedServer is a server with its pages at an address, in front of a provider.
type signedServer struct {
	*configurable
	p   *provider
	web *httptest.Server
	log *locked

	mu      sync.Mutex
	handler http.Handler
}

// locked is a buffer for several goroutines.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (s *signedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	h := s.handler
	s.mu.Unlock()
	h.ServeHTTP(w, r)
}

// start serves, anew where it was stopped.
func (s *signedServer) start() {
	s.t.Helper()
	s.Server = serve(s.t, s.o)
	h, err := s.Handler()
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	s.handler = h
	s.mu.Unlock()
}

func openSigned(t *testing.T, p *provider, entry string) *signedServer {
	t.Helper()
	s := &signedServer{p: p, log: &locked{}}
	s.web = httptest.NewServer(s)
	t.Cleanup(s.web.Close)
	dir := t.TempDir()
	s.configurable = &configurable{t: t, file: filepath.Join(dir, "holotype.yaml")}
	s.write("oauth: {address: " + s.web.URL + "}\nmcp_servers:\n  - {name: files, url: " + p.URL + "/mcp" + entry + "}\n")
	s.o = holotype.Options{
		Data: filepath.Join(dir, "data"), Config: s.file, Log: slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Lookup: func(name string) (string, bool) { v, ok := map[string]string{"HOME": dir}[name]; return v, ok },
	}
	s.start()
	return s
}

// browser is one that is signed in to this server.
func (s *signedServer) browser() *http.Client {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	path, err := s.SignInPath()
	if err != nil {
		s.t.Fatal(err)
	}
	at, err := url.Parse(path)
	if err != nil {
		s.t.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	resp, err := c.PostForm(s.web.URL+"/login", url.Values{"token": {at.Query().Get("token")}})
	if err != nil {
		s.t.Fatal(err)
	}
	_ = resp.Body.Close()
	return c
}

// open opens a page and answers where it ended, and what is on it.
func (s *signedServer) open(c *http.Client, at string) (where *url.URL, status int, page string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, at, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	resp, err := c.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.Request.URL, resp.StatusCode, string(body)
}

// says calls a tool as the owner, or in the position of a seat.
func (s *signedServer) says(seat, tool string) (string, error) {
	s.t.Helper()
	who := capabilities.OwnerPrincipal()
	who.Seat = seat
	res, err := s.Invoke(s.t.Context(), capabilities.Call{Name: tool, Principal: who, Surface: capabilities.MCP})
	if err != nil {
		return "", err
	}
	var block struct{ Text string }
	if err := json.Unmarshal(res.Blocks[0], &block); err != nil {
		s.t.Fatal(err)
	}
	return block.Text, nil
}

func (s *signedServer) mustSay(seat, tool, want string) {
	s.t.Helper()
	if got, err := s.says(seat, tool); err != nil || got != want {
		s.t.Errorf("%s of %q says %q, %v, want %q", tool, seat, got, err, want)
	}
}

func needed(s system.Server) bool {
	return s.State == system.Waiting && s.SignIn != nil && s.SignIn.State == "needed"
}

// TestSigningInToAServer goes the whole way: a server that asks for it waits, the link in its
// status leads to a sign-in, and its tools are there; until it is taken back.
func TestSigningInToAServer(t *testing.T) {
	p := openProvider(t)
	s := openSigned(t, p, "")
	row := s.until("files", needed)
	if row.SignIn.Link != s.web.URL+"/operator/servers/files/sign-in" || !strings.Contains(row.Reason, "login files") || row.SignIn.Since != "" {
		t.Fatalf("status %+v, sign-in %+v", row, row.SignIn)
	}
	if out, exit := s.run("", "doctor"); exit != 1 || !strings.Contains(out, "sign in with holotype login files") || !strings.Contains(out, row.SignIn.Link) {
		t.Errorf("exit %d: %s", exit, out)
	}

	// Somebody who refuses is told so, and nothing is changed.
	browser := s.browser()
	p.atBrowser("")
	if _, status, page := s.open(browser, row.SignIn.Link); status == http.StatusOK || !strings.Contains(page, "did not come about") {
		t.Errorf("%d %s", status, page)
	}
	p.atBrowser("ada")
	back, status, page := s.open(browser, row.SignIn.Link)
	if status != http.StatusOK || back.Path != "/oauth/callback" || !strings.Contains(page, "Signed in") || !strings.Contains(page, "<code>files</code>") {
		t.Fatalf("%s: %d %s\n%s", back, status, page, s.log)
	}
	row = s.until("files", running)
	if row.SignIn == nil || row.SignIn.State != "signed_in" || row.SignIn.Issuer != p.URL || row.SignIn.Link != "" || row.SignIn.Since == "" {
		t.Errorf("sign-in %+v", row.SignIn)
	}
	s.mustSay("", "files__whoami", "ada")
	s.mustSay("", "files__leak", "the token is [hidden]")
	// The way back works once.
	if _, status, page := s.open(browser, back.String()); status == http.StatusOK || strings.Contains(page, "Signed in") {
		t.Errorf("%d %s", status, page)
	}

	// What a caller is let in by goes no further.
	token, err := s.OwnerToken()
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.web.URL+"/api/v1/servers/files/tools/whoami", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	called, err := http.DefaultClient.Do(req)
	if err != nil || called.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", called, err)
	}
	_ = called.Body.Close()

	// An access token that has ended is renewed in the middle of a call.
	p.expire(false)
	s.mustSay("", "files__whoami", "ada")
	if renewed, clients, _ := p.counts(); renewed != 1 || clients != 1 {
		t.Errorf("renewed %d times, by %d clients", renewed, clients)
	}

	// It outlasts the process.
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s.start()
	s.until("files", running)
	s.mustSay("", "files__whoami", "ada")

	// What is taken back there has to be begun anew, by another person or the same.
	p.expire(true)
	if _, err := s.says("", "files__whoami"); err == nil || !strings.Contains(err.Error(), "login files") {
		t.Errorf("the call says %v", err)
	}
	row = s.until("files", needed)
	if row.SignIn.Link == "" || row.SignIn.Reason == "" || strings.Contains(row.SignIn.Reason, "planted") {
		t.Errorf("sign-in %+v", row.SignIn)
	}
	p.atBrowser("bob")
	if _, status, page := s.open(s.browser(), row.SignIn.Link); status != http.StatusOK {
		t.Fatalf("%d %s", status, page)
	}
	s.until("files", running)
	s.mustSay("", "files__whoami", "bob")

	shown := func() string {
		all, err := json.Marshal([]any{
			ok(t, s, system.GetMCPServer, system.GetMCPServerInput{Name: "files"}), ok(t, s, system.ListCalls, system.ListCallsInput{}),
			ok(t, s, system.GetConfigMCPServer, system.GetConfigMCPServerInput{Name: "files"}),
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	texts := map[string]string{"the status": shown()}
	if out, exit := s.run("", "logout", "files"); exit != 0 || out != "signed out of files\n" {
		t.Errorf("exit %d: %s", exit, out)
	}
	s.until("files", needed)
	if _, _, revoked := p.counts(); revoked == 0 {
		t.Error("nothing was revoked")
	}
	if out, exit := s.run("", "logout", "files"); exit != 0 || out != "there was no sign-in to files\n" {
		t.Errorf("exit %d: %s", exit, out)
	}
	if foreign := p.foreign(); len(foreign) > 0 {
		t.Errorf("the server was sent %q", foreign)
	}
	texts["the log"], texts["the status later"] = s.log.String(), shown()
	files := 0
	_ = filepath.WalkDir(s.o.Data, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if files++; err == nil {
				texts[path] = string(content)
			}
		}
		return nil
	})
	for name, text := range texts {
		if strings.Contains(text, "planted-") {
			t.Errorf("%s has a token or a code", name)
		}
	}
	if files == 0 || !strings.Contains(texts["the log"], "sign_in_") {
		t.Errorf("%d files, and a log of %d bytes", files, len(texts["the log"]))
	}
}

// TestTheSignInsOfSeats has two seats with an account each, signed in to by the command,
// which takes the browser back itself.
func TestTheSignInsOfSeats(t *testing.T) {
	p := openProvider(t)
	c := configure(t, "units: [{id: u}]\nseats: [{id: one, unit: u, mcp_env: {files: {}}}, {id: two, unit: u, mcp_env: {files: {}}}, {id: three, unit: u}]\n"+
		"mcp_servers:\n  - {name: files, url: "+p.URL+"/mcp, shared: false}\n")
	s := &signedServer{configurable: c, p: p}
	c.until("files", func(s system.Server) bool {
		return len(s.Instances) == 2 && s.Instances[0].SignIn != nil && s.Instances[1].SignIn != nil
	})
	login := func(seat, who string, more ...string) {
		t.Helper()
		p.atBrowser(who)
		in, out := io.Pipe()
		ended := make(chan int, 1)
		go func() {
			o := c.o
			o.Config = ""
			code := holotype.New(quiet(o)).Command().Run(t.Context(), append([]string{"login", "files", "--seat", seat}, more...), strings.NewReader(""), out, io.Discard)
			_ = out.Close()
			ended <- code
		}()
		line, err := bufio.NewReader(in).ReadString('\n')
		if err != nil {
			t.Fatalf("%q, %v, ended with %d", line, err, <-ended)
		}
		if _, status, page := s.open(http.DefaultClient, strings.TrimSpace(line)); status != http.StatusOK || !strings.Contains(page, "for the seat <code>"+seat+"</code>") {
			t.Errorf("%d %s", status, page)
		}
		if code := <-ended; code != 0 {
			t.Errorf("login ends with %d", code)
		}
	}
	login("one", "ada")
	login("two", "bob")
	c.until("files", running)
	for range 3 {
		s.mustSay("one", "files__whoami", "ada")
		s.mustSay("two", "files__whoami", "bob")
	}
	// Who acts in a seat has to do with its own alone.
	call := func(seat string, in system.MCPServerSignInInput) error {
		_, err := system.EndMCPServerSignIn.Call(t.Context(), c, &capabilities.Principal{ID: seat, Kind: capabilities.Seat, Seat: seat, Scopes: []string{"*"}}, in)
		return err
	}
	for _, in := range []system.MCPServerSignInInput{{Name: "files", Seat: "two"}, {Name: "other"}, {Name: "other", Seat: "two"}} {
		if e, _ := capabilities.AsError(call("one", in)); e == nil || e.Code != capabilities.Forbidden {
			t.Errorf("%+v: %v", in, e)
		}
	}
	if e, _ := capabilities.AsError(call("three", system.MCPServerSignInInput{Name: "files", Seat: "three"})); e == nil || e.Code != capabilities.NotFound || strings.Contains(e.Message, "two") {
		t.Errorf("who has no instance is told %v", e)
	}
	if err := call("one", system.MCPServerSignInInput{Name: "files"}); err != nil {
		t.Error(err)
	}
	c.until("files", func(s system.Server) bool { return s.State == system.PartlyFailing })
	s.mustSay("two", "files__whoami", "bob")
	if _, err := s.says("one", "files__whoami"); err == nil || !strings.Contains(err.Error(), "--seat one") {
		t.Errorf("the call says %v", err)
	}
	// Where no server runs, the command is one for as long as it takes.
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	login("one", "eve", "--config", c.file)
	s.Server = serve(t, c.o)
	c.until("files", running)
	s.mustSay("one", "files__whoami", "eve")
	s.mustSay("two", "files__whoami", "bob")
}

// TestNeverSigningIn leaves a server be that is configured so, or has a header of its own.
func TestNeverSigningIn(t *testing.T) {
	p := openProvider(t)
	c := configure(t, "mcp_servers:\n  - {name: never, url: "+p.URL+"/mcp, oauth: false}\n  - {name: own, url: "+p.URL+"/mcp, headers: {Authorization: Bearer planted-own}}\n")
	for _, name := range []string{"never", "own"} {
		row := c.until(name, func(s system.Server) bool { return s.State == system.Waiting })
		if row.SignIn != nil || !strings.Contains(row.Reason, "HTTP status 401") {
			t.Errorf("%s: %+v", name, row)
		}
		refused(t, c, system.BeginMCPServerSignIn, system.MCPServerSignInInput{Name: name}, capabilities.Conflict, map[string]string{"never": "oauth: false", "own": "has an Authorization"}[name])
	}
	// Another configuration is another sign-in, at once.
	c.write("mcp_servers:\n  - {name: never, url: " + p.URL + "/mcp}\n  - {name: own, url: " + p.URL + "/mcp, headers: {Authorization: Bearer planted-own}}\n")
	if r := ok(t, c, system.ReloadConfig, system.ReloadConfigInput{}); len(r.Changed) != 1 || r.Changed[0] != "never" {
		t.Errorf("%+v", r)
	}
	ok(t, c, system.ReloadConfig, system.ReloadConfigInput{})
	c.until("never", needed)
}
