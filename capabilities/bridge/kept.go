package bridge

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"slices"
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
	data := []byte{'['}
	for i, t := range list.tools {
		if i > 0 {
			data = append(data, ',')
		}
		data = append(data, t.raw...)
	}
	data = append(data, ']')
	if len(data) >= zipFrom {
		var b bytes.Buffer
		if w, err := flate.NewWriter(&b, flate.BestSpeed); err == nil {
			_, errWrite := w.Write(data)
			if errWrite == nil && w.Close() == nil {
				k.data, k.zipped = slices.Clone(b.Bytes()), true
				return k
			}
		}
	}
	k.data = slices.Clone(data)
	return k
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
