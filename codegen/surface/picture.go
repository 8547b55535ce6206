package surface

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// Format is the version of the file. A change of what its fields mean is another one.
const Format = 1

// Path is where a generated picture stands, below the output folder. Beside it, in
// Released, stand those of releases, which nothing generates.
const (
	Path     = "openapi/surface.json"
	Released = "openapi/released"
)

// Of says what a picture was taken of. Only pictures of one sort are compared: a server
// lists less than a registry knows.
type Of string

// The closed set of sorts.
const (
	Registry Of = "registry"
	Endpoint Of = "endpoint"
)

func (o Of) words() string {
	if o == Endpoint {
		return "what an MCP server lists"
	}
	return "what a program declares"
}

// Picture is the public surface of one program.
type Picture struct {
	Format       int          `json:"format"`
	Of           Of           `json:"of"`
	Name         string       `json:"name"`
	Version      string       `json:"version"`         // declared by the program
	Codes        []Code       `json:"codes,omitempty"` // by their names; none of an endpoint
	Capabilities []Capability `json:"capabilities"`    // by their names, aliases left out
}

// Code is one row of the table of codes.
type Code struct {
	Code   string `json:"code"`
	Base   string `json:"base"`
	HTTP   int    `json:"http"`
	Exit   int    `json:"exit"`
	Means  string `json:"means"`
	Remedy string `json:"remedy"`
}

// Capability is one member of the surface. What an endpoint does not tell is left out.
type Capability struct {
	Name     string  `json:"name"`
	Title    string  `json:"title,omitempty"`
	Summary  string  `json:"summary,omitempty"`
	Source   string  `json:"source,omitempty"` // see [capabilities.Capability.Source]
	Pack     string  `json:"pack,omitempty"`
	Aliases  []Alias `json:"aliases,omitempty"`
	Route    string  `json:"route,omitempty"` // "METHOD /path"
	Effect   *Effect `json:"effect,omitempty"`
	Hints    Hints   `json:"hints"`
	Delivers string  `json:"delivers,omitempty"`
	Scope    string  `json:"scope,omitempty"`
	Answers  string  `json:"answers,omitempty"`
	// Conditional says that it may be absent: it needs something that not every
	// installation has.
	Conditional bool            `json:"conditional,omitempty"`
	Pages       bool            `json:"pages,omitempty"`   // it answers a page and a cursor
	Blocks      bool            `json:"blocks,omitempty"`  // it answers content blocks
	DryRun      bool            `json:"dry_run,omitempty"` // it can be rehearsed
	OpID        bool            `json:"op_id,omitempty"`   // it takes an operation key
	Refuses     []string        `json:"refuses,omitempty"` // codes, by their names
	Input       json.RawMessage `json:"input"`
	Output      json.RawMessage `json:"output,omitempty"`
}

// Alias is an old name of a capability.
type Alias struct {
	Name  string `json:"name"`
	Since string `json:"since"`
	Until string `json:"until"`
}

// Effect is what a call may change, and where.
type Effect struct {
	Change string `json:"change"`
	Reach  string `json:"reach"`
	Undo   string `json:"undo,omitempty"`
}

// Hints are the four hints: yes, no or unknown, each a value of its own.
type Hints struct {
	ReadOnly    capabilities.Hint `json:"readOnlyHint"`
	Destructive capabilities.Hint `json:"destructiveHint"`
	Idempotent  capabilities.Hint `json:"idempotentHint"`
	OpenWorld   capabilities.Hint `json:"openWorldHint"`
}

func hintsOf(h capabilities.Hints) Hints { return Hints(h) }

func (h Hints) hints() capabilities.Hints { return capabilities.Hints(h) }

// Bytes writes the picture: the same surface is the same text, sorted and indented,
// whatever machine it was taken on.
func (p *Picture) Bytes() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(p); err != nil {
		return nil, fmt.Errorf("writing the picture of the surface: %w", err)
	}
	return b.Bytes(), nil
}

// maxPicture bounds a file that is read.
const maxPicture = 64 << 20

// Read reads what [Picture.Bytes] wrote. The error says what is no picture of this
// format.
func Read(r io.Reader) (*Picture, error) { return read(r, maxPicture) }

func read(r io.Reader, limit int64) (*Picture, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it has more than %d bytes, which is the limit", limit)
	}
	if _, err := schema.Canonical(data); err != nil {
		return nil, fmt.Errorf("it is no picture of a surface: %w", err)
	}
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("it is no picture of a surface: %w", err)
	}
	if head.Format != Format {
		return nil, fmt.Errorf("it has the format %d, and this program knows %d: take the picture with the program that compares it", head.Format, Format)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	p := &Picture{}
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("it is no picture of a surface: %w", err)
	}
	return p, p.check()
}

// check refuses what no picture has.
func (p *Picture) check() error {
	var faults []error
	if p.Of != Registry && p.Of != Endpoint {
		faults = append(faults, fmt.Errorf("it is of %q, and a picture is of a registry or an endpoint", p.Of))
	}
	seen := map[string]bool{}
	for _, c := range p.Capabilities {
		if len(c.Input) == 0 {
			faults = append(faults, fmt.Errorf("the capability %q has no input", c.Name))
		}
		for _, name := range append([]string{c.Name}, c.aliases()...) {
			if seen[name] {
				faults = append(faults, fmt.Errorf("two capabilities are named %q", name))
			}
			seen[name] = true
		}
	}
	return errors.Join(faults...)
}

func (c *Capability) aliases() []string {
	names := make([]string, len(c.Aliases))
	for i, a := range c.Aliases {
		names[i] = a.Name
	}
	return names
}

// sort puts a picture in its one order.
func (p *Picture) sort() {
	slices.SortFunc(p.Codes, func(a, b Code) int { return strings.Compare(a.Code, b.Code) })
	slices.SortFunc(p.Capabilities, func(a, b Capability) int { return strings.Compare(a.Name, b.Name) })
	for i := range p.Capabilities {
		c := &p.Capabilities[i]
		slices.SortFunc(c.Aliases, func(a, b Alias) int { return strings.Compare(a.Name, b.Name) })
		slices.Sort(c.Refuses)
	}
}
