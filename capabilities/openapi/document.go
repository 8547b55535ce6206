package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// The bounds of a document.
const (
	maxDocument   = 16 << 20
	maxYAML       = 4 << 20 // a tree of it takes some fifty times that
	maxYAMLValues = 1_000_000
	maxDepth      = 128
	maxOperations = 5_000
	maxHops       = 16 // of a reference that leads to a reference

	// maxWork is how many bytes are looked at for references in all. A reference of twenty
	// bytes can lead to megabytes, and there can be half a million of them.
	maxWork = 512 << 20
)

var (
	errWork    = fmt.Errorf("the references of the document lead to more than %d bytes in all, which is the limit", maxWork)
	errEndless = fmt.Errorf("its references lead on and on, over more than %d", maxHops)
)

// A document is an OpenAPI document as JSON. The index makes a reference cost what stands
// beside its target, once.
type document struct {
	root    json.RawMessage
	version string // such as "3.0.3"
	old     bool   // it is 3.0: its schemas are of a dialect of their own
	index   map[string]map[string]json.RawMessage
	work    int // see maxWork
}

// parse reads a document. The error has the place.
func parse(data []byte) (*document, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return nil, errors.New("is not UTF-8")
	}
	root := json.RawMessage(bytes.TrimSpace(data))
	if rawjson.Kind(root) != '{' {
		var err error
		if root, err = ofYAML(data); err != nil {
			return nil, err
		}
	} else if err := judge(data); err != nil {
		return nil, err
	}
	d := &document{root: root, index: map[string]map[string]json.RawMessage{}}
	top := d.members("", root)
	if raw, old := top["swagger"]; old {
		said, _ := rawjson.String(raw)
		return nil, fmt.Errorf("is a Swagger %s document at #/swagger: OpenAPI 3.0 and 3.1 are read; convert it first", short(said, 20))
	}
	d.version, _ = rawjson.String(top["openapi"])
	switch {
	case strings.HasPrefix(d.version, "3.0.") || d.version == "3.0":
		d.old = true
	case strings.HasPrefix(d.version, "3.1.") || d.version == "3.1":
	case d.version == "":
		return nil, errors.New("has no version of OpenAPI at #/openapi, such as 3.1.0")
	default:
		return nil, fmt.Errorf("says at #/openapi that it is of version %q: 3.0 and 3.1 are read", short(d.version, 40))
	}
	if kind := rawjson.Kind(top["paths"]); kind != '{' && kind != 0 {
		return nil, errors.New("has something at #/paths that is no object")
	}
	return d, nil
}

// judge says where JSON is none.
func judge(data []byte) error {
	at, _, err := rawjson.Scan(data, rawjson.Space(data, 0), maxDepth)
	if err == nil {
		if at = rawjson.Space(data, at); at == len(data) {
			return nil
		}
		err = rawjson.ErrSyntax
	}
	before := data[:min(at, len(data))]
	line, column := 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n')
	if errors.Is(err, rawjson.ErrDeep) {
		return fmt.Errorf("nests deeper than %d levels at line %d, column %d", maxDepth, line, column)
	}
	return fmt.Errorf("is not valid JSON at line %d, column %d", line, column)
}

// ofYAML answers a document in YAML as JSON.
func ofYAML(data []byte) (json.RawMessage, error) {
	if len(data) > maxYAML {
		return nil, fmt.Errorf("has %d bytes of YAML, at most %d are read: give it as JSON", len(data), maxYAML)
	}
	root, err := config.JSONOfYAML(data, config.Bounds{Depth: maxDepth, Values: maxYAMLValues, Bytes: maxDocument})
	if fault, ok := errors.AsType[config.Fault](err); ok {
		place := ""
		if fault.Line > 0 {
			place = fmt.Sprintf(" at line %d", fault.Line)
		}
		if fault.Path != "" {
			place += " (" + short(fault.Path, 200) + ")"
		}
		return nil, fmt.Errorf("cannot be read%s: %s", place, short(fault.Message, 300))
	}
	if err == nil && rawjson.Kind(root) != '{' {
		return nil, errors.New("is no object, so it is no OpenAPI document")
	}
	return root, err
}

// members are those of the object at a pointer.
func (d *document) members(pointer string, object json.RawMessage) map[string]json.RawMessage {
	if all, ok := d.index[pointer]; ok {
		return all
	}
	d.work += len(object)
	all := maps.Collect(rawjson.Members(object))
	d.index[pointer] = all
	return all
}

// local answers the pointer of a reference within the document.
func local(ref string) (pointer string, err error) {
	pointer, found := strings.CutPrefix(ref, "#")
	switch {
	case !found:
		return "", fmt.Errorf("it refers to %q: only references within the document are followed", short(ref, 120))
	case !strings.HasPrefix(pointer, "/"):
		return "", fmt.Errorf("it refers to %q: only references that are a JSON pointer, such as #/components/schemas/Pet, are followed", short(ref, 120))
	}
	if strings.Contains(pointer, "%") {
		if plain, err := url.PathUnescape(pointer); err == nil {
			pointer = plain
		}
	}
	return pointer, nil
}

var tokens = strings.NewReplacer("~1", "/", "~0", "~")

// at answers what stands at a JSON pointer (RFC 6901).
func (d *document) at(pointer string) (json.RawMessage, error) {
	here, seen := d.root, ""
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if d.work > maxWork {
			return nil, errWork
		}
		next, found := json.RawMessage(nil), false
		switch rawjson.Kind(here) {
		case '{':
			next, found = d.members(seen, here)[tokens.Replace(token)]
		case '[':
			d.work += len(here)
			wanted, err := strconv.Atoi(token)
			if err != nil || strconv.Itoa(wanted) != token {
				break // such as -, or 01
			}
			for i, one := range rawjson.Elements(here) {
				if i == wanted {
					next, found = one, true
					break
				}
			}
		}
		if !found {
			return nil, fmt.Errorf("it refers to #%s, where nothing stands", short(pointer, 120))
		}
		here, seen = next, seen+"/"+token
	}
	return here, nil
}

// follow answers an object of the document, or the one that it refers to.
func (d *document) follow(raw json.RawMessage) (json.RawMessage, error) {
	for range maxHops {
		ref, ok := rawjson.String(rawjson.Member(raw, "$ref"))
		if !ok {
			return raw, nil
		}
		pointer, err := local(ref)
		if err != nil {
			return nil, err
		}
		if raw, err = d.at(pointer); err != nil {
			return nil, err
		}
		d.work += len(raw)
	}
	return nil, errEndless
}

// short answers what fits of a text in n bytes.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + " ..."
}
