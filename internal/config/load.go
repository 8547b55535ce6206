package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/internal/plainfile"
)

// Options say what to load.
type Options struct {
	// Path is the configuration file: YAML, or JSON when its name ends in .json. Empty means the default configuration.
	Path string
	// Content, when it is not nil, is what the file at Path is taken to hold. Nothing is read there then.
	Content []byte
	// Optional makes a Path that does not exist the default configuration. Otherwise it is a fault.
	Optional bool
	// MCPConfigPath is a client's own JSON file, whose servers are added. Empty means none.
	MCPConfigPath string
	// Stored are entries that stand in no file; they come last, in their order.
	Stored []StoredEntry
	// Secrets resolves ${NAME} first, such as the Get of a snapshot of the secrets. Nil means there are none.
	Secrets func(name string) (string, bool)
	// Lookup resolves what Secrets does not know. Nil means the environment of the process.
	Lookup func(name string) (string, bool)
	// OnlyAsked leaves the environment alone but for the variables that a file names: what it says of telemetry does not count.
	OnlyAsked bool
	// Program is what a remedy calls the program's own command; empty means holotype.
	Program string
}

// StoredEntry is the entry of a server that was given over the API.
type StoredEntry struct {
	// Name is the server's name. The entry may leave it out, or repeat it.
	Name string
	// Raw is the entry as JSON, with the keys of an entry of mcp_servers.
	Raw json.RawMessage
	// Revision is the revision that the entry comes from, above 0.
	Revision int64
}

// Load reads and checks the files and the stored entries as a whole. The error joins every [Fault] of all of them, ordered by line within a
// file; the Config is nil then. A variable that does not resolve is no fault: see [Server.Unresolved].
//
// A fault of a stored entry has the words "stored entry" and the entry's name for its file, no line, and a path within the entry.
func Load(o Options) (*Config, error) {
	l := newLoading(o)
	if o.Path != "" {
		l.readOwn(o.Optional)
	}
	if o.MCPConfigPath != "" {
		l.readClient()
	}
	for _, s := range o.Stored {
		l.readStored(s)
	}
	return l.finish()
}

// loading is the state of one Load.
type loading struct {
	o      Options
	env    func(name string) (string, bool)
	own    *decoder
	client *decoder
	stored []*decoder
	config *Config
	uses   *uses
	// blocks are what units and seats add to a server, by its name; claims the seats that have a child of it, in the order of the file.
	blocks map[string][]block
	claims map[string][]claim
	// children and values count what the claims ask for.
	children, values int
	// quiet says nothing, of what is made for show.
	quiet bool
	// short are the variables, by server, of which it was said that they are too short to be masked.
	short map[[2]string]bool
}

// claim is a seat's child of one server, with what its unit and the seat add to it.
type claim struct {
	seat   string
	blocks []block
}

// declaration is an entry with where it came from.
type declaration struct {
	entry
	d      *decoder
	origin Origin
}

func newLoading(o Options) *loading {
	o.Program = cmp.Or(o.Program, "holotype")
	return &loading{
		o: o, env: Env(o.Lookup), own: &decoder{file: o.Path, content: o.Content}, client: &decoder{file: o.MCPConfigPath, foreign: true},
		config: &Config{File: o.Path, Auth: AuthToken, Listen: DefaultListen, Metrics: MetricsAdmin}, uses: newUses(),
		blocks: map[string][]block{}, claims: map[string][]claim{}, short: map[[2]string]bool{},
	}
}

// finish judges what was read as a whole.
func (l *loading) finish() (*Config, error) {
	l.config.Metrics = cmp.Or(l.config.read.metrics, l.config.Metrics)
	l.config.Telemetry = l.resolveTelemetry(l.config.read.telemetry)
	l.checkNames()
	l.checkSeats()
	l.build()
	l.buildAPIs()
	decoders := append([]*decoder{l.own, l.client}, l.stored...)
	if err := joinFaults(decoders...); err != nil {
		return nil, err
	}
	for _, d := range decoders {
		l.config.Notices = append(l.config.Notices, d.notices...)
	}
	l.config.variables = l.uses.variables()
	return l.config, nil
}

func (l *loading) readOwn(optional bool) {
	data, exists := l.own.read()
	if !exists && optional {
		l.config.File, l.own.faults = "", nil
		return
	}
	parse := parseYAML
	if strings.EqualFold(filepath.Ext(l.own.file), ".json") {
		parse = parseJSON
	}
	l.takeOwn(parse(l.own, data))
}

// takeOwn takes over what the tree of the file says.
func (l *loading) takeOwn(root *node) {
	if root == nil || root.kind == kindNull {
		return
	}
	c := l.config
	c.lines = map[string]int{}
	indexLines(root, "", c.lines)
	c.read, _ = fileShape().read(l.own, root, "")
	c.Auth = cmp.Or(c.read.auth, c.Auth)
	c.Listen = cmp.Or(c.read.listen, c.Listen)
	l.takeEdge()
	c.Packs, c.People = c.read.packs, c.read.people
	c.Gate, c.Principals, c.RateLimits = c.read.gate, c.read.limited, c.read.rates
	c.Discovery, c.OAuth = c.read.finding, c.read.oauth.OAuth
	c.Store = l.resolveStore(c.read.store)
	for _, u := range c.read.units {
		c.Units = append(c.Units, u.Unit)
	}
	for _, s := range c.read.seats {
		c.Seats = append(c.Seats, s.Seat)
	}
	l.declare(l.own, c.read.servers)
}

func (l *loading) readClient() {
	data, _ := l.client.read()
	if l.client.faults != nil {
		return
	}
	root := parseJSON(l.client, data)
	if l.client.faults != nil && root == nil {
		return
	}
	l.declare(l.client, readClientFile(l.client, root))
}

func (l *loading) declare(d *decoder, entries []entry) {
	for _, e := range entries {
		if e.node == nil {
			continue // not an object at all, which was reported
		}
		l.config.declared = append(l.config.declared, declaration{e, d, Origin{File: d.file, Line: e.line}})
	}
}

// checkNames reports a name that two servers have, in one file or across all.
func (l *loading) checkNames() {
	first := map[string]declaration{}
	for _, dec := range l.config.declared {
		if dec.disabled {
			continue
		}
		f, twice := first[dec.name]
		if !twice || dec.name == "" {
			first[dec.name] = dec
			continue
		}
		remedy := "give one of them another name"
		if dec.origin.Revision > 0 { // without that file this program starts, and can take the entry out
			remedy = fmt.Sprintf("give that one another name, or take this one out without that file, with `%s call remove_config_mcp_server`", l.o.Program)
		}
		dec.d.fault(dec.line, "", "a server named %q is declared at %s already; %s", dec.name,
			strings.TrimSuffix(position(f.d.file, f.line), ": "), remedy)
	}
}

// read returns the file as UTF-8 without a byte order mark; exists is false when there is no such file.
func (d *decoder) read() (data []byte, exists bool) {
	abs, err := filepath.Abs(d.file)
	if err != nil {
		d.fault(0, "", "cannot be found: %v", err)
		return nil, true
	}
	if data = d.content; data == nil {
		data, err = plainfile.Read(abs, maxBytes)
	}
	d.dir = filepath.Dir(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.fault(0, "", "the file does not exist")
		return nil, false
	case errors.Is(err, plainfile.ErrTooLarge):
		d.fault(0, "", "the file is larger than %d bytes", maxBytes)
		return nil, true
	case err != nil:
		d.fault(0, "", "cannot be read: %v", err)
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
