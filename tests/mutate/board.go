package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
)

// A board is a package that has many changes in it at once, all of them off: the environment
// of a test binary turns one on. It is compiled once for all of them, and says which of them a
// run came past, so that tests that never reach a change are not run for it.
type board struct {
	dir     string // what was written, and where runs say what they reached
	overlay string
	changes []change // the position is the number of a change
}

// The environment of a test binary: which change is on, and where to say what is reached.
const (
	turnOn  = "MUTATE_ON"
	sayHere = "MUTATE_REACHED"
)

// onTheBoard is the file that is added to the package. A number that is not there turns on none.
var onTheBoard = template.Must(template.New("").Parse(`package {{.Name}}

import (
	mutateos "os"
	mutateconv "strconv"
	mutateatomic "sync/atomic"
)

var (
	mutateDir   = mutateos.Getenv("` + sayHere + `")
	mutateIs    = func() int {
		n, err := mutateconv.Atoi(mutateos.Getenv("` + turnOn + `"))
		if err != nil {
			return -1
		}
		return n
	}()
	mutateCame [{{.Count}}]mutateatomic.Bool
)

func mutateOn(n int) bool {
	if mutateDir != "" && mutateCame[n].CompareAndSwap(false, true) {
		_ = mutateos.WriteFile(mutateDir+"/"+mutateconv.Itoa(n), nil, 0o600)
	}
	return n == mutateIs
}
`))

// newBoard writes a package with changes into a folder of its own. All of them must have a
// type.
func newBoard(p listed, changes []change) (_ *board, err error) {
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return nil, err
	}
	b := &board{dir: dir, overlay: filepath.Join(dir, "overlay.json"), changes: changes}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	replace := map[string]string{filepath.Join(p.Dir, "mutate_board.go"): filepath.Join(dir, "board.go")}
	var text bytes.Buffer
	if err := onTheBoard.Execute(&text, map[string]any{"Name": changes[0].pkg, "Count": len(changes)}); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "board.go"), text.Bytes(), 0o600); err != nil {
		return nil, err
	}
	for i, c := range changes {
		if _, ok := replace[c.file]; ok {
			continue
		}
		replace[c.file] = filepath.Join(dir, fmt.Sprintf("file%d.go", i))
		if err := os.WriteFile(replace[c.file], withSwitches(c.source, changes, c.file), 0o600); err != nil {
			return nil, err
		}
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return b, os.WriteFile(b.overlay, overlay, 0o600)
}

func (b *board) close() error { return os.RemoveAll(b.dir) }

// withSwitches answers a file with the changes that are its own, each behind its number.
func withSwitches(source []byte, changes []change, file string) []byte {
	at := map[ast.Node][]int{}
	var outer []ast.Node
	for i, c := range changes {
		if c.file != file {
			continue
		}
		if at[c.node] == nil {
			outer = append(outer, c.node)
		}
		at[c.node] = append(at[c.node], i)
	}
	w := switches{source: source, changes: changes, at: at, nodes: outer}
	return []byte(w.between(0, len(source), nil))
}

// switches puts changes into a text.
type switches struct {
	source  []byte
	changes []change
	at      map[ast.Node][]int
	nodes   []ast.Node
}

// between answers the text from one place to another, with the changes of the nodes that lie
// in it; of those that lie in one another the outermost puts the others into its parts.
func (w switches) between(from, to int, except ast.Node) string {
	var out strings.Builder
	for from < to {
		var next *change
		for _, n := range w.nodes {
			c := &w.changes[w.at[n][0]]
			inside := n != except && c.begin >= from && c.end <= to
			if inside && (next == nil || c.begin < next.begin || c.begin == next.begin && c.end > next.end) {
				next = c
			}
		}
		if next == nil {
			break
		}
		out.Write(w.source[from:next.begin])
		out.WriteString(w.around(next))
		from = next.end
	}
	out.Write(w.source[from:to])
	return out.String()
}

// around answers the text of a node as a function that does what is on. The operands stand in
// every branch, and one branch is taken: they have the effects that they had.
func (w switches) around(c *change) string {
	left := w.between(c.begin, c.offset, c.node)
	right := w.between(c.offset+len(c.from), c.end, c.node)
	returns, ends := "return ", ""
	if c.result == "" {
		returns, ends = "", "; return"
	}
	var out strings.Builder
	out.WriteString("func() " + c.result + " { ")
	for _, i := range w.at[c.node] {
		out.WriteString("if mutateOn(" + strconv.Itoa(i) + ") { " + returns + left + w.changes[i].to + right + ends + " }; ")
	}
	out.WriteString(returns + left + c.from + right + " }()")
	return out.String()
}
