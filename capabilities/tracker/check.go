package tracker

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// checkPage is how many rows are read at a time.
const checkPage = 500

const (
	checkProjects = `SELECT project, version FROM tracker_projects WHERE project > ? ORDER BY project LIMIT ?`

	checkItems = `SELECT id, version, project, trashed_ms FROM tracker_items WHERE id > ? ORDER BY id LIMIT ?`

	checkLabels = `SELECT id, version, project FROM tracker_labels WHERE id > ? ORDER BY id LIMIT ?`

	checkFiles = `SELECT path, version, removed FROM tracker_files WHERE project = ? AND path > ? ORDER BY path LIMIT ?`

	checkFileVersions = `SELECT DISTINCT digest FROM tracker_file_versions WHERE digest > ? ORDER BY digest LIMIT ?`
)

// object names what the log is about.
type object struct{ kind, id string }

// fate is what the log says of an object at the end.
type fate struct {
	seq     int64
	version int64
	scope   string
	away    bool // in the trash, or removed
	gone    bool // for good
}

// check looks whether the last change of every project, item, label and file agrees
// with what is stored of it.
func check(r *store.Reader) ([]string, error) {
	fates, err := fatesOf(r)
	if err != nil {
		return nil, err
	}
	c := checking{r: r, fates: fates}
	for _, look := range []func() error{c.projects, c.items, c.labels, c.contents} {
		if err := look(); err != nil {
			return c.faults, err
		}
	}
	left := slices.SortedFunc(maps.Keys(c.fates), func(a, b object) int { return int(c.fates[a].seq - c.fates[b].seq) })
	for _, o := range left {
		if f := c.fates[o]; !f.gone {
			c.fault("%s %.64q is missing, and change %d left it at version %d", o.kind, o.id, f.seq, f.version)
		}
	}
	return c.faults, nil
}

// fatesOf reads the log.
func fatesOf(r *store.Reader) (map[object]fate, error) {
	fates := map[object]fate{}
	q := store.ChangesQuery{Limit: store.MostChanges}
	for {
		page, err := r.Changes(q)
		if err != nil {
			return nil, err
		}
		for _, c := range page {
			if c.Kind != kindProject && c.Kind != kindItem && c.Kind != kindLabel && c.Kind != kindFile {
				continue
			}
			var e event
			if err := json.Unmarshal(c.Body, &e); err != nil {
				return nil, fmt.Errorf("reading change %d: %w", c.Position.Seq, err)
			}
			o := object{c.Kind, c.ID}
			f := fates[o]
			f.seq, f.version, f.scope = c.Position.Seq, c.Version, c.Scope
			switch e.Action {
			case removed:
				f.away, f.gone = true, c.Kind == kindLabel
			case purged:
				f.gone = true
			case created, restored, written:
				f.away, f.gone = false, false
			case updated, commented, asked, answered, moved, movedAway, merged:
			}
			fates[o] = f
		}
		if len(page) < q.Limit {
			return fates, nil
		}
		q.After = page[len(page)-1].Position
	}
}

// checking is a check on its way. What it found a row for is not among the fates any more.
type checking struct {
	r      *store.Reader
	fates  map[object]fate
	faults []string
}

func (c *checking) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// row compares what is stored of an object with its fate.
func (c *checking) row(o object, version int64, scope string, away bool) {
	f, known := c.fates[o]
	delete(c.fates, o)
	switch {
	case !known:
		c.fault("%s %.64q is at version %d, and no change says where it comes from", o.kind, o.id, version)
	case f.gone:
		c.fault("%s %.64q is at version %d, and change %d removed it", o.kind, o.id, version, f.seq)
	case f.version != version:
		c.fault("%s %.64q is at version %d, and change %d left it at version %d", o.kind, o.id, version, f.seq, f.version)
	case f.scope != scope:
		c.fault("%s %.64q is in project %s, and change %d left it in %s", o.kind, o.id, scope, f.seq, f.scope)
	case f.away != away:
		c.fault("%s %.64q is in the trash or removed: %t, and by the log up to change %d that is %t", o.kind, o.id, away, f.seq, f.away)
	}
}

// pages calls read with the key of the last row, until it answers fewer than a page.
func pages(read func(after string) (last string, n int, err error)) error {
	for after, n := "", checkPage; n == checkPage; {
		var err error
		if after, n, err = read(after); err != nil {
			return err
		}
	}
	return nil
}

func (c *checking) projects() error {
	return pages(func(after string) (string, int, error) {
		var rows []struct {
			Key     string `db:"project"`
			Version int64  `db:"version"`
		}
		err := c.r.Select(&rows, checkProjects, after, checkPage)
		for _, p := range rows {
			after = p.Key
			c.row(object{kindProject, p.Key}, p.Version, p.Key, false)
			if err = c.files(p.Key); err != nil {
				break
			}
		}
		return after, len(rows), err
	})
}

func (c *checking) items() error {
	return pages(func(after string) (string, int, error) {
		var rows []struct {
			ID      string `db:"id"`
			Version int64  `db:"version"`
			Project string `db:"project"`
			Trashed *int64 `db:"trashed_ms"`
		}
		err := c.r.Select(&rows, checkItems, after, checkPage)
		for _, it := range rows {
			after = it.ID
			c.row(object{kindItem, it.ID}, it.Version, it.Project, it.Trashed != nil)
		}
		return after, len(rows), err
	})
}

func (c *checking) labels() error {
	return pages(func(after string) (string, int, error) {
		var rows []struct {
			ID      string `db:"id"`
			Version int64  `db:"version"`
			Project string `db:"project"`
		}
		err := c.r.Select(&rows, checkLabels, after, checkPage)
		for _, l := range rows {
			after = l.ID
			c.row(object{kindLabel, l.ID}, l.Version, l.Project, false)
		}
		return after, len(rows), err
	})
}

func (c *checking) files(project string) error {
	return pages(func(after string) (string, int, error) {
		var rows []struct {
			Path    string `db:"path"`
			Version int64  `db:"version"`
			Removed bool   `db:"removed"`
		}
		err := c.r.Select(&rows, checkFiles, project, after, checkPage)
		for _, f := range rows {
			after = f.Path
			c.row(object{kindFile, project + "/" + f.Path}, f.Version, project, f.Removed)
		}
		return after, len(rows), err
	})
}

// contents looks for the bytes of the files. The store itself compares bytes with their
// digests.
func (c *checking) contents() error {
	return pages(func(after string) (string, int, error) {
		var digests []string
		err := c.r.Select(&digests, checkFileVersions, after, checkPage)
		for _, after = range digests {
			switch _, err := c.r.Blob(after); {
			case errors.Is(err, sql.ErrNoRows):
				c.fault("the bytes under the digest %s, of a file of a project, are missing", after)
			case err != nil:
				return after, 0, err
			}
		}
		return after, len(digests), err
	})
}
