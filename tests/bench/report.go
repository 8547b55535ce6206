package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// table is one section of the report.
type table struct {
	title, about string
	head         []string
	rows         [][]string
	notes        []string
}

func newTable(title, about string, head ...string) *table {
	return &table{title: title, about: about, head: head}
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", t.title, t.about)
	head := slices.Clone(t.head)
	for i, h := range head {
		if h == "" { // a column without a name is none to who hears the page: these stand behind a goal, or a ratio
			head[i] = "held"
		}
	}
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, r := range t.rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
	}
	for _, n := range t.notes {
		fmt.Fprintf(&b, "\n%s\n", n)
	}
	return b.String()
}

// report is all that was measured, with the machine.
type report struct {
	machine string
	all     []*table
}

func newReport(ctx context.Context, p *plan) *report {
	commit := "a tree without history"
	if out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output(); err == nil {
		commit = strings.TrimSpace(string(out))
	}
	var libraries strings.Builder
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			switch d.Path {
			case "github.com/modelcontextprotocol/go-sdk", "github.com/danielgtaylor/huma/v2":
				fmt.Fprintf(&libraries, ", %s %s", filepath.Base(strings.TrimSuffix(d.Path, "/v2")), d.Version)
			}
		}
	}
	return &report{machine: fmt.Sprintf("%s, %d cores, %s/%s, %s%s, %s, commit %s, %d rounds", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		runtime.Version(), &libraries, time.Now().UTC().Format(time.DateOnly), commit, p.rounds)}
}

// processor names the machine's processor where the system says it.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

func (r *report) add(t *table) { r.all = append(r.all, t) }

func (r *report) tables() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on: %s.\n", r.machine)
	for _, t := range r.all {
		b.WriteString("\n" + t.markdown())
	}
	return b.String()
}

const preface = `# Speed

` + "`make bench`" + ` prints these tables; ` + "`go run -tags sqlite_fts5 ./tests/bench -write`" + ` writes this page. Every figure stands beside a baseline of
the same run, measured in turns with it. A ratio is ours over the baseline's: the median of the rounds' ratios, with their quartiles in
parentheses. Trust the ratios of CPU time first, then those of time on the clock, then absolute figures: the machine may have had other
work. Figures without a unit are counts.

`

// beside begins the part of docs/speed.md that another program measured.
const beside = "\n## Beside other gateways\n"

// page is docs/speed.md with these tables; what another program measured stays as it
// stands in the old page.
func (r *report) page(old string) string {
	_, kept, there := strings.Cut(old, beside)
	if !there {
		return preface + r.tables()
	}
	return preface + r.tables() + beside + kept
}

// write writes docs/speed.md.
func (r *report) write(ctx context.Context) error {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("finding the module: %w", err)
	}
	file := filepath.Join(strings.TrimSpace(string(root)), "docs", "speed.md")
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(r.page(string(old))), 0o644)
}

// text writes a ratio with its quartiles.
func (r ratio) text() string {
	if r == (ratio{}) {
		return "-"
	}
	return fmt.Sprintf("**%.2f** (%.2f to %.2f)", r.mid, r.low, r.high)
}

// nanos writes a time per call.
func nanos(ns float64) string {
	switch {
	case ns == 0:
		return "-"
	case ns < 100e3:
		return fmt.Sprintf("%.1f µs", ns/1e3)
	case ns < 1e6:
		return fmt.Sprintf("%.0f µs", ns/1e3)
	case ns < 100e6:
		return fmt.Sprintf("%.1f ms", ns/1e6)
	}
	return fmt.Sprintf("%.0f ms", ns/1e6)
}

func count(n float64) string { return fmt.Sprintf("%.0f", math.Round(n)) }

func mebibytes(n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f MiB", n/(1<<20))
}

func atMost(goal float64) string { return fmt.Sprintf("<= %.1f", goal) }

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "missed"
}
