package tracker

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-89b9419b/holotype/internal/store"
)

// CommentKind is what a comment is: a remark, a question to somebody, the answer to one, or the reason of an assignment.
type CommentKind string

// The closed set of kinds of comments.
const (
	Remark   CommentKind = "remark"
	Question CommentKind = "question"
	Answer   CommentKind = "answer"
	Reason   CommentKind = "reason"
)

// SchemaEnum lists the members.
func (CommentKind) SchemaEnum() []string {
	return []string{string(Remark), string(Question), string(Answer), string(Reason)}
}

// Decision gives a question options to choose from.
type Decision struct {
	// The options, each in one line and different from the others.
	Options []string `json:"options" jsonschema:"minItems=2,maxItems=10"`
}

func (d *Decision) options() []string {
	if d == nil {
		return nil
	}
	return d.Options
}

// maxOption is how long an option is.
const maxOption = 200

// decision judges what is asked of whom.
func (f *faults) decision(ask string, d *Decision) {
	if d == nil {
		return
	}
	if ask == "" {
		f.add("/ask", "required", "is missing, and a decision is one of somebody: send whom you ask")
	}
	for i, option := range d.Options {
		at := fmt.Sprintf("/decision/options/%d", i)
		switch {
		case len(option) > maxOption:
			f.add(at, "maxLength", fmt.Sprintf("has %d bytes, at most %d are taken: send less", len(option), maxOption))
		case slices.Index(d.Options, option) < i:
			f.add(at, "uniqueItems", "is there twice: send options that differ")
		default:
			f.name(at, option)
		}
	}
}

// Comment is one entry of the thread of a work item.
type Comment struct {
	// The number that names it within the thread; an answer sends the question's as answers.
	Number int64 `json:"number"`
	// What it is.
	Kind CommentKind `json:"kind"`
	// The text.
	Body string `json:"body"`
	// When it was posted, as RFC 3339.
	At string `json:"at"`
	// Who posted it.
	By string `json:"by"`
	// The ids of the people and seats it mentions.
	Mentions []string `json:"mentions"`
	// Whom it asks; absent where it is no question.
	Asked string `json:"asked,omitempty"`
	// What to choose from, where it is a question with options.
	Options []string `json:"options,omitempty"`
	// The number of the answer; absent where it is no question, or has none yet.
	AnsweredBy int64 `json:"answered_by,omitempty"`
	// The number of the question that it answers.
	Answers int64 `json:"answers,omitempty"`
	// The option it chooses.
	Choice string `json:"choice,omitempty"`
}

// comment is a comment to be posted.
type comment struct {
	Num      int64
	Kind     CommentKind
	Body     string
	Mentions []string
	Asked    string
	Options  []string
	Answers  int64
	Choice   string
}

// commentRow is a row of tracker_comments with the number of its answer.
type commentRow struct {
	Num        int64       `db:"num"`
	Kind       CommentKind `db:"kind"`
	AtMS       int64       `db:"at_ms"`
	By         string      `db:"by_id"`
	Mentions   string      `db:"mentions"`
	Asked      string      `db:"asked"`
	Options    string      `db:"options"`
	Answers    *int64      `db:"answers"`
	Choice     string      `db:"choice"`
	Body       string      `db:"body"`
	AnsweredBy *int64      `db:"answered_by"`
}

// post adds the comment to the thread of the item. It only inserts.
func (c *comment) post(t *store.Tx, it *item) error {
	mentions, err := listColumn(c.Mentions)
	if err != nil {
		return err
	}
	options, err := listColumn(c.Options)
	if err != nil {
		return err
	}
	var last int64
	if err := t.Get(&last, selectLastComment, it.ID); err != nil {
		return err
	}
	c.Num = last + 1
	var answers *int64
	if c.Answers != 0 {
		answers = &c.Answers
	}
	who := t.Who()
	_, err = t.Exec(insertComment, it.ID, c.Num, c.Kind, t.Now().UnixMilli(), who.ID, who.Kind, mentions, c.Asked, options, answers, c.Choice, c.Body)
	if err != nil {
		return err
	}
	action := commented
	switch c.Kind {
	case Question:
		action = asked
	case Answer:
		action = answered
	case Remark, Reason:
	}
	return it.log(t, event{Action: action})
}

// findComment answers a comment of the thread, or nil.
func findComment(r *store.Reader, it *item, num int64) (*commentRow, error) {
	var row commentRow
	err := r.Get(&row, selectComment, it.ID, num)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil // no row is no error, and the caller tells what it means
	}
	return &row, err
}

func (row *commentRow) show() (Comment, error) {
	c := Comment{
		Number: row.Num, Kind: row.Kind, Body: row.Body, At: stamp(row.AtMS), By: row.By, Asked: row.Asked, Choice: row.Choice,
	}
	if row.Answers != nil {
		c.Answers = *row.Answers
	}
	if row.AnsweredBy != nil {
		c.AnsweredBy = *row.AnsweredBy
	}
	var err error
	if c.Mentions, err = listOf(row.Mentions); err != nil {
		return c, err
	}
	c.Options, err = listOf(row.Options)
	return c, err
}

// showComments answers the rows as a thread shows them.
func showComments(rows []*commentRow) ([]Comment, error) {
	all := make([]Comment, len(rows))
	for i, row := range rows {
		var err error
		if all[i], err = row.show(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// listColumn writes the column of a list of texts; "" for none.
func listColumn(list []string) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(list)
	return string(raw), err
}

func listOf(column string) (list []string, err error) {
	if column == "" {
		return nil, nil
	}
	err = json.Unmarshal([]byte(column), &list)
	return list, err
}
