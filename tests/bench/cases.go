package main

import (
	"context"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/fixture"
)

// The types of the measured capabilities carry the tags of both sides: ours are
// jsonschema and jsonschema_description, the rest is what huma reads.

// Note is the trivial input: one field.
type Note struct {
	Text string `json:"text" minLength:"1" maxLength:"200" jsonschema:"minLength=1,maxLength=200" jsonschema_description:"What it says." doc:"What it says."`
}

// Noted is its answer.
type Noted struct {
	ID   int64  `json:"id" jsonschema_description:"Its number." doc:"Its number."`
	Text string `json:"text" jsonschema_description:"What it says." doc:"What it says."`
}

// Task is one step of a ticket.
type Task struct {
	Text string `json:"text" minLength:"1" jsonschema:"minLength=1" jsonschema_description:"What to do." doc:"What to do."`
	Done bool   `json:"done" jsonschema_description:"Whether it is done." doc:"Whether it is done."`
}

// Ticket has 15 fields.
type Ticket struct {
	Project  string   `json:"project" minLength:"1" maxLength:"20" pattern:"^[A-Z]+$" jsonschema:"minLength=1,maxLength=20,pattern=^[A-Z]+$" jsonschema_description:"The project." doc:"The project."`
	Title    string   `json:"title" minLength:"1" maxLength:"200" jsonschema:"minLength=1,maxLength=200" jsonschema_description:"The title." doc:"The title."`
	Body     string   `json:"body,omitempty" maxLength:"20000" jsonschema:"maxLength=20000" jsonschema_description:"The text." doc:"The text."`
	Kind     string   `json:"kind" enum:"bug,task,story" jsonschema:"enum=bug,enum=task,enum=story" jsonschema_description:"The kind." doc:"The kind."`
	Priority int      `json:"priority" minimum:"1" maximum:"5" jsonschema:"minimum=1,maximum=5" jsonschema_description:"The priority." doc:"The priority."`
	Estimate float64  `json:"estimate,omitempty" minimum:"0" maximum:"1000" jsonschema:"minimum=0,maximum=1000" jsonschema_description:"Days of work." doc:"Days of work."`
	Labels   []string `json:"labels,omitempty" maxItems:"20" jsonschema:"maxItems=20" jsonschema_description:"The labels." doc:"The labels."`
	Assignee string   `json:"assignee,omitempty" maxLength:"64" jsonschema:"maxLength=64" jsonschema_description:"Who does it." doc:"Who does it."`
	Reporter string   `json:"reporter" minLength:"1" maxLength:"64" jsonschema:"minLength=1,maxLength=64" jsonschema_description:"Who wants it." doc:"Who wants it."`
	Due      string   `json:"due,omitempty" maxLength:"10" jsonschema:"maxLength=10" jsonschema_description:"The day it is due." doc:"The day it is due."`
	Parent   int64    `json:"parent,omitempty" minimum:"1" jsonschema:"minimum=1" jsonschema_description:"The parent." doc:"The parent."`
	Blocked  bool     `json:"blocked,omitempty" jsonschema_description:"Whether it waits." doc:"Whether it waits."`
	Private  bool     `json:"private,omitempty" jsonschema_description:"Whether it is hidden." doc:"Whether it is hidden."`
	Steps    []Task   `json:"steps,omitempty" maxItems:"50" jsonschema:"maxItems=50" jsonschema_description:"The steps." doc:"The steps."`
	Watchers []int64  `json:"watchers,omitempty" maxItems:"50" jsonschema:"maxItems=50" jsonschema_description:"Who is told." doc:"Who is told."`
}

// Filed is its answer.
type Filed struct {
	ID    int64  `json:"id" jsonschema_description:"Its number." doc:"Its number."`
	Title string `json:"title" jsonschema_description:"The title." doc:"The title."`
	Steps int    `json:"steps" jsonschema_description:"How many steps." doc:"How many steps."`
}

// Lookup is read from the path and from three parameters of the query.
type Lookup struct {
	Project string `json:"project" path:"project" minLength:"1" maxLength:"20" jsonschema:"minLength=1,maxLength=20" jsonschema_description:"The project." doc:"The project."`
	State   string `json:"state,omitempty" query:"state" enum:"open,closed" jsonschema:"enum=open,enum=closed" jsonschema_description:"The state." doc:"The state."`
	Limit   int    `json:"limit,omitempty" query:"limit" minimum:"1" maximum:"1000" jsonschema:"minimum=1,maximum=1000" jsonschema_description:"How many." doc:"How many."`
	Blocked bool   `json:"blocked,omitempty" query:"blocked" jsonschema_description:"Whether it waits." doc:"Whether it waits."`
}

// What the capabilities do, on both sides.
func takeNote(in Note) Noted { return Noted{ID: 7, Text: in.Text} }
func file(in Ticket) Filed   { return Filed{ID: 8, Title: in.Title, Steps: len(in.Steps)} }
func lookUp(in Lookup) Filed { return Filed{ID: int64(in.Limit), Title: in.Project + in.State} }
func packs() []capabilities.Bound {
	return []capabilities.Bound{benchPack().Bind(struct{}{}), fixture.Pack.Bind(fixture.Deps{})}
}

func benchPack() *capabilities.Pack[struct{}] {
	pack := capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "bench", Title: "Bench", Summary: "Capabilities to be measured."})
	declare(pack, "take_note", capabilities.Append(capabilities.Shared), "POST /notes", takeNote)
	declare(pack, "file", capabilities.Append(capabilities.Shared), "POST /tickets", file)
	declare(pack, "look_up", capabilities.Read(capabilities.Shared), "GET /tickets/{project}", lookUp)
	return pack
}

func declare[In, Out any](pack *capabilities.Pack[struct{}], name string, effect capabilities.Effect, route string, f func(In) Out) {
	capabilities.Declare(pack, capabilities.Spec{
		Name: name, Title: name, Summary: "Be measured.", Effect: effect, Route: route, Answers: capabilities.FromInput,
	}, func(_ context.Context, _ struct{}, in In) (Out, error) { return f(in), nil })
}

// The arguments of the measured calls.
const (
	noteArguments   = `{"text":"call the vet"}`
	ticketArguments = `{"project":"WEB","title":"the login page loops","body":"Sign in, sign out, sign in again. It never ends.","kind":"bug","priority":2,` +
		`"estimate":1.5,"labels":["login","auth","p2"],"assignee":"ada","reporter":"grace","due":"2026-05-01","parent":4711,"blocked":false,"private":true,` +
		`"steps":[{"text":"reproduce it","done":true},{"text":"fix it","done":false}],"watchers":[1,2,3]}`
	// of the fixture's file_ticket, without the project, which stands in the path
	everyArguments = `{"title":"the login page loops","kind":"bug","body":"Sign in, sign out, sign in again. It never ends.","priority":2,"estimate":1.5,` +
		`"public":true,"labels":["login","auth","p2"],"external":9007199254740993,"small":7,"due":"2026-05-01","link":"https://example.com/a/b",` +
		`"assignee":"ada","parent":"WEB-1","steps":[{"text":"reproduce it","done":true},{"text":"fix it"}],"facts":{"seen":3},"extra":{"os":"linux"}}`
)
