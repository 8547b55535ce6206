package tracker

import (
	"context"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// CreateWorkItem files one work item in a project.
var CreateWorkItem = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "create_work_item",
	Title:    "Create work item",
	Summary:  "File one work item in a project: a task, a bug, a question to somebody.",
	Effect:   capabilities.Append(capabilities.Shared),
	Route:    "POST /work-items",
	Delivers: delivers,
	Refuses:  capabilities.Codes{UnknownLabel},
	Examples: []capabilities.Example{
		{Name: "a bug", In: `{"project":"WEB","title":"Login loops on Safari","description":"Sign in, and the form comes back.","labels":["bug"],"priority":"high"}`},
		{Name: "a subtask with a checklist", In: `{"project":"WEB","title":"Write the release notes","parent":"WEB-1","checklist":["collect","write","review"]}`},
		{Name: "a question", In: `{"project":"APP","title":"Which colours for the icon?","ask":"kim","decision":{"options":["light","dark"]}}`},
		{Name: "a parent that does not exist", In: `{"project":"WEB","title":"Lost","parent":"WEB-9999"}`, Refuses: capabilities.Invalid},
		{Name: "a label the project does not have", In: `{"project":"WEB","title":"Odd","labels":["nonesuch"]}`, Refuses: "unknown_label"},
	},
}, createWorkItem)

// CreateWorkItemInput describes the new work item.
type CreateWorkItemInput struct {
	// The key of its project. Without it that of the caller's unit, where the caller has one.
	Project string `json:"project,omitempty" jsonschema:"minLength=1,maxLength=10"`
	// What it is about, in one line.
	Title string `json:"title" jsonschema:"minLength=1,maxLength=300"`
	// All there is to say, as Markdown; at most 256 KiB.
	Description string `json:"description,omitempty"`
	// Where it starts. Without it todo, or triage where nobody is assigned.
	Status Status `json:"status,omitempty"`
	// How urgent it is.
	Priority Priority `json:"priority,omitempty" jsonschema:"default=none"`
	// The id of whom it is given to. Without it the project's default assignee, where there is one.
	Assignee string `json:"assignee,omitempty" jsonschema:"minLength=1,maxLength=100"`
	// Labels of the project, by name or id.
	Labels []string `json:"labels,omitempty" jsonschema:"maxItems=32"`
	// Whether to create the labels that the project does not have.
	LabelsCreateMissing bool `json:"labels_create_missing,omitempty"`
	// The item of the same project to file it under as a subtask, by key or id.
	Parent string `json:"parent,omitempty" jsonschema:"minLength=1,maxLength=64"`
	// How it stands to other items.
	Links []LinkInput `json:"links,omitempty" jsonschema:"maxItems=32"`
	// The texts of its checklist, each in one line.
	Checklist []string `json:"checklist,omitempty" jsonschema:"maxItems=100"`
	// Whom it is a question to: the id of a person or a seat.
	Ask string `json:"ask,omitempty" jsonschema:"minLength=1,maxLength=100"`
	// The options to choose from, where it is a question.
	Decision *Decision `json:"decision,omitempty"`
}

// CreateWorkItemOutput is the receipt of a new work item.
type CreateWorkItemOutput struct {
	WorkItemReceipt
	// Where it starts.
	Status Status `json:"status"`
	// Whom it went to, and why.
	Assignee Assignment `json:"assignee"`
	// The number of the question in its thread, to send as answers; absent where nothing is asked.
	Question int64 `json:"question,omitempty"`
}

// Assignment says whom a work item went to.
type Assignment struct {
	// The id of the assignee; absent where nobody is: the lead of the project decides.
	ID string `json:"id,omitempty"`
	// Why: the call names it, it is the project's default, or nobody is named by either.
	Why AssignedWhy `json:"why"`
}

// AssignedWhy is why a work item went where it did.
type AssignedWhy string

// The closed set of reasons.
const (
	NamedInCall    AssignedWhy = "named_in_call"
	ProjectDefault AssignedWhy = "project_default"
	NobodyNamed    AssignedWhy = "nobody_named"
)

// SchemaEnum lists the members.
func (AssignedWhy) SchemaEnum() []string {
	return []string{string(NamedInCall), string(ProjectDefault), string(NobodyNamed)}
}

// judge judges what the schema leaves open.
func (in CreateWorkItemInput) judge() error {
	var f faults
	f.line("/title", in.Title)
	f.body("/description", in.Description)
	for i, name := range in.Labels {
		f.labelName(fmt.Sprintf("/labels/%d", i), name)
	}
	for i, text := range in.Checklist {
		f.entry(fmt.Sprintf("/checklist/%d", i), text)
	}
	f.decision(in.Ask, in.Decision)
	return f.err()
}

func createWorkItem(ctx context.Context, d Deps, in CreateWorkItemInput) (none CreateWorkItemOutput, err error) {
	if err := in.judge(); err != nil {
		return none, err
	}
	if in.Project == "" {
		if in.Project = d.home(ctx); in.Project == "" {
			return none, violates("/project", "required", "is missing, and your unit has no project of its own: send a key of list_projects")
		}
	}
	if in.Assignee != "" {
		if in.Assignee, err = d.person("/assignee", in.Assignee); err != nil {
			return none, err
		}
	}
	if in.Ask != "" {
		if in.Ask, err = d.person("/ask", in.Ask); err != nil {
			return none, err
		}
	}
	return store.Write(ctx, d.Store, func(t *store.Tx) (CreateWorkItemOutput, error) { return fileItem(t, in) })
}

// fileItem adds the item and everything it comes with. It only inserts.
func fileItem(t *store.Tx, in CreateWorkItemInput) (out CreateWorkItemOutput, err error) {
	p, err := projectNamed(&t.Reader, "/project", in.Project)
	if err != nil {
		return out, err
	}
	if err := p.closed("/project"); err != nil {
		return out, err
	}
	it := &item{ID: store.NewID("wi", t.Now()), Project: p.Key, Version: 1, Title: in.Title, Priority: in.Priority.rank()}
	out.Assignee, it.Status = in.assign(p)
	it.Assignee = orNull(out.Assignee.ID)
	if in.Parent != "" {
		parent, err := parentNamed(&t.Reader, "/parent", in.Parent, p.Key, nil, 0)
		if err != nil {
			return out, err
		}
		it.ParentID = &parent.ID
	}
	labels, err := labelsNamed(t, "/labels", p.Key, in.Labels, in.LabelsCreateMissing)
	if err != nil {
		return out, err
	}
	if it.Num, it.Seq, err = numbers(t, p.Key); err != nil {
		return out, err
	}
	if err := it.insert(t, in); err != nil {
		return out, err
	}
	for _, l := range labels {
		if _, err := t.Exec(insertItemLabel, l.ID, it.Seq, it.ID); err != nil {
			return out, err
		}
	}
	for i, link := range in.Links {
		if _, err := it.link(t, fmt.Sprintf("/links/%d", i), link); err != nil {
			return out, err
		}
	}
	out.WorkItemReceipt, out.Status = it.receipt(), it.Status
	if err := it.log(t, event{Action: created, Status: it.Status}); err != nil {
		return out, err
	}
	if in.Ask == "" {
		return out, nil
	}
	c := comment{Kind: Question, Body: in.Title, Asked: in.Ask, Options: in.Decision.options()}
	if err := c.post(t, it); err != nil {
		return out, err
	}
	out.Question = c.Num
	return out, nil
}

// assign answers whom the item goes to and where it starts.
func (in CreateWorkItemInput) assign(p *project) (Assignment, Status) {
	a := Assignment{ID: in.Assignee, Why: NamedInCall}
	status := in.Status
	switch {
	case in.Assignee != "":
	case p.DefaultAssignee != "":
		a = Assignment{ID: p.DefaultAssignee, Why: ProjectDefault}
	default:
		a = Assignment{Why: NobodyNamed}
		if status == "" {
			status = Triage
		}
	}
	if status == "" {
		status = Todo
	}
	return a, status
}

// insert adds the rows of the item itself and puts it into the search.
func (it *item) insert(t *store.Tx, in CreateWorkItemInput) error {
	var list []ChecklistEntry
	for i, text := range in.Checklist {
		list = append(list, ChecklistEntry{ID: int64(i) + 1, Text: text})
	}
	it.Checks = int64(len(list))
	if err := it.setEntries(list); err != nil {
		return err
	}
	if _, err := t.Exec(insertKey, it.Project, it.Num, it.ID, it.Seq); err != nil {
		return err
	}
	now, who := t.Now().UnixMilli(), t.Who().ID
	_, err := t.Exec(insertItem, it.ID, it.Seq, it.Project, it.Num, it.Title, it.Status, it.Priority, it.Assignee, it.ParentID,
		now, who, now, who, now, who, it.Checks, it.Checklist, in.Description)
	if err != nil {
		return err
	}
	return it.index(t, in.Description)
}
