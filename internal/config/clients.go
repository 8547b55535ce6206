package config

import "slices"

// ClientKey is a key that an MCP client writes into its entries and Holotype's own entries do not have.
type ClientKey struct {
	// Name is the key as the client spells it.
	Name string
	// Meaning says what it does here, in one sentence or two.
	Meaning string
}

// ClientKeys lists what the clients' entries may say beyond our own keys, in the order of the table that reads them.
func ClientKeys() []ClientKey {
	var out []ClientKey
	for _, f := range clientFields() {
		out = append(out, ClientKey{f.names[0], f.doc})
	}
	out = append(out,
		ClientKey{"type, transportType", "The same as transport. It may also say streamable-http, streamableHttp or streamable_http, which are http."},
		ClientKey{"includeTools", "The same as allow."},
		ClientKey{"excludeTools, disabledTools", "The same as deny."})
	return out
}

// clientFields are the keys of clients that are no other spelling of one of ours.
func clientFields() []field[entry] {
	return []field[entry]{
		urlField("httpUrl", "The same as url."),
		urlField("serverUrl", "The same as url."),
		{
			names: []string{"disabled"}, doc: "True leaves the server out.", schema: boolean().schema,
			read: func(d *decoder, n *node, path string, e *entry) bool {
				off, ok := boolean().read(d, n, path)
				e.disabled = e.disabled || off
				return ok
			},
		},
		{
			names: []string{"enabled"}, doc: "False leaves the server out.", schema: boolean().schema,
			read: func(d *decoder, n *node, path string, e *entry) bool {
				on, ok := boolean().read(d, n, path)
				e.disabled = e.disabled || ok && !on
				return ok
			},
		},
		key("tools", "The tools to keep, the same as allow, except that * among them keeps all.",
			list(text(filledRule())), func(e *entry) *[]string { return &e.tools }),
		ignored("name", "Ignored: the key of the entry is the name of the server."),
		ignored("description", "Ignored: a server describes itself."),
		ignored("icon", "Ignored: it is about the client's window."),
		ignored("iconUrl", "Ignored: it is about the client's window."),
		ignored("timeout", "Ignored: clients disagree whether it counts seconds or milliseconds. Use call_timeout_seconds."),
		ignored("networkTimeout", "Ignored: use call_timeout_seconds."),
		ignored("autoApprove", "Ignored: what needs no approval in that client says nothing about the callers here."),
		ignored("alwaysAllow", "Ignored: what needs no approval in that client says nothing about the callers here."),
		ignored("trust", "Ignored: what needs no approval in that client says nothing about the callers here."),
		ignored("alwaysLoad", "Ignored: every tool is listed."),
		ignored("dev", "Ignored: it is about the client's debugger and file watcher."),
		ignored("gallery", "Ignored: it is about where the client found the server."),
		ignored("version", "Ignored: it is about where the client found the server."),
		ignored("auth", "Ignored: use oauth, or put a token under headers."),
		held("envFile", "Not read: the server is held back. Put the variables under env, as ${NAME}."),
		held("headersHelper", "Not run: the server is held back. Put the headers under headers, as ${NAME}."),
		held("sandboxEnabled", "There is no sandbox here: true holds the server back."),
		ignored("sandbox", "Ignored: it only says what sandboxEnabled allows."),
	}
}

// clientShape is an entry of the clients' object: the keys of ours but the name, and theirs.
func clientShape() shape[entry] {
	stdio := []string{"stdio"}
	remote := []string{"http", "sse", "streamable-http", "streamableHttp", "streamable_http"}
	words := []option[Transport]{{"stdio", TransportStdio}}
	for _, w := range remote {
		t := TransportHTTP
		if w == "sse" {
			t = TransportSSE
		}
		words = append(words, option[Transport]{w, t})
	}
	transport := key("transport", "How the server is reached: `stdio` with a command; `http` or `sse` with a url.",
		choice(words...), func(e *entry) *Transport { return &e.transport }).also("type", "transportType")
	fields := append([]field[entry]{
		commandField(), urlField("url", "Where the server is, http or https. `${NAME}` stands for a variable."), transport,
	}, sharedFields()...)
	fields = append(fields, allowField().also("includeTools"), denyField().also("excludeTools", "disabledTools"))
	fields = append(append(fields, clientSignInField()), clientFields()...)
	variants := []variant{{key: "command", switches: transport.names, words: stdio}}
	for _, address := range []string{"url", "httpUrl", "serverUrl"} {
		variants = append(variants, variant{key: address, switches: transport.names, words: remote})
	}
	return object(fields, variants, checkClientEntry)
}

// lenient reads an entry of a client's own file, which other programs write and add to: a key that is not known is said in a notice and does
// not stop the start. One that says in other words how a server is started or reached, or misspells it, does: without it another program
// than the file means would run. Of an entry that is disabled nothing else is read.
func lenient(of shape[entry]) shape[entry] {
	var known []string
	for _, p := range of.schema.Properties {
		known = append(known, p.name)
	}
	return shape[entry]{schema: of.schema, read: func(d *decoder, n *node, path string) (entry, bool) {
		switch off, on := n.get("disabled"), n.get("enabled"); {
		case n.kind != kindObject:
			return of.read(d, n, path)
		case off != nil && off.kind == kindBool && off.text == "true", on != nil && on.kind == kindBool && on.text == "false":
			return entry{node: n, line: n.line, path: path, disabled: true}, true
		}
		kept, ok := *n, true
		kept.members = nil
		var unknown []remark
		for _, m := range n.members {
			ours := ""
			if !slices.Contains(known, m.key) {
				if ours = launching(m.key); ours == "" {
					unknown = append(unknown, remark{m.key, m.line, "Ignored: this key of another program is not known here."})
					continue
				}
				d.fault(m.line, under(path, m.key), "no such key; did you mean %s?", ours)
				ok = false
				continue
			}
			kept.members = append(kept.members, m)
		}
		// A key that was refused may be the one that is missing then.
		kept.torn = kept.torn || !ok
		e, fine := of.read(d, &kept, path)
		e.ignored = append(e.ignored, unknown...)
		return e, ok && fine
	}}
}

// launching answers the key of ours that a word most likely stands for, of those that decide what is started or reached; "" for any other.
func launching(word string) string {
	keys := []string{"command", "args", "env", "cwd", "url", "headers", "envFile", "headersHelper", "transport"}
	for _, k := range keys {
		if distance(fold(word), fold(k)) <= max(1, len(k)/3) {
			return k
		}
	}
	return map[string]string{
		"cmd": "command", "executable": "command", "program": "command", "commandline": "command", "shell": "command",
		"arguments": "args", "argv": "args", "parameters": "args",
		"environment": "env", "environmentvariables": "env", "envvars": "env", "variables": "env",
		"workingdirectory": "cwd", "workingdir": "cwd", "workdir": "cwd", "directory": "cwd", "dir": "cwd",
		"endpoint": "url", "address": "url", "baseurl": "url", "sseurl": "url", "uri": "url",
		"httpheaders": "headers", "requestheaders": "headers", "customheaders": "headers", "requestinit": "headers",
	}[fold(word)]
}

// ignored declares a key whose value is not looked at, beyond whether there is something in it to say a notice about.
func ignored(name, doc string) field[entry] {
	return field[entry]{names: []string{name}, doc: doc, schema: &schema{}, read: func(_ *decoder, n *node, _ string, e *entry) bool {
		if !blankNode(n) {
			e.ignored = append(e.ignored, remark{name, n.line, doc})
		}
		return true
	}}
}

// held declares a key that a server must not be started without honouring, and that is not honoured.
func held(name, doc string) field[entry] {
	return field[entry]{names: []string{name}, doc: doc, schema: &schema{}, read: func(_ *decoder, n *node, _ string, e *entry) bool {
		if !blankNode(n) {
			e.held = append(e.held, remark{name, n.line, doc})
		}
		return true
	}}
}

// blankNode reports a value that says as much as none: nothing, false, no text, an empty list or object.
func blankNode(n *node) bool {
	switch n.kind {
	case kindNull:
		return true
	case kindBool, kindNumber:
		return n.text == "false"
	case kindText:
		return n.text == ""
	case kindList, kindObject:
		return len(n.items)+len(n.members) == 0
	}
	return false
}

// checkClientEntry drops, with a notice, what means nothing beside a command or a url, and reads the clients' words for allow.
func checkClientEntry(d *decoder, n *node, path string, e *entry) bool {
	foreign := []string{"headers", "oauth"}
	if e.command == "" {
		foreign = []string{"args", "env", "cwd"}
	}
	for _, k := range foreign {
		if v := n.get(k); v != nil && !blankNode(v) {
			e.ignored = append(e.ignored, remark{k, n.lineOf(k), "Ignored: it means nothing to a server that is reached this way."})
		}
	}
	if e.command == "" {
		e.args, e.env, e.cwd = nil, nil, ""
	} else {
		e.headers, e.signIn = nil, signInEntry{}
	}
	if e.tools != nil && !slices.Contains(e.tools, "*") {
		if e.allow != nil {
			d.fault(n.lineOf("tools"), under(path, "tools"), "allow says the same; keep one")
			return false
		}
		e.allow = e.tools
	}
	return checkEntry(d, n, path, e)
}

// readClientFile reads the servers of a client's own file. Its other keys are the client's.
func readClientFile(d *decoder, root *node) []entry {
	if root == nil {
		d.notice(0, "the file is empty: it adds no servers")
		return nil
	}
	if root.kind != kindObject {
		d.fault(root.line, "", "must be an object with mcpServers or servers in it, not %s", root.kind)
		return nil
	}
	known := []string{"mcpServers", "servers"}
	servers := dictionary(nameRule(), lenient(clientShape()))
	var out []entry
	found := false
	for _, m := range root.members {
		if !slices.Contains(known, m.key) {
			continue
		}
		found = true
		pairs, _ := servers.read(d, m.value, m.key)
		for _, p := range pairs {
			p.value.name, p.value.line = p.key, p.line
			out = append(out, p.value)
		}
	}
	if !found {
		d.missingServers(root, known)
	}
	return out
}

// missingServers says what was probably meant by a file without servers: a file of a client that has none yet is in order.
func (d *decoder) missingServers(root *node, known []string) {
	for _, m := range root.members {
		if k := nearest(m.key, known); k != "" {
			d.fault(m.line, under("", m.key), "did you mean %s? the file has neither mcpServers nor servers", k)
			return
		}
		if m.value.kind == kindObject && (m.value.get("command") != nil || m.value.get("url") != nil) {
			d.fault(m.line, under("", m.key), "this looks like a server; put the servers under mcpServers")
			return
		}
	}
	d.notice(0, "the file has neither mcpServers nor servers: it adds no servers")
}
