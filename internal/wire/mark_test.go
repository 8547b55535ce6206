package wire_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// What another server says under our keys is not passed on, and its other keys keep
// their bytes and their order.
func TestNobodyElseSpeaksUnderOurKeys(t *testing.T) {
	for name, c := range map[string]struct {
		meta    string
		through []string
		want    string
	}{
		"nothing":           {"", nil, `{"holotype/effect":{"asserts":"unknown"}}`},
		"no object":         {`[1]`, nil, `{"holotype/effect":{"asserts":"unknown"}}`},
		"a lie":             {`{"holotype/effect":{"asserts":"reads"},"holotype/through":["LIESLIES"]}`, nil, `{"holotype/effect":{"asserts":"unknown"}}`},
		"a lie in escapes":  {`{"holotype\/effect":1,"holotype/\u0074hrough":["LIESLIES"]}`, nil, `{"holotype/effect":{"asserts":"unknown"}}`},
		"keys of their own": {`{ "b" : 9007199254740993 , "a":{"x":[1, 2]}}`, []string{"AAAAAAAA", "BBBBBBBB"}, `{"b":9007199254740993,"a":{"x":[1, 2]},"holotype/effect":{"asserts":"unknown"},"holotype/through":["AAAAAAAA","BBBBBBBB"]}`},
	} {
		tool, err := capabilities.NewBridged(capabilities.BridgedSpec{
			Name: "s__t", Tool: "t", Server: "s", Input: json.RawMessage(`{"type":"object"}`),
			Extras:  capabilities.BridgedExtras{Meta: json.RawMessage(c.meta), Through: c.through},
			Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		got := rawjson.Member(wire.Tool(tool), "_meta")
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		if diff := cmp.Diff(c.through, wire.Through(got)); diff != "" {
			t.Errorf("%s read again (-want +got)\n%s", name, diff)
		}
	}
}

func TestMarksOfStrangers(t *testing.T) {
	for _, meta := range []string{``, `7`, `{"holotype/mark":7}`, `{"holotype/mark":"short"}`, `{"holotype/mark":"with a blank"}`, `{"holotype/mark":"` + strings.Repeat("A", 65) + `"}`} {
		if got := wire.Mark(json.RawMessage(meta)); got != "" {
			t.Errorf("%s: %q", meta, got)
		}
	}
	if got := wire.Mark(json.RawMessage(`{"x":1,"holotype/mark":"GOODMARK"}`)); got != "GOODMARK" {
		t.Errorf("got %q", got)
	}
	endless := `{"holotype/through":[` + strings.Repeat(`"AAAAAAAA",`, 10_000) + `7]}`
	if got := wire.Through(json.RawMessage(endless)); len(got) != wire.MaxThrough+1 {
		t.Errorf("%d marks", len(got))
	}
}

func BenchmarkTool(b *testing.B) {
	tool, err := capabilities.NewBridged(capabilities.BridgedSpec{
		Name: "s__t", Tool: "t", Server: "s", Summary: "Reads a file", Input: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`),
		Extras:  capabilities.BridgedExtras{Meta: json.RawMessage(`{"ui":{"resourceUri":"ui://a/b","visibility":["model","app"]},"openai/outputTemplate":"ui://a/b"}`)},
		Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		wire.Tool(tool)
	}
}

// Every byte that may stand in a mark, and every other one; every length.
func TestWhatAMarkIsMadeOf(t *testing.T) {
	const members = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for c := range 256 {
		word := "AAAAAAA" + string([]byte{byte(c)})
		if got, want := wire.IsMark(word), strings.IndexByte(members, byte(c)) >= 0; got != want {
			t.Errorf("%q is a mark: %v, want %v", word, got, want)
		}
	}
	for n := range 70 {
		if got, want := wire.IsMark(strings.Repeat("A", n)), n >= 8 && n <= 64; got != want {
			t.Errorf("%d letters are a mark: %v, want %v", n, got, want)
		}
	}
}
