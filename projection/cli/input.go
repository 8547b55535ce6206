package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/plainfile"
)

// maxInput bounds what is read for --json. It leaves the limit on arguments, and
// the words of its refusal, to the door.
const maxInput = 2 * capabilities.MaxArguments

// arguments answers the arguments of a call: what --json has, and the flags as
// further fields. A field given by both is refused, so that neither silently wins.
func (r *run) arguments(ctx context.Context, args []argument, c *called) ([]byte, error) {
	text, given := c.last(flagJSON)
	if err := r.fromFiles(ctx, args, c, text == "-"); err != nil {
		return nil, err
	}
	if !given {
		r.spell(args, nil)
		return fields(nil, args, c, nil)
	}
	whole, err := r.wholeInput(ctx, text)
	if err != nil {
		return nil, err
	}
	keys, ok := keysOf(whole)
	if !ok { // no object: the door says so, on every surface in the same words
		return whole, nil
	}
	r.spell(args, keys)
	return fields(whole, args, c, keys)
}

// wholeInput reads the value of --json: the JSON itself, @FILE, or - for standard
// input.
func (r *run) wholeInput(ctx context.Context, text string) ([]byte, error) {
	var data []byte
	var err error
	switch path, isFile := strings.CutPrefix(text, "@"); {
	case text == "-":
		data, err = unlessInterrupted(ctx, func() ([]byte, error) { return readAll(r.in, flagJSON, "standard input") })
	case isFile:
		data, err = readFile(path)
	default:
		data = []byte(text)
	}
	if err != nil {
		return nil, err
	}
	// No arguments at all would mean {}: that is not what an unset variable means.
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, Usage("--%s %s is empty: give a JSON object, {} for no arguments", flagJSON, quoted(text))
	}
	return data, nil
}

// unlessInterrupted answers what read answers, or that ctx ended: a terminal or a
// pipe that nobody writes to cannot be told to stop.
func unlessInterrupted(ctx context.Context, read func() ([]byte, error)) ([]byte, error) {
	var data []byte
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		data, err = read()
	}()
	select {
	case <-done:
		return data, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func readFile(path string) ([]byte, error) {
	data, err := plainfile.Read(path, maxInput)
	return data, readFault(flagJSON, path, err)
}

// readFault says why the file that a flag names cannot be read, if err does.
func readFault(flag, path string, err error) error {
	stdin := fileMark + "-"
	if flag == flagJSON {
		stdin = "-"
	}
	switch {
	case errors.Is(err, plainfile.ErrTooLarge):
		return tooMuch(path)
	case errors.Is(err, plainfile.ErrNotPlain):
		return Usage("--%s: reading %s: %w; what a pipe brings is read with --%s %s", flag, escape(path, false), err, flag, stdin)
	case err != nil:
		return Usage("--%s: %w", flag, err)
	}
	return nil
}

func tooMuch(name string) error {
	return capabilities.Refuse(capabilities.TooLarge, "%s has more than %d bytes, at most %d are taken as arguments", name, maxInput, capabilities.MaxArguments)
}

func readAll(from io.Reader, flag, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, maxInput+1))
	switch {
	case err != nil:
		return nil, Usage("--%s: reading %s: %w", flag, name, err)
	case len(data) > maxInput:
		return nil, tooMuch(name)
	}
	return data, nil
}

// keysOf answers the keys of a JSON object; ok is false for anything else.
func keysOf(data []byte) (keys map[string]bool, ok bool) {
	if !json.Valid(data) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	keys = map[string]bool{}
	for dec.More() {
		k, err := dec.Token()
		if err != nil {
			return nil, false
		}
		var skip json.RawMessage
		if dec.Decode(&skip) != nil {
			return nil, false
		}
		keys[fmt.Sprint(k)] = true
	}
	return keys, true
}

// fields writes the flags that were given behind the members of an object, whose
// own bytes stay as they are.
func fields(object []byte, args []argument, c *called, taken map[string]bool) ([]byte, error) {
	var b bytes.Buffer
	open := bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}"))
	if len(open) == 0 {
		open = []byte("{")
	}
	b.Write(open)
	first := len(taken) == 0
	for _, a := range args {
		texts := c.values[a.flag]
		if a.flag == "" || len(texts) == 0 {
			continue
		}
		if taken[a.Name] {
			return nil, Usage("%s is given by --%s and by --%s: give it once", quoted(a.Name), a.flag, flagJSON)
		}
		value, err := valueOf(a, texts)
		if err != nil {
			return nil, err
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.Write(quoteJSON(a.Name))
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// valueOf writes the texts of one flag as JSON. What the schema does not admit
// becomes a value that the door refuses, in the words of every surface.
func valueOf(a argument, texts []string) ([]byte, error) {
	for _, t := range texts {
		if !utf8.ValidString(t) {
			return nil, Usage("the value of --%s is not UTF-8, and a text is: give bytes in base64, where there is a field for them", a.flag)
		}
	}
	if !a.isList() {
		if len(texts) > 1 {
			return nil, Usage("--%s is given %d times and takes one value", a.flag, len(texts))
		}
		return a.EncodeText(texts[0]), nil
	}
	items := make([][]byte, len(texts))
	for i, t := range texts {
		items[i] = a.Items.EncodeText(t)
	}
	return slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]")), nil
}

// quoteJSON writes a string as JSON without escaping HTML.
func quoteJSON(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string cannot fail
		return []byte(`""`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
