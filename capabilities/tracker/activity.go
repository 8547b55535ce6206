package tracker

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// Activity is one thing that happened. It says what changed by the names of the fields, and quotes nothing.
type Activity struct {
	// What kind of object it happened to.
	Kind ActivityKind `json:"kind"`
	// The id of the object.
	ID string `json:"id"`
	// The key of the work item or project as it was then, the path of the file, or absent for a label.
	Key string `json:"key,omitempty"`
	// The key of the project it happened in.
	Project string `json:"project"`
	// What was done.
	Action Action `json:"action"`
	// The names of the fields that changed.
	Fields []string `json:"fields"`
	// The status of the item after it; absent where it did not change.
	Status Status `json:"status,omitempty"`
	// The key of another item that it is about: the former key of one that moved, the new one of one that moved away, the one it was merged into.
	Other string `json:"other,omitempty"`
	// The version of the object after it.
	Version int64 `json:"version"`
	// When, as RFC 3339.
	At string `json:"at"`
	// Who did it.
	By string `json:"by"`
	// The id of the person that it was done for, where who did it acted for somebody.
	ActingFor string `json:"acting_for,omitempty"`
	// Where it stands in the log: list_activity lists what came after it.
	Position string `json:"position"`
}

// ActivityKind is the kind of object that something happened to.
type ActivityKind string

// SchemaEnum lists the members.
func (ActivityKind) SchemaEnum() []string {
	return []string{kindProject, kindItem, kindLabel, kindFile}
}

// newest begins a history at its newest row.
const newest = math.MaxInt64

// change is a row of the log.
type change struct {
	Stream  string `db:"stream"`
	Seq     int64  `db:"seq"`
	Kind    string `db:"kind"`
	ID      string `db:"entity_id"`
	Scope   string `db:"scope"`
	Version int64  `db:"version"`
	By      string `db:"principal"`
	For     string `db:"acting_for"`
	AtMS    int64  `db:"at_ms"`
	Body    string `db:"body"`
}

// show answers the row as a list shows it; incarnation is the store's.
func (c *change) show(incarnation string) (Activity, error) {
	var e event
	if err := json.Unmarshal([]byte(c.Body), &e); err != nil {
		return Activity{}, fmt.Errorf("reading change %d: %w", c.Seq, err)
	}
	kind := ActivityKind(c.Kind)
	if kind == kindGone {
		kind = kindItem
	}
	return Activity{
		Kind: kind, ID: c.ID, Key: e.Key, Project: c.Scope, Action: e.Action, Fields: e.Fields, Status: e.Status,
		Other: e.Other, Version: c.Version, At: stamp(c.AtMS), By: c.By, ActingFor: c.For,
		Position: store.Position{Incarnation: incarnation, Stream: c.Stream, Seq: c.Seq}.String(),
	}, nil
}

func (d Deps) activities(rows []*change) ([]Activity, error) {
	all, incarnation := make([]Activity, len(rows)), d.Store.Incarnation()
	for i, row := range rows {
		var err error
		if all[i], err = row.show(incarnation); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// history answers what happened to an item before a number of the log, the newest
// first.
func history(r *store.Reader, id string, before int64, limit int) (rows []*change, err error) {
	err = r.Select(&rows, selectHistory, kindItem, id, before, limit)
	return rows, err
}

// activityPage answers a page of what was read with one more than the limit.
func activityPage(d Deps, rows []*change, in capabilities.PageInput) (out capabilities.Page[Activity], err error) {
	rows, more := cut(rows, in)
	if more {
		out.NextCursor = in.Next(place(rows[len(rows)-1].Seq))
	}
	out.Items, err = d.activities(rows)
	return out, err
}
