package config

import (
	"cmp"
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
	return checkHeaders(d, under(path, "headers"), e.headers, false) && checkOptionalList(d, n, path, e)
}

// http reports an entry that is reached by a url.
func (e *entry) http() bool { return e.command == "" }

// braced finds what was probably meant as a variable.
var braced = regexp.MustCompile(`\$\{[^}]*\}`)

// ownHeaders are the headers that belong to the protocol, in lower case.
func ownHeaders() []string {
	return []string{
		"accept", "connection", "content-length", "content-type", "holotype-mark", "host", "last-event-id", "mcp-method", "mcp-name",
		"mcp-protocol-version", "mcp-session-id", "te", "trailer", "transfer-encoding", "upgrade",
	}
}

// words is what the key means, as the end of a sentence.
func (r remark) words() string {
	return strings.ToLower(r.doc[:1]) + strings.TrimSuffix(r.doc[1:], ".")
}

// describe returns what of a server is the same for all of its instances.
func describe(dec declaration) Server {
	e, d := dec.entry, dec.d
	s := Server{
		Name: e.name, Shared: e.sharing != sharingNone, File: d.file, Line: e.line, Origin: dec.origin, Entry: e.json(false), MaskedEntry: e.json(true),
		MaskedArgs: maskedArgs(e.args), MaskedURL: maskedURL(e.url), Transport: e.transport, Command: e.command, Args: e.args, Cwd: e.cwd, ToolPrefix: e.prefix, Allow: e.allow, Deny: e.deny,
		ToolAnnotations: byKey(e.annotations), Drift: cmp.Or(e.drift, DriftWarn), StartupTimeout: startupTimeout(e), CallTimeout: callTimeout(e), Limits: e.limits,
	}
	s.Relay = e.relay.in(s.Shared)
	if s.Cwd != "" && !filepath.IsAbs(s.Cwd) {
		s.Cwd = filepath.Join(d.dir, s.Cwd)
	}
	for _, r := range e.held {
		s.Unresolved = append(s.Unresolved, r.key+": "+r.words())
	}
	if e.command != "" {
		s.Transport = TransportStdio
	}
	s.Transport = cmp.Or(s.Transport, TransportHTTP)
	return s
}

// byKey answers pairs by their keys; nil for none.
func byKey[T any](all []pair[T]) map[string]T {
	if len(all) == 0 {
		return nil
	}
	out := make(map[string]T, len(all))
	for _, one := range all {
		out[one.key] = one.value
	}
	return out
}

// remark says what of an entry is not acted on.
func (dec declaration) remark() {
	dec.remarkSignIn()
	for _, r := range dec.ignored {
		dec.d.notice(r.line, "server %q: %s: %s", dec.name, r.key, r.words())
	}
	for i, a := range dec.args {
		if braced.MatchString(a) {
			dec.d.notice(dec.node.get("args").items[i].line, "server %q: %s is passed on as it is: variables are not replaced in args, "+
				"which every user of a machine can read; put the value under env", dec.name, at("args", i))
		}
	}
}

func callTimeout(e entry) time.Duration {
	if e.call > 0 {
		return time.Duration(e.call) * time.Second
	}
	return time.Minute
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
