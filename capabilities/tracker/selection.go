package tracker

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// selection is a list of work items on its way to be read: conditions, each a constant
// text with its arguments, and the place to begin after.
//
// Every order is that of an index, so that a page is found without sorting all that
// match. That is why several statuses are read one after the other and merged, and why
// the order of change hides status and priority from the planner: it would find by them
// and sort. Only what is few, the items of a person, a parent or a label, is sorted.
type selection struct {
	since   *int64  // order by the time of change, from this one on
	at      []int64 // begin after the item of this order
	labelID string
	where   []string
	args    []any
}

const (
	onlyLive       = `i.trashed_ms IS NULL`
	onlyProject    = `i.project = ?`
	onlyAssignee   = `i.assignee = ?`
	onlyUnassigned = `i.assignee IS NULL`
	onlyParent     = `i.parent_id = ?`
	onlyPriority   = `i.priority = ?`
	onlyUnranked   = `i.priority IS NULL`
	onlyStatus     = `i.status = ?`
	walkedStatus   = `coalesce(i.status, '') = ?`
	walkedPriority = `coalesce(i.priority, 0) = ?`
	onlyTrash      = `i.trashed_ms IS NOT NULL AND i.trashed_with = i.id`

	// The items of a label are found in the order of its own rows.
	labelSource = ` FROM tracker_item_labels l JOIN tracker_items i ON i.id = l.item_id LEFT JOIN tracker_items p ON p.id = i.parent_id`
	onlyLabel   = `l.label_id = ?`

	byAge      = ` AND i.seq < ? ORDER BY i.seq DESC LIMIT ?`
	byLabelAge = ` AND l.seq < ? ORDER BY l.seq DESC LIMIT ?`
	byChange   = ` AND (i.updated_ms, i.seq) > (?, ?) ORDER BY i.updated_ms, i.seq LIMIT ?`
)

func (s *selection) only(where string, args ...any) {
	s.where = append(s.where, where)
	s.args = append(s.args, args...)
}

// walked answers the condition for the order of the selection: one that an index finds
// by, or one that is looked at on the way.
func (s *selection) walked(found, walked string) string {
	if s.since != nil {
		return walked
	}
	return found
}

// begin reads where the page begins.
func (s *selection) begin(in capabilities.PageInput) (err error) {
	first := []int64{math.MaxInt64}
	if s.since != nil {
		first = []int64{*s.since, -1}
	}
	s.at, err = from(in, first...)
	return err
}

// narrow adds the conditions of the input; what they name has to be there.
func (s *selection) narrow(r *store.Reader, in ListWorkItemsInput) error {
	s.only(onlyLive)
	if in.Project != "" {
		if _, err := projectNamed(r, "/project", in.Project); err != nil {
			return err
		}
		s.only(onlyProject, in.Project)
	}
	if in.Label != "" {
		l, err := findLabel(r, in.Project, in.Label)
		if err != nil {
			return err
		}
		if l == nil {
			return violates("/label", "reference", "names no label of "+in.Project+": list_labels has the names")
		}
		s.labelID = l.ID
	}
	if in.Parent != "" {
		parent, err := itemNamed(r, "/parent", in.Parent)
		if err != nil {
			return err
		}
		s.only(onlyParent, parent.ID)
	}
	if in.Assignee != "" {
		s.only(onlyAssignee, in.Assignee)
	}
	if in.Unassigned {
		s.only(onlyUnassigned)
	}
	if rank := in.Priority.rank(); rank != nil {
		s.only(s.walked(onlyPriority, walkedPriority), *rank)
	} else if in.Priority == NoPriority {
		s.only(onlyUnranked)
	}
	return nil
}

// read answers the first items of the selection with one of the statuses.
func (s *selection) read(r *store.Reader, statuses []Status, limit int) ([]*item, error) {
	var all []*item
	for _, status := range statuses {
		one := *s
		one.where, one.args = slices.Clone(s.where), slices.Clone(s.args)
		if status != "" {
			one.only(s.walked(onlyStatus, walkedStatus), status)
		}
		query, args := one.statement(limit)
		var rows []*item
		if err := r.Select(&rows, query, args...); err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	if len(statuses) > 1 {
		slices.SortFunc(all, s.compare)
		all = all[:min(len(all), limit)]
	}
	return all, nil
}

// statement answers the text of the selection, from constant parts, and its arguments.
func (s *selection) statement(limit int) (query string, args []any) {
	source, order := itemSource, byAge
	where := s.where
	if s.labelID != "" {
		source, order = labelSource, byLabelAge
		where = append([]string{onlyLabel}, where...)
		args = append(args, s.labelID)
	}
	if s.since != nil {
		order = byChange
	}
	args = append(args, s.args...)
	for _, n := range s.at {
		args = append(args, n)
	}
	return `SELECT ` + itemColumns + source + ` WHERE ` + strings.Join(where, ` AND `) + order, append(args, limit)
}

func (s *selection) compare(a, b *item) int {
	if s.since != nil {
		return cmp.Or(cmp.Compare(a.UpdatedMS, b.UpdatedMS), cmp.Compare(a.Seq, b.Seq))
	}
	return cmp.Compare(b.Seq, a.Seq)
}

// place answers where the page after an item begins.
func (s *selection) place(it *item) string {
	if s.since != nil {
		return place(it.UpdatedMS, it.Seq)
	}
	return place(it.Seq)
}
