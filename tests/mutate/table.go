package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
)

// A row is what there is to say of a package.
type row struct {
	name                             string
	changes                          int
	noticed, users, alike, unnoticed int
	whole                            bool     // every change was tried
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

// seen and counted are how many changes were noticed, and of how many that do not mean the same.
func (r *row) seen() int    { return r.noticed + r.users }
func (r *row) counted() int { return r.seen() + r.unnoticed }

// between answers the percentages between which the score of all changes of a package lies with
// 95 % certainty, by what was tried of them: the interval of Wilson, and the score itself where
// all were tried.
func (r *row) between() (low, high float64) {
	n := float64(r.counted())
	if n == 0 {
		return 0, 100
	}
	share := float64(r.seen()) / n
	if r.whole {
		return 100 * share, 100 * share
	}
	const z = 1.96
	middle := (share + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return 100 * max(0, middle-half), 100 * min(1, middle+half)
}

// report prints the table of docs/mutation.md and what was not noticed. It fails if fewer than
// atLeast percent were noticed of all packages together, and if a package is below for certain:
// a few changes say little of one.
func report(out io.Writer, rows []row, sample int, seed uint64, atLeast int) error {
	if sample > 0 {
		fmt.Fprintf(out, "%d changes of each package, drawn with seed %d.\n\n", sample, seed)
	}
	fmt.Fprint(out, "| package | changes | tried | noticed | by users only | not noticed | mean the same | score | lies between |\n|---|---|---|---|---|---|---|---|---|\n")
	all := row{name: "all", whole: true}
	var failed []error
	for _, r := range rows {
		r.print(out, "`"+r.name+"`")
		all.changes += r.changes
		all.noticed += r.noticed
		all.users += r.users
		all.alike += r.alike
		all.unnoticed += r.unnoticed
		all.left = append(all.left, r.left...)
		all.whole = all.whole && r.whole
		if _, high := r.between(); high < float64(atLeast) {
			failed = append(failed, fmt.Errorf("%s: fewer than %d %% of the changes are noticed", r.name, atLeast))
		}
	}
	all.print(out, all.name)
	if len(all.left) > 0 {
		fmt.Fprint(out, "\nNot noticed: a test is missing, or a line under \"Mean the same\" in "+explained+".\n\n")
	}
	for _, c := range all.left {
		fmt.Fprintf(out, "- `%s:%d`: `%s` becomes\n  `%s`\n", c.name, c.line, c.was(), c.becomes())
	}
	if all.counted() == 0 {
		return fmt.Errorf("no change was tried in %d packages", len(rows))
	}
	fmt.Fprintf(out, "\n%d of %d noticed: %d %%.\n", all.seen(), all.counted(), 100*all.seen()/all.counted())
	if 100*all.seen() < atLeast*all.counted() {
		failed = append(failed, fmt.Errorf("fewer than %d %% of the changes were noticed", atLeast))
	}
	return errors.Join(failed...)
}

func (r *row) print(out io.Writer, name string) {
	score := "-"
	if n := r.counted(); n > 0 {
		score = fmt.Sprintf("%d %%", 100*r.seen()/n)
	}
	low, high := r.between()
	fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %d | %d | %s | %.0f to %.0f %% |\n",
		name, r.changes, r.tried(), r.noticed, r.users, r.unnoticed, r.alike, score, low, high)
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
