package cli

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/plainfile"
)

// A text on the command line may stand in a file: fileMark and the file's name in its
// place, or fileMark and a dash for standard input. Two marks stand for one that begins
// the text itself.
const fileMark = "@"

// takesFile reports whether the flag's value may stand in a file: texts may, and JSON,
// which never begins so.
func (a argument) takesFile() bool {
	w := a.word()
	return w == "TEXT" || w == "JSON"
}

// escapeMark writes a text as a flag takes it.
func (a argument) escapeMark(text string) string {
	if a.takesFile() && strings.HasPrefix(text, fileMark) {
		return fileMark + text
	}
	return text
}

// fromFiles puts what stands in files in the place of their names. Standard input has
// one reader: taken says that --json is it.
func (r *run) fromFiles(ctx context.Context, args []argument, c *called, taken bool) error {
	for _, a := range args {
		if a.flag == "" || !a.takesFile() {
			continue
		}
		for i, text := range c.values[a.flag] {
			name, marked := strings.CutPrefix(text, fileMark)
			switch {
			case !marked:
				continue
			case strings.HasPrefix(name, fileMark):
				c.values[a.flag][i] = name
				continue
			case name == "":
				return Usage("--%s %s names no file: give %sFILE, or %s- for standard input, or %s%s for the character itself", a.flag, text, fileMark, fileMark, fileMark, fileMark)
			case name == "-" && taken:
				return Usage("--%s @- reads standard input, which another flag reads already: put one of them into a file", a.flag)
			}
			taken = taken || name == "-"
			data, err := r.fileText(ctx, a.flag, name)
			if err != nil {
				return err
			}
			c.values[a.flag][i] = string(data)
		}
	}
	return nil
}

// fileText reads a file, or standard input for a dash.
func (r *run) fileText(ctx context.Context, flag, name string) ([]byte, error) {
	if name == "-" {
		return unlessInterrupted(ctx, func() ([]byte, error) { return readAll(r.in, flag, "standard input") })
	}
	data, err := plainfile.Read(name, maxInput)
	if errors.Is(err, fs.ErrNotExist) {
		shown := []rune(escape(name, false))
		return nil, Usage("--%s: there is no file %s: a value that begins with %s names one; to begin the text itself with it, write it twice: '%s%s'",
			flag, quoted(name), fileMark, fileMark+fileMark, string(shown[:min(len(shown), 20)]))
	}
	return data, readFault(flag, name, err)
}
