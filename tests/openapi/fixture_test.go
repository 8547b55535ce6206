// Package openapi_test holds the document of a fixture pack and of every bridged
// tool in tests/testdata/wire against what reads it: our own rules, the original
// schemas, two linters and a generator of types with its compiler.
package openapi_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi/openapi"
)

type none struct{}

var notes = capabilities.NewPack[none](capabilities.PackInfo{
	Name: "notes", Title: "Notes", Summary: "Keep notes for the tests of the document.",
})

var quotaSpent = notes.Code("quota_spent", capabilities.RateLimited, "the notebook is full for today", "come back tomorrow")

// Label stands in an input (closed) and in an output (open).
type Label struct {
	Text string `json:"text" jsonschema:"minLength=1" jsonschema_description:"The text on the label."`
}

// Thread refers to itself.
type Thread struct {
	Text    string   `json:"text" jsonschema_description:"What was said."`
	Replies []Thread `json:"replies" jsonschema_description:"What was answered."`
}

type note struct {
	ID      uint64  `json:"id" jsonschema_description:"The number of the note."`
	Title   string  `json:"title" jsonschema_description:"The title."`
	Version int64   `json:"version" jsonschema_description:"The version, which grows with every change."`
	Labels  []Label `json:"labels" jsonschema_description:"Its labels."`
	Thread  Thread  `json:"thread" jsonschema_description:"The talk about it."`
}

type noteID struct {
	ID uint64 `json:"id" jsonschema_description:"The number of the note."`
}

type listNotesInput struct {
	capabilities.PageInput
	Author []string `json:"author,omitempty" jsonschema_description:"Only notes by one of these."`
	Since  string   `json:"since,omitempty" jsonschema:"format=date-time" jsonschema_description:"Only notes since then."`
	Order  string   `json:"order,omitempty" jsonschema:"enum=new,enum=old,default=new" jsonschema_description:"Which come first."`
	Ratio  float64  `json:"ratio,omitempty" jsonschema:"exclusiveMinimum=0,maximum=1" jsonschema_description:"How much of each."`
}

type createNoteInput struct {
	Notebook string                     `json:"notebook" jsonschema:"pattern=^[a-z]+$" jsonschema_description:"The notebook, in the path."`
	Title    string                     `json:"title" jsonschema:"minLength=1,maxLength=200" jsonschema_description:"The title."`
	Labels   []Label                    `json:"labels,omitempty" jsonschema_description:"Labels."`
	Due      capabilities.Opt[string]   `json:"due,omitzero" jsonschema:"nullable,format=date" jsonschema_description:"When it is due; null for never."`
	Extra    map[string]json.RawMessage `json:"extra,omitempty" jsonschema_description:"Anything else."`
	Weight   *float64                   `json:"weight,omitempty" jsonschema:"exclusiveMinimum=0" jsonschema_description:"How much it weighs."`
	Unless   bool                       `json:"if_none_match,omitempty" jsonschema_description:"Whether to refuse when there is one."`
}

type setNoteInput struct {
	ID      uint64 `json:"id" jsonschema_description:"The number of the note."`
	Title   string `json:"title" jsonschema_description:"The title."`
	IfMatch string `json:"if_match" jsonschema_description:"The version read."`
}

type deleteNoteInput struct {
	ID uint64 `json:"id" jsonschema_description:"The number of the note."`
}

type sketch struct {
	Width int `json:"width" jsonschema_description:"In points."`
}

func (sketch) Blocks() []capabilities.Block { return nil }

type nothing struct{}

func declare[In, Out any](spec capabilities.Spec) {
	capabilities.Declare(notes, spec, func(context.Context, none, In) (out Out, err error) { return out, nil })
}

// declared fills the pack once; every test describes the same one.
var declared = func() bool {
	declare[listNotesInput, capabilities.Page[note]](capabilities.Spec{
		Name: "list_notes", Title: "List notes", Summary: "List the notes, a page at a time.",
		Effect: capabilities.Read(capabilities.Shared), Route: "GET /notes",
		Examples: []capabilities.Example{
			{Name: "by two people", In: `{"author":["ada","bob"],"limit":5}`},
			{Name: "refused", In: `{"limit":0}`, Refuses: capabilities.Invalid},
		},
	})
	declare[noteID, note](capabilities.Spec{
		Name: "get_note", Title: "Get note", Summary: "Read one note.",
		Effect: capabilities.Read(capabilities.Shared), Route: "GET /notes/{id}",
		Refuses: capabilities.Codes{capabilities.NotFound}, Examples: []capabilities.Example{{Name: "the first", In: `{"id":1}`}},
		Aliases: []capabilities.Alias{{Name: "read_note", Since: "0.2", Until: "0.4"}},
	})
	declare[createNoteInput, note](capabilities.Spec{
		Name: "create_note", Title: "Create note", Summary: "Write one note.", Undo: "delete_note",
		Effect: capabilities.Append(capabilities.Shared), Route: "POST /notebooks/{notebook}/notes", Delivers: "notes",
		Refuses: capabilities.Codes{capabilities.Exists, quotaSpent},
		Examples: []capabilities.Example{
			{Name: "plain", In: `{"notebook":"home","title":"<milk> & bread"}`},
			{Name: "labelled", In: `{"notebook":"home","title":"milk","labels":[{"text":"shop"}],"due":null}`},
		},
	})
	declare[setNoteInput, note](capabilities.Spec{
		Name: "set_note", Title: "Set note", Summary: "State the whole of one note.",
		Effect: capabilities.Set(capabilities.Shared), Route: "PUT /notes/{id}",
		Refuses:  capabilities.Codes{capabilities.NotFound, capabilities.StaleVersion},
		Examples: []capabilities.Example{{Name: "new title", In: `{"id":1,"title":"bread","if_match":"3"}`}},
	})
	declare[deleteNoteInput, nothing](capabilities.Spec{
		Name: "delete_note", Title: "Delete note", Summary: "Remove one note for good.",
		Effect: capabilities.Destroy(capabilities.Shared), Route: "DELETE /notes/{id}", Refuses: capabilities.Codes{capabilities.NotFound},
	})
	declare[noteID, sketch](capabilities.Spec{
		Name: "sketch_note", Title: "Sketch note", Summary: "Draw one note.",
		Effect: capabilities.Read(capabilities.Private), Route: "GET /notes/{id}/sketch", Refuses: capabilities.Codes{capabilities.NotFound},
	})
	return true
}()

func fixture(t *testing.T) *capabilities.Registry {
	t.Helper()
	if !declared {
		t.Fatal("the pack is not filled")
	}
	reg, err := capabilities.Assemble(notes.Describe())
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// tool is one tool of a server in the wild, as its answer to tools/list has it.
type tool struct {
	Name, Title, Description  string
	InputSchema, OutputSchema json.RawMessage
	Annotations               map[string]json.RawMessage
}

func wired(t *testing.T) []*capabilities.Capability {
	t.Helper()
	files, err := filepath.Glob("../testdata/wire/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tools: %v", err)
	}
	var all []*capabilities.Capability
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Result struct{ Tools []tool } }
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		server := strings.TrimSuffix(filepath.Base(file), ".json")
		for _, one := range list.Result.Tools {
			all = append(all, bridged(t, server, one))
		}
	}
	return all
}

func bridged(t *testing.T, server string, one tool) *capabilities.Capability {
	t.Helper()
	c, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: server + "__" + one.Name, Tool: one.Name, Server: server, Title: one.Title, Summary: one.Description,
		Input: one.InputSchema, Output: one.OutputSchema, Hints: factsOf(one.Annotations),
		Extras:  capabilities.BridgedExtras{WireName: one.Name},
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
	})
	if err != nil {
		t.Fatalf("%s of %s: %v", one.Name, server, err)
	}
	return c
}

func factsOf(annotations map[string]json.RawMessage) capabilities.HintFacts {
	fact := func(key string) (f capabilities.HintFact) {
		raw, ok := annotations[key]
		if !ok {
			return f
		}
		f.Raw, f.From = raw, capabilities.FromServer
		switch string(raw) {
		case "true":
			f.Value = capabilities.Yes
		case "false":
			f.Value = capabilities.No
		}
		return f
	}
	return capabilities.HintFacts{
		ReadOnly: fact("readOnlyHint"), Destructive: fact("destructiveHint"),
		Idempotent: fact("idempotentHint"), OpenWorld: fact("openWorldHint"),
	}
}

// document is the document of the fixture pack and all wired tools.
func document(t *testing.T, caps ...*capabilities.Capability) []byte {
	t.Helper()
	reg := fixture(t)
	for c := range reg.All() {
		caps = append(caps, c)
	}
	doc, err := openapi.Document(openapi.Options{
		Title: "Fixture", Version: "1.0.0", Homepage: "https://fixture.example", License: "Apache-2.0", Packs: reg.Packs(), Codes: reg.Codes(),
	}, caps)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
