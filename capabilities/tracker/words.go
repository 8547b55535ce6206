package tracker

import (
	"slices"
	"time"
)

// Status is where a work item stands: triage (nobody decided yet), todo, in_progress, in_review, done or cancelled.
type Status string

// The closed set of statuses.
const (
	Triage     Status = "triage"
	Todo       Status = "todo"
	InProgress Status = "in_progress"
	InReview   Status = "in_review"
	Done       Status = "done"
	Cancelled  Status = "cancelled"
)

// SchemaEnum lists the members.
func (Status) SchemaEnum() []string {
	return []string{string(Triage), string(Todo), string(InProgress), string(InReview), string(Done), string(Cancelled)}
}

// Priority is how urgent a work item is: urgent, high, medium, low or none.
type Priority string

// The closed set of priorities, the most urgent first.
const (
	Urgent     Priority = "urgent"
	High       Priority = "high"
	Medium     Priority = "medium"
	Low        Priority = "low"
	NoPriority Priority = "none"
)

var priorities = []Priority{Urgent, High, Medium, Low}

// SchemaEnum lists the members.
func (Priority) SchemaEnum() []string {
	return []string{string(Urgent), string(High), string(Medium), string(Low), string(NoPriority)}
}

// rank answers the column of a priority: 1 for the most urgent, nil for none.
func (p Priority) rank() *int64 {
	i := slices.Index(priorities, p)
	if i < 0 {
		return nil
	}
	n := int64(i) + 1
	return &n
}

// priorityOf answers the priority of a column.
func priorityOf(rank *int64) Priority {
	if rank == nil || *rank < 1 || int(*rank) > len(priorities) {
		return NoPriority
	}
	return priorities[*rank-1]
}

// LinkKind is how a work item stands to another one, read from this item to that: it blocks that one, it is blocked_by it, ...
type LinkKind string

// The closed set of kinds of links.
const (
	Blocks       LinkKind = "blocks"
	BlockedBy    LinkKind = "blocked_by"
	Duplicates   LinkKind = "duplicates"
	DuplicatedBy LinkKind = "duplicated_by"
	Relates      LinkKind = "relates"
)

var linkKinds = []LinkKind{Blocks, BlockedBy, Duplicates, DuplicatedBy, Relates}

// SchemaEnum lists the members.
func (LinkKind) SchemaEnum() []string {
	return []string{string(Blocks), string(BlockedBy), string(Duplicates), string(DuplicatedBy), string(Relates)}
}

// inverse answers the kind as the other item has it.
func (k LinkKind) inverse() LinkKind {
	switch k {
	case Blocks:
		return BlockedBy
	case BlockedBy:
		return Blocks
	case Duplicates:
		return DuplicatedBy
	case DuplicatedBy:
		return Duplicates
	case Relates:
	}
	return Relates
}

// stamp writes a time column as every answer has it: RFC 3339, UTC, milliseconds.
func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// stampOf is [stamp] of a column that may be NULL; "" where it is.
func stampOf(ms *int64) string {
	if ms == nil {
		return ""
	}
	return stamp(*ms)
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// orNull answers the column of an optional text.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
