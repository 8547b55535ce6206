package tracker

import (
	"context"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// CommentOnWorkItem posts to the thread of a work item.
var CommentOnWorkItem = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "comment_on_work_item",
	Title:    "Comment on work item",
	Summary:  "Post to the thread of a work item: a remark, a question to somebody, or the answer to one.",
	Effect:   capabilities.Append(capabilities.Shared),
	Route:    "POST /work-items/{item}/comments",
	Delivers: delivers,
	Refuses:  capabilities.Codes{capabilities.NotFound, AlreadyAnswered},
	Examples: []capabilities.Example{
		{Name: "a remark that mentions somebody", In: `{"item":"WEB-1","body":"Found it, @kim: the cookie is not sent."}`},
		{Name: "a question with options", In: `{"item":"WEB-1","body":"Fix it now or with the release?","ask":"ana","decision":{"options":["now","with the release"]}}`},
		{Name: "the answer to a question", In: `{"item":"APP-1","body":"The dark one.","answers":1,"choice":"dark"}`},
		{Name: "an answer to what is no question", In: `{"item":"WEB-2","body":"Yes.","answers":77}`, Refuses: capabilities.Invalid},
		{Name: "an item that does not exist", In: `{"item":"WEB-9999","body":"Anybody?"}`, Refuses: capabilities.NotFound},
	},
}, commentOnWorkItem)

// CommentOnWorkItemInput is the comment to post.
type CommentOnWorkItemInput struct {
	// The item, by key or id.
	Item string `json:"item" jsonschema:"minLength=1,maxLength=64"`
	// The text, as Markdown; at most 256 KiB. @ and an id or a name mentions somebody.
	Body string `json:"body" jsonschema:"minLength=1"`
	// Whom it is a question to: the id of a person or a seat.
	Ask string `json:"ask,omitempty" jsonschema:"minLength=1,maxLength=100"`
	// The options to choose from, where it is a question.
	Decision *Decision `json:"decision,omitempty"`
	// The number of the question in this thread that it answers.
	Answers int64 `json:"answers,omitempty" jsonschema:"minimum=1"`
	// The option it chooses, word for word, where the question has options.
	Choice string `json:"choice,omitempty" jsonschema:"minLength=1,maxLength=200"`
}

// CommentOnWorkItemOutput is the receipt of a comment.
type CommentOnWorkItemOutput struct {
	WorkItemReceipt
	// The comment's number in the thread.
	Number int64 `json:"number"`
	// The ids of the people and seats it mentions.
	Mentions []string `json:"mentions"`
	// Names after an @ that are nobody's here, or more than one's.
	Unresolved []string `json:"unresolved"`
}

func commentOnWorkItem(ctx context.Context, d Deps, in CommentOnWorkItemInput) (none CommentOnWorkItemOutput, err error) {
	var f faults
	f.body("/body", in.Body)
	if blank(in.Body) {
		f.add("/body", "minLength", "is blank: send words")
	}
	f.decision(in.Ask, in.Decision)
	if in.Ask != "" && in.Answers != 0 {
		f.add("/ask", "not", "does not go with answers: answer in one comment and ask in another")
	}
	if in.Choice != "" && in.Answers == 0 {
		f.add("/choice", "not", "goes with answers alone: send the number of the question, too")
	}
	if err := f.err(); err != nil {
		return none, err
	}
	if in.Ask != "" {
		if in.Ask, err = d.person("/ask", in.Ask); err != nil {
			return none, err
		}
	}
	mentions, unresolved := d.mentioned(in.Body)
	return store.Write(ctx, d.Store, func(t *store.Tx) (out CommentOnWorkItemOutput, err error) {
		it, err := itemAbout(&t.Reader, in.Item)
		if err != nil {
			return out, err
		}
		c := comment{Kind: Remark, Body: in.Body, Mentions: mentions, Asked: in.Ask, Options: in.Decision.options(), Answers: in.Answers, Choice: in.Choice}
		switch {
		case in.Ask != "":
			c.Kind = Question
		case in.Answers != 0:
			c.Kind = Answer
			if err := c.fits(&t.Reader, it); err != nil {
				return out, err
			}
		}
		if err := c.post(t, it); err != nil {
			return out, err
		}
		return CommentOnWorkItemOutput{WorkItemReceipt: it.receipt(), Number: c.Num, Mentions: mentions, Unresolved: unresolved}, nil
	})
}

// fits refuses an answer that does not answer its question.
func (c *comment) fits(r *store.Reader, it *item) error {
	q, err := findComment(r, it, c.Answers)
	if err != nil {
		return err
	}
	if q == nil || q.Kind != Question {
		return violates("/answers", "reference", "names no question in the thread of "+it.key()+": get_work_item shows them with their numbers")
	}
	if q.AnsweredBy != nil {
		return capabilities.Refuse(AlreadyAnswered, "question %d of %s was answered by comment %d: read that one, and ask a question of your own to reopen it",
			q.Num, it.key(), *q.AnsweredBy)
	}
	options, err := listOf(q.Options)
	switch {
	case err != nil:
		return err
	case len(options) == 0 && c.Choice != "":
		return violates("/choice", "not", "does not go with this question, which has no options: leave it out")
	case len(options) > 0 && !slices.Contains(options, c.Choice):
		return violates("/choice", "enum", "is none of the options of the question: send one of "+strings.Join(options, ", "))
	}
	return nil
}
