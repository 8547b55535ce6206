package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// measureProse measures `holotype prose` from end to end on folders of Markdown, against
// reading the same files and nothing more.
func measureProse(ctx context.Context, p *plan) (*table, error) {
	const goal = 2 * time.Second
	t := newTable("holotype prose",
		fmt.Sprintf("From the spawn of `holotype prose --packs` to its end, on a folder of pages of %.1f KiB with every kind of claim, all of them true. Beside it: the same files read by "+
			"a program that runs already, and no more. Medians, with the quartiles.", float64(len(provenPage(0)))/1024),
		"pages", "prose", "its CPU time", "read alone", "goal", "")
	for _, pages := range []int{1, 250, 1000} {
		dir := filepath.Join(p.dir, "prose-"+strconv.Itoa(pages))
		if err := layPages(dir, pages); err != nil {
			return nil, err
		}
		c, err := compare(p.rounds, 1, proving(ctx, p, dir), spawning(func() error { return readOnce(dir) }))
		if err != nil {
			return nil, err
		}
		var ours, cpu, theirs []float64
		for i := range c.ours {
			ours, cpu, theirs = append(ours, wallTime(c.ours[i])), append(cpu, cpuTime(c.ours[i])), append(theirs, wallTime(c.theirs[i]))
		}
		wanted, result := "", ""
		if pages == 1000 {
			wanted, result = "< "+nanos(float64(goal)), met(median(ours) < float64(goal))
		}
		t.row(count(float64(pages)), spreadOf(ours), spreadOf(cpu), spreadOf(theirs), wanted, result)
	}
	return t, nil
}

// provenPage is one page; its number makes it another's.
func provenPage(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Page %d\n", n)
	for i := range 12 {
		fmt.Fprintf(&b, "\n## Part %d\n\nCall `list_tools` or get_tool, as `GET /api/v1/tools/{name}` does; see /docs/codes/invalid and `gate.deny`. What is\n"+
			"wrong is refused with the code `invalid`, whoever asks: the call that was made %d times waits for nobody, and says so.\n\n"+
			"| tool | does |\n|---|---|\n| `list_tools` | lists them |\n| `get_tool` | shows one |\n\n"+
			"```sh\nholotype tools --source builtin # the native ones\ncurl http://127.0.0.1:4280/livez\n```\n\n"+
			"Whatever it is about, most of a page is sentences. They name nothing, they promise nothing, and all that a reader of them has to do is go on to the next one, in which as much stands.\n", i, i+n)
		if i%10 == 0 {
			b.WriteString("\n```yaml\ngate:\n  deny: [purge_work_item]\n```\n")
		}
	}
	return b.String()
}

func layPages(dir string, pages int) error {
	for i := range pages {
		below := filepath.Join(dir, strconv.Itoa(i/100))
		if err := os.MkdirAll(below, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(below, strconv.Itoa(i)+".md"), []byte(provenPage(i)), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// proving measures runs of the program on a folder.
func proving(ctx context.Context, p *plan, dir string) side {
	return func(n int) (usage, error) {
		u := usage{calls: n}
		for range n {
			begin := time.Now()
			one, err := start(ctx, p.binary, "prose", "--packs", dir)
			if err != nil {
				return u, err
			}
			if err := one.ended(); err != nil {
				return u, err
			}
			u.wall += time.Since(begin)
			u.cpu += one.cmd.ProcessState.UserTime() + one.cmd.ProcessState.SystemTime()
		}
		return u, nil
	}
}

func readOnce(dir string) error {
	return filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			_, err = os.ReadFile(path)
		}
		return err
	})
}
