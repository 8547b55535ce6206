package config

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Options say what to load.
type Options struct {
	// Path is the configuration file: YAML, or JSON when its name ends in .json. Empty means the default configuration.
	Path string
	// Optional makes a Path that does not exist the default configuration. Otherwise it is a fault.
	Optional bool
	// MCPConfigPath is a client's own JSON file, whose servers are added. Empty means none.
	MCPConfigPath string
	// Lookup resolves ${NAME}. Nil means the environment of the process.
	Lookup func(name string) (string, bool)
}

// Load reads and checks the files. The error joins every [Fault] of both files, ordered by line; the Config is nil then. A variable
// that does not resolve is no fault: see [Server.Unresolved].
func Load(o Options) (*Config, error) {
	lookup := Env(o.Lookup)
	own, client := &decoder{file: o.Path}, &decoder{file: o.MCPConfigPath, foreign: true}
	c := &Config{File: o.Path, Auth: AuthToken, Listen: DefaultListen}
	if o.Path != "" {
		c.readOwn(own, o.Optional, lookup)
	}
	if o.MCPConfigPath != "" {
		c.readClient(client, lookup)
	}
	c.checkNames(own, client)
	if err := joinFaults(own, client); err != nil {
		return nil, err
	}
	c.Notices = append(own.notices, client.notices...)
	return c, nil
}

func (c *Config) readOwn(d *decoder, optional bool, lookup func(string) (string, bool)) {
	data, exists := d.read()
	if !exists && optional {
		c.File, d.faults = "", nil
		return
	}
	parse := parseYAML
	if strings.EqualFold(filepath.Ext(d.file), ".json") {
		parse = parseJSON
	}
	root := parse(d, data)
	if root == nil || root.kind == kindNull {
		return
	}
	c.lines = map[string]int{}
	indexLines(root, "", c.lines)
	f, _ := fileShape().read(d, root, "")
	if f.auth != "" {
		c.Auth = f.auth
	}
	if f.listen != "" {
		c.Listen = f.listen
	}
	c.Packs = f.packs
	c.addServers(d, f.servers, lookup)
}

func (c *Config) readClient(d *decoder, lookup func(string) (string, bool)) {
	data, _ := d.read()
	if d.faults != nil {
		return
	}
	root := parseJSON(d, data)
	if d.faults != nil && root == nil {
		return
	}
	c.addServers(d, readClientFile(d, root), lookup)
}

func (c *Config) addServers(d *decoder, entries []entry, lookup func(string) (string, bool)) {
	for _, e := range entries {
		if e.node == nil {
			continue // not an object at all, which was reported
		}
		if s, ok := serverFrom(d, e, lookup); ok {
			c.Servers = append(c.Servers, s)
		}
	}
}

// checkNames reports a name that two servers have, in one file or across both.
func (c *Config) checkNames(own, client *decoder) {
	first := map[string]Server{}
	for _, s := range c.Servers {
		f, twice := first[s.Name]
		if !twice || s.Name == "" {
			first[s.Name] = s
			continue
		}
		d := own
		if s.File == client.file {
			d = client
		}
		d.fault(s.Line, "", "a server named %q is declared at %s already; give one of them another name", s.Name,
			strings.TrimSuffix(position(f.File, f.Line), ": "))
	}
}

// read returns the file as UTF-8 without a byte order mark; exists is false when there is no such file.
func (d *decoder) read() (data []byte, exists bool) {
	abs, err := filepath.Abs(d.file)
	if err != nil {
		d.fault(0, "", "cannot be found: %v", err)
		return nil, true
	}
	f, err := os.Open(abs)
	if errors.Is(err, fs.ErrNotExist) {
		d.fault(0, "", "the file does not exist")
		return nil, false
	}
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(f, maxBytes+1))
		err = errors.Join(err, f.Close())
	}
	d.dir = filepath.Dir(abs)
	if err != nil {
		d.fault(0, "", "cannot be read: %v", err)
		return nil, true
	}
	if len(data) > maxBytes {
		d.fault(0, "", "the file is larger than %d bytes", maxBytes)
		return nil, true
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		d.fault(0, "", "the file is UTF-16; save it as UTF-8")
		return nil, true
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		d.fault(firstInvalidLine(data), "", "the file is not UTF-8 here; save it as UTF-8")
		return nil, true
	}
	return data, true
}

func firstInvalidLine(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return lineAt(data, i)
		}
		i += size
	}
	return 0
}

// indexLines remembers the line of every path, for faults that only the caller of Load can find.
func indexLines(n *node, path string, lines map[string]int) {
	for _, m := range n.members {
		p := under(path, m.key)
		lines[p] = m.line
		indexLines(m.value, p, lines)
	}
	for i, item := range n.items {
		p := at(path, i)
		lines[p] = item.line
		indexLines(item, p, lines)
	}
}
