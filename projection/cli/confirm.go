package cli

import (
	"bufio"
	"context"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// danger says what a dangerous call may do, and how that is known.
func danger(c *capabilities.Capability) string {
	f := c.HintFacts().Destructive
	if f.Value != capabilities.Yes {
		who := "neither " + quoted(c.Server()) + " nor this server's configuration says what it does"
		if f.From == capabilities.FromOverride {
			who = "this server's configuration says that nobody knows what it does"
		}
		return "may change or remove what exists: " + who
	}
	switch f.From {
	case capabilities.FromServer:
		return "may change or remove what exists: " + quoted(c.Server()) + " says so"
	case capabilities.FromOverride:
		return "may change or remove what exists: this server's configuration says so"
	case capabilities.FromDeclaration, capabilities.FromNowhere:
	}
	e, _ := c.Effect()
	return effectSentence(e) + " (declared)"
}

// confirm asks before a dangerous call. It answers nil for yes, [errNotRun] for
// anything else, and a usage error where there is nobody to ask.
func (r *run) confirm(ctx context.Context, c *capabilities.Capability, yes bool) error {
	if yes || !c.Hints().AskFirst() {
		return nil
	}
	if !isTerminal(r.in) || !isTerminal(r.err) {
		return Usage("%s %s: give --yes to call it where nobody can be asked", c.Name(), danger(c))
	}
	p := &printer{w: r.err}
	p.print(c.Name(), " ", danger(c), "\ncall it? [y/N] ")
	if p.err != nil {
		return p.err
	}
	// Reading a terminal cannot be stopped; an interrupt must not wait for it.
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(r.in).ReadString('\n') // no line is no yes
		line <- text
	}()
	select {
	case <-ctx.Done():
		p.print("\n")
		return ctx.Err()
	case text := <-line:
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "y", "yes":
			return nil
		}
		return errNotRun
	}
}
