package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// The generated files.
const (
	// ServerPath is what a registry of MCP servers reads.
	ServerPath = "server.json"
	// Folder is made into a bundle: the program belongs beside the manifest, as server/NAME.
	Folder = "mcpb"
	// BundlePath is the manifest of the bundle.
	BundlePath = Folder + "/manifest.json"
)

// About is what the files say about the program.
type About struct {
	Name, Version, Summary string // none is empty
	Homepage, License      string // an URL and an SPDX identifier; "" for none
	// URL is where the server is reached, such as "https://tools.example".
	URL string
	// MCPPath is the path of MCP below it.
	MCPPath string
}

// Files answers [ServerPath] and [BundlePath] for a program that serves the
// capabilities. It fails when URL is no absolute http URL.
func Files(a About, caps []*capabilities.Capability) (map[string][]byte, error) {
	server, err := serverFile(a)
	if err != nil {
		return nil, fmt.Errorf("generating %s: %w", ServerPath, err)
	}
	bundle, err := text(bundleOf(a, caps))
	if err != nil {
		return nil, fmt.Errorf("generating %s: %w", BundlePath, err)
	}
	return map[string][]byte{ServerPath: server, BundlePath: bundle}, nil
}

// text writes JSON that people read.
func text(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// repository is where the sources are, as both files name it.
type repository struct {
	URL    string `json:"url"`
	Source string `json:"source,omitempty"`
	Type   string `json:"type,omitempty"`
}

// forge answers the owner of the repository that an URL is of, and who hosts it: a host of
// two labels, and a path of owner and name.
func forge(homepage string) (host, owner string, ok bool) {
	u, err := url.Parse(homepage)
	if err != nil || u.Scheme != "https" || u.RawQuery != "" {
		return "", "", false
	}
	host, top, ok := strings.Cut(u.Host, ".")
	owner, name, both := strings.Cut(strings.Trim(u.Path, "/"), "/")
	return host, owner, ok && both && host != "" && !strings.ContainsAny(top, ".:") && owner != "" && name != "" && !strings.Contains(name, "/")
}

// registryName answers the name of a server in a registry: its namespace is the address of
// whoever offers it, turned around. For a repository that is the address at which its host
// serves the pages of the owner.
func registryName(a About) string {
	space := "localhost"
	if host, owner, ok := forge(a.Homepage); ok {
		space = "io." + host + "." + owner
	} else if u, err := url.Parse(a.Homepage); err == nil && u.Hostname() != "" {
		space = ""
		for label := range strings.SplitSeq(u.Hostname(), ".") {
			space = strings.TrimSuffix(label+"."+space, ".")
		}
	}
	clean := func(r rune) rune {
		if r < utf8.RuneSelf && (r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '-'
	}
	return strings.Map(clean, space) + "/" + a.Name
}

// clipped answers text of at most n characters.
func clipped(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "\u2026"
}

type input struct {
	Description string           `json:"description,omitempty"`
	Value       string           `json:"value,omitempty"`
	IsRequired  bool             `json:"isRequired,omitempty"`
	IsSecret    bool             `json:"isSecret,omitempty"`
	Variables   map[string]input `json:"variables,omitempty"`
	Name        string           `json:"name,omitempty"`
}

type remote struct {
	Type    string  `json:"type"`
	URL     string  `json:"url"`
	Headers []input `json:"headers"`
}

func serverFile(a About) ([]byte, error) {
	u, err := url.Parse(a.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(a.URL, " \t\n{}") {
		return nil, fmt.Errorf("%q is not where a server is reached: give an absolute http or https URL", a.URL)
	}
	s := struct {
		Schema      string      `json:"$schema"`
		Name        string      `json:"name"`
		Title       string      `json:"title"`
		Description string      `json:"description"`
		Version     string      `json:"version"`
		Website     string      `json:"websiteUrl,omitempty"`
		Repository  *repository `json:"repository,omitempty"`
		Remotes     []remote    `json:"remotes"`
	}{
		Schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		Name:   registryName(a), Title: clipped(a.Name, 100), Description: clipped(a.Summary, 100), Version: clipped(a.Version, 255), Website: a.Homepage,
		Remotes: []remote{{
			Type: "streamable-http", URL: strings.TrimSuffix(a.URL, "/") + a.MCPPath,
			Headers: []input{{
				Name: "Authorization", Description: "A token of this server", Value: "Bearer {token}", IsRequired: true, IsSecret: true,
				Variables: map[string]input{"token": {Description: "A token of this server", IsRequired: true, IsSecret: true}},
			}},
		}},
	}
	if host, _, ok := forge(a.Homepage); ok {
		s.Repository = &repository{URL: strings.TrimSuffix(a.Homepage, "/"), Source: host}
	}
	return text(s)
}

type tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type bundle struct {
	Version        string        `json:"manifest_version"`
	Name           string        `json:"name"`
	ProgramVersion string        `json:"version"`
	Description    string        `json:"description"`
	Author         author        `json:"author"`
	Repository     *repository   `json:"repository,omitempty"`
	Homepage       string        `json:"homepage,omitempty"`
	Server         start         `json:"server"`
	Tools          []tool        `json:"tools"`
	Generated      bool          `json:"tools_generated"`
	License        string        `json:"license,omitempty"`
	Compatibility  compatibility `json:"compatibility"`
}

type author struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

type start struct {
	Type       string  `json:"type"`
	EntryPoint string  `json:"entry_point"`
	Config     command `json:"mcp_config"`
}

type command struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

type compatibility struct {
	Platforms []string `json:"platforms"`
}

func bundleOf(a About, caps []*capabilities.Capability) bundle {
	program := "server/" + a.Name
	b := bundle{
		Version: "0.3", Name: strings.ToLower(a.Name), ProgramVersion: a.Version, Description: a.Summary, Author: author{a.Name, a.Homepage},
		Homepage: a.Homepage, License: a.License, Tools: []tool{},
		Server: start{"binary", program, command{"${__dirname}/" + program, []string{"mcp"}, map[string]string{}}},
		// What is bridged is told by the servers when they run.
		Generated:     true,
		Compatibility: compatibility{[]string{"darwin", "linux"}},
	}
	if _, _, ok := forge(a.Homepage); ok {
		b.Repository = &repository{Type: "git", URL: strings.TrimSuffix(a.Homepage, "/")}
	}
	for _, c := range caps {
		if c.AliasOf() == "" {
			b.Tools = append(b.Tools, tool{c.Name(), c.Summary()})
		}
	}
	return b
}
