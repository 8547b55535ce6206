package capabilities

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
)

// A seat whose last child is gone costs nothing: every layer is built anew at each swap.
func TestALayerWithoutToolsIsGone(t *testing.T) {
	reg, err := Assemble()
	if err != nil {
		t.Fatal(err)
	}
	l := NewLive(reg)
	tool, err := NewBridged(BridgedSpec{
		Name: "s__t", Tool: "t", Server: "s", Input: json.RawMessage(`{"type":"object"}`),
		Handler: func(context.Context, *Invocation) (*Result, error) { return &Result{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	builder := &Principal{ID: "b", Seat: "builder"}
	l.Replace("builder", "none", nil)
	for _, server := range []string{"s", "other"} {
		l.Replace("builder", server, []*Capability{tool})
	}
	if _, ok := l.For(builder).Find("s__t"); !ok {
		t.Error("the seat has no tool")
	}
	l.Replace("builder", "s", nil)
	if n := len(l.now.Load().seats); n != 1 {
		t.Errorf("%d seats, one has a server", n)
	}
	l.Replace("builder", "other", nil)
	if n := len(l.now.Load().seats) + len(l.seats); n != 0 {
		t.Errorf("%d layers of a seat without tools", n)
	}
	if l.For(builder) != l.Registry() {
		t.Error("the seat does not have what everybody has")
	}
}

// TestARegistryIsPutTogetherOnceAndWhenAskedFor swaps for many servers, as when they come
// up at once, and asks in between.
func TestARegistryIsPutTogetherOnceAndWhenAskedFor(t *testing.T) {
	live := NewLive(newRegistry([]*Capability{{name: "own"}}, nil, nil))
	before := live.Registry()
	const servers = 50
	for i := range servers {
		server := fmt.Sprintf("s%02d", i)
		live.Replace("", server, []*Capability{{name: server + "__a", server: server}})
	}
	live.Replace("desk", "s00", []*Capability{{name: "s00__b", server: "s00"}})
	if before.Len() != 1 {
		t.Errorf("the registry of before has %d capabilities now", before.Len())
	}
	shared, own := live.Registry(), live.For(&Principal{Seat: "desk"})
	if shared.Len() != servers+1 || own.Len() != servers+2 {
		t.Errorf("%d and %d capabilities", shared.Len(), own.Len())
	}
	if live.Registry() != shared || live.For(&Principal{Seat: "desk"}) != own || live.For(nil) != shared {
		t.Error("a registry is put together again when it is asked for again")
	}
	many := make([]*Capability, 5000)
	for i := range many {
		many[i] = &Capability{name: fmt.Sprintf("z__%d", i), server: "z"}
	}
	live.Replace("", "z", many)
	fresh := testing.AllocsPerRun(1, func() { live.Replace("", "s01", []*Capability{{name: "s01__a", server: "s01"}}) })
	asked := testing.AllocsPerRun(1, func() {
		live.Replace("", "s01", []*Capability{{name: "s01__a", server: "s01"}})
		live.Registry()
	})
	if fresh >= asked-5 {
		t.Errorf("a swap takes %.0f allocations when nobody looks, and %.0f when somebody does", fresh, asked)
	}
}
