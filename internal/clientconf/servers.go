package clientconf

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// Server is an entry of a client, in the words of a configuration of Holotype.
type Server struct {
	Client *Client
	File   string
	Name   string
	// Project is the one that the entry is for; "" is every one.
	Project string
	// Command and Args start a program, URL is an address. Variables stand as ${NAME} in Env,
	// Headers and URL, and a dollar sign there as $$.
	Command    string
	Args       []string
	Cwd        string
	URL        string
	SSE        bool // the address is one of the older transport
	Env        []Pair
	Headers    []Pair
	Allow      []string // nil keeps all
	Deny       []string
	StartLimit int // seconds; 0 is not said
	CallLimit  int
	// Obstacle says why it cannot be taken over; "" when it can.
	Obstacle string
	// Notes say what is to be known when it is.
	Notes []string
}

// Pair is a key with its value.
type Pair struct{ Key, Value string }

// Servers answers the entries of a file that was read. Home is the folder of its user.
func (c *Client) Servers(file string, said entrytext.Value, home string) []Server {
	var all []Server
	t := translator{c.Refers, home}
	read := func(v entrytext.Value, project string) {
		entries, _ := v.At(c.Key)
		for _, m := range entries.Members {
			s := Server{Client: c, File: file, Name: m.Key, Project: project}
			if err := s.read(t, m.Value); err != nil {
				s.Obstacle = err.Error()
			} else if project != "" {
				s.Obstacle = "it is for the project " + project + " alone"
			}
			all = append(all, s)
		}
	}
	read(said, "")
	if c.Projects != "" {
		projects, _ := said.Get(c.Projects)
		for _, m := range projects.Members {
			read(m.Value, m.Key)
		}
	}
	return all
}

// Launch answers what an entry starts or calls, as far as that can be told.
func (c *Client) Launch(entry entrytext.Value) Launch {
	s := Server{Client: c}
	_ = s.where(translator{}, entry) // what cannot be read is nobody's launch
	return Launch{Program: s.Command, Arguments: s.Args, Address: s.URL}
}

// Off reports whether an entry is switched off.
func Off(entry entrytext.Value) bool {
	disabled, _ := entry.Get("disabled")
	enabled, _ := entry.Get("enabled")
	return disabled.Kind == entrytext.Bool && disabled.Text == "true" || enabled.Kind == entrytext.Bool && enabled.Text == "false"
}

// first answers the value of the first key that an entry has.
func first(entry entrytext.Value, keys ...string) (v entrytext.Value, key string) {
	for _, key := range keys {
		if v, ok := entry.Get(key); ok && v.Kind != entrytext.Null {
			return v, key
		}
	}
	return entrytext.Value{}, ""
}

func (s *Server) read(t translator, entry entrytext.Value) error {
	if entry.Kind != entrytext.Map {
		return obstacle("its entry is " + entry.Kind.String() + " and not an object")
	}
	if Off(entry) {
		return obstacle("it is switched off there")
	}
	if err := s.unsupported(entry); err != nil {
		return err
	}
	if err := s.where(t, entry); err != nil {
		return err
	}
	var err error
	if s.Command != "" {
		err = s.environment(t, entry)
	} else {
		err = s.requests(t, entry)
	}
	if err != nil {
		return err
	}
	return s.rest(entry)
}

// unsupported answers what of an entry only its client can do.
func (s *Server) unsupported(entry entrytext.Value) error {
	kind, _ := first(entry, "type", "source")
	switch kind.Text {
	case "builtin", "platform", "frontend", "inline_python":
		return obstacle("it is a part of " + s.Client.Title + " itself")
	case "extension":
		if command, _ := first(entry, "command"); command.Kind == entrytext.Null {
			return obstacle("it belongs to an extension of " + s.Client.Title)
		}
	}
	for _, one := range []struct{ key, why string }{
		{"oauth", "it signs in by OAuth in its client"},
		{"auth", "it signs in by OAuth in its client"},
		{"authProviderType", "it signs in by OAuth in its client"},
		{"envFile", "its variables stand in a file that is not read here: put them under env"},
		{"headersHelper", "a program of its client makes its headers: put them under headers"},
		{"sandboxEnabled", "its client keeps it in a sandbox, and there is none here"},
	} {
		if v, key := first(entry, one.key); key != "" && !blank(v) {
			return obstacle(one.why)
		}
	}
	return nil
}

// blank reports a value that says as much as none.
func blank(v entrytext.Value) bool {
	return v.Kind == entrytext.Null || v.Kind == entrytext.Bool && v.Text == "false" || v.Kind == entrytext.String && v.Text == "" ||
		(v.Kind == entrytext.List || v.Kind == entrytext.Map) && len(v.Items)+len(v.Members) == 0
}

// where reads what is started or called.
func (s *Server) where(t translator, entry entrytext.Value) error {
	command, _ := first(entry, "command", "cmd")
	if command.Kind == entrytext.Map { // an older form of Zed's
		entry = command
		command, _ = first(entry, "path")
	}
	address, addressKey := first(entry, "url", "httpUrl", "serverUrl", "uri")
	kind, _ := first(entry, "transport", "transportType", "type")
	switch {
	case command.Kind == entrytext.String && command.Text != "" && addressKey != "":
		return obstacle("it has a command and an address")
	case command.Kind == entrytext.String && command.Text != "":
		return s.program(t, entry, command.Text)
	case address.Kind != entrytext.String || address.Text == "":
		return obstacle("it has neither a command nor an address")
	}
	switch kind.Text {
	case "", "http", "streamable-http", "streamableHttp", "streamable_http":
		s.SSE = kind.Text == "" && addressKey == "url" && s.Client.ID == "gemini" // where httpUrl is the newer one
	case "sse":
		s.SSE = true
	default:
		return obstacle("its transport " + strconv.Quote(kind.Text) + " is not known here")
	}
	var err error
	s.URL, err = t.value(address.Text)
	return err
}

func (s *Server) program(t translator, entry entrytext.Value, command string) error {
	var err error
	if s.Command, err = t.plain(command); err != nil {
		return err
	}
	if strings.ContainsRune(s.Command, '/') && !filepath.IsAbs(s.Command) {
		return obstacle("its command is a path from a folder that only its client knows")
	}
	args, _ := first(entry, "args")
	if args.Kind != entrytext.List && args.Kind != entrytext.Null {
		return obstacle("its args are " + args.Kind.String() + " and not a list")
	}
	for _, item := range args.Items {
		if item.Kind == entrytext.List || item.Kind == entrytext.Map || item.Kind == entrytext.Null {
			return obstacle("one of its args is " + item.Kind.String() + " and not text")
		}
		text, err := t.plain(item.Text)
		if err != nil {
			return err
		}
		s.Args = append(s.Args, text)
	}
	if cwd, key := first(entry, "cwd"); key != "" && !blank(cwd) {
		if s.Cwd, err = t.plain(cwd.Text); err == nil && !filepath.IsAbs(s.Cwd) {
			return obstacle("its cwd is a path from a folder that only its client knows")
		}
	}
	return err
}

// pairs reads an object of text.
func pairs(t translator, v entrytext.Value, key string) ([]Pair, error) {
	if v.Kind != entrytext.Map && v.Kind != entrytext.Null {
		return nil, obstacle("its " + key + " is " + v.Kind.String() + " and not an object")
	}
	var out []Pair
	for _, m := range v.Members {
		switch m.Value.Kind {
		case entrytext.Null:
			continue
		case entrytext.List, entrytext.Map:
			return nil, obstacle("its " + key + " holds " + m.Value.Kind.String() + " and not text, under " + strconv.Quote(m.Key))
		case entrytext.Bool, entrytext.Number, entrytext.String:
		}
		text, err := t.value(m.Value.Text)
		if err != nil {
			return nil, err
		}
		out = append(out, Pair{m.Key, text})
	}
	return out, nil
}

// environment reads the variables that a program gets.
func (s *Server) environment(t translator, entry entrytext.Value) error {
	source := entry
	if command, _ := first(entry, "command"); command.Kind == entrytext.Map {
		source = command
	}
	env, key := first(source, "env", "envs")
	var err error
	if s.Env, err = pairs(t, env, key); err != nil {
		return err
	}
	passed, _ := first(entry, "env_vars") // of Codex: names that are passed on
	for _, item := range passed.Items {
		name := item.Text
		if item.Kind == entrytext.Map {
			v, _ := item.Get("name")
			name = v.Text
		}
		s.refer(name)
	}
	kept, _ := first(entry, "env_keys") // of goose: names whose values its keyring has
	for _, item := range kept.Items {
		if s.refer(item.Text) {
			s.Notes = append(s.Notes, "the value of "+item.Text+" is kept by "+s.Client.Title+": give it with secrets set "+item.Text)
		}
	}
	return nil
}

// refer adds a variable to the environment that is passed on under its own name.
func (s *Server) refer(name string) bool {
	if !variableName.MatchString(name) || slices.ContainsFunc(s.Env, func(p Pair) bool { return p.Key == name }) {
		return false
	}
	s.Env = append(s.Env, Pair{name, "${" + name + "}"})
	return true
}

// requests reads the headers that go with every request.
func (s *Server) requests(t translator, entry entrytext.Value) error {
	headers, key := first(entry, "headers", "http_headers")
	var err error
	if s.Headers, err = pairs(t, headers, key); err != nil {
		return err
	}
	named, _ := first(entry, "env_http_headers")
	for _, m := range named.Members {
		if !variableName.MatchString(m.Value.Text) {
			return obstacle("the headers that it takes from variables name what is none")
		}
		s.header(m.Key, "${"+m.Value.Text+"}")
	}
	if token, _ := first(entry, "bearer_token_env_var"); variableName.MatchString(token.Text) {
		s.header("Authorization", "Bearer ${"+token.Text+"}")
	}
	if len(s.Headers) == 0 && strings.HasPrefix(s.URL, "https://") && len(AddressSecrets(s.URL)) == 0 && !strings.Contains(s.URL, "${") {
		s.Notes = append(s.Notes, "its entry holds no credential: where it wants a sign-in, the command login with its name begins one")
	}
	return nil
}

// header sets a header, in the place of one whose name differs in capitals at most.
func (s *Server) header(name, value string) {
	s.Headers = slices.DeleteFunc(s.Headers, func(p Pair) bool { return strings.EqualFold(p.Key, name) })
	s.Headers = append(s.Headers, Pair{name, value})
}

// rest reads which tools are kept, and limits.
func (s *Server) rest(entry entrytext.Value) error {
	var err error
	if s.Allow, err = names(entry, "includeTools", "enabled_tools", "available_tools", "tools"); err != nil {
		return err
	}
	if len(s.Allow) == 0 || slices.Contains(s.Allow, "*") { // of goose and others an empty list is all
		s.Allow = nil
	}
	if s.Deny, err = names(entry, "excludeTools", "disabled_tools", "disabledTools"); err != nil {
		return err
	}
	s.StartLimit = seconds(entry, "startup_timeout_sec", 3600)
	s.CallLimit = seconds(entry, "tool_timeout_sec", 86400)
	return nil
}

func names(entry entrytext.Value, keys ...string) ([]string, error) {
	list, key := first(entry, keys...)
	var out []string
	for _, item := range list.Items {
		if item.Kind != entrytext.String || item.Text == "" {
			return nil, obstacle("its " + key + " hold " + item.Kind.String() + " and not names")
		}
		if !slices.Contains(out, item.Text) {
			out = append(out, item.Text)
		}
	}
	return out, nil
}

// seconds answers a number of them, within what a configuration takes; 0 is not said.
func seconds(entry entrytext.Value, key string, most int) int {
	v, _ := entry.Get(key)
	n, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || v.Kind != entrytext.Number || n < 1 || n > float64(most) {
		return 0
	}
	return int(n)
}
