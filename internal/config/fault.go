package config

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Fault is one thing wrong with a file. The error of [Load] joins all of them; errors.AsType finds the first.
type Fault struct {
	File string
	// Line is 1-based; 0 when the fault is about the whole file.
	Line int
	// Path is where in the file, such as mcp_servers[0].env.TOKEN; empty for the whole file.
	Path string
	// Message says what is wrong and what to do.
	Message string
}

// Error returns file:line: path: message, without the parts that are not known.
func (f Fault) Error() string {
	s := position(f.File, f.Line)
	if f.Path != "" {
		s += f.Path + ": "
	}
	return s + f.Message
}

func position(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return file + ": "
	}
	return file + ":" + strconv.Itoa(line) + ": "
}

// joinFaults orders the faults of each file by line; nil when there are none.
func joinFaults(files ...*decoder) error {
	var errs []error
	for _, d := range files {
		slices.SortStableFunc(d.faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
		for _, f := range d.faults {
			errs = append(errs, f)
		}
	}
	return errors.Join(errs...)
}

// decoder collects what there is to say about one file while its tree is read.
type decoder struct {
	file string
	// content, when it is not nil, is what the file is taken to hold.
	content []byte
	// dir is the absolute directory of the file, known once it is read.
	dir     string
	faults  []Fault
	notices []Notice
	// idle are the keys of which it was said that nothing uses them.
	idle map[string]bool
	// foreign is true for a client's own file, which must not stop the start where a single server can be held back instead.
	foreign bool
	// lineless is true for what stands in no file: its lines say nothing to anybody.
	lineless bool
	// bounds of the tree; those of a configuration when they are zero.
	bounds Bounds
}

func (d *decoder) fault(line int, path, format string, args ...any) {
	if d.bounds != (Bounds{}) && len(d.faults) > 0 {
		return // of a document of somebody else's the first is told, and there may be one at every value
	}
	if d.lineless {
		line = 0
	}
	d.faults = append(d.faults, Fault{File: d.file, Line: line, Path: path, Message: fmt.Sprintf(format, args...)})
}

func (d *decoder) notice(line int, format string, args ...any) {
	if d.lineless {
		line = 0
	}
	d.notices = append(d.notices, Notice{File: d.file, Line: line, Text: fmt.Sprintf(format, args...)})
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// under is the path of a key below a path; a key that would read as more than one is quoted.
func under(path, key string) string {
	switch {
	case !plainKey.MatchString(key):
		return path + "[" + strconv.Quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

func at(path string, index int) string { return path + "[" + strconv.Itoa(index) + "]" }

// nearest returns the known word that was most likely meant, or "".
func nearest(word string, known []string) string {
	w := fold(word)
	best, least := "", max(1, len(w)/3)+1
	for _, k := range known {
		if n := distance(w, fold(k)); n < least {
			best, least = k, n
		}
	}
	if best != "" {
		return best
	}
	// baseUrl, mcp_command: a known word with something put before or after it.
	for _, k := range known {
		if f := fold(k); len(f) > 2 && (strings.HasSuffix(w, f) || strings.HasPrefix(w, f)) {
			return k
		}
	}
	return ""
}

func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// distance counts the insertions, deletions, replacements and swaps of neighbours between two words.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return max(len(x), len(y))
	}
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			n := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				n = min(n, rows[i-2][j-2]+1)
			}
			rows[i][j] = n
		}
	}
	return rows[len(x)][len(y)]
}

// meant is the hint that ends a refusal of a word: the nearest known one, or the list when it is short.
func meant(word string, known []string) string {
	if k := nearest(word, known); k != "" {
		return "; did you mean " + k + "?"
	}
	return "; known here: " + strings.Join(known, ", ")
}
