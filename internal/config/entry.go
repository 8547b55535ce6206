package config

import (
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// checkEntry judges what no single key can.
func checkEntry(d *decoder, n *node, path string, e *entry) bool {
	e.node, e.line, e.path = n, n.line, path
	ok := true
	spelt := map[string]string{}
	for _, h := range e.headers {
		p := under(under(path, "headers"), h.key)
		lower := strings.ToLower(h.key)
		if first, twice := spelt[lower]; twice {
			d.fault(h.line, p, "%s is the same header; keep one", first)
			ok = false
		}
		spelt[lower] = h.key
		if slices.Contains(ownHeaders(), lower) {
			d.fault(h.line, p, "this header is set by Holotype and cannot be configured; remove it")
			ok = false
		}
	}
	return ok
}

// braced finds what was probably meant as a variable.
var braced = regexp.MustCompile(`\$\{[^}]*\}`)

// ownHeaders are the headers that belong to the protocol, in lower case.
func ownHeaders() []string {
	return []string{
		"accept", "connection", "content-length", "content-type", "host", "last-event-id", "mcp-method", "mcp-name",
		"mcp-protocol-version", "mcp-session-id", "te", "trailer", "transfer-encoding", "upgrade",
	}
}

// words is what the key means, as the end of a sentence.
func (r remark) words() string {
	return strings.ToLower(r.doc[:1]) + strings.TrimSuffix(r.doc[1:], ".")
}

// serverFrom turns an entry into a server; false when it is left out.
func serverFrom(d *decoder, e entry, lookup func(string) (string, bool)) (Server, bool) {
	if e.disabled {
		d.notice(e.line, "server %q is disabled in this file and left out", e.name)
		return Server{}, false
	}
	for _, r := range e.ignored {
		d.notice(r.line, "server %q: %s: %s", e.name, r.key, r.words())
	}
	for i, a := range e.args {
		if braced.MatchString(a) {
			d.notice(e.node.get("args").items[i].line, "server %q: %s is passed on as it is: variables are not replaced in args, "+
				"which every user of a machine can read; put the value under env", e.name, at("args", i))
		}
	}
	s := Server{
		Name: e.name, File: d.file, Line: e.line, Transport: e.transport,
		Command: e.command, Args: e.args, Cwd: e.cwd, ToolPrefix: e.prefix, Allow: e.allow, Deny: e.deny,
		StartupTimeout: startupTimeout(e), CallTimeout: time.Minute,
	}
	if e.call > 0 {
		s.CallTimeout = time.Duration(e.call) * time.Second
	}
	if s.Cwd != "" && !filepath.IsAbs(s.Cwd) {
		s.Cwd = filepath.Join(d.dir, s.Cwd)
	}
	for _, a := range e.annotations {
		if s.ToolAnnotations == nil {
			s.ToolAnnotations = map[string]Annotation{}
		}
		s.ToolAnnotations[a.key] = a.value
	}
	for _, r := range e.held {
		s.Unresolved = append(s.Unresolved, r.key+": "+r.words())
	}
	x := expander{d, lookup, &s, e.path}
	s.Env = x.all("env", e.env, nil)
	s.Headers = x.all("headers", e.headers, sendable)
	if e.command != "" {
		s.Transport = TransportStdio
		return s, true
	}
	if s.Transport == "" {
		s.Transport = TransportHTTP
	}
	s.URL, _ = x.one("url", e.line, e.url, reachable)
	return s, true
}

// startupTimeout is longer for the programs that may install what they run.
func startupTimeout(e entry) time.Duration {
	if e.startup > 0 {
		return time.Duration(e.startup) * time.Second
	}
	program := strings.ToLower(filepath.Base(e.command))
	program = strings.TrimSuffix(strings.TrimSuffix(program, ".exe"), ".cmd")
	if slices.Contains([]string{"npx", "uvx", "docker", "podman"}, program) {
		return 3 * time.Minute
	}
	return time.Minute
}

// expander replaces the variables of one server, and puts what it finds wrong where it belongs.
type expander struct {
	d      *decoder
	lookup func(string) (string, bool)
	server *Server
	path   string
}

func (x expander) all(field string, pairs []pair[string], judge func(string) string) map[string]string {
	if len(pairs) == 0 {
		return nil
	}
	out := make(map[string]string, len(pairs))
	for _, p := range pairs {
		if p.value == "" {
			x.d.notice(p.line, "server %q: %s is an empty string", x.server.Name, under(field, p.key))
		}
		if v, ok := x.one(under(field, p.key), p.line, p.value, judge); ok {
			out[p.key] = v
		}
	}
	return out
}

// one replaces the variables of one value. A missing variable holds the server back. So does a look-alike in a client's own file, where
// it may be right for that client; in ours it is a fault.
func (x expander) one(field string, line int, value string, judge func(string) string) (string, bool) {
	out, problems := expand(value, func(name string) (string, bool) {
		v, ok := x.lookup(name)
		if ok {
			if x.server.Secrets == nil {
				x.server.Secrets = map[string]string{}
			}
			x.server.Secrets[name] = v
		}
		return v, ok
	})
	for _, p := range problems {
		if p.unset || x.d.foreign {
			x.hold(field + ": " + p.words)
			continue
		}
		x.d.fault(line, x.path+"."+field, "%s", p.words)
	}
	if problems != nil || judge == nil {
		return out, problems == nil
	}
	if words := judge(out); words != "" {
		x.hold(field + ": " + words)
		return "", false
	}
	return out, true
}

// hold adds a reason not to start the server, once.
func (x expander) hold(why string) {
	if !slices.Contains(x.server.Unresolved, why) {
		x.server.Unresolved = append(x.server.Unresolved, why)
	}
}

// sendable says what is wrong with the value of a header, most often the line break at the end of a file that a variable was read from.
func sendable(value string) string {
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return "the value holds a line break or another control character, which no header can carry"
	}
	return ""
}

// reachable says what is wrong with a url whose variables are replaced.
func reachable(value string) string {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "the value is not an http or https url"
	}
	return ""
}
