package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

func manyTools(t *testing.T, n int) []*capabilities.Capability {
	t.Helper()
	all := make([]*capabilities.Capability, n)
	for i := range all {
		name := fmt.Sprintf("t%05d", i)
		c, err := capabilities.NewBridged(capabilities.BridgedSpec{
			Name: "s__" + name, Tool: name, Server: "s", Input: json.RawMessage(`{ "type":"object","properties":{}}`),
			Handler: func(context.Context, *capabilities.Invocation) (*capabilities.Result, error) { return nil, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		all[i] = c
	}
	return all
}

// A list finds every tool in its pages, and one that takes them over from there is the
// one that is written anew.
func TestListsTakeOverWhatTheyHave(t *testing.T) {
	tools := manyTools(t, 2*pageSize+2)
	first := newListing(tools[1:], nil, false)
	for i, c := range first.tools {
		want := new(bytes.Buffer)
		if compact(want, wire.Tool(c)); !bytes.Equal(first.part(i), want.Bytes()) {
			t.Fatalf("tool %d is %s, want %s", i, first.part(i), want)
		}
	}
	moved, anew := newListing(tools, []*listing{first}, false), newListing(tools, nil, false)
	if moved.digest != anew.digest || len(moved.pages) != 3 {
		t.Errorf("another digest, or %d pages", len(moved.pages))
	}
	for i, page := range anew.pages {
		if !bytes.Equal(page, moved.pages[i]) {
			t.Errorf("page %d differs", i)
		}
	}
	if empty := newListing(nil, nil, false); len(empty.pages) != 1 || !bytes.HasPrefix(empty.pages[0], []byte(pageHead+"]")) {
		t.Errorf("the list of no tools is %s", empty.pages)
	}
}
