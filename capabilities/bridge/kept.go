package bridge

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A keptList is the last listing of a server, kept to be presented again when the
// configuration changes and the server does not: a list asked for anew may be another
// one, or not come. Lists compress well, and are seldom looked at.
type keptList struct {
	data    []byte // the tools as one JSON array
	zipped  bool
	headers bool // see readTool
	modern  bool
	mark    string
	own     int
	skipped []Skipped
	ttl     time.Duration
}

// zipFrom is from how many bytes on compression is worth its own.
const zipFrom = 4 << 10

// keep answers a listing in a form of its own bytes.
func keep(list *listing, headers bool) *keptList {
	k := &keptList{headers: headers, modern: list.modern, mark: list.mark, own: list.own, skipped: slices.Clone(list.skipped), ttl: list.ttl}
	size := 2
	for _, t := range list.tools {
		size += len(t.raw) + 1
	}
	if size >= zipFrom {
		if zipped, err := zip(list.tools); err == nil { // a buffer takes everything
			k.data, k.zipped = zipped, true
			return k
		}
	}
	plain := bytes.NewBuffer(make([]byte, 0, size))
	_ = writeTools(plain, list.tools) // as above
	k.data = plain.Bytes()
	return k
}

// writeTools writes tools as one JSON array.
func writeTools(w io.Writer, tools []*wireTool) error {
	between := []byte{'['}
	for _, t := range tools {
		if _, err := w.Write(between); err != nil {
			return err
		}
		if _, err := w.Write(t.raw); err != nil {
			return err
		}
		between[0] = ','
	}
	end := []byte{'[', ']'}
	if between[0] == ',' {
		end = end[1:]
	}
	_, err := w.Write(end)
	return err
}

// zippers holds writers of zip, as *flate.Writer: one takes a megabyte to make, and many
// servers list at the same time.
var zippers sync.Pool

func zip(tools []*wireTool) ([]byte, error) {
	var b bytes.Buffer
	w, ok := zippers.Get().(*flate.Writer)
	if ok {
		w.Reset(&b)
	} else {
		var err error
		if w, err = flate.NewWriter(&b, flate.BestSpeed); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(writeTools(w, tools), w.Close()); err != nil {
		return nil, err
	}
	zippers.Put(w)
	return slices.Clone(b.Bytes()), nil
}

// listing answers what was kept.
func (k *keptList) listing() (*listing, error) {
	data := k.data
	if k.zipped {
		var err error
		if data, err = io.ReadAll(flate.NewReader(bytes.NewReader(data))); err != nil {
			return nil, fmt.Errorf("reading the kept list of tools: %w", err)
		}
	}
	list := &listing{skipped: slices.Clone(k.skipped), modern: k.modern, mark: k.mark, own: k.own, ttl: k.ttl}
	for _, raw := range rawjson.Elements(json.RawMessage(data)) {
		t, err := readTool(raw, k.headers)
		if err != nil {
			return nil, fmt.Errorf("reading the kept list of tools: %w", err)
		}
		list.tools = append(list.tools, t)
	}
	list.trace()
	return list, nil
}
