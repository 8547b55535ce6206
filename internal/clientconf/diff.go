package clientconf

import (
	"fmt"
	"slices"
	"strings"
)

const (
	contextLines = 3
	maxCells     = 4 << 20 // of the table that finds what two texts have in common
)

// Diff answers how a text changes, as a unified diff; nothing when it does not. Labels
// stand in its first two lines.
func Diff(oldLabel, newLabel string, before, after []byte) string {
	a, b := linesOf(before), linesOf(after)
	steps := script(a, b)
	var out strings.Builder
	for i := 0; i < len(steps); {
		if steps[i].op == ' ' {
			i++
			continue
		}
		from := max(0, i-contextLines)
		last := i // the last step of the hunk that changes something
		for j := i; j < len(steps) && j <= last+2*contextLines+1; j++ {
			if steps[j].op != ' ' {
				last = j
			}
		}
		to := min(len(steps), last+1+contextLines)
		if out.Len() == 0 {
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", oldLabel, newLabel)
		}
		writeHunk(&out, steps[from:to])
		i = to
	}
	return out.String()
}

// A step takes a line over, takes it out, or puts it in.
type step struct {
	op   byte // ' ', '-' or '+'
	line string
	// old and new count the lines before this one.
	old, new int
}

func writeHunk(out *strings.Builder, steps []step) {
	var olds, news int
	for _, s := range steps {
		if s.op != '+' {
			olds++
		}
		if s.op != '-' {
			news++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(steps[0].old, olds), span(steps[0].new, news))
	for _, s := range steps {
		out.WriteByte(s.op)
		out.WriteString(s.line)
		if !strings.HasSuffix(s.line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// span is a range of a hunk: that of no lines names the line before it.
func span(before, n int) string {
	if n == 0 {
		return fmt.Sprintf("%d,0", before)
	}
	return fmt.Sprintf("%d,%d", before+1, n)
}

func linesOf(text []byte) []string {
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// script answers the steps from a to b. What both begin and end with is found first; of
// what is left, the longest common part is kept where finding it is not too dear.
func script(a, b []string) []step {
	var steps []step
	old, now := 0, 0
	add := func(op byte, line string) {
		steps = append(steps, step{op, line, old, now})
		if op != '+' {
			old++
		}
		if op != '-' {
			now++
		}
	}
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		add(' ', a[0])
		a, b = a[1:], b[1:]
	}
	same := 0
	for same < len(a) && same < len(b) && a[len(a)-1-same] == b[len(b)-1-same] {
		same++
	}
	tail := a[len(a)-same:]
	a, b = a[:len(a)-same], b[:len(b)-same]
	i, j := 0, 0
	for length := common(a, b); length != nil && i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			add(' ', a[i])
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			add('-', a[i])
			i++
		default:
			add('+', b[j])
			j++
		}
	}
	for _, line := range a[i:] {
		add('-', line)
	}
	for _, line := range b[j:] {
		add('+', line)
	}
	for _, line := range tail {
		add(' ', line)
	}
	return steps
}

// common answers, for every two ends of a and b, how many lines they have in common in
// their order; nil when that is too much to ask.
func common(a, b []string) [][]int32 {
	if (len(a)+1)*(len(b)+1) > maxCells {
		return nil
	}
	length := make([][]int32, len(a)+1)
	for i := range length {
		length[i] = make([]int32, len(b)+1)
	}
	for i := range slices.Backward(a) {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	return length
}
