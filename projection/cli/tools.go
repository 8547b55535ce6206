package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
)

func (r *run) toolsCommand() *cobra.Command {
	var source, contains string
	cmd := &cobra.Command{
		Use:   "tools [NAME]",
		Short: "List the tools you can call, or show one in full",
		Long: `List the tools you can call. With a name, show that one in full: its schemas, every
hint and who said so, its route, its refusals and examples.

SOURCE is builtin, or mcp: and the MCP server a tool is bridged from. EFFECT is what
a call may change, and where; in parentheses, what a bridged tool's hints assert.
R D I O are the hints read-only, destructive, idempotent and open-world: y is yes, n
is no, ? is unknown, since neither the server nor the configuration says. DELIVERS
names where a call may put something in front of other people, such as a tracker or
the MCP server that does so; - is nowhere. Where a row is too wide for the terminal,
the tool's source, where it delivers and its summary stand on a line below it.

MCP servers that are not running are named on standard error, each with the reason.`,
		Example:           "  " + r.o.Name + " tools --source builtin\n  " + r.o.Name + " tools list_tools",
		Args:              between(0, 1),
		ValidArgsFunction: r.completeName,
	}
	cmd.Flags().Var(newText(&source, "source", "SOURCE"), "source", "only tools of this source: builtin, or mcp: and a server's name")
	cmd.Flags().Var(newText(&contains, "contains", "TEXT"), "contains", "only tools whose name or summary holds this text")
	r.mcpConfigFlag(cmd)
	cmd.RunE = r.runE(func(ctx context.Context, args []string) (err error) {
		if len(args) == 1 && (source != "" || contains != "") {
			return Usage("tools NAME shows one tool: leave --source and --contains out")
		}
		session, err := r.open(ctx, args, len(args) == 0)
		if err != nil {
			return err
		}
		defer closing(session, &err)
		if len(args) == 1 {
			return r.showTool(ctx, session, args[0])
		}
		return r.listTools(ctx, session, source, contains)
	})
	return cmd
}

func (r *run) mcpConfigFlag(cmd *cobra.Command) {
	f := MCPConfigFlag()
	cmd.Flags().Var(newText(&r.mcpConfig, f.Name, f.Word), f.Name, f.Usage)
	// The flag was defined a line above.
	_ = cmd.MarkFlagFilename(f.Name, "json")
}

// listTools asks for every page of the list and writes it as one.
func (r *run) listTools(ctx context.Context, s Session, source, contains string) error {
	in := system.ListToolsInput{Source: source, Contains: contains}
	in.Limit = 1000
	var items []json.RawMessage
	for {
		args, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("writing the arguments of %s: %w", system.ListTools.Name(), err)
		}
		res, err := r.invoke(ctx, s, system.ListTools.Name(), args)
		if err != nil {
			return err
		}
		var page capabilities.Page[json.RawMessage]
		if err := json.Unmarshal(res.Structured, &page); err != nil {
			return fmt.Errorf("reading the answer of %s: %w", system.ListTools.Name(), err)
		}
		items = append(items, page.Items...)
		if in.Cursor = page.NextCursor; in.Cursor == "" {
			break
		}
	}
	if r.format == JSON {
		list := make([][]byte, len(items))
		for i, item := range items {
			list[i] = item
		}
		return r.writeJSON(slices.Concat([]byte(`{"items":[`), bytes.Join(list, []byte(",")), []byte(`]}`)))
	}
	if err := r.toolTable(items); err != nil {
		return err
	}
	return r.serverNotes(ctx, s)
}

// showTool shows one tool in full.
func (r *run) showTool(ctx context.Context, s Session, name string) error {
	args, err := json.Marshal(system.GetToolInput{Name: name})
	if err != nil {
		return fmt.Errorf("writing the arguments of %s: %w", system.GetTool.Name(), err)
	}
	if _, _, ok := s.Find(s.Principal(), name); !ok {
		return r.unknownName(ctx, s, name)
	}
	res, err := r.invoke(ctx, s, system.GetTool.Name(), args)
	switch {
	case err != nil:
		return err
	case r.format == JSON:
		return r.writeJSON(res.Structured)
	}
	var t system.ToolDetail
	if err := json.Unmarshal(res.Structured, &t); err != nil {
		return fmt.Errorf("reading the answer of %s: %w", system.GetTool.Name(), err)
	}
	return r.toolDetail(t)
}

func (r *run) toolDetail(t system.ToolDetail) error {
	p := &printer{w: r.out}
	source := t.Source
	if t.Pack != "" {
		source += ", pack " + t.Pack
	}
	route := ""
	if t.Route != "" {
		method, path, _ := strings.Cut(t.Route, " ")
		route = method + " /api/v1" + path
	}
	p.print(strings.TrimSpace(escape(t.Summary, true)), "\n\n")
	p.facts([][2]string{
		{"Name", t.Name},
		{"Title", escape(t.Title, false)},
		{"Source", escape(source, false)},
		{"Effect", effectLine(t.Row)},
		{"Delivers", escape(t.Delivers, false)},
		{"Scope", escape(t.Scope, false)},
		{"Answers from", string(t.Answers)},
		{"Route", escape(route, false)},
		{"On the wire", fmt.Sprintf("%d bytes in a tools list", t.Bytes)},
		{"Old names", strings.Join(t.Aliases, ", ")},
		{"Old name of", t.AliasOf},
		{"Repaired", strings.Join(t.Repaired, ", ")},
	})
	p.print("\nHints:\n")
	p.rows(hintRows(t.Hints), "  ")
	fields := argumentsOf(t.InputSchema, t.Pack == "")
	p.argumentList(fields)
	p.schema("Input schema", t.InputSchema)
	p.schema("Output schema", t.OutputSchema)
	examples := make([]capabilities.Example, len(t.Examples))
	for i, e := range t.Examples {
		examples[i] = capabilities.Example{Name: e.Name, In: string(e.Arguments), Refuses: capabilities.Code(e.Refuses)}
	}
	p.exampleList(r.o.Name, t.Name, examples, fields)
	codes := make([]capabilities.CodeInfo, len(t.Refusals))
	for i, f := range t.Refusals {
		codes[i] = capabilities.CodeInfo{Code: capabilities.Code(f.Code), Means: f.Means, Exit: r.exitOf(capabilities.Code(f.Code))}
	}
	p.refusalList(codes)
	return p.err
}

// exitOf answers the exit status of a code.
func (r *run) exitOf(code capabilities.Code) int {
	for _, i := range r.o.Codes {
		if i.Code == code {
			return i.Exit
		}
	}
	return exitFailed
}

// schema writes a schema indented, its numbers and the order of its members kept.
func (p *printer) schema(title string, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "  ", "  ") != nil {
		b.Reset()
		b.Write(raw)
	}
	p.print("\n", title, ":\n  ", escape(b.String(), true), "\n")
}
