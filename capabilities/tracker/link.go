package tracker

import (
	"cmp"
	"slices"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// LinkInput names another item and how this one stands to it.
type LinkInput struct {
	// How this item stands to the other one.
	Kind LinkKind `json:"kind"`
	// The other item, by key or id.
	Item string `json:"item" jsonschema:"minLength=1,maxLength=64"`
}

// Link is another item and how this one stands to it.
type Link struct {
	// How this item stands to the other one.
	Kind LinkKind `json:"kind"`
	// The key of the other item.
	Key string `json:"key"`
	// The title of the other item.
	Title string `json:"title"`
	// Where the other item stands.
	Status Status `json:"status"`
}

// edge answers the one row that stands for a link, from whichever side it is stated.
func edge(it, other *item, kind LinkKind) (from string, stored LinkKind, to string) {
	switch {
	case kind == BlockedBy, kind == DuplicatedBy, kind == Relates && other.ID < it.ID:
		return other.ID, kind.inverse(), it.ID
	}
	return it.ID, kind, other.ID
}

// linkedTo answers the other item of a link that the argument at pointer describes.
func (it *item) linkedTo(r *store.Reader, pointer string, in LinkInput) (*item, error) {
	other, err := itemNamed(r, pointer+"/item", in.Item)
	if err == nil && other.ID == it.ID {
		return nil, violates(pointer+"/item", "reference", "names the item itself: name another one")
	}
	return other, err
}

// link adds a link and reports whether it was not there.
func (it *item) link(t *store.Tx, pointer string, in LinkInput) (added bool, err error) {
	other, err := it.linkedTo(&t.Reader, pointer, in)
	if err != nil {
		return false, err
	}
	return it.linkTo(t, other, in.Kind)
}

func (it *item) linkTo(t *store.Tx, other *item, kind LinkKind) (added bool, err error) {
	from, stored, to := edge(it, other, kind)
	var there int64
	if err := t.Get(&there, countLink, from, stored, to); err != nil || there > 0 {
		return false, err
	}
	_, err = t.Exec(insertLink, from, stored, to, t.Now().UnixMilli(), t.Who().ID)
	return true, err
}

// unlink removes a link and reports whether it was there.
func (it *item) unlink(t *store.Tx, pointer string, in LinkInput) (gone bool, err error) {
	other, err := it.linkedTo(&t.Reader, pointer, in)
	if err != nil {
		return false, err
	}
	from, stored, to := edge(it, other, in.Kind)
	n, err := t.Exec(deleteLink, from, stored, to)
	return n > 0, err
}

// links answers the links of an item, as it has them, in the order of kind and age.
func (it *item) links(r *store.Reader) ([]Link, error) {
	type aged struct {
		Link
		seq int64
	}
	var found []aged
	for _, side := range []struct {
		query   string
		inverse bool
	}{{selectLinksFrom, false}, {selectLinksTo, true}} {
		var rows []struct {
			Kind    LinkKind `db:"kind"`
			Project string   `db:"project"`
			Num     int64    `db:"num"`
			Seq     int64    `db:"seq"`
			Title   string   `db:"title"`
			Status  Status   `db:"status"`
		}
		if err := r.Select(&rows, side.query, it.ID); err != nil {
			return nil, err
		}
		for _, row := range rows {
			if side.inverse {
				row.Kind = row.Kind.inverse()
			}
			found = append(found, aged{Link{Kind: row.Kind, Key: keyOf(row.Project, row.Num), Title: row.Title, Status: row.Status}, row.Seq})
		}
	}
	slices.SortFunc(found, func(a, b aged) int {
		return cmp.Or(cmp.Compare(slices.Index(linkKinds, a.Kind), slices.Index(linkKinds, b.Kind)), cmp.Compare(a.seq, b.seq))
	})
	all := make([]Link, len(found))
	for i, one := range found {
		all[i] = one.Link
	}
	return all, nil
}
