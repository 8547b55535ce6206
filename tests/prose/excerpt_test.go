package prose_test

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/seed-89b9419b/holotype/codegen/prose"
)

var (
	marker   = regexp.MustCompile(`<!--\s*excerpt:\s*(\S+)\s*-->`)
	testLink = regexp.MustCompile(`\[((?:Test|Fuzz|Benchmark|Example)[A-Za-z0-9_]*)\]\(([^)#]+)\)`)
)

// excerpts: the block below a marker stands, line for line, in the file it names.
func (p *product) excerpts(d *prose.Document) []prose.Finding {
	var faults []prose.Finding
	lines := strings.Split(d.Text, "\n")
	for i, line := range lines {
		m := marker.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		fault := func(format string, args ...any) {
			faults = append(faults, prose.Finding{Line: i + 1, Kind: kindExcerpt, Claim: m[1], Why: fmt.Sprintf(format, args...)})
		}
		whole, ok := p.files[m[1]]
		block, closed := blockAt(lines[i+1:])
		switch {
		case !ok:
			fault("it does not exist, and an excerpt is of it")
		case !closed || block == "":
			fault("no block stands below the excerpt of it")
		case !strings.Contains("\n"+whole, "\n"+block):
			fault("the block below does not stand in it: %s", parts(whole, block))
		}
	}
	return faults
}

// blockAt answers the fenced block that the lines begin with.
func blockAt(lines []string) (block string, closed bool) {
	if len(lines) == 0 || !strings.HasPrefix(lines[0], "```") {
		return "", false
	}
	for i, line := range lines[1:] {
		if line == "```" {
			return strings.Join(lines[1:i+1], "\n") + "\n", true
		}
	}
	return "", false
}

// parts names the first line of a block that its file does not have.
func parts(whole, block string) string {
	for line := range strings.SplitSeq(strings.TrimSuffix(block, "\n"), "\n") {
		if !strings.Contains("\n"+whole, "\n"+line+"\n") {
			return fmt.Sprintf("no line of it is %q", line)
		}
	}
	return "its lines stand there in another order"
}

// testLinks: a link that is called like a test leads to the file that has it.
func (p *product) testLinks(d *prose.Document) []prose.Finding {
	var faults []prose.Finding
	for i, line := range strings.Split(d.Text, "\n") {
		for _, m := range testLink.FindAllStringSubmatch(line, -1) {
			where := path.Join(path.Dir(d.Name), m[2])
			if !strings.Contains(p.files[where], "\nfunc "+m[1]+"(") {
				why, nearest := missing("test in "+where, m[1], functions(p.files[where]))
				faults = append(faults, prose.Finding{Line: i + 1, Kind: kindTest, Claim: m[1], Why: why, Nearest: nearest})
			}
		}
	}
	return faults
}

var function = regexp.MustCompile(`(?m)^func ([A-Za-z0-9_]+)\(`)

func functions(text string) []string {
	var all []string
	for _, m := range function.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}
