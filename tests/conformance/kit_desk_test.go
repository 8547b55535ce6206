package conformance_test

import (
	"context"
	"sync/atomic"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// desk is what the small pack of the twins works on.
type desk struct {
	calls, notes atomic.Int64
	secret       string
	start        int64 // which start of the program this is
}

// flaws are what is wrong with the small pack. Without any it is an honest one.
type flaws struct {
	counts, starts   bool // an answer that is said to follow from the input follows from the calls, or from the start
	writes           bool // a read that changes what another one answers
	undeclared       bool // a refusal with a code that is not declared
	leaks            bool // an answer with a secret
	unlike           bool // an example that does not do what it says
	changesWhenTried bool // a dry run that changes something
}

type noteInput struct {
	Text string `json:"text" jsonschema:"minLength=1,maxLength=20" jsonschema_description:"A text."`
}

type noteOutput struct {
	Text  string `json:"text" jsonschema_description:"The text."`
	Count int64  `json:"count" jsonschema_description:"How many there are."`
}

// newDesk declares the small pack.
func newDesk(f flaws) *capabilities.Pack[*desk] {
	pack := capabilities.NewPack[*desk](capabilities.PackInfo{Name: "desk", Title: "Desk", Summary: "Keep notes."})
	example := func(name, in string) capabilities.Example { return capabilities.Example{Name: name, In: in} }
	capabilities.Declare(pack, capabilities.Spec{
		Name: "show_note", Title: "Show note", Summary: "Answer a note.", Effect: capabilities.Read(capabilities.Local), Route: "GET /notes/{text}",
		Answers: capabilities.FromInput, Refuses: capabilities.Codes{capabilities.NotFound},
		Examples: []capabilities.Example{example("one", `{"text":"a"}`), {Name: "none", In: `{"text":"none"}`, Refuses: capabilities.NotFound}},
	}, func(_ context.Context, d *desk, in noteInput) (noteOutput, error) {
		out := noteOutput{Text: in.Text}
		switch {
		case in.Text == "none" && f.unlike:
		case in.Text == "none":
			return out, capabilities.Refuse(capabilities.NotFound, "there is no note %s", in.Text)
		case f.undeclared:
			return out, capabilities.Refuse(capabilities.Conflict, "the note %s is being written", in.Text)
		case f.leaks:
			out.Text = d.secret
		case f.counts:
			out.Count = d.calls.Add(1)
		case f.starts:
			out.Count = d.start
		}
		return out, nil
	})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "count_notes", Title: "Count notes", Summary: "Answer how many notes there are.", Effect: capabilities.Read(capabilities.Local), Route: "GET /counts",
		Examples: []capabilities.Example{example("all", `{"text":"a"}`)},
	}, func(_ context.Context, d *desk, in noteInput) (noteOutput, error) {
		return noteOutput{Text: in.Text, Count: d.notes.Load()}, nil
	})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "look_around", Title: "Look around", Summary: "Look around.", Effect: capabilities.Read(capabilities.Local), Route: "GET /looks", Answers: capabilities.FromProcess,
		Examples: []capabilities.Example{example("once", `{"text":"a"}`)},
	}, func(_ context.Context, d *desk, in noteInput) (noteOutput, error) {
		if f.writes {
			d.notes.Add(1)
		}
		return noteOutput{Text: in.Text}, nil
	})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "add_note", Title: "Add note", Summary: "Add a note.", Effect: capabilities.Append(capabilities.Local), Route: "POST /notes", Rehearses: true,
		Examples: []capabilities.Example{example("one", `{"text":"a"}`)},
	}, func(ctx context.Context, d *desk, in noteInput) (noteOutput, error) {
		if !capabilities.CallFrom(ctx).Operation.DryRun || f.changesWhenTried {
			d.notes.Add(1)
		}
		return noteOutput{Text: in.Text}, nil
	})
	capabilities.Declare(pack, capabilities.Spec{
		Name: "drop_notes", Title: "Drop notes", Summary: "Take all notes away.", Effect: capabilities.Destroy(capabilities.Local), Route: "POST /drops",
		Examples: []capabilities.Example{example("all", `{"text":"a"}`)},
	}, func(_ context.Context, d *desk, in noteInput) (noteOutput, error) {
		return noteOutput{Text: in.Text, Count: d.notes.Swap(0)}, nil
	})
	capabilities.Comments(pack, map[string]string{"noteInput": "A note.", "noteOutput": "A note that was understood."})
	return pack
}
