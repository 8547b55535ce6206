package capabilities_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

var errPlain = errors.New("the disk said something private")

func unreachable(context.Context, *capabilities.Invocation) (*capabilities.Result, error) {
	return nil, errors.New("must not be reached")
}

type deps struct{ greet string }

// EchoInput exercises the shapes of an input.
type EchoInput struct {
	Text  string   `json:"text" jsonschema:"minLength=1,maxLength=20" jsonschema_description:"What to say."`
	Times int      `json:"times,omitempty" jsonschema:"minimum=1,maximum=5,default=2" jsonschema_description:"How often."`
	Tags  []string `json:"tags,omitempty" jsonschema_description:"Words beside it."`
	Big   int64    `json:"big,omitempty" jsonschema_description:"A large number."`
	Fail  string   `json:"fail,omitempty" jsonschema_description:"How to fail."`
}

// EchoOutput is what was said.
type EchoOutput struct {
	Said  string         `json:"said" jsonschema_description:"What was said."`
	Times int            `json:"times" jsonschema_description:"How often."`
	Tags  []string       `json:"tags" jsonschema_description:"Words beside it."`
	Notes map[string]int `json:"notes" jsonschema_description:"Nothing."`
	Big   int64          `json:"big" jsonschema_description:"A large number."`
}

func newPack(t *testing.T) *capabilities.Pack[deps] {
	t.Helper()
	return capabilities.NewPack[deps](capabilities.PackInfo{Name: "fix", Title: "Fixture", Summary: "A pack for tests."})
}

func echoSpec() capabilities.Spec {
	return capabilities.Spec{
		Name: "echo", Title: "Echo", Summary: "Say something back.",
		Effect: capabilities.Append(capabilities.Shared), Route: "POST /echo", Delivers: "fixture",
		Refuses: capabilities.Codes{capabilities.NotFound},
	}
}

func echo(ctx context.Context, d deps, in EchoInput) (EchoOutput, error) {
	switch in.Fail {
	case "panic":
		panic("boom")
	case "plain":
		return EchoOutput{}, errPlain
	case "not_found":
		return EchoOutput{}, capabilities.Refuse(capabilities.NotFound, "no %s here", in.Text)
	case "undeclared":
		return EchoOutput{}, capabilities.Refuse(capabilities.Exists, "there is one")
	case "wait":
		<-ctx.Done()
		return EchoOutput{}, ctx.Err()
	case "progress":
		capabilities.CallFrom(ctx).Report(capabilities.Progress{Value: 1, Total: 2, Message: "half"})
	}
	return EchoOutput{Said: d.greet + in.Text, Times: in.Times, Tags: in.Tags, Big: in.Big}, nil
}

// door answers a door over the given packs, and the registry behind it.
func door(t *testing.T, o capabilities.DoorOptions, packs ...capabilities.Bound) (*capabilities.Door, *capabilities.Live) {
	t.Helper()
	reg, err := capabilities.Assemble(packs...)
	if err != nil {
		t.Fatal(err)
	}
	live := capabilities.NewLive(reg)
	if o.Viewer == nil {
		o.Viewer = capabilities.NewViews(live, capabilities.Scopes{})
	}
	if o.Log == nil {
		//nolint:sloglint // unlike slog.DiscardHandler it takes every level, so that what is logged is also made
		o.Log = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	o.Now, o.Codes = time.Now, reg.Codes()
	return capabilities.NewDoor(o), live
}
