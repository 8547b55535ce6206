package conformance_test

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// deps are what the capabilities of the fixture reach into.
type deps struct {
	changeTools   func() error // makes the list of tools another one
	changePrompts func()       // makes the list of prompts another one
}

// nothing is an input without fields.
type nothing struct{}

// said is an output of text.
type said struct {
	Text string `json:"text" jsonschema_description:"What is said."`
}

// shown is an output of content blocks beside their number.
type shown struct {
	Count int `json:"count" jsonschema_description:"How many blocks there are."`

	blocks []capabilities.Block
}

// Blocks are the blocks.
func (s shown) Blocks() []capabilities.Block { return s.blocks }

// newPack declares the tools that the scenarios call, as far as a capability can be
// what they expect.
func newPack() *capabilities.Pack[deps] {
	pack := capabilities.NewPack[deps](capabilities.PackInfo{
		Name: "conformance", Title: "Conformance", Summary: "The tools that the conformance suite calls.",
	})
	always := pack.Code("always_fails", capabilities.Conflict, "the tool always fails", "call another tool")

	capabilities.Declare(pack, spec("test_simple_text", "Answer a line of text."),
		func(context.Context, deps, nothing) (said, error) {
			return said{Text: "This is a simple text response for testing."}, nil
		})
	show(pack, "test_image_content", "Answer an image.", image())
	show(pack, "test_audio_content", "Answer a sound.", audio())
	show(pack, "test_embedded_resource", "Answer an embedded resource.", embedded())
	show(pack, "test_multiple_content_types", "Answer blocks of several kinds.",
		capabilities.TextBlock("several kinds"), image(), embedded())
	capabilities.Declare(pack, spec("test_tool_with_progress", "Report progress three times, then answer."), withProgress)
	capabilities.Declare(pack, spec("test_streaming_elicitation", "Report progress while a client that can be asked waits."), withProgress)

	failing := spec("test_error_handling", "Fail.")
	failing.Refuses = capabilities.Codes{always}
	capabilities.Declare(pack, failing, func(context.Context, deps, nothing) (said, error) {
		return said{}, capabilities.Refuse(always, "this tool always fails")
	})

	trigger := spec("test_trigger_tool_change", "Change the list of tools.")
	trigger.Effect, trigger.Route = capabilities.Amend(capabilities.Local), "POST /test-trigger-tool-change"
	capabilities.Declare(pack, trigger, func(_ context.Context, d deps, _ nothing) (said, error) {
		return said{Text: "changed"}, d.changeTools()
	})
	trigger.Name, trigger.Title, trigger.Summary = "test_trigger_prompt_change", "test_trigger_prompt_change", "Change the list of prompts."
	trigger.Route = "POST /test-trigger-prompt-change"
	capabilities.Declare(pack, trigger, func(_ context.Context, d deps, _ nothing) (said, error) {
		d.changePrompts()
		return said{Text: "changed"}, nil
	})
	asking(pack)
	capabilities.Comments(pack, map[string]string{
		"prompt": "What to ask.", "nothing": "Nothing.", "said": "A line of text.", "shown": "Blocks of content.",
	})
	return pack
}

func spec(name, summary string) capabilities.Spec {
	return capabilities.Spec{
		Name: name, Title: name, Summary: summary, Effect: capabilities.Read(capabilities.Local),
		Route: "GET /" + strings.ReplaceAll(name, "_", "-"), Answers: capabilities.FromInput,
	}
}

func show(pack *capabilities.Pack[deps], name, summary string, blocks ...capabilities.Block) {
	capabilities.Declare(pack, spec(name, summary), func(context.Context, deps, nothing) (shown, error) {
		return shown{Count: len(blocks), blocks: blocks}, nil
	})
}

func withProgress(ctx context.Context, _ deps, _ nothing) (said, error) {
	run := capabilities.CallFrom(ctx)
	for _, value := range []float64{0, 50, 100} {
		run.Report(capabilities.Progress{Value: value, Total: 100, Message: "under way"})
	}
	return said{Text: "done"}, nil
}

// pixel is a PNG of one pixel, silence a WAV without samples.
const (
	pixel   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
)

func image() capabilities.Block { return capabilities.ImageBlock("image/png", decoded(pixel)) }
func audio() capabilities.Block { return capabilities.AudioBlock("audio/wav", decoded(silence)) }

func embedded() capabilities.Block {
	return capabilities.TextFileBlock("test://embedded-resource", "text/plain", "This is an embedded resource content.")
}

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil // the scenarios refuse an empty block
	}
	return data
}
