// Package vectors writes the tables of this product as data: test vectors in JSON that an
// implementation in another language can replay. They are made of the code that serves,
// so they say what it does; what it should do is written by hand where their README says.
package vectors

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Folder is where [Files] belong in a repository.
const Folder = "tests/vectors/cases"

// Format is the version of the files. A change of what their fields mean is another one.
const Format = 1

// table is one file.
type table struct {
	name  string
	about string // what a case says, in a sentence
	cases func() ([]any, error)
}

func tables() []table {
	return []table{
		{"effects", "A declared effect, the hints that it derives, and what the classifiers say of it.", effects},
		{"classifiers", "The hints of a bridged tool of the server far, absent where they are unknown, and what the classifiers say of it.", classifiers},
		{"annotations", "What is known of a bridged tool, and the exact text of its annotations in tools/list; null where there are none.", annotations},
		{"names", "The name of a server, the name that it lists a tool by, and the name that the tool is exposed under.", names},
		{"refusals", "A refusal, its HTTP status and exit status, its problem over HTTP and its result over MCP, by value.", refusals},
		{"relay", "A tool as a server lists it, byte for byte, and as it is advertised, by value; null where it is not listed.", relay},
		{"violations", "A schema, a text that is sent for it, and the pointers and keywords of what is wrong, in their order.", violations},
	}
}

// Files answers the vectors by path relative to the output folder. They depend on no
// registry and no configuration.
func Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, t := range tables() {
		cases, err := t.cases()
		if err != nil {
			return nil, fmt.Errorf("the vectors of %s: %w", t.name, err)
		}
		text, err := t.text(cases)
		if err != nil {
			return nil, fmt.Errorf("writing the vectors of %s: %w", t.name, err)
		}
		files[Folder+"/"+t.name+".json"] = text
	}
	return files, nil
}

// text writes a table with a case a line, so that a change of one is one line of a diff.
func (t table) text(cases []any) ([]byte, error) {
	var b bytes.Buffer
	about, err := encoded(t.about)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "{\n\"format\": %d,\n\"about\": %s,\n\"cases\": [\n", Format, about)
	for i, c := range cases {
		line, err := encoded(c)
		if err != nil {
			return nil, err
		}
		b.Write(line)
		if i < len(cases)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n}\n")
	return b.Bytes(), nil
}

func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
