package cli

import (
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// writeJSON writes a body as HTTP has it, byte for byte; a terminal gets the line
// break that it needs.
func (r *run) writeJSON(body []byte) error {
	p := &printer{w: r.out}
	p.print(string(body))
	if isTerminal(r.out) {
		p.print("\n")
	}
	return p.err
}

// writeResult writes the answer of a call.
func (r *run) writeResult(c *capabilities.Capability, res *capabilities.Result, f Format) error {
	if f == JSON {
		return r.writeJSON(wire.Body(c, res))
	}
	p := &printer{w: r.out}
	structured := res.Structured
	if c.Bridged() && wrapsTexts(structured, res.Blocks) {
		structured = nil
	}
	for _, b := range res.Blocks {
		if c.Bridged() && len(structured) > 0 && repeats(b, structured) {
			continue
		}
		p.print(showBlock(b), "\n")
	}
	if len(structured) == 0 {
		return p.err
	}
	if fields := listFields(c); fields != nil {
		if n, err := parseTree(structured); err == nil && p.listed(n, fields, columns(r.out), isTerminal(r.out)) {
			return p.err
		}
	}
	p.structured(structured)
	return p.err
}

// structured lays out a structured value that no schema says the shape of: a page as its
// items.
func (p *printer) structured(data []byte) {
	n, err := parseTree(data)
	if err != nil { // a bridged server's own text
		p.print(escape(string(data), true), "\n")
		return
	}
	if !p.page(n) {
		p.value(n, "")
	}
}
