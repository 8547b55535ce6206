package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// A row is what there is to say of a package.
type row struct {
	name                             string
	changes                          int
	noticed, users, alike, unnoticed int
	left                             []change // the unnoticed
}

func (r *row) add(c change, verdict string) {
	switch verdict {
	case noticed, endless:
		r.noticed++
	case elsewhere:
		r.users++
	case alike:
		r.alike++
	case unnoticed:
		r.unnoticed++
		r.left = append(r.left, c)
	}
}

// tried is how many changes that compile were judged.
func (r *row) tried() int { return r.noticed + r.users + r.alike + r.unnoticed }

// report prints the table of docs/mutation.md and what was not noticed. It fails if that is too
// much: of all packages together, because a few changes say little of one.
func report(out io.Writer, rows []row, sample int, seed uint64) error {
	if sample > 0 {
		fmt.Fprintf(out, "%d changes of each package, drawn with seed %d.\n\n", sample, seed)
	}
	fmt.Fprint(out, "| package | changes | tried | noticed | by users only | not noticed | mean the same |\n|---|---|---|---|---|---|---|\n")
	all := row{name: "all"}
	for _, r := range rows {
		r.print(out, "`"+r.name+"`")
		all.changes += r.changes
		all.noticed += r.noticed
		all.users += r.users
		all.alike += r.alike
		all.unnoticed += r.unnoticed
		all.left = append(all.left, r.left...)
	}
	all.print(out, all.name)
	if len(all.left) > 0 {
		fmt.Fprint(out, "\nNot noticed: a test is missing, or a line under \"Mean the same\" in "+explained+".\n\n")
	}
	for _, c := range all.left {
		fmt.Fprintf(out, "- `%s:%d`: `%s` becomes\n  `%s`\n", c.name, c.line, c.was(), c.becomes())
	}
	seen := all.noticed + all.users
	counted := seen + all.unnoticed
	if counted == 0 {
		return fmt.Errorf("no change was tried in %d packages", len(rows))
	}
	fmt.Fprintf(out, "\n%d of %d noticed: %d %%.\n", seen, counted, 100*seen/counted)
	if 100*seen < atLeast*counted {
		return fmt.Errorf("fewer than %d %% of the changes were noticed", atLeast)
	}
	return nil
}

func (r *row) print(out io.Writer, name string) {
	fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %d | %d |\n", name, r.changes, r.tried(), r.noticed, r.users, r.unnoticed, r.alike)
}

// explanations are the changes that mean the same, by file and by the line as it becomes.
type explanations map[[2]string]bool

func (e explanations) holds(c change) bool { return e[[2]string{c.name, c.becomes()}] }

// explanation is a line of a list of changes that mean the same.
var explanation = regexp.MustCompile("(?m)^- `([^`\n]+\\.go)` as `([^`\n]+)`: \\S")

// readSame reads which changes mean the same; none if there is no such file.
func readSame(file string) (explanations, error) {
	text, err := os.ReadFile(file) //nolint:gosec // G304: the file of this module.
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	same := explanations{}
	for _, m := range explanation.FindAllStringSubmatch(string(text), -1) {
		same[[2]string{m[1], strings.TrimSpace(m[2])}] = true
	}
	return same, nil
}
