package config

// file is a YAML file as it was read, before variables.
type file struct {
	auth    Auth
	listen  string
	packs   []string
	store   string
	servers []entry
	apis    []apiEntry
	people  []Person
	units   []unitEntry
	seats   []seatEntry
	gate    Gate
	limited []PrincipalRules
	rates   RateLimits
	finding Discovery
	edge    edge
	oauth   oauthEntry
	operating
}

// entry is one server as it was read, before variables.
type entry struct {
	node *node // nil when it is not an object
	line int
	path string

	name      string
	transport Transport
	command   string
	args      []string
	env       []pair[string]
	cwd       string
	url       string
	headers   []pair[string]

	sharing  sharing
	optional []string
	drift    Drift

	prefix      string
	annotations []pair[Annotation]
	allow, deny []string

	startup, call int
	limits        Limits
	relay         relaySwitches
	signIn        signInEntry

	// What only a client's entry can say.
	tools    []string
	disabled bool
	ignored  []remark
	held     []remark
}

// sharing is whether the callers of a server share one child of it. The zero value says nothing, and they do.
type sharing uint8

const (
	sharingUnset sharing = iota
	sharingOne
	sharingNone
)

// remark is a client's key that is not acted on, with what that means.
type remark struct {
	key  string
	line int
	doc  string
}

// The rules of the texts. Their patterns mean the same in Go and in ECMAScript with the u flag, as JSON Schema asks.
func nameRule() rule {
	const visible = `[\p{L}\p{M}\p{N}\p{P}\p{S}]`
	return rule{`^` + visible + `([\p{L}\p{M}\p{N}\p{P}\p{S} ]*` + visible + `)?$`, 64, "1 to 64 printable characters, with no space at either end"}
}

func filledRule() rule { return rule{`^[^\x00]+$`, 0, "text that is not empty and holds no NUL"} }

func valueRule() rule { return rule{`^[^\x00]*$`, 0, "text without a NUL"} }

func packRule() rule {
	return rule{`^[a-z][a-z0-9_]*$`, 48, "the name of a pack: lower-case letters, digits and _, starting with a letter"}
}

func listenRule() rule {
	const port = `([0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])`
	return rule{`^(\[[0-9A-Za-z:.%]+\]|[0-9A-Za-z._-]*):` + port + `$`, 0, "host:port such as " + DefaultListen + " or [::1]:4280"}
}

func envRule() rule {
	return rule{`^[^=\x00]+$`, 0, "the name of an environment variable: not empty, without = and NUL"}
}

func headerRule() rule {
	return rule{"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", 0, "the name of an HTTP header: letters, digits and -"}
}

// headerValue accepts the value of a header. One in a client's own file, which must not stop the start, is judged when its server is.
func headerValue() shape[string] {
	strict := scalar(rule{`^[^\x00-\x08\x0a-\x1f\x7f]*$`, 0, "the value of a header: text without a line break or another control character"})
	loose := scalar(valueRule())
	return shape[string]{schema: strict.schema, read: func(d *decoder, n *node, path string) (string, bool) {
		if d.foreign {
			return loose.read(d, n, path)
		}
		return strict.read(d, n, path)
	}}
}

// urlRule is as much as can be said before the variables are replaced; what they give is judged again.
func urlRule() rule {
	return rule{`^([Hh][Tt][Tt][Pp][Ss]?://[^\s/?#]\S*|\S*\$\{\S*)$`, 0, "an http or https url, without spaces"}
}

func prefixRule() rule {
	return rule{`^[a-z0-9][a-z0-9_-]{0,20}$`, 0, "1 to 21 lower-case letters, digits, _ and -, starting with a letter or a digit"}
}

func toolRule() rule {
	return rule{`^[^*\x00]+$`, 0, "the exact name of a tool; * is not a pattern"}
}

// fileShape is the table of the top-level keys. A key is added together with what honours it, never before.
func fileShape() shape[file] {
	return object(append([]field[file]{
		key("auth", "What a call over HTTP needs: `token`, a credential; `none`, nothing, which works on a loopback address only.",
			choice(option[Auth]{"token", AuthToken}, option[Auth]{"none", AuthNone}), func(f *file) *Auth { return &f.auth }).defaulting(`"token"`),
		key("listen", "The host:port of the HTTP surface. The flag `--listen` wins.",
			text(listenRule()), func(f *file) *string { return &f.listen }).defaulting(`"` + DefaultListen + `"`),
		key("packs", "The native packs to serve. Without this key all of them are; with an empty list none.",
			distinct(list(text(packRule()))), func(f *file) *[]string { return &f.packs }),
		key("store", "Where writes are kept: `sqlite:` and a path, which counts from this file's directory, or a `postgres://` url with `${NAME}` for a variable. "+
			"Without this key, a file in the data directory.",
			text(storeRule()), func(f *file) *string { return &f.store }),
		key("mcp_servers", "The MCP servers to bridge: a list of entries with a name, or the `mcpServers` object of an MCP client.",
			optional(serversShape()), func(f *file) *[]entry { return &f.servers }),
		key("openapi_servers", "The HTTP APIs to present: entries that name an OpenAPI document each. Its operations become tools, of which nothing is known until `effects` says it.",
			optional(list(apiShape())), func(f *file) *[]apiEntry { return &f.apis }),
		key("people", "The people who are known here.", optional(list(personShape())), func(f *file) *[]Person { return &f.people }),
		key("units", "The units that seats belong to.", optional(list(unitShape())), func(f *file) *[]unitEntry { return &f.units }),
		key("seats", "The seats: positions that an assistant or a person acts as.", optional(list(seatShape())), func(f *file) *[]seatEntry { return &f.seats }),
		key("gate", "The rules for everybody, the owner included. A call has to pass every rule that is for its caller.", gateShape(), func(f *file) *Gate { return &f.gate }),
		key("principals", "The rules and the limits of single principals. Those of a seat stand in its entry.", optional(list(principalShape())), func(f *file) *[]PrincipalRules { return &f.limited }),
		key("rate_limits", "How many calls each principal may make, the owner excepted. Seats, and entries of `principals`, may have limits of their own instead.", rateLimitsShape(), func(f *file) *RateLimits { return &f.rates }),
		key("discovery", "When the list of an MCP client is too long for it. Without this key, never.", discoveryShape(), func(f *file) *Discovery { return &f.finding }),
		key("oauth", "The OAuth 2.1 access tokens that are taken beside API tokens.", oauthShape(), func(f *file) *oauthEntry { return &f.oauth }),
	}, append(edgeFields(), operatingFields()...)...), nil, nil)
}

// serversShape accepts our list of entries and the clients' object of them.
func serversShape() shape[[]entry] {
	entries, clients := list(entryShape()), dictionary(nameRule(), clientShape())
	s := &schema{OneOf: []*schema{entries.schema, clients.schema}}
	return shape[[]entry]{schema: s, read: func(d *decoder, n *node, path string) ([]entry, bool) {
		if n.kind != kindObject {
			return entries.read(d, n, path)
		}
		pairs, ok := clients.read(d, n, path)
		out := make([]entry, 0, len(pairs))
		for _, p := range pairs {
			p.value.name, p.value.line = p.key, p.line
			out = append(out, p.value)
		}
		return out, ok
	}}
}

// entryShape is an entry of the list: only our own keys, and a name.
func entryShape() shape[entry] {
	name := key("name", "The name of the server, unique: 1 to 64 printable characters. The prefix of its tools is derived from it.",
		text(nameRule()), func(e *entry) *string { return &e.name }).needed()
	transport := key("transport", "How the server is reached: `stdio` with a command; `http` (streamable HTTP, the default) or `sse` with a url.",
		choice(option[Transport]{"stdio", TransportStdio}, option[Transport]{"http", TransportHTTP}, option[Transport]{"sse", TransportSSE}),
		func(e *entry) *Transport { return &e.transport })
	fields := append([]field[entry]{name, commandField(), urlField("url", "Where the server is, http or https. `${NAME}` stands for a variable."), transport},
		sharedFields()...)
	fields = append(fields, allowField(), denyField(), signInField())
	switches := []string{"transport"}
	return object(fields, []variant{
		{key: "command", excludes: []string{"headers", "oauth"}, switches: switches, words: []string{"stdio"}},
		{key: "url", excludes: []string{"args", "env", "cwd"}, switches: switches, words: []string{"http", "sse"}},
	}, checkEntry)
}

func commandField() field[entry] {
	return key("command", "The program to start, found on the PATH or given by its path. No variables and no shell.",
		text(filledRule()), func(e *entry) *string { return &e.command })
}

func urlField(name, doc string) field[entry] {
	return key(name, doc, text(urlRule()), func(e *entry) *string { return &e.url })
}

func allowField() field[entry] {
	return key("allow", "The tools to keep, by the server's own names. Without this key all of them are kept; with an empty list none.",
		distinct(list(text(toolRule()))), func(e *entry) *[]string { return &e.allow })
}

func denyField() field[entry] {
	return key("deny", "The tools to leave out, by the server's own names. It wins over `allow`.",
		distinct(list(text(toolRule()))), func(e *entry) *[]string { return &e.deny })
}

// sharedFields are the keys of both forms of an entry.
func sharedFields() []field[entry] {
	return []field[entry]{
		key("args", "The arguments of the program, byte for byte. Variables are not replaced, because every user of a machine can read arguments.",
			optional(list(scalar(valueRule()))), func(e *entry) *[]string { return &e.args }),
		key("env", "What to add to the environment of the program. `${NAME}` in a value stands for a variable, `$$` for a dollar sign.",
			optional(dictionary(envRule(), scalar(valueRule()))), func(e *entry) *[]pair[string] { return &e.env }),
		key("cwd", "The directory to start the program in; a relative one counts from the directory of this file. Without it, the one Holotype was started in.",
			text(filledRule()), func(e *entry) *string { return &e.cwd }),
		key("headers", "HTTP headers for every request to the server. `${NAME}` in a value stands for a variable, `$$` for a dollar sign.",
			optional(dictionary(headerRule(), headerValue())), func(e *entry) *[]pair[string] { return &e.headers }),
		key("shared", "Whether one child serves every caller. With `false` the entry is a template: one child for each seat that declares `mcp_env` for it.",
			choice(option[sharing]{"true", sharingOne}, option[sharing]{"false", sharingNone}), func(e *entry) *sharing { return &e.sharing }).defaulting("true"),
		key("optional_keys", "The keys of `env` or `headers`, here and in `mcp_env`, to leave out whole when a variable in their value is not set. Without this, that holds the server back.",
			distinct(list(text(envRule()))), func(e *entry) *[]string { return &e.optional }),
		key("tool_prefix", "What to put before the names of the server's tools, as it stands, such as `gh__`. Without it, derived from the name with two underscores behind it.",
			text(prefixRule()), func(e *entry) *string { return &e.prefix }),
		key("tool_annotations", "Overrides of hints, by the name of a tool: the server's own, or the exposed one.",
			optional(dictionary(toolRule(), annotationShape())), func(e *entry) *[]pair[Annotation] { return &e.annotations }),
		key("startup_timeout_seconds", "How long the start and the handshake may take. Without it 60, and 180 for npx, uvx, docker and podman, which may install first.",
			integer(1, 3600), func(e *entry) *int { return &e.startup }),
		key("call_timeout_seconds", "How long a call may take.",
			integer(1, 86400), func(e *entry) *int { return &e.call }).defaulting("60"),
		key("limits", "What one child of the server, or one session with it, may be asked for. Without it, what holds for every call.",
			optional(limitsShape()), func(e *entry) *Limits { return &e.limits }),
		relayField(),
		key("drift", "What becomes of a tool whose hints changed towards danger: `warn` says so, `hold` refuses its calls until an operator accepts it.",
			choice(option[Drift]{"warn", DriftWarn}, option[Drift]{"hold", DriftHold}), func(e *entry) *Drift { return &e.drift }).defaulting(`"warn"`),
	}
}

// limitsShape is what a server is spared.
func limitsShape() shape[Limits] {
	return object([]field[Limits]{
		key("concurrent_calls", "How many calls may run at once. Further ones wait for their turn, as long as a call may take, and are refused then.",
			integer(1, 1000), func(l *Limits) *int { return &l.ConcurrentCalls }),
		key("calls_per_minute", "How many calls may begin within any 60 seconds. Further ones are refused, with the time to wait.",
			integer(1, 10_000), func(l *Limits) *int { return &l.CallsPerMinute }),
		key("result_bytes", "How many bytes the result of a call may have as JSON. A larger one is refused whole; the call has run by then.",
			integer(1024, MaxResultBytes), func(l *Limits) *int { return &l.ResultBytes }),
	}, nil, nil)
}

// annotationShape is the override of one tool. The MCP specification's spelling of each hint is accepted beside ours.
func annotationShape() shape[Annotation] {
	hint := choice(option[Hint]{"true", HintYes}, option[Hint]{"false", HintNo},
		option[Hint]{"yes", HintYes}, option[Hint]{"no", HintNo}, option[Hint]{"unknown", HintUnknown})
	return object([]field[Annotation]{
		key("read_only", "Whether the tool changes nothing. `unknown` takes back what the server says.",
			hint, func(a *Annotation) *Hint { return &a.ReadOnly }).also("readOnly", "readOnlyHint", "read_only_hint"),
		key("destructive", "Whether the tool may change or remove what exists. `unknown` takes back what the server says.",
			hint, func(a *Annotation) *Hint { return &a.Destructive }).also("destructiveHint", "destructive_hint"),
		key("idempotent", "Whether calling the tool twice is calling it once. `unknown` takes back what the server says.",
			hint, func(a *Annotation) *Hint { return &a.Idempotent }).also("idempotentHint", "idempotent_hint"),
		key("open_world", "Whether the tool reaches anything outside its own closed domain. `unknown` takes back what the server says.",
			hint, func(a *Annotation) *Hint { return &a.OpenWorld }).also("openWorld", "openWorldHint", "open_world_hint"),
		key("title", "The title to show in place of the server's.",
			text(filledRule()), func(a *Annotation) *string { return &a.Title }),
	}, nil, nil)
}
